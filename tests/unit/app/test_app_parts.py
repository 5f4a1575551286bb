"""The scan piece by piece: what is driven, what quiet work waits for, what is recorded, and how inputs settle."""

from support import GAME, board, replaced
from test_record_windows import posted

from firmware import app as app_module
from firmware import image, recorder
from firmware.fault import FAULT_INTERNAL, FAULT_JOURNAL, FAULT_NONE, FAULT_POWER, FAULT_RESET
from firmware.games.flow import (
    DECK_HELD,
    DECK_READY,
    DRAWING,
    ORDER_READY,
    ORDER_WANTED,
    PREPARING,
    SHUFFLING,
    WAITING_FOR_DECK,
    WARNING,
)
from firmware.games.next_need import need_next
from firmware.games.table_facts import TAIL
from firmware.image import output_set
from firmware.journal.halts import halt_load
from firmware.journal.store import BODY_AT
from firmware.link.status import STATUS_NEED
from firmware.machines.machine import JOB_DONE, JOB_RUNNING
from firmware.machines.meters import METER_GLITCHES
from firmware.protocol import ids
from firmware.ticks import FOREVER_MS
from firmware.version import VERSION_TEXT
from rig.story import Stage

NOW = 7000


def rested(kind="carousel", game=GAME):
    """A device that has proved itself empty, has told everything, and does nothing."""
    stage = Stage(board(kind), game, 7)
    stage.until("empty_proved", 20000)
    stage.run(3000)
    app = stage.rig.app
    assert app.flow.state == WAITING_FOR_DECK and not app._quiet_due()
    return app


class Driven:
    """A HAL that notes what it is asked to do."""

    def __init__(self):
        self.calls = []

    def all_off(self):
        self.calls.append("all_off")

    def stop_after(self, output, line, delay_us):
        self.calls.append(("stop", output, line, delay_us))

    def drive(self, _level, watch):
        self.calls.append(("drive", watch))

    def move(self, slots, home):
        self.calls.append(("move", slots, home))

    def show(self, lines):
        self.calls.append(("show", lines))


# --- inputs ------------------------------------------------------------------------------------


def settled_inputs():
    inp = image.Inputs()
    inp.stale = False
    return inp


def edge(inp, line, level, at_us):
    inp.edge[inp.edge_count] = line << 1 | level
    inp.edge_us[inp.edge_count] = at_us
    inp.edge_count += 1


def test_the_oldest_change_that_has_not_lasted_says_when_to_come_back():
    inp = settled_inputs()
    edge(inp, image.IN_THROAT_A, 1, 500)
    edge(inp, image.IN_EXIT, 1, 1000)
    inp.now_us = 1000
    assert inp.settle() == 1  # the first is half through; the second alone would be looked at in 2 ms
    inp = settled_inputs()
    edge(inp, image.IN_EXIT, 1, 1000)
    inp.now_us = 1000
    assert inp.settle() == 2
    inp.now_us = 1000 + image.SETTLE_US
    assert inp.settle() == FOREVER_MS and inp.enters[image.IN_EXIT] == 1 and inp.enter_us[image.IN_EXIT] == 1000


def test_a_loss_is_put_down_to_the_line_with_the_most_edges_and_of_two_to_the_first():
    for lines, suspect in (((3, 5, 5), 5), ((3, 5, 5, 3), 3), ((5, 3, 3, 5), 5), ((), image.NO_LINE)):
        inp = settled_inputs()
        for line in lines:
            edge(inp, line, 1, 0)
        inp.edge_lost = True
        inp.settle()
        assert inp.suspect == suspect, lines
    assert [image.sensor_of(line) for line in (0, image.IN_ACK, image.NO_LINE)] == [1, image.IN_ACK + 1, 0]
    assert image.EDGES_MAX == 32


