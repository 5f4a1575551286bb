"""A desk at a shoe of its own: the game, the options and the meters must fit before the first wager."""

import secrets
from dataclasses import replace
from pathlib import Path

import pytest

from fairshoe.errors import UsageError
from fairshoe.keys import write_key
from fairshoe_table.books.books import Books
from fairshoe_table.desk.setup import Setup
from fairshoe_table.games.caribbean.options import CaribbeanOptions
from fairshoe_table.play.registry import load_options
from fairshoe_table.rules.meters import meter_names, new_meters
from fairshoe_table.rules.pay_tables import pay_table
from fairshoe_table.simulated.desk import open_desk

DAB = "double-attack-blackjack"


@pytest.fixture
def at_a_shoe(tmp_path: Path) -> Setup:
    key = tmp_path / "device.key"
    write_key(key, "device", secrets.token_bytes(32))
    return Setup("caribbean-stud", tmp_path / "table", f"sim://pico-carousel?dealer=none&key={key}", key, speed=0)


def test_without_a_file_a_shoe_has_the_defaults_of_the_rules(at_a_shoe: Setup) -> None:
    with open_desk(at_a_shoe) as desk:
        assert desk.options == CaribbeanOptions() and desk.books.balances() == {} and not desk.simulated


def test_what_does_not_fit_is_refused_before_the_first_wager(at_a_shoe: Setup) -> None:
    other = Setup("boston-5-stud", at_a_shoe.folder, at_a_shoe.port, at_a_shoe.key)
    with pytest.raises(UsageError, match="the shoe deals CS, and not boston-5-stud"), open_desk(other):
        pass
    offered = {"five_card": True, "approvals": {"five_card": "x"}}
    options = load_options({"version": 1, "game": "caribbean-stud", **offered})
    without_meters = Setup(at_a_shoe.game, at_a_shoe.folder, at_a_shoe.port, at_a_shoe.key, options)
    with pytest.raises(UsageError, match="no meters"), open_desk(without_meters):
        pass


@pytest.mark.parametrize(
    ("started", "offered"),
    [("CS-11d-D", "PTMGLML01"), ("PTMGLML01", "PTMGLML02"), ("PTMGLML02", "PTMGLML01"), ("PTMGLML02", "CS-11d-D")],
)
def test_meters_of_another_pay_table_are_refused_before_the_first_wager(
    at_a_shoe: Setup, started: str, offered: str
) -> None:
    table = pay_table(started)
    names = meter_names(table)
    at_a_shoe.folder.mkdir()
    with Books(at_a_shoe.folder / "books.db") as books:
        seeds = {} if table.seeds else {"main": 1_000_000}
        books.start_meters(new_meters(table, dict.fromkeys(names, 7500 // len(names)), seeds))
    for name in (started, offered):
        chosen = {"progressive_pays": name, "approvals": {"progressive_pays": "x"}}
        options = load_options({"version": 1, "game": "caribbean-stud", **chosen})
        setup = replace(at_a_shoe, options=options)
        if name == started:
            with open_desk(setup) as desk:
                assert desk.options == options
        else:
            with pytest.raises(UsageError, match=f"{offered} has the meters"), open_desk(setup):
                pass


METERS = {"progressive": {"rates": {"main": 7500}, "seeds": {"main": 1_000_000}}}


def test_a_table_has_a_name_and_its_meters_are_started_once(at_a_shoe: Setup) -> None:
    chosen = {"progressive_pays": "CS-11d-D", "approvals": {"progressive_pays": "x"}}
    setup = replace(at_a_shoe, options=load_options({"version": 1, "game": "caribbean-stud", **chosen}))
    for name, meters in (("CS-3", METERS), ("", METERS), ("", {})):
        with open_desk(replace(setup, name=name, meters=meters, new_log=True)) as desk:
            desk.begin()
            found = desk.books.meters("progressive")
            assert found is not None and found.by_name["main"].cents == 1_000_000 and desk.books.table == "CS-3"
    one: dict[str, object] = {**METERS["progressive"]}
    odds: tuple[object, ...] = (
        None,
        5,
        list[object](),
        {"main": "1"},
        {"main": 0.5},
        {"main": True},
        {"main": -1},
        {"main": 10**30},
    )
    cases: tuple[tuple[dict[str, object], str], ...] = (
        ({"progressive": {**one, "rates": {"main": 8000}}}, "other rates or seeds"),
        ({"progressive": {**one, "seeds": {"main": 5}}}, "other rates or seeds"),
        ({"five-card": one}, "no meters 'five-card'"),
        *(({"progressive": odd}, "must be whole numbers") for odd in (*odds[:3], {}, "x", {**one, "more": 1})),
        *(({"progressive": {**one, name: odd}}, f"{name} must be") for name in one for odd in odds),
    )
    for wrong, says in cases:
        with pytest.raises(UsageError, match=says), open_desk(replace(setup, meters=wrong, new_log=True)):
            pass


def test_a_served_table_says_that_it_links_nothing(at_a_shoe: Setup) -> None:
    chosen = {"progressive_pays": "CS-11d-D", "linked": True}
    options = load_options({"version": 1, "game": "caribbean-stud", **chosen, "approvals": dict.fromkeys(chosen, "x")})
    for setup in (replace(at_a_shoe, options=options, meters=METERS), replace(at_a_shoe, options=options, port="")):
        with pytest.raises(UsageError, match="links no tables"), open_desk(setup):
            pass


def test_a_simulated_table_starts_the_meters_of_its_options(tmp_path: Path) -> None:
    chosen = {"progressive_pays": "PTMGLML02", "progressive_wager": 500}
    options = load_options({"version": 1, "game": "caribbean-stud", **chosen, "approvals": dict.fromkeys(chosen, "x")})
    with open_desk(Setup("caribbean-stud", tmp_path, options=options, speed=0)) as desk:
        meters = desk.books.meters("progressive")
        shown = {name: it.cents for name, it in meters.by_name.items()} if meters is not None else {}
        assert shown == {"mega": 5_000_000, "major": 500_000, "minor": 125_000}
        assert desk.books.meters("five-card") is None and desk.books.audit() == []


@pytest.mark.parametrize(("seats", "positions", "good"), [(6, 7, False), (7, 6, False), (6, 6, True), (0, 7, True)])
def test_a_table_has_as_many_seats_as_positions(tmp_path: Path, seats: int, positions: int, good: bool) -> None:
    """DAB 10(c): six positions allow four hands of a box, seven three."""
    chosen = {"positions": positions} if positions != 7 else {}
    options = load_options({"version": 1, "game": DAB, **chosen, "approvals": dict.fromkeys(chosen, "x")})
    setup = Setup(DAB, tmp_path, options=options, speed=0, seats=seats)
    if good:
        with open_desk(setup) as desk:
            assert desk.seat_count == positions
    else:
        with pytest.raises(UsageError, match=r"DAB 10\(c\)"), open_desk(setup):
            pass
