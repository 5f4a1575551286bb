"""The table system behind the dealer's page: rounds by taps, cards and their sources, irregularities, restarts."""

import json
from pathlib import Path
from typing import Any

import pytest
from running_tables import check_books
from sitting import bet, sitting

from fairshoe.errors import FairshoeError, UsageError
from fairshoe.games.record_kinds import COMMUNITY, DEALER
from fairshoe.messages import EndRound
from fairshoe_table.desk.prompts import for_command
from fairshoe_table.desk.taps import Desk
from fairshoe_table.games.double_attack.options import DoubleAttackOptions
from fairshoe_table.play import registry
from fairshoe_table.play.irregularities import find
from fairshoe_table.rules.cards import card
from fairshoe_table.rules.ledger import Line, Outcome, Wager
from fairshoe_table.simulated.sitting import Sitting, listen

ROOT = Path(__file__).resolve().parents[2]
ANTE = {"wager": "ante", "cents": 1000}


def test_a_round_is_played_by_taps_and_settled_line_by_line(tmp_path: Path) -> None:
    """Double Cross Poker; tests/web and tests/table/test_attacks.py play the others so."""
    with sitting(tmp_path, "double-cross-poker") as it:
        bet(it)
        number = it.finish()
        assert it.said.count("No more bets") == 1
        lines = it.desk.books.lines(number)
        assert lines and [line["key"] for line in it.values["lines"]] == [f"done:{line.key}:1" for line in lines]
        assert all(line["done"] for line in it.values["lines"]) and it.values["lines_of"] == number
        assert json.loads(json.dumps(it.values))["calls"] == []
        check_books(it.desk.books)


def entered(it: Sitting, text: str) -> None:
    for word in text.split():
        it.tap(do="card", card=card(word), key=it.values["ask"]["key"])


def asked(it: Sitting) -> Any:
    """Until a person is asked; the rest of the deck comes out before that in some games."""
    while not it.next()["ask"]:
        it.go_on()
    return it.values["ask"]


def dealt(it: Sitting, **wagers: int) -> None:
    """Seat 2 alone, until the first question."""
    bet(it, 2, **wagers)
    asked(it)


def test_each_hand_is_marked_with_the_source_of_its_cards(tmp_path: Path) -> None:
    with sitting(tmp_path, "double-down-stud") as it:
        dealt(it, original=1000)
        assert (it.values["ask"]["seat"], it.values["ask"]["count"]) == (2, 1)
        entered(it, "Qh")
        it.tap(do="enter", key=it.values["ask"]["key"])
        it.next()
        it.desk.read(card("2c"))
        it.desk.read(card("Qh"))  # lies at seat 2
        entered(it, "3c 4c")
        assert it.values["ask"]["entry"] == [[0, "reader"], [4, "dealer"], [8, "dealer"]]
        it.tap(do="enter", key=it.values["ask"]["key"])
        assert it.values["seats"][1]["source"] == "dealer" and it.values["community"]["source"] == "dealer+reader"
        assert [text["text"] for text in it.values["calls"]] == [
            "the reader saw Qh: Qh of seat 2 is entered again for community. "
            "Correct the wrong one; if both are right the deck is wrong: stop the round."
        ]
        number = it.finish()
        assert it.desk.books.play(number, it.desk.options).sources == ("dealer", "dealer+reader", "plant")
        # None of the cards that were entered by hand is the one that the shuffle dealt there.
        it.until(lambda values: values["check"])
        assert "seat 2: Qh was not dealt there; community: " in it.values["calls"][-1]["text"]


