"""Coupons at wagers (ruling `coupons`): part of the stake, never money, counted in the drop box."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from running_tables import always, check_books, check_replayed, options_of, start_meters
from sitting import bet, sitting
from test_books import NETS, OVER, ROUNDS, void

from fairshoe.cli.command_line import main
from fairshoe.errors import FairshoeError, UsageError
from fairshoe_table.books.books import Books
from fairshoe_table.desk.taps import Desk
from fairshoe_table.play import registry
from fairshoe_table.play.inputs import Input, wager
from fairshoe_table.play.options import Options
from fairshoe_table.rules.ledger import Line, Outcome, Wager
from fairshoe_table.rules.line_shapes import with_coupons
from fairshoe_table.rules.money import Rounding
from fairshoe_table.simulated.sitting import listen

CS = "caribbean-stud"
# Coupons by seat in the rounds of test_books, how many cents of them are won or lost, and of how many the stake is not
# returned: lost, or odds of the progressive, which are "for".
CASES: dict[str, tuple[dict[int, dict[str, int]], dict[int, int], int]] = {
    CS: ({1: {Wager.ANTE: 500}, 4: {Wager.ANTE: 1000, Wager.PROGRESSIVE: 100}}, {1: 500, 4: 1100}, 600),
    "boston-5-stud": ({2: {Wager.ANTE: 500}, 3: {Wager.ANTE: 300}}, {2: 500, 3: 300}, 300),
    "double-cross-poker": ({2: {Wager.ANTE: 500}, 3: {Wager.ANTE: 500}}, {2: 500, 3: 500}, 500),
    "double-down-stud": ({2: {Wager.ORIGINAL: 500}, 3: {Wager.ORIGINAL: 1500}}, {2: 500}, 0),  # seat 3 has a push
}


def takes(game: str) -> Options:
    """Options of a table that takes every coupon of its game."""
    options = options_of(game)
    found = replace(options, coupons=tuple(options.takes_coupons), approvals={**options.approvals, "coupons": "C-7"})
    found.check()
    return found


def with_them(game: str) -> list[Input]:
    placed = CASES[game][0]
    return [
        wager(one.data["seat"], one.data["amounts"], coupons=placed[one.data["seat"]]) if one.kind == "wager" else one
        for one in ROUNDS[game]
    ]


def book(books: Books, game: str, inputs: list[Input]) -> int:
    number = books.open_round(game)
    for fact in inputs:
        books.record(number, fact, takes(game))
    return number


@pytest.mark.parametrize("game", CASES)
def test_a_coupon_is_settled_with_its_wager_and_counted_as_a_coupon(
    books: Books, game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a player wins is the same as with chips; a lost coupon costs nothing. The rack has chips only: without the
    coupons of the drop box the count differs by them."""
    spent = CASES[game][1]
    books.rack.add("opening", 10_000_000, "J. Doe")
    number = book(books, game, [*with_them(game), OVER])
    lines = books.lines(number)
    nets = {seat: sum(line.net for line in lines if line.seat == seat) for seat in NETS[game]}
    free = {seat: sum(line.spent for line in lines if line.seat == seat and not line.returned) for seat in nets}
    assert nets == {seat: net + free[seat] for seat, net in NETS[game].items()}
    assert sum(free.values()) == CASES[game][2]
    assert {seat: sum(line.spent for line in lines if line.seat == seat) for seat in spent} == spent
    box = sum(spent.values())
    assert books.balances()["table-1/coupons in the drop box"] == -books.balances()["table-1/coupons"] == box
    check_books(books)
    shift = books.rack.shift(1)
    chips = books.balances()["table-1/tray"] + shift.contributions
    assert (shift.coupons, shift.expected, shift.win) == (box, 10_000_000 + chips, chips + box)
    books.rack.add("closing", 10_000_000 + chips, "J. Doe")
    assert books.rack.shift(1).difference == -box
    books.rack.add("coupon", box, "J. Doe")
    assert books.rack.shift(1).difference == 0
    assert books.replay(takes(game)) == []
    books.close()
    assert main(["table", "books", str(tmp_path), "shift", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["coupons of wagers won or lost"] == box
    assert main(["table", "books", str(tmp_path), "export", "--rows", "lines"]) == 0
    assert f'""coupon"": {max(max(it.values()) for it in CASES[game][0].values())}' in capsys.readouterr().out


@pytest.mark.parametrize("game", CASES)
@pytest.mark.parametrize("unread", [False, True])
def test_a_void_round_gives_every_coupon_back(tmp_path: Path, game: str, unread: bool) -> None:
    for stage in range(3, len(ROUNDS[game])):
        with Books(tmp_path / f"{stage}.db") as books:
            start_meters(books)
            number = book(books, game, with_them(game)[:stage])
            if unread:
                settled = sum(line.spent for line in books.lines(number))
                books.void_unread("J. Doe", "its package was removed")
            else:
                settled = 0
                books.record(number, void("XX-1"), takes(game))
            assert books.balances()["table-1/coupons"] == -settled
            books.record(number, OVER, takes(game))
            check_replayed(books, takes(game))


@pytest.mark.parametrize(("choice", "issued"), [("pay", 100), ("return", 0)])
def test_a_progressive_coupon_is_decided_about_with_its_payout(books: Books, choice: str, issued: int) -> None:
    number = book(books, CS, with_them(CS))
    key = next(line.key for line in books.lines(number) if line.seat == 4 and line.jackpot)
    books.record(number, Input(f"done:{key}:1", "done", {"checked": ["x"], "by": "J. Doe"}), takes(CS))
    books.record(number, void("XX-1"), takes(CS))
    assert books.balances()["table-1/coupons"] == -100 and books.audit() == []
    books.decide_suspense(choice, takes(CS), "J. Doe", "seen on video")
    assert books.balances()["table-1/coupons"] == -issued
    books.record(number, OVER, takes(CS))
    check_replayed(books, takes(CS))


@pytest.mark.parametrize(
    ("game", "amounts", "coupons"),
    [
        (CS, {Wager.ANTE: 1000}, {Wager.ANTE: 600}),  # less chips than its value
        (CS, {Wager.ANTE: 1000}, {Wager.ANTE: 250}),  # no whole chips
        (CS, {Wager.ANTE: 1000}, {Wager.ANTE: 0}),
        (CS, {Wager.ANTE: 1000}, {Wager.PROGRESSIVE: 100}),  # without the wager
        (CS, {Wager.ANTE: 1000, Wager.PROGRESSIVE: 100}, {Wager.PROGRESSIVE: 50}),
        (CS, {Wager.ANTE: 1000, Wager.BONUS: 200}, {Wager.BONUS: 100}),  # no clause
        ("boston-5-stud", {Wager.ANTE: 1000, Wager.FIRST: 2000}, {Wager.FIRST: 1000}),
        ("double-attack-blackjack", {Wager.INITIAL: 1000}, {Wager.INITIAL: -100}),
    ],
)
def test_a_coupon_that_no_rule_takes_is_refused(
    books: Books, game: str, amounts: dict[str, int], coupons: dict[str, int]
) -> None:
    number = books.open_round(game)
    with pytest.raises(UsageError, match="coupon"):
        books.record(number, wager(1, amounts, coupons=coupons), takes(game))
    with pytest.raises(UsageError, match="no coupon is taken"):  # without the approval none is taken
        books.record(number, wager(1, amounts, coupons={next(iter(amounts)): 100}), options_of(game))
    assert books.inputs(number) == []


@pytest.mark.parametrize("wrong", [("ante", "bonus"), ("luck",), (5,)])
def test_options_name_wagers_that_take_a_coupon(wrong: tuple[str, ...]) -> None:
    for game in registry.OURS:
        with pytest.raises(UsageError, match="coupons"):
            replace(takes(game), coupons=wrong).check()
        with pytest.raises(UsageError, match="names no approval"):
            replace(takes(game), approvals={}).check()


@pytest.mark.parametrize(
    ("outcome", "returned", "paid", "wanted", "net"),
    [
        (Outcome.WIN, 2000, 3000, 1000, 3000),
        (Outcome.LOSE, 0, 0, 0, -1000),
        (Outcome.PUSH, 2000, 0, 2000, 0),
        (Outcome.VOID, 2000, 0, 2000, 0),
        (Outcome.HALF, 1000, 0, 500, -500),
    ],
)
def test_of_a_shared_box_only_the_bettor_with_the_coupon_has_it(
    outcome: Outcome, returned: int, paid: int, wanted: int, net: int
) -> None:
    lines = [Line(3, Wager.INITIAL, outcome, 2000, returned, paid, "DAB", bettor=number) for number in (1, 2)]
    first, second = with_coupons(lines, {(3, 2, Wager.INITIAL): 1000}, Rounding.PLAYER)
    assert first == lines[0] and (second.returned, second.net) == (wanted, net)


@pytest.mark.parametrize("game", always(("caribbean-stud",), registry.OURS))
def test_a_coupon_is_entered_on_the_page_and_survives_the_program(tmp_path: Path, game: str) -> None:
    """Simulated players have coupons too, in the rounds after it."""
    options = registry.find(game).demo()
    options = replace(options, coupons=tuple(options.takes_coupons), approvals={**options.approvals, "coupons": "C-7"})
    stake = registry.find(game).stakes(options)[0].wager
    with sitting(tmp_path, game, options=options, seats=3) as it:
        it.bets()
        it.tap(do="wager", seat=2, wager=stake, cents=2000, coupon=1000)
        for fact in ({"wager": stake, "coupon": 3000}, {"wager": "luck", "coupon": 100}):
            with pytest.raises(FairshoeError):
                it.tap(do="wager", seat=3, cents=2000, **fact)
        old = it.desk
        it.desk = Desk(old.shoe, old.books, game, options, 3, tmp_path / "wagers.json", old.hands)
        listen(it)
        it.desk.begin()
        values = it.until(lambda now: now["now"]["action"].get("do") == "close")
        assert values["seats"][1]["coupons"] == [{stake: 1000}] and values["areas"][0]["coupon"]
        it.close()
        number = it.finish()
        line = next(line for line in it.desk.books.lines(number) if line.wager == stake)
        assert (line.stake, line.coupon) == (2000, 1000)
        text = next(one["text"] for one in it.values["lines"] if one["seat"] == 2 and stake in one["text"])
        assert "its coupon of $10" in text
        it.bets()
        it.tap(do="again")
        again = it.values["seats"][1]
        assert again["wagers"][stake] == 2000 and again["coupons"] == [{}]  # that coupon is in the drop box
        it.tap(do="wager", seat=2, wager=stake, cents=0)
        for _ in range(2):
            bet(it)
            it.finish()
        check_replayed(it.desk.books)
