"""The runner of commands against a procedure that a test moves by hand: when it presses, waits, and how it ends."""

from support import replaced

from firmware.fault import FAULT_STACK
from firmware.games.door import Door
from firmware.games.flow import (
    DECK_HELD,
    DECK_READY,
    DECK_SPENT,
    DISPENSING,
    RELEASING,
    STACK_OFFERED,
    WAITING_FOR_DECK,
    WAITING_FOR_GREEN,
    WAITING_FOR_LOCKOUT,
    WARNING,
)
from firmware.games.profile import EXTRA_COMMUNITY, TAIL_HANDED, TAIL_LOCKOUT, TAIL_SETTLING, TAIL_WAGERS
from firmware.image import IN_HOPPER, Inputs
from firmware.journal.lanes import NEVER, Lanes
from firmware.journal.outbox import Outbox
from firmware.link import commands
from firmware.link.commands import CommandRunner
from firmware.machines.panel import PRESS_CLOSE, Panel
from firmware.protocol import ids
from firmware.ticks import FOREVER_MS

ROLE = ids.ROLE_TABLE
NOW_MS = 7000


class Profile:
    recorded = False
    extras = 0
    positions_max = 5


class Procedure:
    def __init__(self, state):
        self.state = state
        self.tail = 0
        self.by_hand = None
        self.hold = 0
        self.round_open = False
        self.positions = 0
        self.stacks_taken = 0
        self.last = False
        self.warning = 0
        self.profile = Profile()
        self.panel = Panel()
        self.outbox = Outbox()
        self.door = Door()


def runner_of(command, state):
    runner = CommandRunner(Procedure(state), Inputs(), Lanes(), ids.MODE_TABLE)
    lane = runner.lanes.by_role[ROLE]
    lane.op = 5
    lane.command = command
    lane.outcome = ids.OUTCOME_ACCEPTED
    runner.role = ROLE
    return runner


def ended(runner):
    """Outcome, reason and detail of what was posted; None if it goes on."""
    outbox = runner.flow.outbox
    if not outbox.count:
        return None
    entry = outbox.head()
    assert entry.message == ids.EV_COMMAND_ENDED and entry.values[:3] == [ROLE, 5, entry.values[2]]
    assert runner.role == 0
    return entry.values[4:7]


def test_a_command_presses_its_button_once_and_only_when_its_acceptance_is_durable():
    runner = runner_of(ids.CMD_CLOSE_BETTING, DECK_READY)
    flow = runner.flow
    flow.outbox.post(ids.EV_COMMAND_ACCEPTED)
    assert runner.scan(NOW_MS) == FOREVER_MS
    assert not any(flow.panel.pressed)
    flow.outbox.drop_head()
    assert runner.scan(NOW_MS) == 0
    pressed = [0] * len(flow.panel.pressed)
    pressed[PRESS_CLOSE] = 1
    assert flow.panel.pressed == pressed
    assert runner.lanes.by_role[ROLE].outcome == ids.OUTCOME_RUNNING
    assert runner.scan(NOW_MS + 1) == 499
    assert flow.panel.pressed == pressed


def test_a_press_that_the_procedure_does_not_take_fails_after_half_a_second():
    runner = runner_of(ids.CMD_CLOSE_BETTING, DECK_READY)
    runner.scan(NOW_MS)
    runner.flow.hold = FAULT_STACK
    assert runner.scan(NOW_MS + 499) == 1
    assert ended(runner) is None
    assert runner.scan(NOW_MS + 500) == FOREVER_MS
    assert ended(runner) == [ids.OUTCOME_FAILED, ids.REASON_NEED, ids.NEED_TAKE]


def test_a_press_that_nothing_holds_back_and_no_state_takes_fails_by_the_state():
    runner = runner_of(ids.CMD_CLOSE_BETTING, DECK_READY)
    with replaced(commands, need_next=lambda _flow, _inp: ids.NEED_NONE):
        for now_ms in (NOW_MS, NOW_MS + 500):
            runner.scan(now_ms)
    assert ended(runner) == [ids.OUTCOME_FAILED, ids.REASON_STATE, DECK_READY]