def test_under_noise_a_button_counts_after_three_samples_and_is_released_after_three():
    inp = settled_inputs()
    inp.edge_lost = True
    inp.noisy = image.IN_EXIT
    found = []
    for pressed in (1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 1):
        inp.raw[image.IN_GREEN] = pressed
        assert inp.settle() == 2
        found.append((inp.level[image.IN_GREEN], inp.presses))
    pressed_once = [(0, 0), (0, 0)] + [(1, 1)] * 9
    assert found == pressed_once + [(0, 1), (0, 1), (0, 1), (1, 2)]
    assert inp.enters[image.IN_GREEN] == 2


def test_a_line_is_noise_when_its_bucket_is_full_to_the_microsecond():
    for line, pulse_us, full_us in ((image.IN_DOOR, 62500, 1000000), (image.IN_EXIT, 16000, 384000)):
        for missing_us in (0, 1):
            inp = settled_inputs()
            inp.glitches[image.INPUT_COUNT + line] = full_us - pulse_us - missing_us
            for at_us in (100, 200):
                edge(inp, line, at_us == 100, at_us)
            inp.settle()
            assert inp.edge_lost == (missing_us == 0), (line, missing_us)


# --- outputs -----------------------------------------------------------------------------------


def test_only_what_changed_is_driven_and_a_halt_ends_every_motion():
    app = rested()
    out, inp = app.out, app.inp
    app.hal = Driven()
    out.dirty = out.stop_armed = out.axis_go = out.halt = False
    app._drive()
    assert app.hal.calls == []
    out.dirty = True
    out.stop_armed, out.stop_output, out.stop_line, out.stop_us = True, 1, 2, 3
    out.axis_go, out.axis_slots, out.axis_home = True, -4, False
    app._drive()
    assert app.hal.calls == [("stop", 1, 2, 3), ("drive", out.watch_slot), ("move", -4, False)]
    assert inp.axis == image.AXIS_MOVING and not (out.dirty or out.stop_armed or out.axis_go)
    app._drive()
    assert len(app.hal.calls) == 3
    out.halt = True
    app._drive()
    assert app.hal.calls[3:] == ["all_off"] and inp.axis == 0 and app.coasting and not out.halt


def test_a_motor_without_a_new_order_is_switched_off_and_one_with_orders_is_not():
    app = rested()
    began_ms = app.scanned_ms
    output_set(app.out, image.OUT_OUTFEED, 1)
    app.scan(began_ms)
    app.scan(began_ms + app_module.MOTOR_MS_MAX)
    assert app.flow.state == WAITING_FOR_DECK
    output_set(app.out, image.OUT_LAMP_RED, 1)
    app.scan(began_ms + app_module.MOTOR_MS_MAX)
    app.scan(began_ms + 2 * app_module.MOTOR_MS_MAX)
    assert app.flow.state == WAITING_FOR_DECK and app.out.level[image.OUT_OUTFEED]
    app.scan(began_ms + 2 * app_module.MOTOR_MS_MAX + 1)
    assert app.flow.state == WARNING and app.flow.warning == FAULT_INTERNAL
    assert not app.out.level[image.OUT_OUTFEED] and not app.out.dirty and not app.healthy


def test_the_nearest_instant_wakes_the_next_scan():
    app = rested()
    app.inp.now_us = 50000
    app.inp.waiting = 1 << image.IN_EXIT
    app.inp._held_us[image.IN_EXIT] = 50000
    app.flow.tray.empty = app.flow.tray.blocked = False
    app.flow.tray.clear_ms = NOW
    assert app.decide(NOW) == 2
    app.inp.waiting = 0
    app.inp.level[image.IN_TRAY] = 0
    assert app.decide(NOW) == app.flow.spec.tray_settle_ms


def test_procedure_and_machine_wake_the_next_scan_too():
    app = rested()
    with replaced(app_module, procedure_scan=lambda _flow, _inp, _out, _now_ms: 5):
        assert app.decide(NOW) == 5
        app.flow.machine.state = JOB_RUNNING
        for machine_ms in (3, 9):
            app.flow.machine.scan = lambda _inp, _out, _now_ms, machine_ms=machine_ms: machine_ms
            assert app.decide(NOW) == min(machine_ms, 5)


