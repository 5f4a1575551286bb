"""A draw shoe follows the plan of every game by number: a card beyond it is flagged with the clause of the plan."""

from game_tables import DONE, REFUSED, Table
from support import all_fields_of, board, clauses_of

from firmware.games import table_facts
from firmware.games.flow import DRAWING, WAITING_FOR_ROUND_END
from firmware.games.next_need import need_next
from firmware.games.records import record_objection
from firmware.protocol import ids


class PlanShoe(Table):
    """A deck in a draw shoe, betting closed and locked out."""

    def __init__(self, game, positions=2, told=True, early=0):
        config = board("draw")
        super().__init__(game, table={"dealing": "manual"}, config=config)
        self.flow.profile.host_records = told
        self.stage.act("load", {"cards": 52})
        self.play(("", 300, "press", "green"), ("deck_loaded", 600, "wait", 0))
        assert not positions or self.command(ids.CMD_SET_POSITIONS, positions) == DONE
        self.draw(early)
        assert self.command(ids.CMD_CLOSE_BETTING) == DONE
        if self.flow.profile.lockout:
            assert self.command(ids.CMD_CONFIRM_LOCKOUT) == DONE
        assert self.flow.state == DRAWING

    def draw(self, times, ms=230):
        for _ in range(times):
            assert self.stage.rig.plant.hand.draw(150)
            self.stage.run(ms)
        return self

    def taken(self, record, a, b):
        what = ids.RECORD_NAMES.split().index(record)
        return record_objection(self.flow, ids.ROLE_TABLE, what, a, b) == ids.REASON_NONE

    def flags(self):
        """The number of each card that was flagged."""
        self.stage.run(300)
        return [fields[0] for fields in all_fields_of(self.stage, "draw_flagged")]


def test_a_card_before_the_closing_is_flagged_and_is_the_first_of_the_round():
    for game, clause in (
        ("double-down-stud", b"DDS-8a1"),
        ("caribbean-stud", b"CS-7c"),
        ("double-cross-poker", b"DCP-9b"),
        ("boston-5-stud", b"B5-9b"),
    ):
        shoe = PlanShoe(game, early=1)
        assert clauses_of(shoe.stage, "draw_flagged")[:1] == [clause], game
        shoe.draw(1)
        assert shoe.flow.play.draws == 2
        shoe.close()


PLANS = (
    ("caribbean-stud", 15, b"CS-7e"),
    ("double-cross-poker", 11, b"DCP-7c"),
    ("boston-5-stud", 9, b"B5-7d"),
    ("double-down-stud", 6, b"DDS-8a1"),
)


def test_a_card_beyond_the_plan_is_flagged_in_every_game():
    for game, plan, clause in PLANS:
        shoe = PlanShoe(game).draw(plan)
        assert shoe.flags() == [], game
        assert shoe.draw(2).flags() == [plan + 1, plan + 2], game
        assert clauses_of(shoe.stage, "draw_flagged") == [clause] * 2
        shoe.close()
        assert PlanShoe(game, positions=0).draw(plan + 1).flags() == []  # without positions there is no plan


def test_the_plan_counts_a_rejected_card_and_a_completed_hand():
    for game, plan, _clause in PLANS:
        shoe = PlanShoe(game).draw(3)
        assert shoe.record("face_up", 1) == DONE
        assert shoe.draw(plan - 2).flags() == [], game
        assert shoe.draw(1).flags() == [plan + 1], game
    # The dealer has four: the rule orders one more, also when all were drawn. A hand with six explains the next.
    for drawn, found, flagged in ((14, (), [16]), (15, (), [17]), (15, (1,), [17]), (15, (1, 2), [])):
        short = PlanShoe("caribbean-stud").draw(drawn)
        assert short.record("misdeal", 0, 4) == DONE
        assert short.draw(1).flags() == [], found
        for seat in found:
            assert short.record("misdeal", seat, 6) == DONE
        assert short.draw(1).flags() == flagged, found


def test_the_final_deal_of_boston_5_belongs_to_the_plan_once_each_player_has_decided():
    shoe = PlanShoe("boston-5-stud", 3).draw(12)
    assert shoe.record("second_wager", 1, 1) == DONE and shoe.record("fold", 2) == DONE
    assert shoe.draw(1).flags() == [13]  # player 3 has not decided
    assert shoe.record("second_wager", 3, 1) == DONE
    assert shoe.draw(5).flags() == [13]  # two each and two to the dealer: 18
    assert shoe.record("final_deal", 2) == DONE  # says the same
    assert shoe.draw(1).flags() == [13, 19]
    told = PlanShoe("boston-5-stud", 2).draw(9)
    assert told.record("final_deal", 1) == DONE
    assert told.draw(4).flags() == [] and told.draw(1).flags() == [14]
    alone = PlanShoe("boston-5-stud", 2, told=False).draw(15)  # no host could tell: every player may be in
    assert alone.flags() == [] and alone.draw(1).flags() == [16]


