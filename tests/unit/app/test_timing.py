"""Nothing a host can see depends on the order: not a byte, and not the instant at which it comes.

The same physical run with another order: the simulator keys its chance by card and attempt, and the order comes from
its entropy, so only the order differs. Ordinary rounds, rounds with misfeeds and stalls, status and meters included.
"""

from support import SLOW, board, check_stage
from tables import drawn_order, faults, set_up, small_board

from firmware.games.flow import SHUFFLING
from firmware.protocol import ids
from firmware.protocol.frame import FrameReader, frame_message
from rig.story import Stage

KEY = bytes(range(32))

ORDERS = 2 if SLOW else 6


def recorded(stage):
    """From here on everything the device sends, with its instant."""
    seen = []
    deliver = stage.rig.deliver
    reader = FrameReader()

    def noted():
        sent = stage.rig.hal.sent
        reader.push(sent, 0, len(sent))
        data = bytes(sent)
        if reader.size and frame_message(reader.buf) in (ids.EV_SHUFFLE_COMMITTED, ids.EV_SEALED):
            # What must differ: a hash of the seed, and the seal over a journal that has it.
            data = b"%d, %d bytes" % (frame_message(reader.buf), len(data))
        seen.append((stage.rig.plant.now_us, data))
        deliver()

    stage.rig.deliver = noted
    return seen


def start(stage, cards, number):
    """Start a deck whose order comes from other noise."""
    stage.play([("", 300, "load", cards)])
    stage.rig.hal.entropy_draws = 1000 + number * 1000
    stage.act("press", {"button": "green"})
    return drawn_order(stage)


def round_on_carousel(number, cards, specs, config=None, seats=2, size=3):
    stage = faults(set_up("carousel", cards, config=config, stack_cards=size), *specs)
    seen = recorded(stage)
    order = start(stage, cards, number)
    stage.until("deck_verified", 90000)
    stage.play([("", 200, "press", "seat") for _ in range(seats)] + [("", 300, "press", "close")])
    for _ in range(seats + 1):
        stage.play([("stack_offered", 300, "take", 0)])
    stage.play([("stack_taken", 300, "press", "green"), ("remainder_released", 300, "take", 0)])
    stage.play([("remainder_taken", 300, "press", "green"), ("round_ended", 3000, "wait", 0)])
    check_stage(stage)
    assert stage.peer.messages["meters"][0] == 1 and min(stage.peer.messages["wear"]) > 0  # they are compared too
    return order, seen


def same(runs):
    """The orders differ, and nothing else."""
    orders = [order for order, _seen in runs]
    assert len({tuple(order) for order in orders}) == len(orders)
    first = runs[0][1]
    assert len(first) > 20
    for _order, seen in runs[1:]:
        for at in range(min(len(first), len(seen))):
            assert seen[at] == first[at], at
        assert len(seen) == len(first)


def test_a_whole_round_looks_the_same_whatever_the_order():
    same([round_on_carousel(number, 10, ()) for number in range(ORDERS)])


def test_misfeeds_and_stalls_do_not_let_the_order_show():
    for specs in (
        ({"fault": "misfeed", "card": 3, "times": 2}, {"fault": "misfeed", "card": 7, "times": 1}),
        ({"fault": "stall", "place": "throat", "at_um": 60000, "card": 4, "jogs": 2},),
        ({"fault": "misfeed", "ppm": 300000}, {"fault": "stall", "place": "mouth", "at_um": 9000, "ppm": 300000}),
    ):
        same([round_on_carousel(number, 10, specs) for number in range(ORDERS)])


def asked_during_shuffle(kind, number, ask):
    """What a host sees that is not silent while a deck is shuffled; and when memory could have been collected."""
    config = small_board(kind)
    config["link"]["mode"] = "table"
    stage = Stage(config, {"deck_cards": 10}, 7, KEY, ids.ROLE_TABLE)
    stage.until("empty_proved", 20000)
    seen = recorded(stage)
    order = start(stage, 10, number)
    op = 0
    flow = stage.rig.app.flow
    while flow.state != SHUFFLING:
        stage.run(1)
    rests = 0
    while flow.state == SHUFFLING:
        op += 1
        ask(stage, op)
        for _ in range(70):
            stage.run(10)
            rests += flow.state == SHUFFLING and stage.rig.app.resting()
    stage.until("deck_verified", 90000, then_ms=3000)
    check_stage(stage)
    assert op > 5
    assert rests == 0
    return order, seen


def test_a_host_that_asks_during_a_shuffle_learns_nothing_from_when_it_is_answered():
    def command(stage, op):
        stage._to_device(stage.peer.command(op, ids.CMD_CLOSE_BETTING))

    def clock(stage, op):
        stage._to_device(stage.peer.frame(stage.peer.session, ids.CLASS_TIME, ids.TIME_SET, [1000000 + 7 * op]))

    for kind in ("carousel", "shelves"):
        for ask in (command, clock):
            same([asked_during_shuffle(kind, number, ask) for number in range(2 if SLOW else 3)])


