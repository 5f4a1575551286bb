"""Answers while the other deck is shuffled: records, the end of the round and presses about a count, at instants that
only the clock decides. The order shows in nothing that a host can see."""

from game_tables import DONE, Table, short_deck
from support import SLOW, all_fields_of, board, clauses_of, replaced
from tables import drawn_order
from test_timing import recorded, same

from firmware import answers
from firmware.games.flow import DECK_HELD, DECK_READY, PREPARING, SHUFFLING
from firmware.link.report import STATUS_MS
from firmware.machines.machine import JOB_DONE, JOB_RUNNING
from firmware.protocol import ids
from firmware.ticks import FOREVER_MS, ticks_add

ANSWER_MS = 2000
REPORT_MS = 23000
NOW = 7000


def two_decks(game="caribbean-stud", kind="carousel", **table):
    return Table(game, table=dict(table, decks=2), config=board(kind, inputs={"back": {"pin": 28}}))


def blue_goes_in(table, number=0):
    """The other deck is started, with an order from other noise; the order."""
    table.stage.act("load", {"cards": 52, "deck": 2})
    table.stage.run(300)
    table.stage.rig.hal.entropy_draws = 1000 + number * 1000
    plant = table.stage.rig.plant
    plant.press(plant.lines.index("button_green"))
    order = drawn_order(table.stage)
    while table.flow.state != SHUFFLING:
        table.stage.run(1)
    return order


def ask(table, message, *arguments):
    """Send a command; in how many ms its outcome came, and which it was."""
    table.op += 1
    stage = table.stage
    begun_us = stage.rig.plant.now_us
    stage._to_device(stage.peer.command(table.op, message, *arguments))
    while True:
        stage.run(10)
        for result in stage.peer.results:
            if result[0] == table.op and result[2] > ids.OUTCOME_RUNNING:
                return (stage.rig.plant.now_us - begun_us) // 1000, result[2]
        assert stage.rig.plant.now_us - begun_us < 30000000, "no answer"


def record_of(what):
    return ids.RECORD_NAMES.split().index(what)


def test_records_and_the_end_of_the_round_are_answered_while_the_other_deck_is_shuffled():
    table = two_decks().shuffle(1).deal(2).release()
    blue_goes_in(table)
    begun_us = table.stage.rig.plant.now_us
    times = []
    for message, arguments in (
        (ids.CMD_RECORD, (record_of("misdeal"), 1, 4)),
        (ids.CMD_RECORD, (record_of("winner_hold"), 1, 1)),
        (ids.CMD_END_ROUND, ()),
    ):
        took_ms, outcome = ask(table, message, *arguments)
        assert outcome == DONE, (message, arguments)
        times.append(took_ms)
    assert table.flow.state == SHUFFLING and not table.flow.tail
    assert all(took_ms <= 3 * ANSWER_MS for took_ms in times), times
    assert all_fields_of(table.stage, "round_ended")[0][:3] == [3, 15, 37]
    table.stage.until("deck_verified", 30000)
    assert (table.stage.rig.plant.now_us - begun_us + 5000) // 10000 * 10 == REPORT_MS
    table.deal(1).release().end().close()


def test_what_comes_while_the_order_of_the_other_deck_waits_for_a_nonce_is_not_refused():
    """The deck is in the machine and nothing moves yet: as much a part of the shuffle as the rest of it."""
    for message, arguments, last in (
        (ids.CMD_RECORD, (record_of("misdeal"), 1, 4), "recorded"),
        (ids.CMD_RECORD, (record_of("misdeal"), 0, 3), "round_voided"),
        (ids.CMD_END_ROUND, (), "round_ended"),
    ):
        table = two_decks().shuffle(1).deal(2).release()
        table.stage.share("late")
        table.insert("shuffle_committed", 300, cards=52, deck=2)
        assert table.flow.state == PREPARING
        took_ms, outcome = ask(table, message, *arguments)
        assert outcome == DONE and took_ms <= 3000 + 3 * ANSWER_MS, (message, arguments, outcome, took_ms)
        table.stage.until(last, 10000)
        table.stage.until("deck_verified", 40000)
        table.close()


def counted_table(dealing, **table):
    """Every stub is counted, and red is being settled."""
    config = board(inputs={"back": {"pin": 28}})
    game = short_deck("caribbean-stud", stub_rounds=1, stub_exempt=0)
    table = Table(game, table=dict(table, decks=2, dealing=dealing), config=config).shuffle(1)
    if dealing == "shoe":
        return table.deal(2).release()
    table.release()
    for press in ("seat", "seat", "close"):
        table.play(("", 300, "press", press))
    return table.play(("round_started", 300, "press", "lock"), ("lockout_confirmed", 300, "wait", 0))