def test_whole_seconds_are_carried_when_they_are_full():
    app = rested()
    app.outbox.uptime_s, app.outbox.uptime_ms = 5, 999
    app.scan(app.scanned_ms + 1)
    assert (app.outbox.uptime_s, app.outbox.uptime_ms) == (6, 0)


def test_the_welcome_names_dictionary_firmware_and_game_in_fixed_places():
    app = rested()
    text = app.reporter.handshake.text
    code = app.flow.profile.code
    assert len(text) == 16 + len(code) and text[16:] == code and text[:8] == app.queries.words.hash


# --- quiet work --------------------------------------------------------------------------------


def test_quiet_work_waits_for_a_reason_and_each_reason_is_enough():
    app = rested()
    flow = app.flow

    def with_value(holder, name, value):
        old = getattr(holder, name)
        setattr(holder, name, value)
        due = app._quiet_due()
        setattr(holder, name, old)
        return due

    assert not app._quiet_due()
    for holder, name, value, due in (
        (app.outbox, "count", 1, True),
        (app.reporter, "seq_received", app.journal.seq_acked + 1, True),
        (flow, "order_state", ORDER_WANTED, True),
        (flow, "order_state", ORDER_READY, False),
        (flow, "page_due", True, True),
        (app, "hold_shown", 5, True),
        (flow.meters, "dirty", True, True),
        (app.service, "how", 0, True),
        (app.recorder, "readying", True, True),
        (app.runner, "refused", 1, True),
        (app.runner, "refused", 2, True),
        (app.queries, "signing", True, True),
    ):
        assert with_value(holder, name, value) == due, (name, value)
    flow.meters.dirty = True
    machine = flow.machine
    machine.busy, machine.state = True, JOB_RUNNING
    assert not app._quiet_due()
    assert with_value(flow, "state", PREPARING)
    assert with_value(machine, "busy", False) and with_value(machine, "state", JOB_DONE)


def test_a_page_is_shown_once_and_nothing_is_recorded_at_the_start_of_a_shuffle():
    app = rested()
    flow = app.flow
    hal = app.hal
    app.hal = Driven()
    flow.state = SHUFFLING
    flow.page_due = True
    flow.entered_ms = NOW
    app.outbox.post(ids.EV_GREEN_PRESSED)
    app.talk = lambda _now_ms, _due_ms=0: 9
    app.reporter.status[0] = flow.shown  # no frame is due
    app.reporter.due_ms = NOW + 50
    assert app.drawing.answers.scan(NOW) == 9
    assert len(app.hal.calls) == 1 and app.hal.calls[0][0] == "show" and not flow.page_due
    assert app.drawing.answers.scan(NOW) == 9 and len(app.hal.calls) == 1 and app.outbox.count == 1
    flow.state = WAITING_FOR_DECK
    app.hal = hal
    assert app._quiet() and app.outbox.count == 0


def test_a_hold_of_a_stopped_machine_ends_when_storage_takes_its_events():
    for state, waiting, hold in (
        (WARNING, False, FAULT_NONE),
        (WARNING, True, FAULT_JOURNAL),
        (DECK_READY, False, FAULT_JOURNAL),  # these look for room by themselves
        (DECK_HELD, False, FAULT_JOURNAL),
    ):
        app = rested()
        app.flow.state = state
        app.flow.hold = app.hold_shown = FAULT_JOURNAL
        app.flow.page_due = False
        if waiting:
            app.outbox.post(ids.EV_GREEN_PRESSED)
            app.recorder.record_all = lambda: False
        app._quiet()
        assert app.flow.hold == hold, state