def test_the_reference_carousel_with_a_whole_deck():
    same([round_on_carousel(number, 52, (), board("carousel"), 3, 5) for number in range(2 if SLOW else 4)])


def shuffle_on_shelves(number, cards, specs, config=None):
    stage = faults(set_up("shelves", cards, config=config), *specs)
    seen = recorded(stage)
    order = start(stage, cards, number)
    stage.until("deck_verified", 400000, then_ms=3000)
    stage.play([("", 300, "press", "green"), ("remainder_released", 300, "take", 0)])
    stage.play([("remainder_taken", 3000, "wait", 0)])
    check_stage(stage)
    return order, seen


def test_a_deck_from_shelves_looks_the_same_up_to_the_hand_that_takes_it():
    for specs in ((), ({"fault": "misfeed", "card": 3, "times": 2},)):
        same([shuffle_on_shelves(number, 9, specs) for number in range(ORDERS)])


def told_after_ms(kind, cards, number, order=()):
    """How long after the start the host learns the result, on the reference board."""
    stage = set_up(kind, cards, config=board(kind))
    start(stage, cards, number)
    for i in range(len(order)):
        stage.rig.app.order[i] = order[i]
    begun_us = stage.rig.plant.now_us
    stage.until("deck_verified", 600000)
    return (stage.rig.plant.now_us - begun_us + 5000) // 10000 * 10


def test_the_result_is_told_at_the_instant_that_was_promised():
    for number in range(2 if SLOW else 20):
        assert told_after_ms("carousel", 52, number) == 23000
    # Shelves tell by the size of the deck: 255 s are for 384 cards.
    assert told_after_ms("shelves", 40, 0) == 37870


def test_the_longest_ways_of_all_are_told_at_the_instant_or_the_next_multiple():
    """From one end of the store to the other with every card: one order in a million of a carousel takes too long."""
    across = [i // 2 + i % 2 * 26 for i in range(52)]
    assert told_after_ms("carousel", 52, 0, across) == 46000
    if not SLOW:
        ends = [i // 2 if i % 2 == 0 else 383 - i // 2 for i in range(384)]
        assert told_after_ms("shelves", 384, 0, ends) == 255000


def test_status_says_nothing_of_the_pace():
    """While a deck is shuffled the zones stand still and progress is elapsed time."""
    stage = set_up("carousel", 10, config=small_board("carousel"))
    start(stage, 10, 0)
    told = []
    for _ in range(40):
        stage.run(100)
        told.append(stage.peer.messages["status"][8:16])
    assert all(zones == told[0] for zones in told)


def first_stacks(game, number):
    """Two stacks of a real game: everything the host gets, with what the dealer reads at that moment, and the lamps."""
    stage = Stage(board(), game, 7)
    stage.until("empty_proved", 20000)
    seen = recorded(stage)
    order = start(stage, 52, number)
    stage.until("deck_verified", 90000)
    stage.play([("", 200, "press", "seat"), ("", 300, "press", "close")])
    if stage.rig.app.flow.profile.lockout:
        stage.play([("", 300, "press", "lock")])
    for _ in range(2):
        stage.play([("stack_offered", 300, "wait", 0)])
        seen.append((stage.rig.plant.now_us, (stage.rig.hal.lines, bytes(stage.rig.app.out.level))))
        stage.play([("", 300, "take", 0)])
    return order, seen


def handed_out(game, number, dealing):
    """A deck that is handed out and its round, the same way."""
    stage = Stage(board(table={"dealing": dealing}), game, 7)
    stage.until("empty_proved", 20000)
    seen = recorded(stage)
    order = start(stage, 52, number)
    stage.play([("deck_verified", 300, "press", "green"), ("remainder_released", 300, "wait", 0)])
    seen.append((stage.rig.plant.now_us, (stage.rig.hal.lines, bytes(stage.rig.app.out.level))))
    stage.play([("", 300, "take", 0), ("remainder_taken", 300, "press", "seat"), ("", 300, "press", "close")])
    stage.play([("round_started", 300, "press", "lock"), ("", 300, "wait", 0)])
    seen.append((stage.rig.plant.now_us, (stage.rig.hal.lines, bytes(stage.rig.app.out.level))))
    return order, seen


def test_no_message_display_or_lamp_tells_a_card_that_lies_face_down():
    """Proves: DDS-8b, CS-7b"""
    for game in ("double-down-stud", "caribbean-stud"):
        same([first_stacks(game, number) for number in range(2)])
    for game, dealing in (("double-down-stud", "manual"), ("caribbean-stud", "manual"), ("caribbean-stud", "hand")):
        same([handed_out(game, number, dealing) for number in range(2)])
