"""Options of a licensee, from JSON: a wrong file is refused with the option, and with the clause where there is one."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from fairshoe.cli.command_line import main
from fairshoe.errors import UsageError
from fairshoe_table.games.double_down import DoubleDownOptions
from fairshoe_table.play import registry
from fairshoe_table.play.inputs import COMMON, Decided
from fairshoe_table.play.registry import load_options
from fairshoe_table.rules.pay_tables import improve

DOCS = Path(__file__).resolve().parents[2] / "docs"
DDS, B5, CS = "double-down-stud", "boston-5-stud", "caribbean-stud"
DCP, DAB = "double-cross-poker", "double-attack-blackjack"

# Game, options, and what the refusal says: the place, and the clause.
WRONG: list[tuple[Any, dict[str, Any], str]] = [
    (None, {}, "no game None"),
    (7, {}, "no game 7"),
    ("whist", {}, "no game 'whist'"),
    (DDS, {"colour": "red"}, "no option 'colour'"),
    (DDS, {"minimum": 0}, "option minimum"),
    (DDS, {"minimum": -1000}, "option minimum"),
    (DDS, {"minimum": "1000"}, "option minimum: '1000' is no int"),
    (DDS, {"minimum": 10.5}, "option minimum: 10.5 is no int"),
    (DDS, {"minimum": True}, "option minimum: True is no int"),
    (DDS, {"minimum": 1001}, "option minimum: 1001 cents in chips"),
    (DDS, {"maximum": 10**12}, "option minimum: limits"),
    (DDS, {"minimum": 2000, "maximum": 1000}, "option minimum: limits"),
    (DDS, {"chip": 0}, "option chip"),
    (DDS, {"chip": 33}, "option chip"),
    (DDS, {"two_areas": 1}, "option two_areas: 1 is no bool"),
    (DDS, {"two_areas": "yes"}, "option two_areas"),
    (DDS, {"pays": "B5-11c"}, "option pays: B5-11c is no table of this wager"),
    (DDS, {"pays": "CS-11b"}, "option pays"),
    (DDS, {"pays": None}, "option pays: None is no PayTable"),
    (DDS, {"pays": 5}, "option pays: 5 is no pay table"),
    (DDS, {"pays": "DDS-99"}, "unknown pay table"),
    (DDS, {"cap": 100}, r"option cap: .*DDS 10\(c\)"),
    (DDS, {"cap": -1}, "option cap"),
    (DDS, {"cap": 10_000_050}, r"option cap: 10000050 cents in chips of \$1 \(DDS 10\(c\)\)"),
    (DDS, {"cap": 10**15}, "option cap"),
    (DDS, {"version": True}, "options of version True"),
    (DDS, {"version": 1.0}, "options of version 1.0"),
    (DDS, {"pays": "DDS-10b+"}, "unknown pay table"),
    (DDS, {"pays": "dds-10b"}, "unknown pay table"),
    (DDS, {"chip": True}, "option chip: True is no int"),
    (DDS, {"chip": 500_000}, "option minimum: 1000 cents in chips of"),
    (DDS, {"coupons": "original"}, "option coupons: 'original' is no tuple"),
    (DDS, {"coupons": ["original", "original"]}, "option coupons: on 'original'"),
    (DDS, {"side_limits": {"bonus": [100, 200]}}, "option side_limits: no side wager 'bonus'"),
    (DDS, {"__class__": 1}, "no option '__class__'"),
    (B5, {"ante_pays": "B5-11d"}, "option ante_pays"),
    (B5, {"bonus_pays": "DCP-11c"}, "option bonus_pays"),
    (B5, {"rounding": "up"}, "option rounding"),
    (B5, {"rounding": None}, "option rounding"),
    (B5, {"side_limits": {"bonus": [50, 100]}}, "option bonus: 50 cents in chips"),
    (B5, {"side_limits": {"bonus": [1000, 500]}}, r"option side_limits: bonus .*B5 6\(c\)"),
    (B5, {"side_limits": {"jackpot": [100, 500]}}, "option side_limits: no side wager 'jackpot'"),
    (B5, {"side_limits": {"bonus": [100]}}, "option side_limits"),
    (B5, {"side_limits": {"bonus": 100}}, "option side_limits"),
    (B5, {"side_limits": [100, 500]}, "option side_limits"),
    (B5, {"side_limits": {"bonus": [True, 500]}}, "option side_limits"),
    (B5, {"side_limits": {"bonus": [100, 500, 900]}}, r"option side_limits: bonus .*B5 6\(c\)"),
    (B5, {"side_limits": {"bonus": [0, 500]}}, r"option side_limits: bonus .*B5 6\(c\)"),
    (CS, {"cap": 10_000_000}, "option cap: this game has no payout limit"),
    (CS, {"bonus_pays": "CS-11d-A"}, "option bonus_pays"),
    (CS, {"progressive_pays": "CS-11e"}, "option progressive_pays"),
    (CS, {"progressive_pays": "CS-11d-A", "linked": True}, r"option linked: .*CS 11\(d\)\(4\)"),
    (CS, {"progressive_pays": "CS-11d-D", "progressive_wager": 250}, r"CS 11\(d\)\(7\)"),
    (CS, {"progressive_pays": "CS-11d-A", "progressive_wager": 300}, r"300 cents are no chip here \(CS 6\(c\)\)"),
    (CS, {"progressive_pays": "CS-11d-A", "chip": 500}, r"100 cents are no chip here \(CS 6\(c\)\)"),
    (DDS, {"pays": {"table": "DDS-10b"}}, "option pays: .* is no pay table"),
    (DDS, {"pays": {"table": "DDS-10b", "rows": {}}}, "option pays: .* is no pay table"),
    (DDS, {"pays": {"table": "DDS-10b", "rows": {"Flush": 9}}}, "option pays: .* is no pay table"),
    (DDS, {"pays": {"table": "DDS-10b", "rows": ["Flush"]}}, "option pays: .* is no pay table"),
    (DDS, {"pays": {"table": "DDS-10b", "rows": {"Flush": "7 to 1"}}}, "Flush: .* is less than"),
    (DDS, {"pays": {"table": "DDS-10b", "rows": {"Flush": "9 to 0"}}}, "odds cannot be read"),
    (DDS, {"pays": {"table": "B5-11c", "rows": {"Flush": "90 to 1"}}}, r"option pays: B5-11c\+ is no table"),
    (DDS, {"pays": {"table": "DDS-10b", "rows": {"Flush": "9 to 1"}}, "approvals": {}}, "need an approval"),
    (CS, {"bonus_pays": {"table": "CS-11c-A", "rows": {"Flush": "900 to 1"}}}, "CS-11c-A is exact"),
    (CS, {"linked": True}, r"option linked: no wager .*CS 11\(d\)\(4\)"),
    (CS, {"side_limits": {"cover all": [1, 100]}}, "option cover all: 1 cents in chips"),
    (CS, {"side_limits": {"progressive": [100, 500]}}, "option side_limits: no side wager 'progressive'"),
    (CS, {"make_up": "player"}, "option make_up: 'player'"),
    (CS, {"progressive_wager": 0}, r"option progressive_wager: 0 \(CS 6\(c\)\)"),
    (CS, {"progressive_wager": 10_000}, r"option progressive_wager: 10000 \(CS 6\(c\)\)"),
    (CS, {"cover_all": "all"}, "option cover_all"),
    (CS, {"cover_all": True}, "option cover_all: True is no str"),
    (CS, {"five_card": "true"}, "option five_card"),
    (DCP, {"side_limits": {"bonus": [100, 20_000]}}, r"option side_limits: .*DCP 6\(d\)"),
    (DCP, {"minimum": 50_000, "chip": 50_000}, r"option chip: no bonus wager in chips of \$500 \(DCP 6\(d\)\)"),
    (DAB, {"positions": 6, "boxes_per_player": 7}, r"option boxes_per_player: 7 of 6 boxes \(DAB 14\)"),
    (DAB, {"approvals": {"packs": "\u200b-"}, "packs": 8}, "option packs differs .* names no approval"),
    (DAB, {"packs": 7}, r"option packs: .*DAB 2\(a\)"),
    (DAB, {"positions": 5}, r"option positions: 5 \(DAB 10\(c\)\)"),
    (DAB, {"bettors_per_box": 4}, r"DAB 13\(a\)"),
    (DAB, {"bettors_per_box": 0}, r"DAB 13\(a\)"),
    (DAB, {"boxes_per_player": 99}, "DAB 14"),
    (DAB, {"bonus_maximum": 10}, r"DAB 6\(b\)"),
    (DAB, {"reader": True}, r"option reader: .*DAB 7\(i\)"),
    (DAB, {"hole_card": True, "surrender_at_once": True}, r"DAB 8\(a\)\(3\)"),
    (DAB, {"cap": 10_000_000}, "option cap"),
    (DAB, {"approvals": {"packs": 7}, "packs": 8}, "option approvals"),
    (DAB, {"approvals": {"pakcs": "x"}}, "option approvals: there is no option 'pakcs'"),
    (DAB, {"approvals": {"packs": " "}, "packs": 8}, "option packs differs .* names no approval"),
    (DAB, {"approvals": "all"}, "option approvals"),
]


@pytest.mark.parametrize(("game", "chosen", "says"), WRONG)
def test_a_wrong_file_is_refused_with_its_place_and_clause(game: Any, chosen: dict[str, Any], says: str) -> None:
    data: dict[str, Any] = {"version": 1, "game": game, "approvals": dict.fromkeys(chosen, "x"), **chosen}
    with pytest.raises(UsageError, match=says):
        load_options(data)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"version": 1, "game": "double-down-stud", "minimum": 500, "minimum": 5000}', "'minimum' stands there twice"),
        (
            '{"version": 1, "game": "double-down-stud", "approvals": {"cap": "A", "cap": ""}}',
            "'cap' stands there twice",
        ),
        ('{"version": 1, "game": "double-down-stud", "minimum": NaN}', "NaN is no number"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_file_that_says_something_twice_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, says: str
) -> None:
    path = tmp_path / "options.json"
    path.write_text(text, encoding="utf-8")
    assert main(["table", "serve", "--game", DDS, "--no-open", "--options", str(path)]) != 0
    assert says in capsys.readouterr().err


def test_a_pay_table_that_pays_more_than_a_minimum_is_named_in_the_file() -> None:
    better = {"table": "DDS-10b", "rows": {"Flush": "9 to 1"}}
    options = load_options({"version": 1, "game": DDS, "pays": better, "approvals": {"pays": "approval 17"}})
    assert isinstance(options, DoubleDownOptions)
    assert options.pays == improve("DDS-10b", {"Flush": "9 to 1"}, "approval 17")


def test_approvals_are_taken_and_posted_limits_and_seats_are_possible() -> None:
    posted = {"minimum": 500, "maximum": 50_000, "chip": 500, "side_limits": {"bonus": [500, 2500]}}
    options = load_options({"version": 1, "game": B5, **posted})
    assert options.side("bonus") == (500, 2500) and load_options({"version": 1, "game": DCP}).side("bonus") == (
        100,
        10_000,
    )
    for game in (B5, CS, DCP):  # nothing is posted that chips of the table do not make
        large = load_options({"version": 1, "game": game, "minimum": 2500, "maximum": 50_000, "chip": 2500})
        assert {large.side(it) for it in large.sides} == {(2500, 10_000)}
    assert load_options({"version": 1, "game": CS, "chip": 500_000, "minimum": 500_000, "maximum": 500_000}).side(
        "bonus"
    ) == (500_000, 500_000)
    for game, seats in ((DDS, -1), (CS, 10), (DAB, 8), (DAB, 6)):
        with pytest.raises(UsageError, match=f"a table with {seats} seats"):
            registry.find(game).seats_at(registry.find(game).options(), seats)
    eight = load_options({"version": 1, "game": DAB, "packs": 8, "approvals": {"packs": "A-7"}})
    assert eight.approvals["packs"] == "A-7"


def test_the_page_on_new_games_lists_every_kind_of_input_with_its_values() -> None:
    page = (DOCS / "NEW_GAME.md").read_text(encoding="utf-8")
    rows = {kind: re.findall(r"`(\w+)`", row) for kind, row in re.findall(r"^\| `([\w ]+)` \| (.*?) \|", page, re.M)}
    for fact in (*COMMON, Decided):
        names = [it.name for it in fields(fact)]
        wanted = [names[0], "choice", *names[1:]] if fact is Decided else names
        assert rows[fact.KIND] == wanted, fact
    games = [registry.find(name) for name in registry.OURS]
    assert all(it.KIND not in rows for game in games for it in game.more_inputs)
