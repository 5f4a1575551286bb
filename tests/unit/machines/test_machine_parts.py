"""Parts of the machines one by one, with inputs that only the test moves: limits, outputs, what each waits for."""

from array import array

from test_record_windows import flow_in

from firmware import fault as faults
from firmware import image
from firmware.deck.ledger import STORE
from firmware.games.flow import WAITING_FOR_DECK
from firmware.machines import axis as axes
from firmware.machines import feed as feeds
from firmware.machines.machine import JOB_DONE, JOB_FAILED
from firmware.machines.meters import METER_FEED_US, METER_GLITCHES, Meters
from firmware.machines.panel import PRESS_GREEN, PRESS_SEAT, Panel, panel_scan
from firmware.ticks import FOREVER_MS


def machine_of(kind, game="caribbean-stud"):
    return flow_in(WAITING_FOR_DECK, game, kind).machine


def inputs():
    inp = image.Inputs()
    inp.stale = False
    return inp


def parts(kind="carousel", game="caribbean-stud"):
    machine = machine_of(kind, game)
    machine.ledger.begin(20)
    return machine, inputs(), image.Outputs()


# --- axis --------------------------------------------------------------------------------------


def turned(place, target, wraps=True):
    """How many places the axis is asked to move."""
    axis = axes.Axis(machine_of("carousel").spec, wraps)
    axis.place = place
    out = image.Outputs()
    axes.axis_goto(axis, target, 0)
    assert axes.axis_scan(axis, inputs(), out, 5) == axis.spec.axis_ms_max
    assert out.axis_go and not out.axis_home and not out.watch_slot
    return out.axis_slots


def test_a_carousel_takes_the_shorter_way_and_an_elevator_the_only_one():
    count = machine_of("carousel").spec.place_count
    half = count // 2
    for place, target, slots in ((0, 1, 1), (1, 0, -1), (0, count - 1, -1), (count - 1, 0, 1), (0, half, half)):
        assert turned(place, target) == slots, (place, target)
    assert turned(0, half + 1) == half + 1 - count
    assert turned(0, count - 1, False) == count - 1 and turned(9, 2, False) == -7


def test_an_axis_that_is_there_does_not_move_and_says_so_at_once():
    axis = axes.Axis(machine_of("carousel").spec, True)
    out = image.Outputs()
    axes.axis_goto(axis, 0, 0)
    assert axes.axis_scan(axis, inputs(), out, 0) == 0
    assert axis.state == axes.AXIS_REST and not out.axis_go
    assert axes.axis_scan(axis, inputs(), out, 0) == FOREVER_MS


def run_axis(axis, inp, out, edges=0):
    """Start, let the motor move, and arrive."""
    axes.axis_scan(axis, inp, out, 0)
    out.axis_go = False
    inp.axis = image.AXIS_MOVING
    axes.axis_scan(axis, inp, out, 1)
    inp.enters[image.IN_SLOT] += edges
    inp.axis = image.AXIS_IDLE
    return axes.axis_scan(axis, inp, out, 2)


def test_home_is_known_after_homing_and_unknown_after_a_stop():
    axis = axes.Axis(machine_of("carousel").spec, True)
    inp, out = inputs(), image.Outputs()
    axis.place = 7
    axes.axis_home(axis, 0)
    assert not axis.homed
    assert run_axis(axis, inp, out) == 0
    assert axis.homed and axis.place == 0 and out.axis_home and axis.state == axes.AXIS_REST
    axes.axis_goto(axis, 3, 0)
    run_axis(axis, inp, out)
    assert axis.homed and axis.place == 3
    out.axis_go = out.watch_slot = True
    axes.axis_stop(axis, out)
    assert not axis.homed and not out.axis_go and not out.watch_slot


