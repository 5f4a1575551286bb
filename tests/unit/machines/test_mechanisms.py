"""A stop gives up every part of a mechanism, and the numbers of a mechanism are those of its board config."""

from array import array

from support import board, raises

from firmware.deck.ledger import TRAY, Ledger
from firmware.fault import FAULT_JAM_EXIT, FAULT_NONE, FAULT_STACK
from firmware.image import IN_EXIT, IN_TRAY, MACHINE_COUNT, OUT_READ_ACE, OUT_READ_COURT, Inputs, Outputs
from firmware.machines.beam_test import watch
from firmware.machines.faces import Faces
from firmware.machines.kinds import make_machine
from firmware.machines.machine import JOB_DONE, JOB_FAILED, JOB_IDLE, JOB_RUNNING
from firmware.machines.meters import Meters
from firmware.machines.spec import Spec
from firmware.machines.tray import EARLY_US, Tray, tray_scan
from firmware.ticks import FOREVER_MS


def machine_of(kind):
    spec = Spec(board(kind))
    ledger = Ledger()
    return make_machine(spec, ledger, Meters(), Tray(spec, ledger), array("H", [0] * 384))


def test_a_stop_switches_every_motor_off_and_puts_every_part_to_rest():
    for kind in ("carousel", "shelves", "shoe", "draw"):
        machine = machine_of(kind)
        machine.state = JOB_RUNNING
        parts = [part for part in ("feed", "eject", "push", "axis") if hasattr(machine, part)]
        for part in parts:
            getattr(machine, part).state = 1
        out = Outputs()
        for index in range(len(out.level)):
            out.level[index] = 1
        machine.stop(out)
        assert machine.state == JOB_IDLE
        assert [getattr(machine, part).state for part in parts] == [0] * len(parts)
        has = board(kind)["outputs"]
        for index, name in ((0, "pick"), (1, "transport"), (2, "ejector"), (3, "outfeed"), (5, "dark")):
            assert name not in has or out.level[index] == 0, (kind, name)
        if kind == "draw":
            assert not out.level[OUT_READ_ACE] and not out.level[OUT_READ_COURT]
        assert out.level[6] == 1, "lamps stay"
    assert MACHINE_COUNT == 6


def test_a_mechanism_that_is_not_known_is_refused():
    spec = Spec(board())
    spec.kind = "catapult"
    assert raises(ValueError, make_machine, spec, None, None, None, None)


def test_the_slot_beam_is_driven_when_its_watch_changes_and_only_then():
    out = Outputs()
    for on, dirty in ((True, True), (True, False), (False, True), (False, False)):
        out.dirty = False
        watch(out, on)
        assert out.watch_slot == on
        assert out.dirty == dirty


def test_what_a_board_does_not_say_is_no_time_and_no_place():
    config = board("shoe")
    for name in ("tray_settle_ms", "shuffle_report_ms", "slot_count", "shelf_count"):
        config["mechanism"].pop(name, None)
    spec = Spec(config)
    assert (spec.tray_settle_ms, spec.shuffle_report_ms, spec.place_count) == (0, 0, 0)


_THROAT = {
    "transport_um_per_ms": 1000,
    "pick_latency_us_max": 30500,
    "throat_a_um": 7300,
    "throat_b_um": 17600,
    "card_um": 88900,
    "nip_um": 25100,
    "jog_max": 3,
    "scan_ms_max": 4,
    "brake_um": 3100,
    "roller_start_us": 5900,
    "pick_pause_ms": 40,
    "pick_retry_max": 2,
}


def spec_of(kind, **more):
    config = board(kind)
    config["mechanism"].update(_THROAT)
    config["mechanism"].update(more)
    return Spec(config)


def test_times_of_the_throat_follow_from_geometry_and_speed():
    """Worked out by hand: a millimetre takes a millisecond."""
    spec = spec_of("carousel", exit_um=120700)
    assert (spec.pick_ms_max, spec.pass_ms_max) == (85, 90)
    assert (spec.length_us, spec.length_us_min, spec.length_us_max) == (88900, 75565, 102235)
    assert (spec.enter_ms_max, spec.nip_us) == (134, 9000)
    assert (spec.pick_retry_max, spec.pick_pause_ms) == (2, 40)
    assert (spec.jog_max, spec.jog_ms, spec.jog_ms_max) == (3 if spec.can_reverse else 0, 14, 177)
    assert (spec.rest_ms, spec.misfeed_ms, spec.stall_ms) == (15, 125, 516)
    assert spec.confirm_ms_max == 318


def test_times_of_a_carousel_and_of_shelves_follow_from_theirs():
    spec = spec_of("carousel", exit_um=120700, ejector_us=45600, axis_mrev_per_s=700, tray_um=60900)
    assert (spec.eject_ms_max, spec.ejector_home_ms_max) == (370, 230)
    assert (spec.axis_ms_max, spec.land_ms_max) == (3857, 120)
    spec = spec_of("shelves", arrival_um=50700, ejector_us=45600, lift_us=30700, shelf_count=10, axis_mshelf_per_s=7000)
    assert (spec.confirm_ms_max, spec.ejector_home_ms_max, spec.lift_ms_max) == (213, 230, 160)
    assert (spec.axis_ms_max, spec.place_count) == (6714, 10)
    assert spec_of("shelves", feed="top").top_feed
    assert not spec_of("shelves", feed="bottom").top_feed


def test_a_board_that_cannot_reverse_never_jogs():
    config = board()
    config["mechanism"].update(_THROAT)
    config["outputs"].pop("reverse", None)
    spec = Spec(config)
    assert not spec.can_reverse and spec.jog_max == 0
    config["outputs"]["reverse"] = 1
    assert Spec(config).jog_max == 3


