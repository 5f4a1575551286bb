"""Every way of dealing on every mechanism that the rules allow plays a round to its end, and one that is void."""

from dab_tables import Shoe
from dab_tables import game as small_set
from game_tables import DONE, Table

from firmware.games.profile import DEALINGS, KINDS, set_up_bits
from firmware.protocol import ids
from rig import stories
from rig.games import set_up_rows

PLAYERS = 2
POKER = {
    "double-down-stud": "DDS",
    "boston-5-stud": "B5",
    "caribbean-stud": "CS",
    "double-cross-poker": "DCP",
}
VOID = {
    "double-down-stud": "DDS-11b",
    "boston-5-stud": "B5-12b",
    "caribbean-stud": "CS-13b",
    "double-cross-poker": "DCP-12a",
}


def lawful(code):
    """Mechanisms and ways of dealing of a game with one deck."""
    rows = set_up_rows(code, "lawful")
    for kind in KINDS:
        for dealing in DEALINGS:
            bits = set_up_bits(kind, dealing, 1, False)
            if [row for row in rows if not bits & ~row[0]]:
                yield kind, dealing


class Player:
    """Plays one deck after the other at a table."""

    def __init__(self, game, kind, dealing):
        self.table = Table(game, kind, {"dealing": dealing})
        self.drawn = kind == "draw"
        self.dealt = dealing == "shoe"
        self.profile = self.table.flow.profile

    def take_in(self):
        if self.table.flow.machine.shuffles:
            self.table.shuffle()
        else:
            self.table.insert("deck_loaded", 600, cards=52)

    def hand_out(self):
        self.take_in()
        self.table.play(("", 300, "press", "green"), ("remainder_released", 600, "take", 0))
        self.table.play(("remainder_taken", 500, "wait", 0))

    def begin(self):
        """A round of two players, all cards of the first deal out."""
        if self.dealt:
            self.take_in()
            self.table.deal(PLAYERS)
            return
        if self.drawn:
            self.take_in()
        else:
            self.hand_out()
        self.table.play(*stories.seats(PLAYERS))
        assert self.table.command(ids.CMD_CLOSE_BETTING) == DONE
        if self.profile.lockout:
            assert self.table.command(ids.CMD_CONFIRM_LOCKOUT) == DONE
        if self.drawn:
            final = 0 if self.profile.final_each else self.profile.final_fixed
            for _ in range(PLAYERS * self.profile.stack_cards + self.profile.last_cards + final):
                assert self.table.stage.rig.plant.hand.draw(150)
                self.table.stage.run(230)

    def end(self):
        if self.profile.closings > 1:
            assert self.table.command(ids.CMD_CLOSE_BETTING) == DONE
        if self.dealt:
            self.table.release()
        self.lift()
        self.table.end()

    def lift(self):
        if self.drawn:
            self.table.stage.rig.plant.lift()
            self.table.play(("remainder_taken", 600, "wait", 0))


def play_all(game):
    for kind, dealing in lawful(POKER[game]):
        player = Player(game, kind, dealing)
        names = player.table.stage.names
        if dealing == "beside":
            player.hand_out()  # the round is another device's; the deck comes back, and goes out again
            player.hand_out()
            assert "round_started" not in names(), kind
        else:
            player.begin()
            player.end()
            assert names().count("round_ended") == 1, (kind, dealing)
            player.begin()
            player.table.recorded("face_up", 2)
            assert [event[-2:] for event in player.table.told("round_voided")] == [(0, VOID[game])], (kind, dealing)
        player.table.close()


def test_double_down_stud_plays_in_every_lawful_way_of_dealing():
    play_all("double-down-stud")


def test_boston_5_stud_plays_in_every_lawful_way_of_dealing():
    play_all("boston-5-stud")


def test_caribbean_stud_plays_in_every_lawful_way_of_dealing():
    play_all("caribbean-stud")


def test_double_cross_poker_plays_in_every_lawful_way_of_dealing():
    play_all("double-cross-poker")


def test_the_shoe_of_double_attack_blackjack_plays_a_round_and_voids_one_and_its_shuffler_hands_the_set_out():
    assert list(lawful("DAB")) == [("shelves", "shoe"), ("shelves", "manual"), ("draw", "manual")]
    shoe = Shoe(table={"dealing": "manual"}).load().boxes(1).draw(5).green()
    assert shoe.count("round_ended") == 1
    shoe.draw(3)
    shoe.recorded("face_up", 2)
    assert shoe.last("round_voided")[-1] == "DAB-15b"
    shoe.close()
    for dealing in ("shoe", "manual"):
        table = Table(small_set(48), "shelves", {"dealing": dealing}).shuffle()
        table.play(("", 300, "press", "green"), ("remainder_released", 600, "take", 0))
        table.play(("remainder_taken", 500, "wait", 0))
        assert "round_started" not in table.stage.names()
        table.close()