def test_the_slot_beam_is_looked_at_only_when_slots_are_counted_and_must_be_clear_before():
    count = machine_of("carousel").spec.place_count
    for start, counts in ((axes.axis_home, False), (axes.axis_sweep, True), (axes.axis_survey, True)):
        for blocked in (False, True):
            axis = axes.Axis(machine_of("carousel").spec, True)
            inp, out = inputs(), image.Outputs()
            inp.level[image.IN_SLOT] = blocked
            out.watch_slot = True
            start(axis, 0)
            axes.axis_scan(axis, inp, out, 0)
            if counts and blocked:
                assert (axis.fault, axis.state, out.axis_go, out.watch_slot) == (
                    faults.FAULT_AXIS,
                    axes.AXIS_REST,
                    False,
                    False,
                )
                continue
            assert out.axis_go and out.watch_slot == counts and axis.fault == faults.FAULT_NONE
            if start is axes.axis_sweep:
                assert out.axis_slots == count
            if start is axes.axis_survey:
                assert out.axis_slots == 1


def test_a_sweep_counts_cards_and_a_survey_says_where_they_are():
    axis = axes.Axis(machine_of("carousel").spec, True)
    spec = axis.spec
    inp, out = inputs(), image.Outputs()
    inp.enters[image.IN_SLOT] = 5
    axes.axis_sweep(axis, 0)
    run_axis(axis, inp, out, 3)
    assert axis.swept == 3 and axis.place == 0 and not out.watch_slot
    axes.axis_survey(axis, 0)
    for step in range(spec.place_count):
        assert axis.state != axes.AXIS_REST
        run_axis(axis, inp, out, 1 if step in (0, 4) else 0)
    assert axis.state == axes.AXIS_REST and axis.swept == 2 and axis.place == 0
    full = [i for i in range(spec.place_count) if axis.full[i]]
    assert full == sorted([(1 + spec.beam_slots) % spec.place_count, (5 + spec.beam_slots) % spec.place_count])


def test_an_axis_that_is_lost_or_late_stops_and_fails():
    spec = machine_of("carousel").spec
    for late in (False, True):
        axis = axes.Axis(spec, True)
        inp, out = inputs(), image.Outputs()
        axes.axis_goto(axis, 3, 0)
        axes.axis_scan(axis, inp, out, 0)
        inp.axis = image.AXIS_MOVING
        assert axes.axis_scan(axis, inp, out, spec.axis_ms_max - 1) == 1
        inp.axis = image.AXIS_MOVING if late else image.AXIS_LOST
        assert axes.axis_scan(axis, inp, out, spec.axis_ms_max if late else 1) == 0
        assert axis.fault == faults.FAULT_AXIS and not out.axis_go
    for line in (image.IN_THROAT_B, image.IN_EJECTOR, image.IN_EXIT, image.IN_ARRIVAL):  # what would be torn
        axis = axes.Axis(spec, True)
        inp, out = inputs(), image.Outputs()
        inp.level[line] = 1
        axes.axis_goto(axis, 3, 0)
        axes.axis_scan(axis, inp, out, 0)
        assert not out.axis_go


# --- feed --------------------------------------------------------------------------------------


def scan(feed, inp, out, now_ms):
    if feed.confirm != image.IN_EXIT:
        feed.sink.axis.state = axes.AXIS_REST  # at the card's place
    return feeds.FEED_SCANS[feed.state](feed, inp, out, now_ms)


def picking(kind="carousel", game="caribbean-stud"):
    machine, inp, out = parts(kind, game)
    inp.level[image.IN_HOPPER] = 1
    out.level[image.OUT_REVERSE] = 1
    feeds.feed_start(machine.feed, inp, out, 2, STORE, 0)
    return machine.feed, inp, out


def test_a_card_that_does_not_come_is_picked_again_after_a_pause_and_given_up_after_the_last_try():
    feed, inp, out = picking()
    spec = feed.spec
    assert (out.level[image.OUT_PICK], out.level[image.OUT_TRANSPORT], out.level[image.OUT_REVERSE]) == (1, 1, 0)
    now = 0
    for tries in range(spec.pick_retry_max + 1):
        assert feed.state == feeds.FEED_PICKING and feed.misfeeds == tries
        assert scan(feed, inp, out, now + spec.pick_ms_max - 1) == 1
        now += spec.pick_ms_max
        assert scan(feed, inp, out, now) == 0
        assert out.level[image.OUT_PICK] == 0
        if feed.state == feeds.FEED_FAILED:
            break
        assert feed.state == feeds.FEED_PAUSING
        assert scan(feed, inp, out, now + spec.pick_pause_ms - 1) == 1
        now += spec.pick_pause_ms
        assert scan(feed, inp, out, now) == 0 and out.level[image.OUT_PICK] == 1
    assert (feed.state, feed.fault, feed.misfeeds) == (feeds.FEED_FAILED, faults.FAULT_MISFEED, spec.pick_retry_max + 1)


