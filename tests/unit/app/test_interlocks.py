"""What hands can do wrong: reach into the tray, press too early, leave cards where no beam looks, swing the door."""

from support import GAME, board, check_stage, fields_of, play, started

from firmware import fault
from firmware.games import flow
from firmware.journal.cells import CELL_SIZE
from firmware.protocol import ids
from rig import stories
from rig.story import Stage


def dealing(stage):
    """Up to the first card of the first stack on its way."""
    stage.play(stories.start() + stories.shuffle(52) + stories.deal(1)[:-2])
    while stage.rig.app.flow.machine.eject.count < 1:
        stage.run(5)


def test_a_stack_put_back_before_the_next_one_comes_makes_that_one_doubtful():
    stage = play(stories.start() + stories.shuffle(52) + stories.deal(1)[:-2])
    stage.until("stack_offered", 20000)
    cards = stage.rig.plant.take()
    while stage.rig.app.flow.state != flow.DISPENSING:
        stage.run(5)
    plant = stage.rig.plant
    plant.put_in_tray(cards)
    stage.until("round_voided", 5000)
    assert fields_of(stage, "round_voided")[0][0] == fault.FAULT_STACK
    assert fields_of(stage, "stack_offered") == [[1, 5, 0, 0]]


def test_a_stack_begins_only_in_an_empty_tray():
    stage = play(stories.start() + stories.shuffle(52) + stories.deal(1)[:-3])
    plant = stage.rig.plant
    plant.litter(1)
    stage.play([("", 100, "press", "lock"), ("", 3000, "wait", 0)])
    assert stage.rig.app.flow.machine.eject.count == 0
    plant.take()
    stage.until("stack_offered", 5000)
    assert len(plant.tray) == 5


def test_a_card_that_sticks_while_a_deck_is_removed_is_a_jam_and_never_sheared():
    for at_um in (5000, 20000, 60000):
        jam = [("", 0, "jam", "exit:10:%d" % at_um)]
        stage = play(stories.start() + jam + stories.shuffle(51) + [("warning_latched", 500, "press", "ack")])
        stage.until("removal_failed", 60000)
        assert fields_of(stage, "removal_failed") == [[fault.FAULT_JAM_EXIT]]
        stage.play([("", 1500, "open", 0)] + stories.clear_by_hand()[1:])
        check_stage(stage)


def test_nothing_but_an_acknowledgement_leaves_the_warning_of_a_wrong_deck():
    presses = [("", 300, "press", button) for button in ("green", "close", "lock", "seat")]
    stage = play(stories.start() + stories.shuffle(51) + [("warning_latched", 100, "wait", 0)] + presses)
    assert stage.rig.app.flow.state == flow.WARNING


def test_cards_in_the_hopper_are_part_of_what_has_to_be_emptied():
    stage = play(
        stories.start()
        + [("", 0, "jam", "throat:10:60000")]
        + stories.shuffle(52)
        + [("warning_latched", 500, "open", 0)]
    )
    plant = stage.rig.plant
    plant.throat.clear(plant.now_us)
    stage.play([("", 500, "close", 0), ("", 500, "press", "ack"), ("", 5000, "wait", 0)])
    assert stage.rig.app.flow.state == flow.WARNING
    assert "warning_cleared" not in stage.names()


def test_a_warning_survives_a_power_cycle_with_the_machine_emptied_meanwhile():
    stage = play(stories.start() + stories.shuffle(51) + [("warning_latched", 500, "cut", 0)])
    stage.rig.plant.clear()
    stage.play([("", 1000, "boot", 0), ("warning_latched", 5000, "wait", 0)])
    assert stage.rig.app.flow.state == flow.WARNING
    assert fields_of(stage, "warning_latched")[1][0] == fault.FAULT_MISMATCH
    stage.play([("", 500, "press", "ack"), ("warning_cleared", 0, "wait", 0)])
    stage.play([("", 0, "cut", 0), ("", 1000, "boot", 0), ("empty_proved", 0, "wait", 0)])
    assert stage.rig.app.flow.state == flow.WAITING_FOR_DECK


def test_storage_that_dies_before_cards_move_ends_in_a_warning_and_nothing_starts_by_itself():
    stage = started()
    stage.rig.nv.broken = True
    stage.play(stories.shuffle(52))
    assert stage.rig.app.flow.state == flow.PREPARING
    stage.run(3000)
    assert stage.rig.app.flow.state == flow.WARNING
    assert list(stage.rig.app.order) == [0] * 54
    stage.rig.nv.broken = False
    stage.run(10000)
    assert fields_of(stage, "warning_latched")[0][0] == fault.FAULT_JOURNAL
    assert len(stage.rig.plant.hopper) == 52


