"""Money in cents, exact odds, the payout limit, options with approvals."""

import pytest

from fairshoe.errors import UsageError
from fairshoe_table.games.boston5 import BostonOptions
from fairshoe_table.games.double_attack.options import DoubleAttackOptions
from fairshoe_table.games.double_cross import DoubleCrossOptions
from fairshoe_table.games.double_down import DoubleDownOptions
from fairshoe_table.play import registry
from fairshoe_table.play.options import Options
from fairshoe_table.play.registry import load_options
from fairshoe_table.rules.ledger import Line, Outcome, Wager
from fairshoe_table.rules.money import For, Lose, OfMeter, Push, Rounding, To, dollars, parse_odds, winnings
from fairshoe_table.rules.pay_tables import TABLES, improve, pay_table


def chosen(game: str, **options: object) -> dict[str, object]:
    """Options as a file has them, every one approved."""
    return {"version": 1, "game": game, **options, "approvals": dict.fromkeys(options, "x")}


def test_to_returns_the_stake_and_for_does_not() -> None:
    assert winnings(To(5), 300) == 1500
    assert winnings(For(5), 300) == 1500
    assert type(parse_odds("5 to 1")) is To and type(parse_odds("5 for 1")) is For
    assert To(5) != For(5)


@pytest.mark.parametrize(
    ("text", "odds"),
    [
        ("1,000 to 1", To(1000)),
        ("3 to 2", To(3, 2)),
        ("5,000 for 1", For(5000)),
        ("10 For 1", For(10)),
        ("10% of meter", OfMeter(10)),
        ("100% Major", OfMeter(100, "major")),
        ("Push", Push()),
        ("N/A", Lose()),
    ],
)
def test_odds_are_read_as_printed(text: str, odds: object) -> None:
    assert parse_odds(text) == odds


def test_odds_that_are_none_are_refused() -> None:
    with pytest.raises(UsageError, match="odds cannot be read"):
        parse_odds("5:1")


def test_a_fraction_of_a_cent_goes_where_the_option_says() -> None:
    assert winnings(To(3, 2), 101) == 152
    assert winnings(To(3, 2), 101, Rounding.HOUSE) == 151
    assert winnings(To(5, 2), 1) == 3


def test_dollars_reads_like_money() -> None:
    assert [dollars(cents) for cents in (500, 123456, -50, 0)] == ["$5", "$1,234.56", "-$0.50", "$0"]


def test_a_line_cannot_return_more_than_its_stake() -> None:
    with pytest.raises(ValueError, match="not a settlement"):
        Line(1, Wager.ANTE, Outcome.WIN, 100, 101, 0, "x")


def test_an_unknown_pay_table_is_refused() -> None:
    with pytest.raises(UsageError, match="PTMGL03"):
        pay_table("PTMGL03")


def test_a_licensee_may_pay_more_than_a_minimum_table_and_never_less() -> None:
    better = improve("DDS-10b", {"Flush": "9 to 1"}, "approval 17")
    row = better.row("Flush")
    assert row is not None and row.odds == To(9) and better.approval == "approval 17"
    with pytest.raises(UsageError, match="less than"):
        improve("DDS-10b", {"Flush": "7 to 1"}, "approval 17")
    with pytest.raises(UsageError, match="less than"):
        improve("DDS-10b", {"Flush": "9 for 1"}, "approval 17")
    with pytest.raises(UsageError, match="need an approval"):
        improve("DDS-10b", {"Flush": "9 to 1"}, "")
    with pytest.raises(UsageError, match="exact"):
        improve("CS-11b", {"Flush": "9 to 1"}, "approval 17")
    with pytest.raises(UsageError, match="no row"):
        improve("DDS-10b", {"Nothing": "9 to 1"}, "approval 17")


