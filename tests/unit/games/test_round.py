"""A round from the deck in the dealer's hand to its end, on the simulated carousel."""

from support import GAME, board, check_stage, fields_of, play

from firmware.deck.ledger import DEALT, RELEASED, STORE
from firmware.games.flow import DECK_READY, DISPENSING, STACK_OFFERED, WAITING_FOR_DECK, WAITING_FOR_LOCKOUT
from firmware.protocol import ids
from firmware.protocol.frame import CRC_SIZE, FrameReader, frame_message
from rig import stories
from rig.story import Stage

ROUND = (
    ["booted", "empty_proved", "shuffle_started", "shuffle_committed", "deck_verified"]
    + ["round_started", "lockout_confirmed"]
    + ["stack_started", "stack_offered", "stack_taken"] * 4
    + ["green_pressed", "release_started", "remainder_released", "remainder_taken", "round_ended"]
)


def test_a_round_for_three_players_and_the_dealer():
    stage = play(stories.start() + stories.round_of(3))
    assert stage.names() == ROUND
    assert fields_of(stage, "deck_verified") == [[52, 52, 0, 0]]
    assert fields_of(stage, "stack_offered") == [[1, 5, 0, 0], [2, 5, 0, 0], [3, 5, 0, 0], [4, 5, 0, 0]]
    assert fields_of(stage, "remainder_released") == [[32, 32]]
    assert fields_of(stage, "round_ended") == [[4, 20, 32]]
    assert [len(cards) for cards in stage.taken] == [5, 5, 5, 5, 32]
    assert stage.rig.app.flow.state == WAITING_FOR_DECK


def test_every_card_that_went_in_comes_out_once():
    stage = play(stories.start() + stories.round_of(3))
    assert sorted(card for cards in stage.taken for card in cards) == list(range(52))


def test_the_order_coming_out_is_the_order_drawn():
    """The mechanism realises the permutation exactly: card i of the hopper comes out as number order[i].

    Proves: CS-9h (in part)
    """
    stage = Stage(board(), GAME, 3)
    flow = stage.rig.app.flow
    stage.play(stories.start() + stories.shuffle(52))
    while flow.order_state != 2:
        stage.run(1)
    drawn = list(flow.order)
    stage.play(stories.deal(0) + [("stack_started", 0, "wait", 0)])
    # The hopper gives the last of the list first.
    slots: list = [[] for _ in range(54)]
    for nth in range(52):
        slots[drawn[nth]] = [51 - nth]
    assert [[card] for card in stage.taken[0]] == slots[:5]
    assert stage.rig.plant.slots[10:54] == slots[10:54]


def test_nothing_is_left_of_the_order_once_the_deck_is_in():
    stage = play(stories.start() + stories.shuffle(52) + [("deck_verified", 0, "wait", 0)])
    assert list(stage.rig.app.order) == [0] * 54


def test_one_to_nine_players_each_get_five_and_the_rest_is_released():
    for players in (1, 2, 9):
        stage = play(stories.start() + stories.round_of(players))
        rest = 52 - 5 * (players + 1)
        assert fields_of(stage, "remainder_released") == [[rest, rest]]
        assert fields_of(stage, "round_ended") == [[players + 1, 5 * (players + 1), rest]]


def test_without_positions_stacks_go_on_until_green_and_an_untaken_one_joins_the_remainder():
    steps = stories.start() + stories.shuffle(52) + stories.deal(0)
    steps += [("stack_offered", 900, "take", 0), ("stack_offered", 900, "press", "green")]
    steps += stories.finish()[1:]
    stage = play(steps)
    assert fields_of(stage, "stack_offered") == [[1, 5, 0, 0], [2, 5, 0, 0], [3, 5, 0, 0]]
    assert fields_of(stage, "remainder_released") == [[42, 42]]
    assert fields_of(stage, "round_ended") == [[2, 10, 42]]


def test_a_short_final_stack_is_never_offered():
    steps = stories.start() + stories.shuffle(52) + stories.deal(0)
    steps += [("stack_offered", 500, "take", 0)] * 9 + stories.finish()
    stage = play(steps)
    assert len(fields_of(stage, "stack_offered")) == 10
    assert fields_of(stage, "remainder_released") == [[2, 2]]


def test_no_card_leaves_before_betting_is_closed_and_the_lockout_confirmed():
    stage = play(stories.start() + stories.shuffle(52) + [("deck_verified", 500, "press", "lock")])
    flow = stage.rig.app.flow
    stage.run(5000)
    assert flow.state == DECK_READY
    stage.play([("", 0, "press", "close"), ("round_started", 5000, "wait", 0)])
    assert flow.state == WAITING_FOR_LOCKOUT
    assert flow.ledger.zone[STORE] == 52
    # A lock-out pressed before it was asked for does not count.
    assert "lockout_confirmed" not in stage.names()


def test_the_next_stack_waits_until_the_last_was_taken():
    stage = play(stories.start() + stories.shuffle(52) + stories.deal(2)[:-3] + [("stack_offered", 30000, "wait", 0)])
    flow = stage.rig.app.flow
    assert flow.state == STACK_OFFERED
    assert flow.ledger.zone[STORE] == 47
    stage.play([("", 0, "take", 0)])
    assert flow.state in (DISPENSING, STACK_OFFERED)
    assert flow.ledger.zone[DEALT] == 5


def test_a_round_in_which_decide_never_allocates():
    stage = play(stories.start() + stories.round_of(3), locked=True)
    assert stage.names() == ROUND


def test_three_rounds_in_a_row_have_rising_numbers_and_the_same_ledger():
    stage = play(stories.start() + stories.round_of(3) + stories.round_of(1) + stories.round_of(2))
    rounds = [event.round for event in stage.peer.events if event.name == "round_ended"]
    assert rounds == [1, 2, 3]
    assert stage.rig.app.flow.ledger.zone[RELEASED] == 37


def without_commitment(transcript):
    """Every frame that crossed the link, and apart from them the one thing that may differ: the hash of the seed."""
    reader = FrameReader()
    frames = []
    commitment = b""
    at = 0
    while at < len(transcript):
        at = reader.push(transcript, at, len(transcript))
        if reader.size:
            frame = bytes(reader.buf[: reader.size])
            if frame_message(reader.buf) == ids.EV_SHUFFLE_COMMITTED:
                commitment = frame[-33 - CRC_SIZE : -1 - CRC_SIZE]
                frame = frame[: -33 - CRC_SIZE]
            frames.append(frame)
    return frames, commitment


def test_the_report_instant_does_not_depend_on_the_order():
    """Two orders, one physical run: everything a host receives while the deck is shuffled is the same.

    Proves: CS-7b (automated, in part)
    """
    seen = []
    commitments = []
    for order_seed in (1, 2):
        stage = Stage(board(), GAME, 5)
        stage.play(stories.start())
        stage.rig.hal.entropy_draws = order_seed * 1000
        stage.play(stories.shuffle(52))
        stage.until("deck_verified", 30000)
        check_stage(stage)
        frames, commitment = without_commitment(stage.transcript)
        seen.append(frames)
        commitments.append(commitment)
    assert seen[0] == seen[1]
    assert commitments[0] != commitments[1]  # two orders they were