def pass_card(feed, inp, out, now_ms, backs=0):
    """One card through both beams, as a card of the right length passes them."""
    inp.enters[image.IN_THROAT_A] += 1
    inp.level[image.IN_THROAT_A] = 1
    scan(feed, inp, out, now_ms)
    if not feed.follows:
        assert feed.state == feeds.FEED_STAGED and out.level[image.OUT_PICK] == 0
        scan(feed, inp, out, now_ms)
    assert feed.state == feeds.FEED_PASSING and out.level[image.OUT_PICK] == 1
    inp.level[image.IN_THROAT_B] = 1
    inp.enter_us[image.IN_THROAT_B] = 0
    scan(feed, inp, out, now_ms)
    inp.level[image.IN_THROAT_A] = inp.level[image.IN_THROAT_B] = 0
    inp.leaves[image.IN_THROAT_B] += 1
    inp.leave_us[image.IN_THROAT_B] = feed.spec.length_us
    inp.enters[image.IN_BACK] += backs
    return scan(feed, inp, out, now_ms)


def test_every_card_has_all_its_tries_and_jogs():
    feed, inp, out = picking()
    scan(feed, inp, out, feed.spec.pick_ms_max)
    scan(feed, inp, out, feed.spec.pick_ms_max + feed.spec.pick_pause_ms)
    assert feed.tries == 1
    feed.jogs = 1
    pass_card(feed, inp, out, 500)
    assert (feed.count, feed.tries, feed.jogs, feed.stalls, feed.misfeeds) == (1, 0, 0, 1, 1)
    assert feed.state == feeds.FEED_PICKING and feed.ledger.zone[STORE] == 1
    pass_card(feed, inp, out, 600)
    assert (feed.count, feed.state, feed.stalls) == (2, feeds.FEED_FINISHING, 1)
    assert scan(feed, inp, out, 600) == 0 and feed.state == feeds.FEED_DONE
    feeds.feed_stop(feed, out)
    assert out.level[image.OUT_TRANSPORT] == 0


def test_the_roller_of_a_shoe_runs_on_while_a_card_is_wanted_and_never_behind_the_last():
    feed, inp, out = picking("shoe")  # two cards
    spec = feed.spec
    assert (out.stop_line, out.stop_us) == (image.IN_THROAT_A, spec.stage_us)
    for delay_us in (spec.run_us, spec.nip_us):
        inp.enters[image.IN_THROAT_A] += 1
        inp.level[image.IN_THROAT_A] = 1
        scan(feed, inp, out, 500)
        assert (out.stop_line, out.stop_us) == (image.IN_THROAT_B, delay_us)
        inp.level[image.IN_THROAT_B] = 1
        inp.enter_us[image.IN_THROAT_B] = 0
        scan(feed, inp, out, 500)
        inp.level[image.IN_THROAT_A] = 0
        scan(feed, inp, out, 500)
        ordered = (image.IN_THROAT_A, spec.stage_us) if delay_us == spec.run_us else (image.IN_THROAT_B, spec.nip_us)
        assert (out.stop_line, out.stop_us) == ordered
        inp.level[image.IN_THROAT_B] = 0
        inp.leaves[image.IN_THROAT_B] += 1
        inp.leave_us[image.IN_THROAT_B] = spec.length_us
        scan(feed, inp, out, 500)
        assert feed.fault == faults.FAULT_NONE and out.level[image.OUT_PICK] == (delay_us == spec.run_us)
        inp.leaves[feed.confirm] += 1
        inp.leave_us[feed.confirm] = spec.length_us
    assert (feed.state, feed.count) == (feeds.FEED_FINISHING, 2)