def press(table, button):
    plant = table.stage.rig.plant
    plant.press(plant.lines.index("button_" + button))


def test_the_count_that_is_due_is_pressed_while_the_other_deck_is_shuffled():
    for dealing in ("shoe", "hand"):
        for button, names in (("ack", ["recorded", "round_voided"]), ("lock", ["recorded"])):
            table = counted_table(dealing)
            blue_goes_in(table)
            before = len(table.stage.names())
            table.stage.run(500)
            press(table, button)
            table.stage.run(2 * ANSWER_MS)
            assert table.stage.names()[before:] == names, (dealing, button)
            if button == "lock":
                press(table, "green")  # of a machine that deals it has no effect: it has just started the shuffle
                table.stage.run(2 * ANSWER_MS)
                assert ("round_ended" in table.stage.names()) == (dealing == "hand")
                assert dealing == "hand" or ask(table, ids.CMD_END_ROUND)[1] == DONE
            else:
                assert clauses_of(table.stage, "round_voided") == [b"CS-7g2"]
            assert table.flow.state == SHUFFLING and not table.flow.tail
            table.stage.until("deck_verified", 30000)
            assert table.flow.state == (DECK_READY if dealing == "shoe" else DECK_HELD)
            table.close()


def settled_beside(dealing, number, specs=()):
    """Red is settled while blue is shuffled: what a host sees, what the dealer reads, and how long the device took to
    come to rest after each instant."""
    table = counted_table(dealing)
    stage = table.stage
    rests = []
    act = answers.Answers._rest

    def noted(self, now_ms):
        before = self.state
        next_ms = act(self, now_ms)
        if self.state != before and self.state == answers.RESTING:
            rests.append((now_ms - table.flow.entered_ms) % table.flow.machine.answer_ms)
        return next_ms

    with replaced(answers.Answers, _rest=noted):
        seen = recorded(stage)
        show = stage.rig.hal.show
        stage.rig.hal.show = lambda lines: seen.append((stage.rig.plant.now_us, lines)) or show(lines)
        order = blue_goes_in(table, number)
        for spec in specs:
            stage.rig.plant.add_fault(spec)
        for op, wait_ms, what in (
            (900001, 1100, (ids.CMD_RECORD, record_of("misdeal"), 1, 4)),
            (900002, 2300, (ids.CMD_RECORD, record_of("stub_counted"), 35)),  # wrong: refused, or void
            (0, 900, "lock"),
            (0, 700, "green"),
            (900003, 1700, (ids.CMD_END_ROUND,)),
            (900003, 400, (ids.CMD_END_ROUND,)),
            (900004, 1500, (ids.CMD_RECORD, record_of("winner_hold"), 1, 1)),
            (900005, 2900, (ids.CMD_CONFIRM_LOCKOUT,)),
            (0, 3100, "ack"),
            (900006, 10, (ids.CMD_RECORD, record_of("dispute"), 1, 1)),
        ):
            stage.run(wait_ms)
            if op:
                stage._to_device(stage.peer.command(op, *what))
            else:
                press(table, what)
        stage.until("deck_verified", 60000)
        stage.run(3000)
    table.close()
    assert len(rests) > 3
    return order, seen, max(rests)


def test_the_order_shows_in_no_answer():
    runs = {}
    for dealing in ("shoe", "hand"):
        for specs in ((),) if SLOW else ((), ({"fault": "misfeed", "card": 9, "times": 2},)):
            runs[dealing, len(specs)] = [settled_beside(dealing, number, specs) for number in range(2 if SLOW else 3)]
    for found in runs.values():
        same([run[:2] for run in found])
        assert max(run[2] for run in found) < 1500, found  # of the 2,000 ms to the next instant


def test_a_press_counts_if_it_was_made_before_the_instant():
    """Whether the machine rests already when a button is pressed depends on the order: that must not decide."""
    ends = []
    for after_ms in (-200, 30, 300, 900, 1900):
        for number in range(1 if SLOW else 3):
            table = counted_table("shoe")
            blue_goes_in(table, number)
            table.stage._to_device(table.stage.peer.command(900, ids.CMD_RECORD, record_of("winner_hold"), 1, 1))
            table.stage.run(ANSWER_MS + after_ms)
            press(table, "lock")
            table.stage.run(6 * ANSWER_MS)
            told = [event.fields[0] for event in table.stage.peer.events if event.name == "recorded"]
            ends.append((after_ms < 0, record_of("stub_counted") in told))
            table.close()
    assert ends == [(True, True)] * (1 if SLOW else 3) + [(False, False)] * (4 if SLOW else 12)