def test_dealt_cards_are_held_against_the_disclosed_seed(tmp_path: Path) -> None:
    """The cards of the plant are those of the shuffle; the dealer may enter wagers while the auditor uses the line."""
    with sitting(tmp_path, "boston-5-stud") as it:
        lines: list[bool] = []

        def linked(up: bool, why: str) -> None:
            lines.append(up)
            it.desk.tap({"do": "wager", "seat": 3, **ANTE, **it.shown()})

        it.desk.linked = linked
        bet(it)
        it.finish()
        it.until(lambda values: values["check"])
        assert it.values["check"] == "the cards agree with the disclosed seed" and it.values["calls"] == []
        assert lines[0] is False and it.values["seats"][2]["wagers"]["ante"] == 1000
        it.until(lambda values: values["now"]["action"].get("do") == "close")


def test_a_tap_names_its_round_and_no_page_passes_for_a_card_reader(tmp_path: Path) -> None:
    with sitting(tmp_path, "double-down-stud") as it:
        it.bets()
        it.wager(2, original=1000)
        for absent in ({}, {"round": it.desk.number}, {"lines_of": it.desk.number}, {"round": None, "lines_of": None}):
            answer = it.desk.tap({"do": "close", **absent})
            it.desk.turn()
            with pytest.raises(UsageError, match=r"another round|is None"):
                answer.result(0)
        it.close()
        it.next()
        for forged in ({"do": "read", "card": 5}, {"do": "call", "text": "pay seat 2"}):
            with pytest.raises(UsageError, match="no tap"):
                it.tap(**forged)
        assert it.values["ask"]["entry"] == [] and it.values["calls"] == []


def test_what_is_not_asked_for_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    with sitting(tmp_path, "caribbean-stud") as it:
        it.bets()
        it.wager(1, ante=1000, progressive=500)
        with pytest.raises(UsageError, match="progressive of \\$5 is outside"):
            it.tap(do="close")
        assert it.desk.books.inputs(it.desk.number) == []  # none is booked if one is refused
        it.wager(1, progressive=100)
        it.close()
        it.next()
        before = it.desk.books.inputs(it.desk.number)
        wrong: list[dict[str, Any]] = [
            {"do": "choose", "key": "decide:1:", "choice": "double"},
            {"do": "choose", "key": "decide:2:", "choice": "fold"},
            {"do": "card", "key": "decide:1:x", "card": 5},
            {"do": "wager", "seat": 2, "wager": "ante", "cents": 1000},
            {"do": "done", "line": "done:1/0/0/ante/:lose"},
            {"do": "irregularity", "name": "misdeal", "seat": 4, "cards": 6},
            {"do": "irregularity", "name": "misdeal"},
            {"do": "go", "command": "shuffle"},
            {"do": "go", "command": "end_round"},
            {"do": "read", "card": "As"},
            {"do": "nothing"},
            {},
        ]
        for fact in wrong:
            with pytest.raises(UsageError):
                it.tap(**fact)
        assert it.desk.books.inputs(it.desk.number) == before


def test_a_refused_record_is_told_and_voids_nothing(tmp_path: Path) -> None:
    with sitting(tmp_path, "caribbean-stud") as it:
        dealt(it, ante=1000)
        assert "refused" in it.tap(do="irregularity", name="misdeal", seat=2, cards=5)  # five is right
        assert it.next()["ask"]["key"] == "cards:0:up" and it.values["void"] == it.values["seats"][1]["says"] == ""


def test_a_voided_round_is_returned_line_by_line_and_the_next_one_waits(tmp_path: Path) -> None:
    with sitting(tmp_path, "double-down-stud") as it:
        dealt(it, original=1000)
        number = it.desk.number
        it.tap(do="irregularity", name="face_up", cards=2)
        it.until(lambda values: values["void"] == "DDS-11b" and values["lines_of"] == number)
        assert it.values["now"]["do"].startswith("give original $10 back to seat 2")
        with pytest.raises(UsageError, match="not the next line"):
            it.tap(do="done", line="done:2/0/0/double down/:void")
        it.tap(do="done", line=it.values["now"]["action"]["line"])
        assert it.values["lines"][0]["done"]
        check_books(it.desk.books)