def test_storage_that_is_dead_holds_the_next_round_and_does_not_flood_the_line():
    for state in (flow.WAITING_FOR_DECK, flow.DECK_READY):
        stage = started()
        if state == flow.DECK_READY:
            stage.play(stories.shuffle(52))
            stage.until("deck_verified", 60000)
        app = stage.rig.app
        stage.rig.nv.broken = True
        app.outbox.post(ids.EV_GREEN_PRESSED)
        stage.run(100)
        fill = app.reporter.fill_status
        filled = []
        app.reporter.fill_status = lambda now_ms, fill=fill, filled=filled: filled.append(now_ms) or fill(now_ms)
        stage.run(5000)
        assert (app.flow.state, app.flow.hold) == (state, fault.FAULT_JOURNAL)
        assert 9 <= len(filled) <= 12, len(filled)  # two a second
        stage.rig.nv.broken = False
        stage.run(1000)
        assert (app.flow.hold, app.outbox.count) == (0, 0)


def test_a_swinging_door_never_overfills_the_outbox():
    stage = started()
    stage.rig.nv.broken = True
    for _ in range(60):
        stage.play([("", 50, "open", 0), ("", 50, "close", 0)])
    stage.rig.nv.broken = False
    stage.run(20000)
    check_stage(stage)
    names = stage.names()
    assert names.count("door_opened") == names.count("door_closed") >= 1


def test_a_damaged_record_is_told_in_its_place_and_everything_after_it_arrives():
    for at in (1, 2, 30, 60, 95):
        stage = Stage(board(), GAME, 7)
        stage.peer.acknowledges = False
        stage.peer.feed = lambda data: b""
        stage.play([("", 3000, "wait", 0)])
        journal = stage.rig.app.journal
        stage.rig.nv.data[journal._cell(1) * CELL_SIZE + at] ^= 0xFF
        del stage.peer.feed
        stage.peer.acknowledges = True
        stage.run(20000)
        assert stage.names() == ["record_damaged", "empty_proved"], at


def test_a_host_that_knows_more_than_the_device_remembers_does_not_get_stuck():
    """Acknowledged while cards moved, not yet recorded, power lost: the device begins again, window by window."""
    stage = started()
    for _ in range(20):
        stage.rig.app.outbox.post(ids.EV_DOOR_CLOSED)
        stage.run(2)
    stage.run(3000)
    journal = stage.rig.app.journal
    assert stage.peer.seq_last == journal.seq_last == 22
    # As if none of the acknowledgements had been recorded.
    stage.rig.cut_power()
    for i in range(64, 192):
        stage.rig.nv.data[i] = 0
    stage.act_typed("boot", "")
    stage.run(30000)
    check_stage(stage)
    assert stage.rig.app.journal.seq_acked == stage.rig.app.journal.seq_last > 22


def test_a_broken_invariant_stops_the_machine():
    stage = Stage(board(), GAME, 7)
    dealing(stage)
    stage.rig.app.flow.ledger.zone[2] = 0
    stage.until("warning_latched", 5000)
    assert fields_of(stage, "warning_latched")[0][0] == fault.FAULT_INTERNAL
    assert not any(stage.rig.plant.outputs)


def test_a_passage_too_short_for_a_card_is_not_counted_as_one():
    stage = play(stories.start() + stories.shuffle(52) + [("shuffle_started", 3000, "wait", 0)])
    plant = stage.rig.plant
    while not plant.level[plant.line_b]:
        stage.run(1)
    stage.run(20)
    # The beam clears in the middle of the card, as a hole or a reflection would make it.
    plant.set_line(plant.line_b, 0, plant.now_us)
    stage.until("warning_latched", 5000)
    assert fields_of(stage, "warning_latched")[0][0] == fault.FAULT_CARD_LENGTH


def test_misfeeds_do_not_make_the_report_instant_depend_on_the_order():
    seen = set()
    for order_seed in range(6):
        stage = Stage(board(), GAME, 5)
        stage.play(stories.start() + [("", 0, "misfeed", "%d:2" % nth) for nth in range(3, 50, 4)])
        stage.rig.hal.entropy_draws = order_seed * 1000
        start_us = stage.rig.plant.now_us
        stage.play(stories.shuffle(52))
        stage.until("deck_verified", 60000)
        seen.add(stage.rig.plant.now_us - start_us)
    assert len(seen) == 1


def test_power_cut_at_any_write_after_a_jam_leaves_the_warning():
    """A card may lie unseen: nothing may turn before a person has looked, whichever of the records got through."""
    for write in range(8):
        stage = play(stories.start() + [("", 0, "jam", "exit:0:10000")] + stories.shuffle(52) + stories.deal(1)[:-3])
        stage.act_typed("press", "lock")
        while stage.rig.app.flow.state != flow.WARNING:
            stage.run(1)
        stage.rig.nv.cut_at = stage.rig.nv.writes + write
        stage.rig.nv.cut_bytes = 0
        stage.run(3000)
        if stage.rig.powered:
            break
        stage.rig.nv.cut_at = -1
        for again in range(3):
            # And at the first writes of the boot that follows.
            stage.act_typed("boot", "")
            stage.rig.nv.cut_at = stage.rig.nv.writes + again
            stage.run(2000)
            stage.rig.nv.cut_at = -1
        stage.act_typed("boot", "")
        stage.run(5000)
        assert stage.rig.app.flow.state == flow.WARNING, write
        check_stage(stage)
    assert write >= 2
