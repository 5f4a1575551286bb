"""Commands across power cuts: each is accepted and ended at most once, or refused and never begun; a final answer never
changes.

What was under way when power failed ends in doubt, and the one thing that may be learned of it later is how many cards
were found inside. Used by rig/powercut_invariants.py, which says what was recorded.
"""

from firmware.protocol import ids
from rig.card_locations import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rig.peer import Peer

_BUTTON_OF = {
    ids.CMD_SHUFFLE: "green",
    ids.CMD_CLOSE_BETTING: "close",
    ids.CMD_CONFIRM_LOCKOUT: "lock",
    ids.CMD_RELEASE: "green",
    ids.CMD_END_ROUND: "green",
    ids.CMD_ACKNOWLEDGE_WARNING: "ack",
}


class Answers:
    """What the device recorded of every operation, and what it answered the host."""

    def __init__(self, peer: "Peer") -> None:
        self.peer = peer
        self.running: "dict[tuple[int, int], int]" = {}  # accepted and not ended: command by role and number
        self.ended: "dict[tuple[int, int], list[int]]" = {}
        self.newest: "dict[int, int]" = {}  # operation by role
        self.counts: "dict[tuple[int, int], int]" = {}  # what was found inside, for operations in doubt
        self.final: "dict[int, list[int]]" = {}  # final answers to the host
        self.heard = 0  # results of the host that were looked at

    def note(self, message: int, values: "list[int]") -> str:
        """A command was recorded as accepted or as ended. The button that it stands for, if any."""
        key = (values[0], values[1])
        if key in self.ended:
            if message != ids.EV_COMMAND_ENDED or not only_counted(self.ended[key], values[4:7]):
                raise Finding("command: operation %d begun or ended again" % values[1])
            if self.counts.pop(key, -1) != values[6]:
                raise Finding("doubt: operation %d reports %d cards that were not counted" % (values[1], values[6]))
            self.ended[key] = values[4:7]
            return ""
        self.counts.pop((values[0], self.newest.get(values[0], 0)), None)  # the lane goes on without it
        self.newest[values[0]] = values[1]
        if message == ids.EV_COMMAND_ACCEPTED:
            if key in self.running:
                raise Finding("command: operation %d accepted twice" % values[1])
            self.running[key] = values[2]
            return _BUTTON_OF.get(values[2], "")
        command = self.running.pop(key, -1)
        if (command == 0) != (values[4] == ids.OUTCOME_IN_DOUBT):
            word = ids.OUTCOME_NAMES.split()[values[4]]
            raise Finding("command: operation %d, power failed or not, ended as %s" % (values[1], word))
        self.ended[key] = values[4:7]
        return ""

    def refuse(self, role: int, op: int, answer: "list[int]") -> None:
        """A refused command is in the mark of its lane."""
        key = (role, op)
        if key in self.running or self.ended.get(key, answer) != answer:
            raise Finding("command: operation %d begun, and refused afterwards" % op)
        self.counts.pop((role, self.newest.get(role, 0)), None)  # the lane goes on without it
        self.newest[role] = op
        self.ended[key] = answer

    def found(self, role: int, op: int, answer: "list[int]") -> None:
        """After a boot: a lane holds at least what was stored; a refusal under way may be there too."""
        newest = self.newest.get(role, 0)
        if op < newest:
            raise Finding("command: operation %d is stored, and the boot knows of %d" % (newest, op))
        if op > newest and answer[0] == ids.OUTCOME_REJECTED:
            self.refuse(role, op, answer)

    def doubt(self) -> None:
        """Power has failed, whatever they were doing."""
        for key in self.running:
            self.running[key] = 0

    def count(self, cards: int) -> None:
        """The machine was emptied, and so many cards were inside: the first such count goes to commands in doubt."""
        for role in self.newest:
            key = (role, self.newest[role])
            ended = self.ended.get(key, [])
            if ended[:1] == [ids.OUTCOME_IN_DOUBT] and ended[2] == ids.UNKNOWN_U16:
                self.counts.setdefault(key, cards)

    def check(self) -> None:
        """A final answer never changes, and is the recorded one; a lane that has gone on says so instead."""
        results = self.peer.results
        while self.heard < len(results):
            op, _command, outcome, reason, detail = results[self.heard]
            self.heard += 1
            if outcome < ids.OUTCOME_DONE or outcome in (ids.OUTCOME_STALE, ids.OUTCOME_CONFLICT):
                if op in self.final and outcome < ids.OUTCOME_DONE:
                    raise Finding("answer: operation %d had ended and goes on" % op)
                continue
            answer = [outcome, reason, detail]
            first = self.final.setdefault(op, answer)
            if first != answer and not only_counted(first, answer):
                raise Finding("answer: operation %d was %s, now %s" % (op, first, answer))
            self.final[op] = answer
            if outcome == ids.OUTCOME_REJECTED and reason == ids.REASON_ROLE:
                continue  # a role without commands has no numbers either
            recorded = self.ended.get((self.peer.role, op), [])
            if recorded != answer:
                raise Finding("answer: operation %d is %s, recorded as %s" % (op, answer, recorded or "nothing"))

    def finish(self) -> None:
        """With a host that has heard everything."""
        for key in self.running:
            raise Finding("command: operation %d of role %d never ended" % (key[1], key[0]))
        for key in self.counts:
            raise Finding("doubt: operation %d did not report that %d cards were inside" % (key[1], self.counts[key]))

    def state(self) -> "Any":
        """What `note` changes, as it is now."""
        return dict(self.running), dict(self.ended), dict(self.newest), dict(self.counts)

    def restore(self, state: "Any") -> None:
        self.running, self.ended, self.newest, self.counts = state


def only_counted(first: "list[int]", then: "list[int]") -> bool:
    """In doubt, now with the count of cards found inside: the only later change that is allowed."""
    return first[:2] == then[:2] and first[0] == ids.OUTCOME_IN_DOUBT and first[2] == ids.UNKNOWN_U16 != then[2]
