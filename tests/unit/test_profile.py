"""A game that its deck, its board or its storage cannot serve is refused before a card moves."""

from support import board, raises

from firmware.games.pages import page_lines
from firmware.games.profile import RULE_DEAL_FAULT, find_profile
from rig import stories
from rig.games import load_profile
from rig.story import Stage


def test_stacks_that_the_deck_cannot_serve_are_refused():
    for game in (
        {"stack_cards": 0},
        {"stack_cards": 300},
        {"deck_cards": 4, "stack_cards": 5},
        {"last_cards": 53},
        {"plan": [3, 0, 5]},
        {"plan": [30, 23]},
    ):
        assert raises(ValueError, find_profile, game), game
    assert find_profile({"plan": [30, 22]}).stack_size(2, 0) == 22


def test_no_more_positions_than_the_deck_can_serve():
    assert find_profile({"stack_cards": 6}).positions_max == 7
    assert find_profile({"stack_cards": 5}).positions_max == 9
    stage = Stage(board(), {"stack_cards": 6}, 3)
    stage.play(stories.start() + stories.shuffle(52) + [("deck_verified", 100, "wait", 0)] + stories.seats(9))
    assert stage.rig.app.flow.positions == 7


def test_the_journal_keeps_room_for_the_longest_round_of_the_game():
    assert load_profile("caribbean-stud").round_events == 48
    assert find_profile({"stack_cards": 1}).round_events == 3 * 52 + 18
    config = board()
    config["nv"]["bytes"] = 8192
    assert raises(ValueError, Stage, config, {"stack_cards": 1}, 3)


def test_a_deck_that_does_not_fit_the_slots_is_refused():
    assert raises(ValueError, Stage, board(), {"deck_cards": 60}, 3)


def test_clauses_may_be_text_as_a_board_config_has_them():
    assert find_profile({"clause_deal": "XX-1a"}).clauses[RULE_DEAL_FAULT] == b"XX-1a"


def test_a_tray_that_is_not_empty_is_said_and_not_waited_for_in_silence():
    stage = Stage(board(), "caribbean-stud", 3)
    stage.play(stories.start() + stories.shuffle(52) + [("deck_verified", 500, "press", "close")])
    stage.play([("round_started", 300, "litter", 1), ("", 300, "press", "lock"), ("", 2000, "wait", 0)])
    assert page_lines(stage.rig.app.flow)[0] == "Tray is not empty"
    stage.play([("", 0, "take", 0)])
    stage.until("stack_offered", 10000)
    assert page_lines(stage.rig.app.flow)[0] == "Stack ready"
