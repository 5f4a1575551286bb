"""Two decks by back colour take turns in a draw shoe, with a shuffler beside it: 2(b) with 7(a), 8(a)(1)."""

from game_tables import DONE, REFUSED, Table
from support import act, all_fields_of, board, clauses_of

from firmware.games.flow import WAITING_FOR_DECK, WARNING
from firmware.protocol import ids
from rig import stories

GAMES = {
    "double-down-stud": "DDS-2b",
    "boston-5-stud": "B5-2b",
    "caribbean-stud": "CS-2b",
    "double-cross-poker": "DCP-2b",
}


class Shoe(Table):
    def __init__(self, game, records=False):
        config = board("draw", inputs={"back": {"pin": 28}})
        super().__init__(game, "draw", {"decks": 2, "records": records}, config=config)

    def load(self, deck):
        act(self.stage, 300, "load", cards=52, deck=deck)
        return self.play(("", 300, "press", "green"), ("deck_loaded", 600, "wait", 0))

    def close_bets(self, positions=1):
        self.play(*stories.seats(positions))
        assert self.command(ids.CMD_CLOSE_BETTING) == DONE
        if self.flow.profile.lockout:
            assert self.command(ids.CMD_CONFIRM_LOCKOUT) == DONE
        return self

    def draw(self, times):
        for _ in range(times):
            assert self.stage.rig.plant.hand.draw(150)
            self.stage.run(230)
        return self

    def round(self, deck):
        self.load(deck).close_bets()
        profile = self.flow.profile
        final = 0 if profile.final_each else profile.final_fixed
        self.draw(profile.stack_cards + profile.last_cards + final)
        if profile.closings > 1:
            assert self.command(ids.CMD_CLOSE_BETTING) == DONE
        self.stage.rig.plant.lift()
        self.play(("remainder_taken", 600, "wait", 0))
        return self.end()

    def cleared(self):
        for action in ("open", "clear", "close"):
            self.play(("", 500, action, 0))
        return self.play(("", 500, "press", "ack"), ("", 8000, "wait", 0))


def test_the_decks_take_turns_round_by_round():
    for game in GAMES:
        shoe = Shoe(game)
        for deck in (1, 2, 1):
            assert shoe.flow.facts.turn() == deck, game
            shoe.round(deck)
        assert shoe.stage.names().count("round_ended") == 3, game
        assert shoe.flow.state == WAITING_FOR_DECK and "warning_latched" not in shoe.stage.names(), game
        shoe.close()


def test_a_back_of_the_other_colour_at_the_first_card_is_refused_and_the_right_deck_keeps_its_turn():
    for game in ("caribbean-stud", "double-cross-poker"):
        for first, wrong in ((1, 2), (2, 1)):
            shoe = Shoe(game)
            if first == 2:
                shoe.round(1)
            shoe.load(wrong).draw(1)
            shoe.stage.run(500)
            assert shoe.flow.state == WARNING and "round_started" not in shoe.stage.names()[-4:], (game, first)
            shoe.cleared()
            assert clauses_of(shoe.stage, "deck_removed")[-1].decode() == GAMES[game]
            assert shoe.flow.facts.turn() == first
            shoe.close()


def test_in_a_round_no_clause_covers_it_and_the_house_decides():
    for decision, event in ((1, "round_ended"), (2, "round_voided")):
        shoe = Shoe("caribbean-stud").load(1).close_bets().draw(3)
        shoe.stage.rig.plant.lift()
        act(shoe.stage, 100, "load", cards=49, deck=2)
        shoe.draw(1)
        shoe.stage.run(500)
        assert shoe.flow.state == WARNING
        assert all_fields_of(shoe.stage, "held_back")[-1] == [ids.NEED_HOUSE_DECISION]
        shoe.cleared()
        assert shoe.record("house_decision", decision) == DONE
        shoe.stage.run(300)
        shoe.end()
        assert event in shoe.stage.names(), decision
        assert shoe.flow.facts.turn() == 2
        shoe.close()


def test_a_deck_that_no_machine_has_shuffled_is_held_back_by_the_clause_of_two_decks():
    for game in ("caribbean-stud", "double-cross-poker"):
        shoe = Shoe(game, records=True).inducted(1).inducted(2)
        assert shoe.record("provenance", 1, ids.FROM_HAND) == DONE
        act(shoe.stage, 300, "load", cards=52, deck=1)
        shoe.play(("", 300, "press", "green"), ("", 500, "wait", 0))
        assert clauses_of(shoe.stage, "held_back")[-1].decode() == GAMES[game]
        assert shoe.record("provenance", 1, ids.FROM_MACHINE) == DONE
        shoe.play(("", 300, "press", "green"), ("deck_loaded", 600, "wait", 0))
        shoe.close()


def test_one_deck_that_a_hand_has_shuffled_goes_on_alone():
    shoe = Shoe("caribbean-stud", records=True).inducted(1).inducted(2)
    assert shoe.record("deck_removed", 2, ids.REMOVED_ALONE) == DONE
    assert shoe.record("provenance", 1, ids.FROM_HAND) == DONE
    assert shoe.record("cut", 20, 1) == DONE
    act(shoe.stage, 300, "load", cards=52, deck=1)
    shoe.play(("", 300, "press", "green"), ("deck_loaded", 600, "wait", 0))
    assert shoe.record("deck_removed", 1, ids.REMOVED_ALONE) == REFUSED
    shoe.close()