def test_records_carry_the_time_of_the_instant_however_late_the_scan_is():
    for number in range(1 if SLOW else 3):
        table = counted_table("shoe")
        table.stage.rig.scan_us = 3000
        blue_goes_in(table, number)
        app = table.stage.rig.app
        outbox = app.outbox
        begun_ms = outbox.uptime_s * 1000 + outbox.uptime_ms - (app.scanned_ms - app.flow.entered_ms)
        before = app.journal.seq_last
        assert ask(table, ids.CMD_RECORD, record_of("misdeal"), 1, 4)[1] == DONE
        stamps = []
        for seq in range(before + 1, app.journal.seq_last + 1):
            assert app.journal.load(seq)
            payload = app.journal.payload()
            stamps.append(int.from_bytes(payload[6:10], "little") * 1000 + int.from_bytes(payload[10:12], "little"))
        assert len(stamps) == 3 and all(stamp == begun_ms + ANSWER_MS for stamp in stamps), (stamps, begun_ms)


def test_the_share_of_a_scan_ends_with_the_instant_and_a_line_that_is_busy_is_looked_at_soon():
    app = two_decks().stage.rig.app
    it = app.drawing.answers
    it.begun_ms, it.due_ms = app.flow.entered_ms, NOW + 5
    with replaced(answers, report_due=None):
        for due_ms, talk_ms, busy, expected in ((9, 3, 0, 3), (9, 700, 0, 5), (0, 700, 1, 1), (0, 700, 0, 0)):
            answers.report_due = lambda _reporter, _shown, _now_ms, due_ms=due_ms: due_ms
            app.talk = lambda _now_ms, _due_ms, talk_ms=talk_ms: talk_ms
            app.frame = lambda _now_ms, _busy: None
            app.link.writer.busy = lambda busy=busy: busy
            assert it.scan(NOW) == expected, (due_ms, talk_ms, busy)


def test_at_an_instant_the_machine_stops_only_if_something_waits():
    app = two_decks().stage.rig.app
    it, flow = app.drawing.answers, app.flow
    app.outbox.count, it.slot = 0, 1
    it._instant(0)
    assert it.state == answers.TALKING
    for late_ms, expected in ((3, (5, 0)), (10, (4, 993)), (2500, (2, 503))):
        it.state = answers.TALKING
        app.outbox.uptime_s, app.outbox.uptime_ms, app.outbox.count = 5, 3, 1
        it._instant(late_ms)
        assert it.state == answers.STOPPING and (it.uptime_s, it.uptime_ms) == expected, late_ms
    it.state, it.rest_ms, left = answers.RESTING, NOW, it.left
    assert it._rest(NOW + 1) == flow.spec.rest_ms - 1 and it.left == left
    axis = flow.machine.axis
    for held, state, rests in ((False, JOB_RUNNING, False), (True, JOB_RUNNING, True), (False, JOB_DONE, True)):
        it.state, axis.held, flow.machine.state = answers.STOPPING, held, state
        assert (it._rest(NOW) != FOREVER_MS, it.state == answers.RESTING) == (rests, rests), (held, state)


def test_a_command_waits_for_more_than_the_shuffle_if_it_is_refused_or_another_one():
    runner = two_decks().stage.rig.app.runner
    lane = runner.lanes.by_role[ids.ROLE_TABLE]
    for refused, role, command, waits in (
        (0, 0, ids.CMD_RECORD, False),
        (1, 0, ids.CMD_SHUFFLE, True),
        (0, ids.ROLE_TABLE, ids.CMD_RECORD, True),
        (0, ids.ROLE_TABLE, ids.CMD_SHUFFLE, False),
    ):
        runner.refused, runner.role, lane.command = refused, role, command
        assert answers._waits(runner) == waits, (refused, role, command)


def test_the_status_goes_on_while_the_machine_rests():
    table = two_decks().shuffle(1)
    app = table.stage.rig.app
    it, reporter = app.drawing.answers, app.reporter
    now_ms = app.scanned_ms
    app.flow.entered_ms = ticks_add(now_ms, -700)
    elapsed = bytearray(reporter.status)
    answers.fill_elapsed(elapsed, app.flow, now_ms)
    for seen, since_ms, expected in ((True, 10, STATUS_MS - 10), (True, STATUS_MS, 0), (False, STATUS_MS, FOREVER_MS)):
        reporter.host_seen, reporter.status_ms = seen, ticks_add(now_ms, -since_ms)
        assert it._beat(now_ms) == expected, (seen, since_ms)
        assert (reporter.status == elapsed) == (expected != STATUS_MS - 10)  # as it goes on
        assert (reporter.status_ms == now_ms) == (expected == 0)