def test_a_card_that_follows_is_told_from_two_at_once_by_its_stamp():
    """In a late scan it is at A already. Before the last one has left B it can only be a second card with it."""
    for early_us, fault in ((-1, faults.FAULT_NONE), (0, faults.FAULT_DOUBLE_FEED), (1, faults.FAULT_DOUBLE_FEED)):
        feed, inp, out = picking("shoe")
        inp.enters[image.IN_THROAT_A] = inp.level[image.IN_THROAT_A] = 1
        scan(feed, inp, out, 500)
        inp.level[image.IN_THROAT_B] = 1
        scan(feed, inp, out, 500)
        inp.level[image.IN_THROAT_B] = 0
        inp.leaves[image.IN_THROAT_B] = 1
        inp.leave_us[image.IN_THROAT_B] = feed.spec.length_us
        inp.enters[image.IN_THROAT_A] = 2
        inp.enter_us[image.IN_THROAT_A] = feed.spec.length_us - early_us
        scan(feed, inp, out, 500)
        assert feed.fault == fault, early_us


def confirmed_after(kind, cards, percent):
    """So many cards of two; the beam behind the mouth sees the last of them for this part of a card's passage."""
    feed, inp, out = picking(kind, "double-attack-blackjack" if kind == "shelves" else "caribbean-stud")
    for card in range(cards):
        pass_card(feed, inp, out, 500)
        inp.leaves[feed.confirm] += 1
        inp.leave_us[feed.confirm] = feed.spec.length_us * (percent if card + 1 == cards else 100) // 100
    if cards == 1:
        inp.enters[image.IN_THROAT_A] += 1
        inp.level[image.IN_THROAT_A] = 1
        scan(feed, inp, out, 500)
        assert feed.follows or feed.state == feeds.FEED_STAGED
    if feed.state != feeds.FEED_PASSING:
        scan(feed, inp, out, 500)
    return feed.state, feed.fault


def test_a_card_is_confirmed_only_by_a_passage_of_its_own_length():
    """Shorter is a pulse on the line of the beam behind the mouth, and the card may still be on its way."""
    for kind in ("shoe", "shelves"):
        for percent, fault in (
            (2, faults.FAULT_CARD_LENGTH),
            (84, faults.FAULT_CARD_LENGTH),
            (116, faults.FAULT_DOUBLE_FEED),
        ):
            for cards in (1, 2):
                assert confirmed_after(kind, cards, percent) == (feeds.FEED_FAILED, fault), (kind, percent, cards)
        assert confirmed_after(kind, 1, 100) == (feeds.FEED_PASSING, faults.FAULT_NONE)
        assert confirmed_after(kind, 2, 100) == (feeds.FEED_DONE, faults.FAULT_NONE)


def test_a_wrong_length_is_kept_as_a_small_number_and_one_that_is_not_known_is_none():
    machine, inp, _out = parts("shoe")
    for length_us, code, low_um, high_um in (
        (74083, faults.FAULT_NONE, 0, 0),
        (90000, faults.FAULT_DOUBLE_FEED, 108000, 108000),
        (1 << 28, faults.FAULT_DOUBLE_FEED, 355000, 355600),
        (50000, faults.FAULT_CARD_LENGTH, 60000, 60000),
        (-3000, faults.FAULT_CARD_LENGTH, 0, 0),  # the next card has begun to pass
    ):
        machine.spec.odd_um = 0
        inp.leave_us[image.IN_EXIT] = inp.enter_us[image.IN_EXIT] + length_us
        assert machine.spec.length_fault(inp, image.IN_EXIT) == code
        assert low_um <= machine.spec.odd_um <= high_um, length_us


def test_a_stack_has_not_landed_while_a_card_is_at_the_exit():
    machine, inp, _out = parts("shoe")
    inp.level[image.IN_TRAY] = 1
    assert machine.tray.landed(inp, 2) == faults.FAULT_NONE
    inp.level[image.IN_EXIT] = 1
    assert machine.tray.landed(inp, 2) == faults.FAULT_JAM_EXIT