def test_what_a_dealer_reads_changes_with_the_hold_and_the_status_goes_out_with_the_need():
    app = rested()
    app.hal = Driven()
    for hold, shown in ((FAULT_NONE, 0), (FAULT_JOURNAL, 1), (FAULT_JOURNAL, 1)):
        app.flow.hold, app.flow.page_due = hold, False
        app._quiet()
        assert len(app.hal.calls) == shown, hold
    for need, seen in ((0, True), (1, True), (1, False)):
        app.reporter.status[STATUS_NEED] = need_next(app.flow, app.inp) + need
        app.reporter.host_seen, app.reporter.status_due = seen, False
        app._quiet()
        assert app.reporter.status_due == (seen and need != 0), (need, seen)


def test_meters_are_stored_and_twitches_only_when_their_time_tells_nothing():
    for state, warning, told in ((WAITING_FOR_DECK, 0, True), (DECK_READY, 0, False), (DECK_READY, 3, True)):
        app = rested()
        app.flow.state, app.flow.warning = state, warning
        for line in range(len(app.inp.glitches)):
            app.inp.glitches[line] += 9
        before = app.flow.meters.values[METER_GLITCHES]
        stored = []
        app.meter_store.save = stored.append
        app.flow.meters.dirty = True
        app._store_meters()
        assert (app.flow.meters.values[METER_GLITCHES] - before == 9) == told, state
        assert stored == [app.flow.meters.values] and not app.flow.meters.dirty and app.reporter.meters_due


def test_a_beam_blocked_for_a_second_before_cards_are_counted_is_no_hand():
    app = rested("draw", "double-attack-blackjack")
    app.inp.level[image.IN_THROAT_A] = 1
    for state, waited_ms, still in (
        (PREPARING, 999, False),
        (PREPARING, 1000, True),
        (PREPARING, 1500, True),
        (DRAWING, 1500, False),
    ):
        app.flow.state, app.flow.entered_ms = state, NOW
        assert app._hand_still(NOW + waited_ms) == still, (state, waited_ms)


def test_the_time_goes_out_with_every_answer():
    app = rested()
    app.recorder.utc_offset_s = 1000
    app.outbox.uptime_s = 77
    app._send(NOW)
    assert app.reporter.utc_s == 1077


def test_no_frame_goes_out_over_a_card_that_a_hand_moves():
    app = rested("draw", "double-attack-blackjack")
    machine = app.flow.machine
    machine.state, machine.busy, machine.busy_ms = JOB_RUNNING, True, NOW
    assert app.frame(NOW + 10, False) == 240 and app.frame(NOW + 249, False) == 1
    machine.busy = False
    for waited in (1, 2, 3):
        assert app.frame(NOW, True) == 0 and app.put_off == waited
    assert app.frame(NOW, True) >= 0 and app.put_off == 0


def test_a_command_under_way_wakes_the_next_scan_and_puts_a_frame_off_only_if_it_acts_now():
    app = rested()
    app.runner.role = ids.ROLE_TABLE
    for wake_ms in (0, 3):
        app.runner.scan = lambda _now_ms, wake_ms=wake_ms: wake_ms
        app.silent = True
        assert app.talk(NOW) == wake_ms
        app.silent = app.eventful = False
        app.reporter.status[0] = app.flow.shown + 1  # a status is due
        busy = []
        app.frame = lambda _now_ms, acts, busy=busy: busy.append(acts) or 9
        assert app.talk(NOW) == wake_ms and busy == [wake_ms == 0]


# --- records -----------------------------------------------------------------------------------


def last_record(app):
    message = app.journal.load(app.journal.seq_last)
    return message, bytes(app.journal.buf[:BODY_AT])


def test_a_record_carries_the_instant_at_which_it_was_posted():
    app = rested()
    app.outbox.uptime_s, app.outbox.uptime_ms = 0x1234, 0x0156
    app.outbox.post(ids.EV_GREEN_PRESSED)
    app.outbox.uptime_ms = 5
    assert app.recorder.record_all()
    message, record = last_record(app)
    assert message == ids.EV_GREEN_PRESSED
    assert b"\x34\x12\x00\x00\x56\x01" in record
    assert app.recorder.prefix[1:] == [app.boot, 0x1234, 0x0156, 0, 0, 0]


