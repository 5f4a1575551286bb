"""Double Attack Blackjack, the shoe: burns, the first card, the cut card, what is left and what is in the rack."""

from dab_tables import Shoe
from game_tables import REFUSED
from support import fields_of

from firmware.games.flow import DRAW_READY, DRAWING
from firmware.protocol import ids

UNKNOWN = ids.UNKNOWN_U16


def test_the_first_card_of_a_shoe_is_burned_and_the_next_one_closes_the_betting():
    """Proves: DAB-5d, DAB-7a, DAB-7c (in part)"""
    shoe = Shoe(locked=True).load()
    assert shoe.display[0] == "Burn a card"
    shoe.draw()
    assert shoe.told("recorded") == [(ids.REC_BURNED, 1, 1, ids.BURN_CARD, "DAB-7c")]
    assert shoe.flow.state == DRAW_READY and shoe.display[0] == "Shoe ready"
    assert "round_started" not in shoe.stage.names()
    shoe.boxes(2).draw()
    assert shoe.flow.state == DRAWING
    assert shoe.told("betting_closed") == [(1, "DAB-5d")]
    names = shoe.stage.names()
    assert names.index("round_started") < names.index("betting_closed")
    assert shoe.command(ids.CMD_SET_POSITIONS, 3) == REFUSED  # nobody joins after the first card
    assert shoe.command(ids.CMD_CLOSE_BETTING) == REFUSED
    shoe.draw(5).green()
    assert fields_of(shoe.stage, "round_ended") == [[0, 6, 13]]
    assert shoe.zones() == (6, 1, 13, 0)
    shoe.draw().draw(2).green()  # the next round needs no button either
    assert fields_of(shoe.stage, "round_ended")[1] == [0, 3, 10]
    assert shoe.count("betting_closed") == 2
    shoe.close()