def test_a_beam_blocked_before_the_roller_started_leaves_the_mean_feed_time_valid():
    meters = Meters()
    meters.fed(-2000)
    assert meters.values[METER_FEED_US] == 0


def test_a_card_that_stops_is_turned_back_and_must_be_seen_again():
    for came_back in (False, True):
        feed, inp, out = picking()
        spec = feed.spec
        inp.enters[image.IN_THROAT_A] += 1
        inp.level[image.IN_THROAT_A] = 1
        scan(feed, inp, out, 10)
        scan(feed, inp, out, 10)
        assert scan(feed, inp, out, 10 + spec.pass_ms_max) == 0
        assert feed.state == feeds.FEED_STOPPED and not out.level[image.OUT_PICK] and not out.level[image.OUT_TRANSPORT]
        now = 10 + spec.pass_ms_max
        assert scan(feed, inp, out, now + spec.rest_ms - 1) == 1
        now += spec.rest_ms
        scan(feed, inp, out, now)
        assert feed.state == feeds.FEED_BACKING
        assert [out.level[line] for line in (image.OUT_REVERSE, image.OUT_PICK, image.OUT_TRANSPORT)] == [1, 1, 1]
        assert scan(feed, inp, out, now + spec.jog_ms - 1) == 1
        scan(feed, inp, out, now + spec.jog_ms)
        assert feed.state == feeds.FEED_BACKED and not out.level[image.OUT_PICK] and not out.level[image.OUT_TRANSPORT]
        now += spec.jog_ms
        if not came_back:
            feed.back_a = inp.enters[image.IN_THROAT_A]
        assert scan(feed, inp, out, now + spec.rest_ms - 1) == 1
        scan(feed, inp, out, now + spec.rest_ms)
        if came_back:
            assert (
                feed.state == feeds.FEED_STAGED
                and out.level[image.OUT_TRANSPORT] == 1
                and out.level[image.OUT_REVERSE] == 0
            )
        else:
            assert (feed.state, feed.fault) == (feeds.FEED_FAILED, faults.FAULT_JAM_THROAT)


def test_a_card_face_up_stops_a_machine_that_does_not_reject_it():
    for rejects in (False, True):
        feed, inp, out = picking()
        feed.rejects = rejects
        inp.enters[image.IN_THROAT_A] += 1
        inp.level[image.IN_THROAT_A] = 1
        inp.enters[image.IN_FACE] += 1
        scan(feed, inp, out, 10)
        scan(feed, inp, out, 10)
        assert (feed.fault == faults.FAULT_FACE_UP) == (not rejects)
    feed, inp, out = picking()
    feed.rejects = True
    feeds.feed_start(feed, inp, out, 1, STORE, 0)
    inp.enters[image.IN_FACE] += 1
    pass_card(feed, inp, out, 10)
    assert (feed.count, feed.face_ups, feed.wanted) == (1, 1, 2)  # and one more in its place


def test_a_card_of_the_other_deck_shows_its_back_once_and_no_card_of_the_first_does():
    """Shown twice, it is two cards, or a sensor that cannot be trusted."""
    for other, shown, fault in (
        (True, 0, faults.FAULT_BACK),
        (True, 1, faults.FAULT_NONE),
        (True, 2, faults.FAULT_BEAM),
        (False, 0, faults.FAULT_NONE),
        (False, 1, faults.FAULT_BACK),
    ):
        feed, inp, out = picking()
        feed.other_back = other
        feeds.feed_start(feed, inp, out, 2, STORE, 0)
        pass_card(feed, inp, out, 10, backs=shown)
        assert feed.fault == fault, (other, shown)


def test_a_card_past_the_mouth_must_reach_the_beam_behind_it_in_time_and_only_once():
    for seen, waits in ((0, True), (2, False)):
        feed, inp, out = picking("shelves", "house")
        feed.sink.shuffle(8, 0)
        feed.state, feed.count, feed.passed_ms = feeds.FEED_FINISHING, 1, 0
        inp.leaves[image.IN_ARRIVAL] += seen
        assert feed.confirmed(inp) == seen
        wait = scan(feed, inp, out, feed.spec.confirm_ms_max - 1)
        assert wait == (1 if waits else 0)
        scan(feed, inp, out, feed.spec.confirm_ms_max)
        assert (feed.state, feed.fault) == (feeds.FEED_FAILED, faults.FAULT_JAM_EXIT)


