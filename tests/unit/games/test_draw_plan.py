"""A draw shoe follows the plan of every game by number: a card beyond it is flagged with the clause of the plan."""

from game_tables import DONE, REFUSED, Table
from support import all_fields_of, board, clauses_of

from firmware.games.flow import DRAWING
from firmware.protocol import ids


class PlanShoe(Table):
    """A deck in a draw shoe, betting closed and locked out."""

    def __init__(self, game, positions=2, told=True, early=0):
        config = board("draw")
        super().__init__(game, table={"dealing": "manual"}, config=config)
        self.flow.profile.told = told
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

    def flags(self):
        """The number of each card that was flagged."""
        self.stage.run(300)
        return [fields[0] for fields in all_fields_of(self.stage, "draw_flagged")]


def test_a_card_before_the_closing_is_flagged_and_is_the_first_of_the_round():
    """Proves: DDS-8a (manual), DDS-8a1 (in part), B5-9b (manual, in part), CS-7c (manual, in part),
    DCP-9b (manual, in part)"""
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
    """Proves: B5-7d (manual), CS-7e (manual), DCP-7c (manual), DDS-8a1 (in part)"""
    for game, plan, clause in PLANS:
        shoe = PlanShoe(game).draw(plan)
        assert shoe.flags() == [], game
        assert shoe.draw(2).flags() == [plan + 1, plan + 2], game
        assert clauses_of(shoe.stage, "draw_flagged") == [clause] * 2
        shoe.close()
        assert PlanShoe(game, positions=0).draw(plan + 1).flags() == []  # without positions there is no plan


def test_the_plan_counts_a_rejected_card_and_a_completed_hand():
    """Proves: B5-7d (manual, in part), CS-7e (manual, in part), DCP-7c (manual, in part)"""
    for game, plan, _clause in PLANS:
        shoe = PlanShoe(game).draw(3)
        assert shoe.record("face_up", 1) == DONE
        assert shoe.draw(plan - 2).flags() == [], game
        assert shoe.draw(1).flags() == [plan + 1], game
    short = PlanShoe("caribbean-stud").draw(14)
    assert short.record("misdeal", 0, 4) == DONE  # the dealer has four: one more completes the hand
    assert short.draw(1).flags() == []
    assert short.draw(1).flags() == [16]


def test_the_final_deal_of_boston_5_belongs_to_the_plan_once_each_player_has_decided():
    """Proves: B5-7d (manual, in part)"""
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


def test_no_card_lies_face_up_before_one_was_drawn():
    table = Table("caribbean-stud", "draw", {"dealing": "manual"})
    table.stage.act("load", {"cards": 52})
    table.play(("", 300, "press", "green"), ("deck_loaded", 600, "wait", 0))
    assert table.record("face_up", 1) == REFUSED and table.reason() == ids.REASON_STATE
    assert table.stage.rig.plant.hand.draw(150)
    table.stage.run(300)
    assert table.record("face_up", 2) == REFUSED
    assert table.record("face_up", 1) == DONE  # drawn too early, and it lay face up