def test_a_choice_of_the_licensee_names_its_approval() -> None:
    given = {"version": 1, "game": "double-down-stud", "two_areas": True}
    with pytest.raises(UsageError, match="two_areas"):
        load_options(given)
    options = load_options({**given, "approvals": {"two_areas": "MGC 2026-4"}})
    assert isinstance(options, DoubleDownOptions) and options.two_areas


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"version": 2, "game": "double-down-stud"}, "version 2"),
        ({"version": 1, "game": "whist"}, "no game"),
        ({"version": 1, "game": "caribbean-stud", "colour": "red"}, "no option"),
        ({"version": 1, "game": "caribbean-stud", "bonus_pays": "CS-11c-D"}, "unknown pay table"),
        ({"version": 1, "game": "caribbean-stud", "bonus_pays": "CS-11d-A", "approvals": {"bonus_pays": "x"}}, "bonus"),
        (chosen("caribbean-stud", progressive_pays="CS-11c-A"), "no table of this wager"),
        *((chosen("caribbean-stud", progressive_pays=f"CS-11d-{it}", linked=True), "may not be") for it in "ABCE"),
        (chosen("caribbean-stud", cover_all="all"), "cover_all"),
        (chosen("caribbean-stud", magic_card=True), "no option"),  # ruling cs-magic-lucky
        (chosen("double-attack-blackjack", packs=7), "7 packs"),
        (chosen("double-attack-blackjack", positions=5), "positions: 5"),
        (chosen("double-attack-blackjack", bettors_per_box=4), "bettors_per_box: 4"),
        (chosen("double-attack-blackjack", hole_card=True, surrender_at_once=True), "needs a reader"),
        (chosen("boston-5-stud", minimum=2000, maximum=1000), "limits"),
    ],
)
def test_options_that_the_rules_do_not_know_are_refused(data: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        load_options(data)


@pytest.mark.parametrize("table", ["CS-11d-D", "PTMGL01", "PTMGLML03"])
def test_table_d_and_the_linked_tables_may_be_linked(table: str) -> None:
    load_options(chosen("caribbean-stud", progressive_pays=table, linked=True))


@pytest.mark.parametrize(
    ("kind", "floor", "minimum", "most"),
    [
        (DoubleDownOptions, 10_000_000, 5000, 20_000_000),  # DDS 10(c): 1,000 to 1, doubled, on two areas
        (BostonOptions, 5_000_000, 10_000, 10_040_000),  # B5 11(e): 1,000 to 1 on the ante, first and second
        (DoubleCrossOptions, 6_000_000, 20_000, 12_020_000),  # DCP 11(d): 300 to 1 twice, and the ante
    ],
)
def test_a_payout_limit_is_never_below_its_floor(kind: type[Options], floor: int, minimum: int, most: int) -> None:
    approvals = {"cap": "approval 3"}
    for cap, least in ((floor, 500), (most, minimum)):
        kind(cap=cap, minimum=least, approvals=approvals).check()
        with pytest.raises(UsageError, match="payout limit"):
            kind(cap=cap - 100, minimum=least, approvals=approvals).check()  # a chip less


def test_only_the_tables_that_the_rules_call_minima_may_be_improved() -> None:
    """DDS 10(b), B5 11(c), (d), DCP 11(b), (c) say "no less than"; all others are exact."""
    minima = {"DDS-10b", "B5-11c", "B5-11d", "DCP-11b", "DCP-11c"}
    assert {name for name, table in TABLES.items() if table.minimum} == minima
    for name in minima:
        printed = {type(row.odds) for row in TABLES[name].rows}
        assert For not in printed and OfMeter not in printed  # DDS 10(a), B5 11(a), DCP 11(a)


def test_a_reader_needs_a_hole_card() -> None:
    with pytest.raises(UsageError, match="hole card"):
        DoubleAttackOptions(reader=True, approvals={"reader": "x"}).check()


def test_defaults_of_every_game_are_valid() -> None:
    for game in registry.ids():
        registry.find(game).options().check()
    assert len(TABLES) == 22
