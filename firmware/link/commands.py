"""Commands: each operation number acts at most once, and the answer to it never changes.

A new number is recorded before anything is done about it, and again when it has ended; one that is refused is stored in
the mark of its lane, and costs no record (0029). The same number gets the stored answer, an older one is stale, and the
same one with other arguments is a conflict. A command presses the button a dealer would press: there is one way into
the procedure, and its interlocks hold for both (0006).
"""

from binascii import crc32

from micropython import const

from firmware.games.flow import (
    DECK_HELD,
    DECK_READY,
    DISPENSING,
    DRAW_READY,
    DRAWING,
    PREPARING,
    PROVING_EMPTY,
    RELEASING,
    REMAINDER_OFFERED,
    REMOVING,
    SHUFFLING,
    STACK_OFFERED,
    WAITING_FOR_DECK,
    WAITING_FOR_GREEN,
    WAITING_FOR_LOCKOUT,
    WAITING_FOR_ROUND_END,
    WAITING_FOR_WAGERS,
    WARNING,
    flow_about_tail,
)
from firmware.games.next_need import need_for, need_next
from firmware.games.prerequisites import hold_for
from firmware.games.profile import EXTRA_COMMUNITY, TAIL_HANDED, TAIL_HOUSE, TAIL_LOCKOUT, TAIL_SETTLING, TAIL_WAGERS
from firmware.games.records import record_do, record_objection
from firmware.games.round_steps import extra_due
from firmware.image import IN_HOPPER
from firmware.journal.lanes import Lanes
from firmware.machines.panel import PRESS_ACK, PRESS_CLOSE, PRESS_END, PRESS_GREEN, PRESS_LOCK, PRESS_TEST
from firmware.protocol import ids
from firmware.protocol.frame import CRC_SIZE, HEADER_SIZE
from firmware.protocol.session import MAC_SIZE
from firmware.ticks import FOREVER_MS, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.image import Inputs
    from firmware.journal.lanes import Lane
    from firmware.protocol.frame import FrameReader

NO_PRESS = const(-1)
DIGEST_MASK = const(0x3FFFFFFF)  # a larger integer is allocated on a 32-bit port
PRESS_MS_MAX = const(500)  # for the procedure to take a press; after that an interlock holds it back (0006)
OP_SIZE = const(4)

# command: (states it may start in, button it stands for, states on the way, states that mean done)
_RULES = {
    ids.CMD_SHUFFLE: ((WAITING_FOR_DECK,), PRESS_GREEN, (PREPARING, SHUFFLING), (DECK_READY, DECK_HELD, DRAW_READY)),
    ids.CMD_SET_POSITIONS: ((DECK_READY, DRAW_READY), NO_PRESS, (), (DECK_READY, DRAW_READY)),
    ids.CMD_CLOSE_BETTING: (
        (DECK_READY, DRAW_READY, WAITING_FOR_WAGERS),
        PRESS_CLOSE,
        (),
        (WAITING_FOR_LOCKOUT, DISPENSING, DRAWING, WAITING_FOR_GREEN),
    ),
    ids.CMD_CONFIRM_LOCKOUT: ((WAITING_FOR_LOCKOUT,), PRESS_LOCK, (), (DISPENSING,)),
    ids.CMD_RELEASE: ((WAITING_FOR_GREEN, STACK_OFFERED, DECK_HELD), PRESS_GREEN, (RELEASING,), (REMAINDER_OFFERED,)),
    ids.CMD_END_ROUND: (
        (WAITING_FOR_ROUND_END, WAITING_FOR_DECK, PREPARING, SHUFFLING, DECK_READY, DRAWING),
        PRESS_END,
        (),
        (),
    ),
    ids.CMD_ACKNOWLEDGE_WARNING: ((WARNING,), PRESS_ACK, (), (REMOVING,)),
    ids.CMD_GIVE_CARD: ((WAITING_FOR_GREEN, WAITING_FOR_WAGERS), PRESS_LOCK, (DISPENSING,), (STACK_OFFERED,)),
    ids.CMD_DEAL_COMMUNITY: ((STACK_OFFERED,), PRESS_GREEN, (), (DISPENSING,)),
    ids.CMD_SELF_TEST: ((WAITING_FOR_DECK,), PRESS_TEST, (PROVING_EMPTY,), ()),
}