def test_a_record_is_judged_again_when_its_acceptance_is_durable():
    for reason, end in ((ids.REASON_NONE, [ids.OUTCOME_DONE, ids.REASON_NONE, 0]), (ids.REASON_ARGUMENT, None)):
        runner = runner_of(ids.CMD_RECORD, DECK_READY)
        done = []

        def objection(*_given, reason=reason):
            return reason

        def do(*given, done=done):
            done.append(given)

        with replaced(commands, record_objection=objection, record_do=do):
            runner.scan(NOW_MS)
        assert ended(runner) == (end or [ids.OUTCOME_FAILED, reason, DECK_READY])
        assert len(done) == (0 if reason else 1)


def test_a_command_is_done_fails_or_goes_on_as_the_state_after_its_press_says():
    for command, first, state, expected in (
        (ids.CMD_CLOSE_BETTING, DECK_READY, WAITING_FOR_LOCKOUT, [ids.OUTCOME_DONE, ids.REASON_NONE, 0]),
        (ids.CMD_CLOSE_BETTING, DECK_READY, WAITING_FOR_DECK, [ids.OUTCOME_FAILED, ids.REASON_STATE, WAITING_FOR_DECK]),
        (ids.CMD_CLOSE_BETTING, DECK_READY, WARNING, [ids.OUTCOME_FAILED, ids.REASON_WARNING, 9]),
        (ids.CMD_CLOSE_BETTING, DECK_READY, DECK_SPENT, [ids.OUTCOME_FAILED, ids.REASON_STATE, DECK_SPENT]),
        (ids.CMD_RELEASE, WAITING_FOR_GREEN, RELEASING, None),
    ):
        runner = runner_of(command, first)
        runner.flow.warning = 9
        runner.scan(NOW_MS)
        runner.flow.state = state
        runner.scan(NOW_MS + 1)
        assert ended(runner) == expected


def test_a_command_that_the_dealer_was_faster_than_presses_nothing():
    runner = runner_of(ids.CMD_CLOSE_BETTING, DISPENSING)
    runner.scan(NOW_MS)
    assert ended(runner) == [ids.OUTCOME_FAILED, ids.REASON_STATE, DISPENSING]
    assert not any(runner.flow.panel.pressed)


def test_what_was_under_way_when_power_was_lost_is_in_doubt_until_cards_are_counted():
    for outcome, doubt in (
        (ids.OUTCOME_ACCEPTED, True),
        (ids.OUTCOME_RUNNING, True),
        (ids.OUTCOME_DONE, False),
        (NEVER, False),
    ):
        runner = runner_of(ids.CMD_RELEASE, WAITING_FOR_DECK)
        lane = runner.lanes.by_role[ROLE]
        lane.outcome = outcome
        runner.role = 0
        runner.recover()
        unknown = [ids.OUTCOME_IN_DOUBT, ids.REASON_POWER, ids.UNKNOWN_U16]
        assert ended(runner) == (unknown if doubt else None)
        runner.flow.outbox = Outbox()
        runner.found(ids.UNKNOWN_U16)
        assert ended(runner) is None
        runner.found(12)
        assert ended(runner) == ([ids.OUTCOME_IN_DOUBT, ids.REASON_POWER, 12] if doubt else None)
        runner.flow.outbox = Outbox()
        runner.found(13)
        assert ended(runner) is None


def test_a_result_is_told_once_it_is_durable():
    runner = runner_of(ids.CMD_CLOSE_BETTING, DISPENSING)
    runner.scan(NOW_MS)
    runner.scan(NOW_MS)
    assert not runner.result_due
    runner.flow.outbox.drop_head()
    runner.scan(NOW_MS)
    assert runner.result_due and runner.result_for == ROLE
    assert runner.result == [5, ids.CMD_CLOSE_BETTING, ids.OUTCOME_FAILED, ids.REASON_STATE, DISPENSING]


