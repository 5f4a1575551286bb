"""A game that its deck, its board or its storage cannot serve is refused before a card moves."""

from support import board, raises

from firmware.games.pages import page_lines
from firmware.games.profile import (
    RULE_COUNT,
    RULE_DEAL_FAULT,
    RULE_HOUSE,
    TAIL_HANDED,
    TAIL_LOCKOUT,
    TAIL_SETTLING,
    TAIL_WAGERS,
    find_profile,
)
from firmware.protocol import ids
from rig import stories
from rig.games import game_data, load_profile
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
    assert find_profile({"deck_cards": 3}).stack_cards == 3  # the house's stack has five, as far as there are cards


def test_no_more_positions_than_the_deck_can_serve():
    assert find_profile({"stack_cards": 6}).positions_max == 7
    assert find_profile({"stack_cards": 5}).positions_max == 9
    stage = Stage(board(), {"stack_cards": 6}, 3)
    stage.play(stories.start() + stories.shuffle(52) + [("deck_verified", 100, "wait", 0)] + stories.seats(9))
    assert stage.rig.app.flow.positions == 7


def test_the_journal_keeps_room_for_the_longest_round_of_the_game():
    assert load_profile("caribbean-stud").round_events == 48
    assert find_profile({"stack_cards": 1}).round_events == 3 * 52 + 18
    assert raises(ValueError, Stage, board(nv={"bytes": 8192}), {"stack_cards": 1}, 3)


def test_a_deck_that_does_not_fit_the_slots_is_refused():
    assert raises(ValueError, Stage, board(), {"deck_cards": 60}, 3)


def test_clauses_may_be_text_as_a_board_config_has_them():
    assert find_profile({"clause_deal": "XX-1a"}).clauses[RULE_DEAL_FAULT] == b"XX-1a"


def test_a_clause_alone_leaves_the_cautious_consequence():
    data = dict(game_data("caribbean-stud"))
    data["rules"] = [("CS-9g", 0)] * RULE_HOUSE
    profile = find_profile(data)
    assert (profile.clauses[RULE_COUNT], profile.consequences[RULE_COUNT]) == (b"CS-9g", ids.REMOVE_DECK)


def test_a_tray_that_is_not_empty_is_said_and_not_waited_for_in_silence():
    stage = Stage(board(), "caribbean-stud", 3)
    stage.play(stories.start() + stories.shuffle(52) + [("deck_verified", 500, "press", "close")])
    stage.play([("round_started", 300, "litter", 1), ("", 300, "press", "lock"), ("", 2000, "wait", 0)])
    assert page_lines(stage.rig.app.flow)[0] == "Tray is not empty"
    stage.play([("", 0, "take", 0)])
    stage.until("stack_offered", 10000)
    assert page_lines(stage.rig.app.flow)[0] == "Stack ready"


def test_a_game_that_is_not_known_is_refused():
    assert raises(ValueError, find_profile, "no-such-game")
    assert find_profile("house").deck_cards == 52


def test_an_event_names_a_rule_by_its_clause_and_by_what_it_orders():
    for game in (
        "double-down-stud",
        "boston-5-stud",
        "caribbean-stud",
        "double-attack-blackjack",
        "double-cross-poker",
    ):
        profile = load_profile(game)
        for rule in range(RULE_HOUSE):
            ordered = profile.clauses[rule], profile.consequences[rule]
            like = profile.rule_like(*ordered)
            assert (profile.clauses[like], profile.consequences[like]) == ordered, (game, rule)
        assert profile.rule_like(profile.clauses[RULE_DEAL_FAULT], 99) == RULE_HOUSE


def table_of(game="caribbean-stud", **table):
    return at_table(game, table)


def at_table(game, table):
    config = board("draw" if game == "double-attack-blackjack" else "carousel")
    config["table"] = table
    return load_profile(game).at_table(config)


def test_a_table_decides_what_the_rules_leave_to_it():
    profile = table_of()
    assert (profile.decks, profile.mode, profile.recorded, profile.cover_all) == (1, 0, False, 0)
    assert profile.lockout and not table_of(progressive=False).lockout
    assert table_of(records=True).recorded
    for mode, dealing in enumerate(("shoe", "manual", "hand")):
        assert table_of(dealing=dealing).mode == mode
    assert table_of(cover_all="with_dealer").cover_all == 2
    assert table_of(cover_all="without_dealer").cover_all == 1
    assert raises(ValueError, at_table, "boston-5-stud", {"cover_all": "with_dealer"})
    assert table_of("double-attack-blackjack", dealing="manual").mode == 0  # no round has a deck of its own


def test_two_decks_need_a_sensor_of_their_backs():
    config = board(table={"decks": 2})
    config["inputs"].pop("back", None)
    assert raises(ValueError, load_profile("caribbean-stud").at_table, config)
    config["inputs"]["back"] = 9
    assert load_profile("caribbean-stud").at_table(config).decks == 2


def test_a_table_asks_of_no_machine_what_it_cannot_do():
    for kind, table, refused in (
        ("draw", {"decks": 2}, False),
        ("shoe", {"decks": 2}, False),
        ("shoe", {"dealing": "manual"}, True),
        ("shoe", {"dealing": "hand"}, True),
        ("shoe", {"dealing": "shoe"}, False),
        ("carousel", {"dealing": "hand", "decks": 2}, False),
    ):
        config = board(kind, inputs={"back": 9})
        config["table"] = table
        assert raises(ValueError, load_profile("house").at_table, config) == refused, (kind, table)


def test_a_set_has_as_many_packs_as_its_game_allows():
    for packs, cards in ((6, 288), (8, 384)):
        assert table_of("double-attack-blackjack", packs=packs).deck_cards == cards
    for packs in (1, 5, 7, 9):
        assert raises(ValueError, at_table, "double-attack-blackjack", {"packs": packs})
    assert raises(ValueError, at_table, "caribbean-stud", {"packs": 6})


def test_the_phases_of_a_round_dealt_by_hand_follow_lockout_and_closings():
    profile = find_profile("house")
    for lockout, closings, path in (
        (False, 1, [TAIL_SETTLING]),
        (True, 1, [TAIL_LOCKOUT, TAIL_SETTLING]),
        (False, 2, [TAIL_WAGERS, TAIL_SETTLING]),
        (True, 2, [TAIL_LOCKOUT, TAIL_WAGERS, TAIL_SETTLING]),
    ):
        profile.lockout = lockout
        profile.closings = closings
        phase = TAIL_HANDED
        for expected in path:
            phase = profile.phase_after(phase)
            assert phase == expected, (lockout, closings)


def test_the_size_of_a_stack_is_that_of_its_place():
    profile = find_profile({"stack_cards": 5, "last_cards": 3})
    assert [profile.stack_size(stack, 2) for stack in (1, 2, 3, 4)] == [5, 5, 3, 0]
    assert [profile.stack_size(stack, 0) for stack in (1, 9)] == [5, 5]
    profile = find_profile({"plan": [7, 2]})
    assert [profile.stack_size(stack, 0) for stack in (1, 2, 3)] == [7, 2, 0]