def test_another_desk_goes_on_from_the_books(tmp_path: Path) -> None:
    """Wagers that are not booked yet, a question, and the lines that are done all outlive the program."""
    with sitting(tmp_path, "boston-5-stud") as it:

        def again() -> None:
            old = it.desk
            it.desk = Desk(old.shoe, old.books, old.game, old.options, 6, tmp_path / "wagers.json", old.hands)
            it.values.clear()
            listen(it)
            it.desk.begin()
            it.until(lambda values: values["now"]["who"] != "shoe")

        it.bets()
        it.wager(1, ante=1000, bonus=500)
        it.wager(4, ante=2000)
        again()
        assert it.values["seats"][0]["wagers"] == {"ante": 1000, "first": 2000, "bonus": 500}
        it.close()
        it.next()
        it.go_on()  # exposed
        again()
        assert it.values["ask"]["key"] == "cards:1:three"
        it.go_on()
        it.tap(do="done", line=it.values["now"]["action"]["line"])  # the bonus
        again()
        assert [line["done"] for line in it.values["lines"]] == [True]
        number = it.finish()
        again()
        assert all(line["done"] for line in it.values["lines"]) and it.values["lines_of"] == number
        check_books(it.desk.books)


@pytest.mark.parametrize("game", registry.ids())
def test_each_button_names_the_clause_by_which_the_device_judges(game: str) -> None:
    rules: dict[str, Any] = json.loads((ROOT / "game_profiles" / f"{game}.json").read_text(encoding="utf-8"))["rules"]
    named = {clause for rule in rules.values() for clause in ([rule] if isinstance(rule, str) else rule[:1])}
    picking_up = for_command(registry.find(game).new(registry.find(game).options()), EndRound)
    assert "reconstructed" in picking_up.do and picking_up.clause in named  # DDS 9(d), B5 10(g), CS 10(d), DCP 10(h)
    buttons = registry.find(game).irregularities
    assert len({it.name for it in buttons}) == len(buttons) > 5
    for it in buttons:
        assert it.clause in named and it.clause.startswith(f"{registry.find(game).code}-"), it
    assert {it.what.name for it in buttons if it.what is not None} >= {"FACE_UP", "DRAWN_IN_ERROR", "DISPUTE"}


def test_positions_of_records_count_wagering_seats() -> None:
    caribbean, double_down = (registry.find(name).irregularities for name in ("caribbean-stud", "double-down-stud"))
    misdeal = find(caribbean, "misdeal")
    assert misdeal.record((2, 5, 6), 5, 4) == (2, 4) and misdeal.record((2,), DEALER, 4) == (DEALER, 4)
    assert find(double_down, "misdeal").record((2,), COMMUNITY, 5) == (COMMUNITY, 5)
    assert find(caribbean, "dispute").record((2,), None, None, 2) == (2, 1)
    with pytest.raises(UsageError):
        misdeal.record((2, 5), COMMUNITY, 4)


@pytest.mark.parametrize(
    ("wager", "odds", "source", "asked"),
    [
        (Wager.PROGRESSIVE, 9, "tray", 2),
        (Wager.FIVE_CARD, 500, "house", 1),
        (Wager.FIVE_CARD_DEALER, 500, "house", 1),
        (Wager.FIVE_CARD, 100, "house", 0),
        (Wager.FIVE_CARD_DEALER, 50, "meter five-card/main", 1),
        (Wager.BET, 100, "tray", 0),
    ],
)
def test_a_floorperson_verifies_the_payouts_that_the_rules_name(wager: str, odds: int, source: str, asked: int) -> None:
    """CS 10(c)(3)(ii)c.2.i to iii, c.3.ii, 11(d)(1); never for a wager that has lost."""
    checks = registry.find("caribbean-stud").validates
    assert len(checks(Line(1, wager, Outcome.WIN, 100, 0, 100 * odds, "CS 11", source=source))) == asked
    assert checks(Line(1, wager, Outcome.LOSE, 100, 0, 0, "CS 11")) == ()


# --- amounts, shared boxes, corrections --------------------------------------------------------