def test_a_round_beside_the_machine_takes_its_own_buttons_and_no_others():
    own = {
        ids.CMD_CLOSE_BETTING: (TAIL_HANDED, TAIL_WAGERS),
        ids.CMD_CONFIRM_LOCKOUT: (TAIL_LOCKOUT,),
        ids.CMD_SET_POSITIONS: (TAIL_HANDED,),
        ids.CMD_END_ROUND: (TAIL_SETTLING,),
        ids.CMD_GIVE_CARD: (),
        ids.CMD_SELF_TEST: (),
    }
    for command in own:
        for tail in (TAIL_SETTLING, TAIL_HANDED, TAIL_LOCKOUT, TAIL_WAGERS):
            runner = runner_of(command, RELEASING)
            flow = runner.flow
            flow.tail = tail
            # A round that the house lets go on by hand closes its second wagers beside the machine too.
            assert runner._starts(command) == (command == ids.CMD_CLOSE_BETTING and tail == TAIL_WAGERS)
            flow.by_hand = object()
            assert runner._starts(command) == (tail in own[command]), (command, tail)
            flow.state = WARNING
            assert not runner._starts(command)
    for state, recorded, takes in ((DECK_HELD, False, True), (DECK_HELD, True, False), (RELEASING, False, False)):
        runner = runner_of(ids.CMD_RELEASE, state)
        runner.flow.by_hand = object()
        runner.flow.tail = TAIL_WAGERS
        runner.flow.profile.recorded = recorded
        assert runner._starts(ids.CMD_RELEASE) == takes


def test_with_a_stack_offered_an_open_ended_deal_takes_release_or_community_cards():
    for command in (ids.CMD_RELEASE, ids.CMD_DEAL_COMMUNITY):
        for extras in (0, EXTRA_COMMUNITY):
            for positions, taken, last in ((0, 1, False), (0, 2, False), (0, 0, False), (3, 1, False), (0, 1, True)):
                runner = runner_of(command, STACK_OFFERED)
                flow = runner.flow
                flow.profile.extras = extras
                flow.positions, flow.stacks_taken, flow.last = positions, taken, last
                open_ended = positions == 0 and taken > 0 and not last
                right = (extras != 0) == (command == ids.CMD_DEAL_COMMUNITY)
                assert runner._means_something(command) == (open_ended and right)


def test_a_button_means_what_its_command_is_for():
    """Every state that the table of commands has; a stack that is offered apart."""
    for command in commands._RULES:
        for extra, open_round, tail, hopper, door in (
            (0, False, 0, 0, False),
            (1, False, 0, 0, True),
            (0, True, 0, 1, False),
            (0, False, TAIL_SETTLING, 0, True),
        ):
            runner = runner_of(command, WAITING_FOR_GREEN)
            flow = runner.flow
            flow.round_open, flow.tail, flow.door.is_open = open_round, tail, door
            runner.inp.level[IN_HOPPER] = hopper
            means = {
                ids.CMD_SHUFFLE: hopper != 0,
                ids.CMD_SELF_TEST: not door,
                ids.CMD_END_ROUND: open_round or tail == TAIL_SETTLING,
                ids.CMD_GIVE_CARD: extra != 0,
            }.get(command, True)
            with replaced(commands, extra_due=lambda _flow, extra=extra: extra != 0):
                assert runner._means_something(command) == means, (command, extra, open_round, tail, hopper, door)


def test_a_self_test_is_done_when_the_machine_has_proved_itself_empty_after_the_press():
    for entered_ms, done in ((NOW_MS - 1, False), (NOW_MS, False), (NOW_MS + 1, True)):
        runner = runner_of(ids.CMD_SELF_TEST, WAITING_FOR_DECK)
        runner.acted_ms, runner.flow.entered_ms = NOW_MS, entered_ms
        assert runner._done(ids.CMD_SELF_TEST) == done