def test_the_last_cell_of_the_journal_is_used_and_then_events_wait():
    for room in (1, 0):
        app = rested()
        app.journal.room = lambda room=room: room
        app.outbox.post(ids.EV_GREEN_PRESSED)
        assert app.recorder._record() == bool(room) and app.outbox.count == 1 - room
        assert app.flow.hold == (FAULT_NONE if room else FAULT_JOURNAL)


def test_who_has_to_know_of_a_record_is_told():
    app = rested()
    noted, found = [], []
    app.recorder.seeds.note = noted.append
    app.runner.found = found.append
    redrawn, told_seeds = [], []
    for message, deck in (
        (ids.EV_RECORDED, 1),
        (ids.EV_STACK_TAKEN, 1),
        (ids.EV_GREEN_PRESSED, 1),
        (ids.EV_DECK_REMOVED, 1),
        (ids.EV_BOOTED, 1),
        (ids.EV_ROUND_ENDED, 1),
        (ids.EV_ROUND_ENDED, 2),
    ):
        app.outbox.deck = deck
        app.outbox.post(message, 13)
        app.outbox.deck = 1
        app.flow.page_due = False
        assert app.recorder._record()
        redrawn.append(app.flow.page_due)
        told_seeds.append(len(noted))
    assert redrawn == [True, True, False, False, False, False, False]
    assert told_seeds == [1, 2, 3, 4, 5, 6, 6]  # not of the round of a deck that is not inside
    assert found == [13]
    assert noted == [
        ids.EV_RECORDED,
        ids.EV_STACK_TAKEN,
        ids.EV_GREEN_PRESSED,
        ids.EV_DECK_REMOVED,
        ids.EV_BOOTED,
        ids.EV_ROUND_ENDED,
    ]


def test_facts_are_stored_between_jobs_or_when_many_events_have_passed():
    for dirty, meters, late, stored in (
        (True, True, 0, True),
        (True, False, 0, False),
        (True, False, 100, True),
        (False, True, 100, False),
    ):
        app = rested()
        recorder = app.recorder
        saved = []

        def save(row, seq, saved=saved):
            saved.append(seq)
            return True

        recorder.book_store.save = save
        recorder.book_store.seq = app.journal.seq_last - late
        app.flow.facts.dirty, app.flow.meters.dirty = dirty, meters
        recorder.keep_house()
        assert (saved == [app.journal.seq_last]) == stored, (dirty, meters, late)
        assert app.flow.facts.dirty == (dirty and not stored)


def test_storage_is_made_ready_once_for_each_state_of_the_journal():
    app = rested()
    recorder = app.recorder
    erased = []
    answers = [False, True]

    class Storage:
        def nv_erase(self, start, size):
            erased.append((start, size))
            return answers[len(erased) - 1]

    recorder.hal = Storage()
    recorder.ready_seq = 0
    for readying in (True, False, False):
        recorder.keep_house()
        assert recorder.readying == readying
    assert len(erased) == 2 and recorder.ready_seq == app.journal.seq_last


def test_less_than_a_third_of_the_journal_is_reported_once():
    app = rested()
    third = app.journal.capacity // 3
    for room, filling in ((third, 0), (third - 1, 1), (third - 2, 0), (third, 0), (third - 1, 1)):
        app.outbox.count = 0
        app.journal.room = lambda room=room: room
        app.recorder.keep_house()
        assert [event[0] for event in posted(app.flow)].count(ids.EV_JOURNAL_FILLING) == filling, room