# Players, hands in the final deal, cards of it that are out, and which hands may be found with four cards, the dealer's
# last: two cards each, and a short one shows with the next card.
FIRST_OF_THE_FINAL_DEAL = (
    (2, 2, 1, (0, 0, 0)),
    (2, 2, 2, (1, 1, 0)),
    (2, 2, 4, (1, 1, 0)),
    (2, 2, 5, (1, 1, 1)),
    (3, 2, 1, (0, 0, 0, 0)),
    (3, 2, 2, (1, 1, 1, 0)),
    (3, 3, 2, (1, 1, 1, 0)),
    (3, 3, 7, (1, 1, 1, 1)),
)


def test_no_card_lies_face_up_before_one_was_drawn():
    table = Table("caribbean-stud", "draw", {"dealing": "manual"})
    table.stage.act("load", {"cards": 52})
    table.play(("", 300, "press", "green"), ("deck_loaded", 600, "wait", 0))
    assert table.record("face_up", 1) == REFUSED and table.reason() == ids.REASON_STATE
    assert table.stage.rig.plant.hand.draw(150)
    table.stage.run(300)
    assert table.record("face_up", 2) == REFUSED
    assert table.record("face_up", 1) == DONE  # drawn too early, and it lay face up


# Two players: after how many cards a record of this kind is first taken. Hands with a card less and a card more than
# they must have; what is short shows with the next card, unless it was the last.
SINCE = {
    "double-down-stud": {
        ("hole_card_seen", 0, 0): 3,
        ("misdeal", 1, 0): 1,
        ("misdeal", 1, 2): 2,
        ("misdeal", 2, 0): 2,
        ("misdeal", 2, 2): 3,
        ("misdeal", 0, 3): 5,
        ("misdeal", 0, 5): 6,
    },
    "boston-5-stud": {
        ("hole_card_seen", 0, 0): 7,
        ("misdeal", 1, 2): 3,
        ("misdeal", 1, 4): 4,
        ("misdeal", 2, 2): 6,
        ("misdeal", 2, 4): 7,
        ("misdeal", 0, 0): 7,
        ("misdeal", 0, 2): 8,
        ("misdeal", 0, 5): 9,
        ("fold", 1, 0): 7,
        ("second_wager", 2, 1): 7,
        ("final_deal", 1, 0): 7,
    },
    "caribbean-stud": {
        ("misdeal", 1, 4): 13,
        ("misdeal", 1, 6): 14,
        ("misdeal", 2, 4): 14,
        ("misdeal", 2, 6): 15,
        ("misdeal", 0, 4): 14,
        ("misdeal", 0, 6): 15,
        ("fold", 1, 0): 13,
        ("stub_counted", 37, 0): 15,
        ("stub_counted", 36, 1): 15,
    },
    "double-cross-poker": {
        ("misdeal", 1, 1): 2,
        ("misdeal", 1, 3): 3,
        ("misdeal", 2, 1): 4,
        ("misdeal", 2, 3): 5,
        ("misdeal", 0, 1): 6,
        ("misdeal", 0, 3): 7,
        ("misdeal", 255, 4): 10,
        ("misdeal", 255, 6): 11,
        ("fold", 2, 0): 7,
        ("stub_counted", 41, 0): 11,
    },
}


def test_no_record_is_about_cards_that_were_not_drawn():
    for game, since in SINCE.items():
        shoe = PlanShoe(game)
        for drawn in range(max(since.values()) + 1):
            for record, first in since.items():
                assert shoe.taken(*record) == (drawn >= first), (game, record, drawn)
            for record in (("drawn_in_error", 1, 0), ("face_up", 1, 0)):
                assert shoe.taken(*record) == (drawn > 0), (game, record)
            shoe.draw(1)
        shoe = PlanShoe(game, positions=0)  # not set: a round of one player, at least
        assert [record for record in since if shoe.taken(*record)] == [], game
        shoe = PlanShoe(game, positions=1)
        assert shoe.record("misdeal", 2, 9) == REFUSED and shoe.reason() == ids.REASON_ARGUMENT  # it does not play


def test_a_rejected_card_and_a_hand_on_record_shift_what_is_drawn():
    shoe = PlanShoe("boston-5-stud").draw(7)
    assert shoe.taken("hole_card_seen", 0, 0)
    assert shoe.record("face_up", 1) == DONE  # the card of the dealer: he has none
    assert not shoe.taken("hole_card_seen", 0, 0) and shoe.draw(1).taken("hole_card_seen", 0, 0)
    shoe = PlanShoe("caribbean-stud").draw(13)
    assert not shoe.taken("misdeal", 0, 4)
    assert shoe.record("misdeal", 1, 4) == DONE  # the hand has four: the fourteenth card was the dealer's fourth
    assert shoe.taken("misdeal", 0, 4)
    shoe = PlanShoe("boston-5-stud").draw(9)
    assert shoe.record("second_wager", 1, 1) == shoe.record("second_wager", 2, 1) == DONE
    assert shoe.record("final_deal", 2) == DONE
    for drawn, wanted in ((9, 0), (10, 0), (11, 1), (12, 1), (13, 2), (14, 3)):
        hands = [shoe.taken("misdeal", seat, 4) for seat in (1, 2, 0)]
        assert hands == [True] * wanted + [False] * (3 - wanted), drawn
        shoe.draw(1)


