"""Double Down Stud from a draw shoe: the throat counter follows the plan, betting closes twice, a deck is one round."""

from game_tables import DONE, REFUSED, Table
from support import all_fields_of, clauses_of

from firmware.games.flow import DECK_SPENT, DRAW_READY, DRAWING, WAITING_FOR_WAGERS
from firmware.protocol import ids


class DdsShoe(Table):
    def __init__(self, positions):
        super().__init__("double-down-stud", "draw", {"dealing": "manual"})
        self.insert("deck_loaded", 600, cards=52)
        assert self.command(ids.CMD_SET_POSITIONS, positions) == DONE
        assert self.flow.state == DRAW_READY
        assert self.command(ids.CMD_CLOSE_BETTING) == DONE
        assert self.flow.state == DRAWING

    def draw(self, times):
        for _ in range(times):
            assert self.stage.rig.plant.hand.draw(150)
            self.stage.run(230)
        return self

    def pressed(self, button):
        return self.play(("", 300, "press", button), ("", 300, "wait", 0))


def test_the_deal_follows_the_plan_and_betting_closes_twice():
    shoe = DdsShoe(3)
    assert shoe.display[0] == "Deal 1 each, then 4,"
    assert shoe.status() == DRAWING
    shoe.draw(6).pressed("close")
    assert "betting_closed" not in shoe.stage.names()  # a card of the plan is missing
    shoe.draw(1)
    assert shoe.display[0] == "Double down wagers"
    assert shoe.status() == WAITING_FOR_WAGERS  # as a host sees it
    shoe.pressed("green")
    assert shoe.flow.state == DRAWING  # wagers are open
    assert shoe.command(ids.CMD_END_ROUND) == REFUSED
    assert shoe.command(ids.CMD_CLOSE_BETTING) == DONE
    assert shoe.flow.state == DRAWING  # GREEN came too early and does not count
    assert shoe.status() == DRAWING
    assert clauses_of(shoe.stage, "betting_closed") == [b"DDS-8e"]
    shoe.pressed("green")
    assert all_fields_of(shoe.stage, "round_ended")[0][:3] == [4, 7, 45]
    assert shoe.flow.state == DECK_SPENT  # shuffled after every round
    assert "draw_flagged" not in shoe.stage.names()
    shoe.close()


def test_a_card_beyond_the_plan_is_flagged():
    shoe = DdsShoe(2).draw(7)
    assert clauses_of(shoe.stage, "draw_flagged") == [b"DDS-8a1"]


def test_irregularities_are_judged_from_the_shoe_too():
    shoe = DdsShoe(2).draw(6)
    assert shoe.record("misdeal", 1, 1) == REFUSED  # one is right
    shoe.recorded("misdeal", 1, 2)
    assert clauses_of(shoe.stage, "round_voided") == [b"DDS-11d"]
    seen = DdsShoe(2).draw(6)
    assert seen.record("hole_card_seen") == DONE
    late = DdsShoe(2).draw(6).pressed("close")
    assert late.record("hole_card_seen") == REFUSED