class CommandRunner:
    """Takes commands one at a time. Its lanes run ahead of the recorded ones by what is still in the outbox."""

    def __init__(self, flow: "Flow", inp: "Inputs", recorded: "Lanes", mode: int) -> None:
        self.flow = flow
        self.inp = inp
        self.lanes = Lanes()
        self.lanes.take_over(recorded)
        self.mode = mode
        self.role = 0  # whose command is being carried out; 0: none
        self.arguments = [0, 0, 0]
        self.acted = False
        self.acted_ms = 0
        self.tail = 0  # of the flow, when it was acted
        self.result_due = False
        self.result = [0] * 5
        self.result_for = 0  # the role it is for: another host may have come meanwhile
        self.result_role = 0  # whose change is in the outbox: answer once it is durable, since an answer is final
        self.refused = 0  # the role whose refused number no mark has yet

    def receive(self, role: int, command: int, values: "list[int]", reader: "FrameReader") -> None:
        """A command from an authentic host of that role. Without room to record it there is no answer yet."""
        if not self.flow.outbox.roomy():
            return
        op = values[0]
        # Over every argument, those this firmware does not know included: other arguments make another command.
        end = reader.size - MAC_SIZE - CRC_SIZE
        digest = crc32(reader.views.first(end)[HEADER_SIZE + OP_SIZE :]) & DIGEST_MASK
        if not ids.ROLE_TABLE <= role < ids.LANE_COUNT or self.mode != ids.MODE_TABLE:
            self._answer(role, op, command, ids.OUTCOME_REJECTED, ids.REASON_ROLE, 0)
            return
        lane = self.lanes.by_role[role]
        if op > lane.op:
            # One at a time: a command that comes while another runs is ignored, and its host repeats it.
            if not self.role and not self.refused:
                self._begin(role, lane, op, command, digest, values)
        elif self.flow.outbox.count or self.refused:
            return  # an answer is final, and power may still be lost before it is stored: the host asks again
        elif op < lane.op or op == 0:
            self._answer(role, op, command, ids.OUTCOME_STALE, ids.REASON_NONE, 0)
        elif command != lane.command or digest != lane.digest:
            self._answer(role, op, command, ids.OUTCOME_CONFLICT, ids.REASON_NONE, 0)
        else:
            self._answer(role, op, command, lane.outcome, lane.reason, lane.detail)

    def recover(self) -> None:
        """After a boot: a command that was accepted and did not end is in doubt, and says so for ever."""
        for role in range(1, ids.LANE_COUNT):
            lane = self.lanes.by_role[role]
            if lane.outcome <= ids.OUTCOME_RUNNING:
                self._end(role, ids.OUTCOME_IN_DOUBT, ids.REASON_POWER, ids.UNKNOWN_U16)
        self.result_role = 0  # no host is there yet; one that repeats its number gets the stored answer

    def found(self, cards: int) -> None:
        """The machine was emptied, and so many cards were inside: the only count for commands in doubt."""
        for role in range(1, ids.LANE_COUNT):
            lane = self.lanes.by_role[role]
            if lane.outcome == ids.OUTCOME_IN_DOUBT and lane.detail == ids.UNKNOWN_U16 != cards:
                self._end(role, lane.outcome, lane.reason, cards)

    def scan(self, now_ms: int) -> int:
        """Carry out what was accepted, once that is durable; notice how it ends. Runs after the procedure; returns when
        to come back."""
        flow = self.flow
        if self.result_role and flow.outbox.count == 0 and not self.refused:
            role = self.result_role
            lane = self.lanes.by_role[role]
            self.result_role = 0
            self._answer(role, lane.op, lane.command, lane.outcome, lane.reason, lane.detail)
        if not self.role:
            return FOREVER_MS
        command = self.lanes.by_role[self.role].command
        if command == ids.CMD_RECORD:
            if flow.outbox.count == 0:
                self._record(now_ms)
            return 0 if flow.outbox.count else FOREVER_MS
        rule = _RULES[command]
        if not self.acted:
            if flow.outbox.count == 0 and flow.state != PREPARING:  # there no step takes a press
                self.acted_ms = now_ms
                self._act(command, rule[1])
                return 0
        elif (flow.state in rule[3] and flow.state != DRAWING) or flow.tail != self.tail or self._done(command):
            self._end(self.role, ids.OUTCOME_DONE, ids.REASON_NONE, 0)
        elif flow.state == WARNING and WARNING not in rule[0]:
            self._end(self.role, ids.OUTCOME_FAILED, ids.REASON_WARNING, flow.warning)
        elif self._starts(command):
            # Pressed, and the procedure ignored it: an interlock holds it back.
            left_ms = PRESS_MS_MAX - ticks_diff(now_ms, self.acted_ms)
            if left_ms > 0:
                return left_ms
            need = need_next(flow, self.inp)
            reason = ids.REASON_NEED if need else ids.REASON_STATE
            self._end(self.role, ids.OUTCOME_FAILED, reason, need or flow.state)
        elif flow.state not in rule[2]:
            self._end(self.role, ids.OUTCOME_FAILED, ids.REASON_STATE, flow.state)
        return FOREVER_MS

    def _done(self, command: int) -> bool:
        """Whether it is done, where the state does not show it."""
        flow = self.flow
        if command == ids.CMD_SET_POSITIONS:
            return True
        if command == ids.CMD_CLOSE_BETTING and flow.state == DRAWING:
            return flow.by_hand is None  # otherwise the next phase of the round shows it
        if command == ids.CMD_END_ROUND:
            return not (flow.tail or flow.round_open)
        if command != ids.CMD_SELF_TEST or flow.state != WAITING_FOR_DECK:
            return False
        return ticks_diff(flow.entered_ms, self.acted_ms) > 0

    def _begin(self, role: int, lane: "Lane", op: int, command: int, digest: int, values: "list[int]") -> None:
        lane.op = op
        lane.command = command
        lane.digest = digest
        lane.reason = ids.REASON_NONE
        lane.detail = 0
        arguments = self.arguments  # copied: when it is carried out, `values` has another message
        for i in range(3):
            arguments[i] = values[1 + i]
        reason = self._objection(role, command)
        if reason:
            self._refuse(role, lane, reason, self.flow.state)
            return
        need = ids.NEED_NONE if command == ids.CMD_RECORD else self._prerequisite(command)
        if need:
            self._refuse(role, lane, ids.REASON_NEED, need)
            return
        lane.outcome = ids.OUTCOME_ACCEPTED
        self.role = role
        self.acted = False
        self.result_role = role
        self.flow.outbox.post(ids.EV_COMMAND_ACCEPTED, role, op, command, digest)

    def _refuse(self, role: int, lane: "Lane", reason: int, detail: int) -> None:
        """Answer once the lane's mark is durable: recorder.py writes it."""
        lane.outcome = ids.OUTCOME_REJECTED
        lane.reason = reason
        lane.detail = detail
        self.refused = self.result_role = role

    def _objection(self, role: int, command: int) -> int:
        """Why a new command cannot be taken now; 0 if it can."""
        flow = self.flow
        arguments = self.arguments
        if command == ids.CMD_RECORD:
            return record_objection(flow, role, arguments[0], arguments[1], arguments[2])
        if command not in _RULES:
            return ids.REASON_UNKNOWN
        if not self._starts(command):
            return ids.REASON_STATE
        if not self._means_something(command) and (command == ids.CMD_GIVE_CARD or not need_next(flow, self.inp)):
            return ids.REASON_STATE  # and name no need: a person can do nothing that would make an extra card due
        if command == ids.CMD_SET_POSITIONS and not 0 < arguments[0] <= flow.profile.positions_max:
            return ids.REASON_ARGUMENT
        return ids.REASON_NONE

    def _prerequisite(self, command: int) -> int:
        """The need that holds this command back. A rule's is posted with its clause, once until something changes."""
        flow = self.flow
        if command == ids.CMD_ACKNOWLEDGE_WARNING:
            need = need_next(flow, self.inp)
            return ids.NEED_NONE if need == ids.NEED_ACKNOWLEDGE else need
        if not self._means_something(command):
            return need_next(flow, self.inp)
        if command == ids.CMD_SELF_TEST:  # a deck that is handed out holds it back only from the start of its round
            if flow.tail and flow.tail != TAIL_HANDED:
                return ids.NEED_ROUND_END
            return ids.NEED_NONE if flow.tray.empty else ids.NEED_TAKE
        need = need_for(flow, command)
        if need:
            about = flow.tail and command in (ids.CMD_END_ROUND, ids.CMD_CONFIRM_LOCKOUT)
            if about:
                flow_about_tail(flow, True)
            hold_for(flow, need, 1)
            if about:
                flow_about_tail(flow, False)
        return need

    def _starts(self, command: int) -> bool:
        """Whether a button of this state does it; or one of a round that is dealt by hand beside the machine."""
        flow = self.flow
        beside = flow.tail > TAIL_SETTLING and flow.tail != TAIL_HOUSE and flow.state != WAITING_FOR_DECK
        if flow.state in _RULES[command][0] and not beside:
            return True
        if command == ids.CMD_CLOSE_BETTING and flow.tail == TAIL_WAGERS:
            return flow.state != WARNING
        if flow.by_hand is None or flow.state == WARNING:
            return False
        if command == ids.CMD_CLOSE_BETTING:
            return flow.tail == TAIL_HANDED
        if command == ids.CMD_CONFIRM_LOCKOUT:
            return flow.tail == TAIL_LOCKOUT
        if command == ids.CMD_SET_POSITIONS:
            return flow.tail == TAIL_HANDED
        if command == ids.CMD_RELEASE:
            return flow.state == DECK_HELD and not flow.profile.recorded
        return command == ids.CMD_END_ROUND and flow.tail == TAIL_SETTLING

    def _means_something(self, command: int) -> bool:
        """Whether the button does what the command is for, where the state alone does not decide it."""
        flow = self.flow
        if flow.hold and command in (ids.CMD_SHUFFLE, ids.CMD_CLOSE_BETTING, ids.CMD_SELF_TEST):
            return False
        if command == ids.CMD_SHUFFLE:
            return self.inp.level[IN_HOPPER] != 0
        if command == ids.CMD_SELF_TEST:
            return not flow.door.is_open
        if command == ids.CMD_END_ROUND:
            return flow.tail == TAIL_SETTLING or flow.round_open
        if command == ids.CMD_GIVE_CARD:
            return extra_due(flow)
        if command == ids.CMD_RELEASE and flow.state == DECK_HELD:
            return flow.tail in (0, TAIL_HANDED)  # later GREEN is for the round at the table
        if flow.state == STACK_OFFERED:
            community = flow.profile.extras & EXTRA_COMMUNITY != 0
            open_ended = not flow.positions and flow.stacks_taken != 0 and not flow.last
            return open_ended and community == (command == ids.CMD_DEAL_COMMUNITY)
        return True

    def _act(self, command: int, press: int) -> None:
        flow = self.flow
        if not self._starts(command):
            # The dealer was faster, or something stopped the machine, while this was being recorded.
            self._end(self.role, ids.OUTCOME_FAILED, ids.REASON_STATE, flow.state)
            return
        self.acted = True
        self.tail = flow.tail
        self.lanes.by_role[self.role].outcome = ids.OUTCOME_RUNNING
        if press == NO_PRESS:
            flow.seat(self.arguments[0])
        else:
            flow.panel.pressed[press] += 1

    def _record(self, now_ms: int) -> None:
        """Ask again before it is done: the dealer may have been faster while the acceptance was recorded."""
        what, a, b = self.arguments
        reason = record_objection(self.flow, self.role, what, a, b)
        role = self.role
        if not reason:
            record_do(self.flow, what, a, b, now_ms)
        self._end(role, ids.OUTCOME_FAILED if reason else ids.OUTCOME_DONE, reason, self.flow.state if reason else 0)

    def _end(self, role: int, outcome: int, reason: int, detail: int) -> None:
        lane = self.lanes.by_role[role]
        lane.outcome = outcome
        lane.reason = reason
        lane.detail = detail
        self.role = 0
        self.result_role = role
        self.flow.outbox.post(
            ids.EV_COMMAND_ENDED, role, lane.op, lane.command, lane.digest, b"", outcome, reason, detail
        )

    def _answer(self, role: int, op: int, command: int, outcome: int, reason: int, detail: int) -> None:
        result = self.result
        self.result_for = role
        result[0] = op
        result[1] = command
        result[2] = outcome
        result[3] = reason
        result[4] = detail
        self.result_due = True