def test_whole_decks_have_every_face_equally_often_and_nothing_else_counts():
    for tens_out, decks in ((False, 1), (False, 6), (True, 2)):
        for wrong in (None, "unread", "again"):
            faces = Faces(True)
            faces.tens_out = tens_out
            inp = Inputs()
            faces.begin(inp)
            left_out = [10, 23, 36, 49] if tens_out else []
            codes = [code for code in range(1, 53) if code not in left_out] * decks
            cards = len(codes)
            if wrong == "again":
                codes[3] = codes[4]
            for code in codes:
                inp.card_code = code
                inp.card_codes += 2 if wrong == "unread" and code == 7 else 1
                faces.note(inp)
            assert faces.whole(cards) == (wrong is None)
            assert not any(faces.tally)
    assert Faces(False).whole(52) and Faces(True).whole(51), "another number of cards is found by the count"
    assert not Faces(True).whole(52)


def test_a_face_that_does_not_exist_and_one_that_was_not_read_are_unreadable():
    for code, read in ((53, 1), (60, 1), (7, 0), (7, 2)):
        faces = Faces(True)
        inp = Inputs()
        faces.begin(inp)
        inp.card_code = code
        inp.card_codes += read
        faces.note(inp)
        assert faces.tally[0] == 1 and sum(faces.tally) == 1
    for _ in range(300):
        faces.note(inp)
    assert faces.tally[0] == 255


def test_a_job_begins_afresh_goes_through_its_phases_and_is_done():
    machine = machine_of("carousel")
    machine.count, machine.second, machine.busy, machine.fault = 9, 9, True, FAULT_STACK
    machine.begin((None, None), 700)
    assert (machine.state, machine.phase, machine.entered_ms) == (JOB_RUNNING, 0, 700)
    assert (machine.count, machine.second, machine.busy, machine.fault) == (0, 0, False, FAULT_NONE)
    assert machine.enter() and not machine.enter()
    assert machine.advance(800) == 0
    assert (machine.state, machine.phase, machine.entered_ms) == (JOB_RUNNING, 1, 800)
    assert machine.enter()
    machine.advance(900)
    assert machine.state == JOB_DONE


def test_a_job_that_fails_stops_everything_and_keeps_its_fault():
    machine = machine_of("carousel")
    out = Outputs()
    out.level[5] = out.level[2] = 1
    machine.begin((None,), 700)
    assert machine.fail(out, FAULT_STACK) == 0
    assert (machine.state, machine.fault) == (JOB_FAILED, FAULT_STACK)
    assert out.level[5] == out.level[2] == 0


def test_a_tray_is_empty_once_its_beam_has_been_clear_for_long_enough():
    spec = Spec(board())
    spec.tray_settle_ms = 300
    tray = Tray(spec, Ledger())
    inp = Inputs()
    assert not tray.empty
    for now_ms, level, wake_ms, empty in (
        (1000, 0, 300, False),
        (1299, 0, 1, False),
        (1300, 0, 0, True),
        (1301, 0, FOREVER_MS, True),
        (1400, 1, FOREVER_MS, False),
        (1500, 0, 300, False),
        (1600, 1, FOREVER_MS, False),
        (1700, 0, 300, False),
        (2000, 0, 0, True),
    ):
        inp.level[IN_TRAY] = level
        assert tray_scan(tray, inp, now_ms) == wake_ms, now_ms
        assert tray.empty == empty, now_ms


def test_a_hand_in_the_tray_is_trouble_from_the_moment_it_is_guarded():
    for ours, level, count, taken, expected in (
        (0, 0, 0, 0, FAULT_NONE),
        (0, 1, 0, 0, FAULT_STACK),
        (0, 1, 1, 0, FAULT_NONE),
        (3, 1, 0, 0, FAULT_NONE),
        (3, 1, 0, 1, FAULT_STACK),
        (0, 0, 0, 1, FAULT_STACK),
        (3, 0, 0, 0, FAULT_STACK),
    ):
        ledger = Ledger()
        ledger.zone[TRAY] = ours
        tray = Tray(Spec(board()), ledger)
        inp = Inputs()
        inp.leaves[IN_TRAY] = 7
        inp.level[IN_TRAY] = level
        tray.guard(inp)
        inp.leaves[IN_TRAY] += taken
        assert tray.trouble(inp, count) == expected, (ours, level, count, taken)
        assert tray.landed(inp, 0) == FAULT_NONE
        assert tray.landed(inp, 1) == (FAULT_NONE if level else FAULT_JAM_EXIT)


def test_what_blocks_the_tray_before_our_first_card_can_have_fallen_is_not_ours():
    for ours, level, before_us, expected in (
        (0, 1, EARLY_US + 1, FAULT_STACK),
        (0, 1, EARLY_US, FAULT_NONE),
        (0, 1, -5000, FAULT_NONE),
        (0, 0, EARLY_US + 1, FAULT_NONE),
        (2, 1, EARLY_US + 1, FAULT_NONE),
    ):
        ledger = Ledger()
        ledger.zone[TRAY] = ours
        tray = Tray(Spec(board()), ledger)
        inp = Inputs()
        inp.level[IN_TRAY] = level
        tray.guard(inp)
        inp.enter_us[IN_TRAY] = 100000 - before_us
        inp.leave_us[IN_EXIT] = 100000 - tray.spec.fall_us
        assert tray.first(inp, IN_EXIT) == expected