def test_without_second_wagers_on_record_a_hand_may_be_the_first_of_the_final_deal():
    """So one that is short of a card is taken once the first hand can be, and not before; the dealer's comes last."""
    for players, final, drawn, hands in FIRST_OF_THE_FINAL_DEAL:
        shoe = PlanShoe("boston-5-stud", players).draw(3 * players + 3)
        assert shoe.record("final_deal", final) == DONE
        shoe.draw(drawn)
        found = [shoe.taken("misdeal", seat, 4) for seat in list(range(1, players + 1)) + [0]]
        assert found == [bool(hand) for hand in hands], (players, final, drawn)


def test_a_stub_is_counted_once_no_card_comes_from_it_any_more():
    for positions, early, last in ((2, 14, 15), (0, 9, 10)):  # not set: a round of one player, at least
        shoe = PlanShoe("caribbean-stud", positions).draw(early)
        assert shoe.record("stub_counted", 52 - last) == REFUSED and shoe.reason() == ids.REASON_STATE
        assert shoe.draw(last - early).record("stub_counted", 52 - last) == DONE
    short = PlanShoe("caribbean-stud").draw(14)
    assert short.record("misdeal", 1, 4) == DONE  # a hand is short: these are all
    assert short.record("stub_counted", 38) == DONE
    lifted = PlanShoe("caribbean-stud").draw(14)  # two came as one, or positions were not as set: he takes it out
    lifted.stage.rig.plant.lift()
    lifted.stage.run(500)
    assert lifted.record("stub_counted", 37) == DONE
    final = PlanShoe("boston-5-stud").draw(9)
    assert final.record("second_wager", 1, 1) == DONE and final.record("fold", 2) == DONE
    assert final.record("final_deal", 1) == DONE
    assert final.draw(3).record("stub_counted", 39) == REFUSED and final.reason() == ids.REASON_STATE
    assert final.draw(1).record("stub_counted", 39) == DONE


def test_a_count_is_asked_for_once_the_cards_of_the_final_deal_are_out_or_the_end_is_asked_for():
    for asked in (False, True):
        shoe = PlanShoe("boston-5-stud").draw(9)
        shoe.flow.facts.row[table_facts.DUE] = 1
        if asked:
            assert shoe.command(ids.CMD_END_ROUND) == REFUSED and shoe.reason() == ids.REASON_NEED
        assert shoe.record("second_wager", 1, 1) == DONE and shoe.record("fold", 2) == DONE
        assert shoe.record("final_deal", 1) == DONE
        for drawn in range(9, 13):
            assert need_next(shoe.flow, shoe.stage.rig.app.inp) == ids.NEED_DRAW, drawn
            assert not shoe.taken("stub_counted", 39, 0) and shoe.flow.need == ids.NEED_NONE, drawn
            shoe.draw(1)
        assert shoe.flow.need == ids.NEED_COUNT and shoe.taken("stub_counted", 39, 0)
        assert clauses_of(shoe.stage, "held_back")[asked:] == []
        assert shoe.record("stub_counted", 39) == DONE
    early = PlanShoe("caribbean-stud").draw(3)  # the dealer says that no card comes; one that does takes that back
    early.flow.facts.row[table_facts.DUE] = 1
    assert early.command(ids.CMD_END_ROUND) == REFUSED and early.taken("stub_counted", 49, 0)
    early.draw(1).play(("", 300, "press", "lock"), ("", 300, "wait", 0))
    assert early.flow.need == ids.NEED_NONE and not early.taken("stub_counted", 48, 0)
    assert early.told("recorded") == []


def test_a_round_that_ends_before_the_cards_of_its_plan_are_out_is_flagged():
    for game, plan, clause in PLANS[:3]:
        for how in ("end", "lift"):
            for missing in (0, 1):
                shoe = PlanShoe(game).draw(plan - missing)
                if how == "lift":
                    shoe.stage.rig.plant.lift()
                    shoe.stage.run(500)
                    assert shoe.flow.state == WAITING_FOR_ROUND_END
                assert shoe.command(ids.CMD_END_ROUND) == DONE
                assert shoe.flags() == [plan - 1] * missing, (game, how)
                assert clauses_of(shoe.stage, "draw_flagged") == [clause] * missing
    shoe = PlanShoe("boston-5-stud").draw(9)
    assert shoe.record("second_wager", 1, 1) == shoe.record("fold", 2) == DONE
    shoe.draw(3)  # of four
    assert shoe.command(ids.CMD_END_ROUND) == DONE and shoe.flags() == [12]
