"""Double Down Stud: every row of its pay table, the order of settlement, voids, the payout limit."""

from pathlib import Path

import pytest
from hands import settled

from fairshoe import Command, CommandResult, State
from fairshoe.errors import UsageError
from fairshoe.messages import CloseBetting
from fairshoe_table.books.books import Books
from fairshoe_table.games.double_down import GAME, Area, DoubleDownOptions, Round
from fairshoe_table.play.game import Dealt
from fairshoe_table.play.inputs import Input, wager
from fairshoe_table.play.round import asks
from fairshoe_table.rules.cards import cards
from fairshoe_table.rules.ledger import Line, Wager, net
from fairshoe_table.rules.seats import check_adjacent, deal_order, seat_of, settle_order, stack_of
from fairshoe_table.simulated.demonstration import simulated_table
from fairshoe_table.table.table import Table

OPTIONS = DoubleDownOptions()


def settle(round: Round, options: DoubleDownOptions) -> list[Line]:
    return list(GAME.settled(round, options).lines)


# DDS 10(b) as printed, with a wager of $10 doubled by $6: net in cents.
ROWS = {
    "As Ks Qs Js Ts": 1_600_000,
    "9h 8h 7h 6h 5h": 160_000,
    "7c 7d 7h 7s 2c": 40_000,
    "8c 8d 8h 3s 3c": 16_000,
    "Ad Jd 9d 5d 2d": 12_800,
    "9c 8d 7h 6s 5c": 8_000,
    "5c 5d 5h Ks 2c": 4_800,
    "Jc Jd 4h 4s 9c": 3_200,
    "Jc Jd 9h 5s 2c": 1_600,
    "Ac Ad 9h 5s 2c": 1_600,
    "Tc Td 9h 5s 2c": 0,
    "6c 6d 9h 5s 2c": 0,
    "5c 5d 9h 7s 2c": -1_600,
    "Ac Qd 9h 5s 2c": -1_600,  # ruling dds-no-pair
}


def one(hand: str, double: int = 600) -> Round:
    first, *rest = cards(hand)
    return Round((Area(1, 1000, first, double),), tuple(rest))


@pytest.mark.parametrize(("hand", "cents"), ROWS.items())
def test_every_row_pays_as_printed(hand: str, cents: int) -> None:
    lines = settle(one(hand), OPTIONS)
    assert net(lines) == cents
    assert settled({1: 1600}, lines).get("tray", 0) == -cents


def test_areas_are_settled_from_the_far_right() -> None:
    community = cards("9c 9d 4h 2s")
    areas = tuple(Area(seat, 1000, card, 0) for seat, card in enumerate(cards("9h Kd 4c"), 1))
    lines = settle(Round(areas, community), OPTIONS)
    assert [line.seat for line in lines] == [3, 2, 1]
    assert [line.net for line in lines] == [2000, 0, 3000]  # two pair, a pair of nines, three nines
    settled({1: 1000, 2: 1000, 3: 1000}, lines)


def test_nothing_is_settled_before_the_hole_card_is_turned_over() -> None:
    assert settle(Round((Area(1, 1000, 5, 0),), cards("9c 9d 4h")), OPTIONS) == []


def test_the_limit_cuts_both_wagers_of_a_hand_together() -> None:
    options = DoubleDownOptions(cap=10_000_000, minimum=500, maximum=100_000, approvals={"cap": "x"})
    first, *rest = cards("As Ks Qs Js Ts")
    lines = settle(Round((Area(1, 8_000, first, 8_000),), tuple(rest)), options)
    assert [line.paid for line in lines] == [8_000_000, 2_000_000]
    assert "DDS 10(c)" in lines[1].why
    settled({1: 16_000}, lines)


def test_two_areas_of_a_player_are_neighbours() -> None:
    check_adjacent({1: "ann", 2: "ann", 4: "bob"}, 2)
    with pytest.raises(UsageError, match="not adjacent"):
        check_adjacent({1: "ann", 3: "ann"}, 2)
    with pytest.raises(UsageError, match="at most 1"):
        check_adjacent({1: "ann", 2: "ann"}, 1)


def test_stacks_go_to_wagering_seats_clockwise() -> None:
    areas = [Area(5, 1000), Area(2, 1000)]
    assert [area.seat for area in deal_order(areas)] == [2, 5]
    assert [area.seat for area in settle_order(areas)] == [5, 2]
    assert stack_of([5, 2, 7]) == {2: 1, 5: 2, 7: 3}
    assert seat_of([5, 2, 7], 2) == 5
    with pytest.raises(UsageError, match="no position 4"):
        seat_of([5, 2, 7], 4)


def test_players_are_asked_to_double_also_after_an_early_second_closing() -> None:
    """The dealer may close with the button of the shoe before the page knows the wagers: the round must not hang."""
    books = Books(":memory:")
    number = books.open_round("double-down-stud")
    for seat in (1, 2):
        books.record(number, wager(seat, {Wager.ORIGINAL: 1000}), OPTIONS)
    books.record(number, Input("closed", "closed", {"round": 1}), OPTIONS)
    faces = iter(("2c", "3c", "Ad Kh Qs", "2d"))
    asked: list[str] = []
    while waiting := asks(books.play(number, OPTIONS), Dealt(True, 2)):
        ask = waiting[0]
        asked.append(f"{ask.kind} {ask.seat}")
        fact = {"cards": list(cards(next(faces))), "source": "dealer"} if ask.kind == "cards" else {"choice": "stand"}
        books.record(number, ask.answer(**fact), OPTIONS)
    assert asked == ["cards 1", "cards 2", "cards 255", "decide 1", "decide 2", "cards 255"]
    books.record(number, Input("over", "over"), OPTIONS)
    assert [line.seat for line in books.lines(number)] == [2, 1] and books.audit() == []


class Behind(Table):
    """The first time that the second closing is due, the events of the deal are not here yet."""

    behind = 1
    decided = True

    def _again(self) -> bool:
        return self.shoe.status is not None and self.shoe.status.state == State.WAITING_FOR_WAGERS

    def _dealt(self) -> Dealt:
        if self.behind and self._again():
            self.behind -= 1
            return Dealt()
        return super()._dealt()

    def _give(self, kind: type[Command], **arguments: int) -> CommandResult | None:
        if kind is CloseBetting and self._again():
            round = self._play().round
            assert isinstance(round, Round)
            self.decided = all(area.double is not None for area in round.hands)
        return super()._give(kind, **arguments)


def test_betting_is_not_closed_again_before_every_player_was_asked(tmp_path: Path) -> None:
    """A status may overtake events, after a lost cable for instance."""
    with simulated_table(tmp_path, "double-down-stud", seed=5) as it:
        table = Behind(it.shoe, it.books, it.table.game, it.table.options, it.people)
        number = table.play_round()
        assert table.behind == 0 and table.decided
        assert it.books.lines(number) and it.books.audit() == []
