"""What every game must hold: prompts with clauses, wagers within limits, typed inputs; and the registry."""

import re
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from running_tables import FULL, options_of

from fairshoe.errors import UsageError
from fairshoe_table.games.double_attack.options import DoubleAttackOptions
from fairshoe_table.play import registry
from fairshoe_table.play.game import ALL_OUT, Ask
from fairshoe_table.play.inputs import Input, wager
from fairshoe_table.play.round import apply, asks, rebuild

PACKAGE = Path(__file__).resolve().parents[2] / "host_tools" / "fairshoe_table"
CS, B5, DDS = "caribbean-stud", "boston-5-stud", "double-down-stud"
CLOSED = Input("closed", "closed", {"round": 1})


@pytest.mark.parametrize("name", registry.ids())
def test_every_prompt_has_an_id_a_text_and_a_clause_of_its_game(name: str) -> None:
    game = registry.find(name)
    prompts = game.prompts
    assert len({it.id for it in prompts}) == len({it.do for it in prompts}) == len(prompts) > 2
    for it in prompts:
        assert re.fullmatch(rf"{game.code}-\d+[a-z]?\d*", it.clause), it
    source = "".join(path.read_text(encoding="utf-8") for path in (PACKAGE / "desk").glob("*.py"))
    assert not [it.do for it in prompts if it.do in source]