# --- jobs --------------------------------------------------------------------------------------


def test_the_light_is_off_for_five_milliseconds_and_every_beam_must_notice():
    for kind in ("carousel", "shelves"):
        machine, inp, out = parts(kind, "house")
        machine.prove(0)
        assert machine.spec.dark_lines and image.IN_HOPPER not in machine.spec.path_lines
        assert machine.scan(inp, out, 0) == 5 and out.level[image.OUT_DARK] == 1 and out.watch_slot
        for line in machine.spec.dark_lines:
            inp.level[line] = 1
        assert machine.scan(inp, out, 4) == 1 and out.level[image.OUT_DARK] == 1
        machine.scan(inp, out, 5)
        assert out.level[image.OUT_DARK] == 0 and not out.watch_slot and machine.phase == 1
        for line in machine.spec.dark_lines:
            inp.level[line] = 0
        assert machine.scan(inp, out, 9) == 1
        blocked = machine.spec.path_lines[0]
        inp.level[blocked] = 1
        machine.scan(inp, out, 10)
        assert (machine.state, machine.fault) == (JOB_FAILED, faults.FAULT_BEAM)
    machine, inp, out = parts()
    machine.spec.dark_lines = b""  # a board that cannot switch its light off
    machine.prove(0)
    assert machine.scan(inp, out, 0) == 0 and machine.phase == 1 and out.level[image.OUT_DARK] == 0


def test_parking_goes_to_the_first_place():
    machine, inp, out = parts()
    machine.axis.place = 9
    machine.begin((axes.phase_park,), 0)
    machine.scan(inp, out, 0)
    assert machine.axis.target == 0
    run_axis(machine.axis, inp, out)
    machine.scan(inp, out, 3)
    assert (machine.state, machine.axis.place) == (JOB_DONE, 0)


def test_a_stack_is_guarded_and_a_purge_is_not():
    machine, inp, out = parts()
    machine.deal(0, 0)  # nothing is left to release
    machine.phase = 2
    machine.scan(inp, out, 0)
    assert machine.guards and machine.busy and machine.phase == 3 and out.level[image.OUT_OUTFEED] == 0
    machine.purge(0)
    machine.phase = 2
    machine.axis.swept = 1
    machine.axis.full[3] = 1
    machine.scan(inp, out, 0)
    assert machine.busy and not machine.guards and out.level[image.OUT_OUTFEED] == 1
    inp.level[image.IN_TRAY] = 1
    machine.deal(2, 0)
    machine.phase = 2
    machine.scan(inp, out, 0)
    assert (machine.state, machine.fault) == (JOB_FAILED, faults.FAULT_STACK)


def test_presses_are_those_since_the_panel_was_last_looked_at():
    panel, inp = Panel(), inputs()
    assert panel.presses == inp.presses
    inp.enters[image.IN_GREEN] = 2
    panel_scan(panel, inp)
    assert panel.take(PRESS_GREEN) == 2 and panel.take(PRESS_GREEN) == 0
    inp.enters[image.IN_GREEN] = 3
    inp.enters[image.IN_SEAT] = 4
    panel_scan(panel, inp)
    panel_scan(panel, inp)
    assert panel.take(PRESS_GREEN) == 1 and panel.take(PRESS_SEAT) == 4


def test_twitches_of_a_beam_are_added_up_once_and_have_to_be_stored():
    meters = Meters()
    glitches = array("i", [0] * 21)
    meters.gather(glitches)
    assert not meters.dirty
    total = 0
    for seen in (3, 3, 7):
        for line in range(21):
            glitches[line] = seen
        meters.gather(glitches)
        total = seen
        assert meters.values[METER_GLITCHES] == total and meters.dirty
    meters.dirty = False
    meters.uneasy(image.IN_THROAT_A)
    assert meters.dirty
    for _ in range(3):
        meters.dirty = False
        meters.fault(faults.FAULT_DOUBLE_FEED)
        assert meters.dirty