def test_a_key_changes_only_when_everything_is_recorded_and_sealed():
    for room, due, sealed in ((1, True, False), (2, True, True), (9, True, True), (9, False, False)):
        app = rested()
        recorder = app.recorder
        changed = []
        recorder.service.change = lambda changed=changed: changed.append(1)
        app.journal.room = lambda room=room: room
        recorder.filling_reported = True
        recorder.sealer.due = lambda due=due: due
        recorder.keep_house()
        assert [event[0] for event in posted(app.flow)] == ([ids.EV_SEALED] if sealed else [])
        assert changed == ([] if sealed else [1])
    app = rested()
    changed = []
    app.recorder.service.change = lambda: changed.append(1)
    app.outbox.post(ids.EV_GREEN_PRESSED)
    app.recorder.keep_house()
    assert changed == []


def test_a_boot_says_which_version_runs_and_goes_on_counting_rounds():
    stage = Stage(board(), GAME, 7)
    stage.until("empty_proved", 20000)
    stage.run(1000)
    app = stage.rig.app
    app.journal.round_last = 6
    app.flow.set_round(0, True)
    app.outbox.count = 0
    app.recorder.announce(app.out, 0, NOW)
    assert (app.flow.round_last, app.flow.round_open) == (6, False)
    event = posted(app.flow)[0]
    assert event[0] == ids.EV_BOOTED and not app.recorder.filling_reported
    halted = halt_load(stage.rig.hal)[1]
    version = event[4][:8]
    assert event[4][8:] == halted and version.rstrip(b"\0") == VERSION_TEXT
    assert ids.EV_POWER_LOST not in [event[0] for event in posted(app.flow)]


def resumed(message=0, cause=0, halted_boot=0, tail=0):
    """What a boot tells the procedure about the one before it: interrupted, round_open, warning, lost."""
    app = rested()
    if message:
        app.outbox.post(message)
        assert app.recorder.record_all()
    app.flow.facts.row[TAIL] = tail
    app.hal.reset_cause = lambda: cause
    told = []

    def resume(_flow, _out, *values):
        told.append(values[:4])

    with replaced(recorder, halt_load=lambda _hal: (halted_boot, b""), procedure_resume=resume):
        app.recorder.announce(app.out, 0, NOW)
    return told[0]


def test_a_boot_says_what_was_interrupted_and_what_ended_the_one_before():
    power, reset = FAULT_POWER, FAULT_RESET
    assert resumed() == (0, False, FAULT_NONE, power)
    assert resumed(cause=recorder.CAUSE_WATCHDOG) == (0, False, reset, reset)
    assert resumed(halted_boot=3) == (0, False, reset, reset)
    assert resumed(halted_boot=3, cause=recorder.CAUSE_WATCHDOG) == (0, False, reset, reset)
    assert resumed(ids.EV_SHUFFLE_STARTED) == (ids.EV_SHUFFLE_STARTED, False, FAULT_NONE, power)
    assert resumed(ids.EV_ROUND_STARTED)[1] and not resumed(ids.EV_ROUND_STARTED, tail=1)[1]


def test_what_a_boot_posts_belongs_to_the_round_that_is_open():
    for last, tail, number in ((ids.EV_ROUND_STARTED, 0, 7), (ids.EV_ROUND_ENDED, 0, 0), (ids.EV_ROUND_STARTED, 1, 0)):
        app = rested()
        app.outbox.round = 7
        app.outbox.post(last)
        assert app.recorder.record_all()
        app.outbox.round, app.flow.facts.row[TAIL] = 3, tail
        app.recorder.announce(app.out, 0, NOW)
        booted = app.outbox.head()
        assert (booted.message, booted.round) == (ids.EV_BOOTED, number), (last, tail)


def test_a_boot_reads_counts_and_generations_of_two_bytes():
    app = rested()
    found = []
    app.runner.found = found.append
    app.outbox.post(ids.EV_DECK_REMOVED, 0x0134)
    app.outbox.post(ids.EV_KEY_CHANGED, 0x0102)
    app.recorder.record_all()
    app.recorder.sealer.keys.generation = lambda: 0x0102
    app.recorder.announce(app.out, 0, NOW)
    assert found == [0x0134] * 2  # with the record, and at the boot
    assert ids.EV_KEY_CHANGED not in [event[0] for event in posted(app.flow)]