def test_no_generic_module_names_a_game() -> None:
    names = "|".join([*registry.OURS, "Boston", "Caribbean", "DoubleCross", "DoubleDown", "DoubleAttack", "blackjack"])
    wrong: list[str] = []
    for path in PACKAGE.rglob("*.py"):
        if path.parent.name not in ("games", "caribbean", "double_attack", "rules") and path.name != "registry.py":
            code = re.sub(r'""".*?"""|#.*', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            wrong += [f"{path.name}: {found}" for found in re.findall(names, code)]
    assert wrong == []


# --- wagers ------------------------------------------------------------------------------------

WRONG_WAGERS: list[tuple[str, dict[str, int], str]] = [
    (DDS, {"original": 500}, "outside the limits"),
    (DDS, {"original": 1001}, "chips"),
    (DDS, {}, "outside the limits"),
    (DDS, {"original": 1000, "ante": 1000}, "not offered"),
    (B5, {"ante": 1000, "first": 1900}, "exactly 2 times"),
    (B5, {"ante": 500, "first": 1000}, "outside the limits"),
    (B5, {"ante": 1000, "first": 2000, "bonus": 50}, "B5-6c"),
    (B5, {"ante": 1000, "first": 2000, "bonus": 1_000_000_000}, "B5-6c"),
    (CS, {"ante": 500}, "outside the limits"),
    (CS, {"ante": 1000, "progressive": 500}, "outside the limits"),
    (CS, {"ante": 1000, "cover all": 1}, "outside the limits"),
    (CS, {"ante": 1000, "cover all": 10**9}, "outside the limits"),
    (CS, {"ante": 1000, "bonus": -100}, "outside the limits"),
    ("double-cross-poker", {"ante": 1000, "bonus": 10_100}, "DCP-6d"),
    ("double-attack-blackjack", {"initial": 1000, "bonus": 1100}, "DAB 6\\(b\\)"),
]


@pytest.mark.parametrize(("game", "amounts", "says"), WRONG_WAGERS)
def test_wagers_that_do_not_fit_are_refused(game: str, amounts: dict[str, int], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        apply(registry.find(game).new(options_of(game)), wager(1, amounts))


def test_a_side_wager_that_is_not_offered_is_refused() -> None:
    for name in ("bonus", "progressive", "five-card bonus", "cover all"):
        with pytest.raises(UsageError, match="not offered"):
            apply(registry.find(CS).new(registry.find(CS).options()), wager(1, {"ante": 1000, name: 100}))


def test_a_seventh_seat_at_a_table_of_six_positions_is_refused() -> None:
    six = DoubleAttackOptions(positions=6)
    with pytest.raises(UsageError, match="10\\(c\\)"):
        apply(registry.find("double-attack-blackjack").new(six), wager(7, {"initial": 1000}))


# --- typed inputs ------------------------------------------------------------------------------


def begun(game: str = CS) -> Any:
    amounts = {CS: {"ante": 1000}, B5: {"ante": 1000, "first": 2000}, DDS: {"original": 1000}}[game]
    up = [Input("cards:0:up", "cards", {"seat": 0, "part": "up", "cards": [50], "source": "dealer"})] * (game == CS)
    return rebuild(registry.find(game).new(options_of(game)), [wager(1, amounts), CLOSED, *up])


def ask_of(play: Any) -> Ask:
    return asks(play, ALL_OUT)[0]


@pytest.mark.parametrize("choice", ["Raise", "RAISE", "double", "", None, 1, True, ["raise"]])
def test_a_choice_that_is_none_of_the_game_is_refused_and_never_a_fold(choice: object) -> None:
    for game in (CS, B5):
        play = begun(game)
        with pytest.raises(UsageError):
            apply(play, ask_of(play).answer(choice=choice))


WRONG: list[Callable[[Ask], Input]] = [
    lambda ask: Input(ask.key, "decide", {"seat": 1, "part": ""}),
    lambda ask: Input("decide:2:", "decide", {"seat": 2, "part": "", "choice": "raise"}),
    lambda ask: Input("decide:1:", "decide", {"seat": 2, "part": "", "choice": "raise"}),
    lambda ask: Input("decide:1:x", "decide", {"seat": 1, "part": "x", "choice": "raise"}),
    lambda ask: ask.answer(choice="raise", cents=100),
    lambda ask: ask.answer(choice="raise", by="me"),
    lambda ask: Input(ask.key, "decide", {"seat": "1", "part": "", "choice": "raise"}),
    lambda ask: Input("cards:0:", "cards", {"seat": 0, "part": "", "cards": [1, 2, 3, 4, 5], "source": "dealer"}),
    lambda ask: Input("expose:1:", "expose", {"seat": 1, "shown": True}),
    lambda ask: Input("peek", "peek", {"answer": "no"}),
    lambda ask: Input("magic", "magic", {}),
    lambda ask: Input("count:0:x", "count", {"seat": 0, "count": -1}),
    lambda ask: Input("count:0:x", "count", {"seat": 0, "count": 1e3}),
    lambda ask: Input("void", "void", {"clause": "CS-13d", "kept": "all"}),
]


@pytest.mark.parametrize("wrong", WRONG)
def test_an_input_that_the_round_does_not_ask_for_is_refused(wrong: Callable[[Ask], Input]) -> None:
    play = begun()
    with pytest.raises(UsageError):
        apply(play, wrong(ask_of(play)))
    assert apply(play, ask_of(play).answer(choice="raise")).round.hands[0].bet == 2000


def test_the_dealers_up_card_is_on_record_before_the_first_decision() -> None:
    """CS 9(h), 7(e)(2), 8(d)(2); the five cards begin with it."""
    play = rebuild(registry.find(CS).new(FULL), [wager(1, {"ante": 1000}), CLOSED])
    with pytest.raises(UsageError, match="is not what this round asks for"):
        apply(play, Input("decide:1:", "decide", {"seat": 1, "part": "", "choice": "raise"}))
    assert (ask_of(play).key, ask_of(play).prompt.clause, ask_of(play).count) == ("cards:0:up", "CS-9h", 1)
    play = apply(begun(), Input("decide:1:", "decide", {"seat": 1, "part": "", "choice": "raise"}))
    for five in ([1, 2, 3, 4, 5], [1, 50, 2, 3, 4], [50, 1, 1, 2, 3], [50, 50, 1, 2, 3]):
        with pytest.raises(UsageError, match=r"up-card|entered again"):
            apply(play, ask_of(play).answer(cards=five, source="dealer"))
    assert apply(play, ask_of(play).answer(cards=[50, 1, 2, 3, 4], source="dealer")).round.dealer[0] == 50


@pytest.mark.parametrize("dealt", [[], [1], [1, 2], [52], [-1], [True], ["As"], 5, None])
def test_the_number_and_the_faces_of_cards_are_checked(dealt: object) -> None:
    play = begun(DDS)
    with pytest.raises(UsageError):
        one = dealt if dealt != [1] else [1, 1]
        apply(play, ask_of(play).answer(cards=one, source="dealer"))
    assert apply(play, ask_of(play).answer(cards=[7], source="dealer")).round.hands[0].card == 7


def test_nothing_is_answered_before_the_closing_or_after_the_end() -> None:
    before = apply(registry.find(CS).new(FULL), wager(1, {"ante": 1000}))
    with pytest.raises(UsageError, match="before betting is closed"):
        apply(before, Input("decide:1:", "decide", {"seat": 1, "part": "", "choice": "raise"}))
    over = apply(begun(), Input("over", "over"))
    for late in (Input("decide:1:", "decide", {"seat": 1, "part": "", "choice": "raise"}), CLOSED):
        with pytest.raises(UsageError, match="is over"):
            apply(over, late)


def test_a_double_down_wager_is_whole_chips_up_to_the_original() -> None:
    play = begun(DDS)
    for dealt in ([7], [1, 2, 3]):
        play = apply(play, ask_of(play).answer(cards=dealt, source="dealer"))
    for cents in (0, -100, 1001, 1100, 450.0):
        with pytest.raises(UsageError):
            apply(play, ask_of(play).answer(choice="double", cents=cents))
    assert apply(play, ask_of(play).answer(choice="double", cents=400)).round.hands[0].double == 400


# --- the registry ------------------------------------------------------------------------------


def points(monkeypatch: pytest.MonkeyPatch, *found: tuple[str, str]) -> None:
    all_of_them = [EntryPoint(name, value, registry.GROUP) for name, value in found]

    def entry_points(group: str) -> list[EntryPoint]:
        return all_of_them if group == registry.GROUP else []

    monkeypatch.setattr(registry, "entry_points", entry_points)
    registry.find.cache_clear()


def test_a_broken_package_makes_only_its_own_game_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    ends = {"exits": "import sys; sys.exit(3)", "interrupts": "raise KeyboardInterrupt", "raises": "1 / 0"}
    for name, source in ends.items():
        (tmp_path / f"game_that_{name}.py").write_text(source, encoding="utf-8")
    points(
        monkeypatch,
        *((name, f"game_that_{name}:GAME") for name in ends),
        ("absent", "no_such_package:GAME"),
        ("no-game", "json:loads"),
        ("twice", "json:loads"),
        ("twice", "json:dumps"),
        (CS, "json:loads"),
    )
    broken = registry.broken()
    assert set(broken) == {*ends, "absent", "no-game", "twice", f"{CS} of another package"}
    assert (
        "no_such_package" in broken["absent"] and "no game" in broken["no-game"] and "two packages" in broken["twice"]
    )
    assert registry.find(CS).name == CS and registry.origin(CS) == ""
    for name in ("absent", "no-game", "twice"):
        with pytest.raises(UsageError, match="unavailable"):
            registry.find(name)
    with pytest.raises(UsageError, match="There are double-down-stud"):
        registry.find("whist")
