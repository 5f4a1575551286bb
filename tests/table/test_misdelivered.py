"""Double Attack Blackjack: a card delivered wrongly (DAB 15(a)) and boxes that the house lets out, with their money."""

from __future__ import annotations

from pathlib import Path

import pytest
from running_tables import check_books
from sitting import bet, sitting

from fairshoe.errors import UsageError
from fairshoe.games.record_kinds import Delivered
from fairshoe_table.books.books import Books
from fairshoe_table.games.double_attack.options import DoubleAttackOptions
from fairshoe_table.play.game import Ask, Dealt
from fairshoe_table.play.inputs import Input, wager
from fairshoe_table.play.round import asks
from fairshoe_table.rules.cards import card
from fairshoe_table.rules.ledger import Line, Wager

GAME = "double-attack-blackjack"
OPTIONS = DoubleAttackOptions()
HOLE = DoubleAttackOptions(hole_card=True, reader=True, approvals={"hole_card": "test", "reader": "test"})


def begun(books: Books, options: DoubleAttackOptions, **more: int) -> int:
    """Two boxes of ten dollars, betting closed."""
    number = books.open_round(GAME)
    for seat in (1, 2):
        books.record(number, wager(seat, {Wager.INITIAL: 1000, **more}), options)
    books.record(number, Input("closed", "closed", {"round": 1}), options)
    return number


def play(words: str, options: DoubleAttackOptions = OPTIONS, **more: int) -> tuple[list[str], list[Line]]:
    """Every question and its answer; `dealer`, `to:2`, `rack` are a card delivered wrongly, `out:1` a box let out."""
    books = Books(":memory:")
    number = begun(books, options, **more)
    asked: list[str] = []
    for word in words.split():
        name, _, box = word.partition(":")
        if name in ("dealer", "to", "rack", "out"):
            books.record(number, told(name, int(box or 0)), options)
            continue
        ask: Ask = asks(books.play(number, options), Dealt(True))[0]
        asked.append(f"{ask.prompt.id} {ask.seat}")
        data = {"cards": [card(word)], "source": "dealer"} if ask.kind == "cards" else {"choice": word}
        books.record(number, ask.answer(**data), options)
    assert asks(books.play(number, options), Dealt(True)) == []
    books.record(number, Input("over", "over"), options)
    check_books(books)
    return asked, books.lines(number)


def told(name: str, box: int) -> Input:
    if name == "out":
        return Input(f"let out:{box}", "let out", {"seat": box, "clause": "DAB-15a"})
    becomes = {"to": Delivered.FORWARD, "dealer": Delivered.TO_DEALER, "rack": Delivered.BURNED}[name]
    return Input(f"delivered wrongly:{box}", "delivered wrongly", {"seat": box, "becomes": int(becomes)})


def money(lines: list[Line]) -> list[tuple[int, str, int, str]]:
    return [(line.seat, line.wager, line.returned + line.paid - line.stake, line.clause) for line in lines]


def test_a_card_that_moves_forward_is_the_next_one_of_that_box() -> None:
    asked, lines = play("6s no no to:2 9c 9h Kc 8c stand stand Kh Qd")
    assert asked[3:7] == ["forward 2", "to-box 1", "to-box 1", "to-box 2"]
    assert [line.paid for line in lines] == [1000, 1000]  # the dealer has 26


def test_a_burned_one_changes_nothing_at_the_table() -> None:
    asked, _ = play("6s no no rack:1 9c 9h Kc 8c stand stand Kh Qd")
    assert asked[3:7] == ["to-box 1", "to-box 2", "to-box 1", "to-box 2"]


@pytest.mark.parametrize("options", [OPTIONS, HOLE])
def test_as_the_dealers_second_card_it_lies_open_and_no_reader_is_asked_and_no_insurance_offered(
    options: DoubleAttackOptions,
) -> None:
    asked, lines = play("As no no 9c dealer 8s 9h Kc 8c stand stand", options)
    assert asked[4:] == ["ahead 0", "to-box 2", "to-box 1", "to-box 2", "call 1", "call 2"]
    assert money(lines) == [(2, "initial", -1000, "DAB 5(a)"), (1, "initial", 0, "DAB 5(b)")]  # 19 against 17 and 19


def test_after_the_deal_other_paragraphs_speak() -> None:
    for words in ("dealer", "6s no no 9c 9h Kc 8c dealer"):
        with pytest.raises(UsageError, match="15\\(a\\)"):
            play(words)


def test_a_box_that_is_let_out_gets_every_wager_back_and_no_card() -> None:
    asked, lines = play("6s no attack 9c to:2 9h out:1 8c stand Kh 2d", bonus=500)
    assert asked[-4:] == ["to-box 2", "call 2", "dealers-card 0", "dealers-card 0"]
    back = [(1, "initial", 0, "DAB-15a"), (1, "bonus", 0, "DAB-15a")]
    assert money(lines)[:2] == back
    assert {it[:2] for it in money(lines)[2:]} == {(2, "initial"), (2, "double attack"), (2, "bonus")}


def test_a_round_whose_boxes_are_all_out_is_over() -> None:
    _, lines = play("6s no no 9c to:2 9h out:2 out:1")
    assert money(lines) == [(2, "initial", 0, "DAB-15a"), (1, "initial", 0, "DAB-15a")]


def test_a_floorperson_signs_for_a_box_that_is_let_out(tmp_path: Path) -> None:
    with sitting(tmp_path, GAME) as it:
        bet(it, 1, initial=1000)
        it.until(lambda values: values["ask"] and values["ask"]["key"] == "cards:0:1")
        it.tap(do="answer", key="cards:0:1")
        it.tap(do="choose", key=it.next()["ask"]["key"], choice="no")
        assert "recorded" in it.tap(do="irregularity", name="delivered_forward", seat=1)
        with pytest.raises(UsageError, match="who decides it"):
            it.tap(do="irregularity", name="let_out", seat=1, cards=0)
        assert "recorded" in it.tap(do="irregularity", name="let_out", seat=1, cards=0, by="J. Doe")
        it.until(lambda values: values["seats"][0]["says"] == "out")
        signed = [fact.data for fact in it.desk.books.inputs(it.desk.number) if fact.kind == "decided by"]
        assert signed == [{"what": "let_out", "by": "J. Doe"}]