SHARED = DoubleAttackOptions(packs=8, bettors_per_box=3, approvals={"packs": "test", "bettors_per_box": "test"})


def test_bettors_of_one_box_have_wagers_of_their_own_and_move_up_when_one_leaves(tmp_path: Path) -> None:
    with sitting(tmp_path, "double-attack-blackjack", options=SHARED) as it:
        it.bets()
        for bettor, cents in ((1, 1000), (2, 2000), (3, 3000)):
            it.tap(do="wager", seat=4, bettor=bettor, wager="initial", cents=cents)
        with pytest.raises(FairshoeError, match="bettor 9"):
            it.tap(do="wager", seat=4, bettor=9, wager="initial", cents=1000)
        it.tap(do="wager", seat=4, bettor=2, wager="initial", cents=0)
        seat = it.values["seats"][3]
        assert (seat["wagers"], seat["others"]) == ({"initial": 1000}, [{"initial": 3000}])
        it.close()
        number = it.finish()
        assert {line.bettor for line in it.desk.books.lines(number)} == {1, 2}
        assert "No more bets" not in it.said  # the first card closes betting (DAB 5(d))
        # Each line names the bettor whose chips it moves.
        for line, shown in zip(it.desk.books.lines(number), it.values["lines"], strict=True):
            assert ("seat 4, bettor 2" in shown["text"]) is (line.bettor == 2)
        assert it.desk.books.audit() == []
        it.bets()
        it.tap(do="again")
        assert it.values["seats"][3]["others"] == [{"initial": 3000}]


def test_a_wager_for_less_is_taken_where_the_rules_allow_it(tmp_path: Path) -> None:
    with sitting(tmp_path, "double-down-stud") as it:
        bet(it, 2, original=5000)
        while it.next()["ask"] is None or it.values["ask"]["kind"] != "decide":
            it.go_on()
        ask = it.values["ask"]
        assert ask["most"] == {"double": 5000}
        for cents in (0, 5001):
            with pytest.raises(FairshoeError, match="to double"):
                it.tap(do="choose", key=ask["key"], choice="double", cents=cents)
        it.tap(do="choose", key=ask["key"], choice="double", cents=1500)
        assert it.values["seats"][1]["wagers"] == {"original": 5000, "double down": 1500}
        it.finish()
        assert it.desk.books.audit() == []


def test_a_corrected_card_gives_lines_that_move_the_difference(tmp_path: Path) -> None:
    """Of a line that is done the difference, of one that is not the whole; the wrong entry stays in the books."""
    with sitting(tmp_path, "double-down-stud") as it:
        bet(it, 2, original=5000)
        number = it.desk.number
        faces = iter(("2c", "Ad Kh Qs", "2d"))  # a pair of twos, which loses
        while not it.desk.open_lines():
            values = it.next()
            if values["ask"] and values["ask"]["kind"] == "cards":
                for word in next(faces).split():
                    it.tap(do="card", card=card(word), key=values["ask"]["key"])
                it.tap(do="enter", key=values["ask"]["key"])
            elif values["ask"]:
                it.tap(do="choose", key=values["ask"]["key"], choice="stand")
            else:
                it.go_on()
        it.go_on()  # the stake is taken
        assert it.desk.open_lines() == []
        hole = next(one for one in it.values["entered"] if one["of"].endswith("hole"))
        assert hole["cards"] == [card("2d")]
        assert "approved by" in it.tap(do="correct", of=hole["of"], cards=[card("Ac")], by="J. Doe")
        text = it.values["now"]["do"]
        assert text.startswith("correction: pay seat 2 $100 more")  # the stake and even money
        it.go_on()
        assert it.desk.open_lines() == []
        it.finish()
        fact = [one for one in it.desk.books.inputs(number) if one.kind == "correct"]
        assert [one.data["approval"] for one in fact] == ["J. Doe"]
        assert it.desk.books.audit() == [] and it.desk.books.replay(it.desk.options) == []
