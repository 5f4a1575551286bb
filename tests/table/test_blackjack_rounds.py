"""Double Attack Blackjack at a table: the order of questions, splits and doubles with their stakes, a drawn shoe."""

from pathlib import Path

import pytest
from running_tables import check_books

from fairshoe.errors import UsageError
from fairshoe_table.books import Books
from fairshoe_table.cards import card
from fairshoe_table.demonstration import simulated_table
from fairshoe_table.ledger import Line, Wager
from fairshoe_table.options import DoubleAttackOptions
from fairshoe_table.plays import Ask, Dealt, Input, asks, wager

GAME = "double-attack-blackjack"
OPTIONS = DoubleAttackOptions()


def play(answers: str, **wagers: int) -> tuple[list[str], list[Line], Books]:
    """Answer every question in turn with a card or a choice; what was asked, and the lines."""
    books = Books(":memory:")
    number = books.open_round(GAME)
    amounts = {Wager.INITIAL: 1000, **{Wager(name): cents for name, cents in wagers.items()}}
    books.record(number, wager(1, amounts), OPTIONS)
    books.record(number, Input("closed", "closed", {"round": 1}), OPTIONS)
    asked: list[str] = []
    for word in answers.split():
        ask = _next(books, number)
        asked.append(f"{ask.kind} {ask.seat}")
        if ask.kind == "cards":
            books.record(number, ask.answer(cards=[card(word)], source="dealer"), OPTIONS)
        else:
            books.record(number, ask.answer(choice=word), OPTIONS)
    assert asks(books.play(number, OPTIONS), Dealt(True)) == []
    books.record(number, Input("over", "over"), OPTIONS)
    check_books(books)
    return asked, books.lines(number), books


def _next(books: Books, number: int) -> Ask:
    return asks(books.play(number, OPTIONS), Dealt(True))[0]


def nets(lines: list[Line]) -> list[tuple[str, int]]:
    return [(line.wager.value, line.net) for line in lines]


def test_questions_come_in_the_order_of_the_rules() -> None:
    asked, lines, _ = play("6s attack 9c Kd stand Kc 9h")
    assert asked == ["cards 0", "decide 1", "cards 1", "cards 1", "decide 1", "cards 0", "cards 0"]
    assert nets(lines) == [("initial", 1000), ("double attack", 1000)]


def test_insurance_is_asked_for_against_an_ace_only() -> None:
    asked, lines, _ = play("As no 9c Kd insure stand Kc")
    assert asked.count("decide 1") == 3
    assert nets(lines) == [("insurance", 1250), ("initial", -1000)]


def test_a_split_asks_the_initial_amount_and_plays_the_first_hand_first() -> None:
    _, lines, books = play("6s attack 8c 8d split 3h double Ks 9s stand Kc 9h")
    assert nets(lines) == [("initial", 1000), ("double attack", 1000), ("doubled", 2000), ("split", 1000)]
    assert books.balances()["table-1/seat 1"] == 5000


def test_split_aces_get_one_card_each() -> None:
    asked, lines, _ = play("6s no Ac Ad split 5h Ks Kc 9h")
    assert asked.count("decide 1") == 2  # the attack, and the split
    assert nets(lines) == [("initial", 1000), ("split", 1000)]


def test_a_bust_of_all_boxes_ends_the_round_without_a_card_for_the_dealer() -> None:
    asked, lines, _ = play("6s no 9c 7d draw Ks")
    assert asked[-1] == "cards 1" and nets(lines) == [("initial", -1000)]


def test_a_bonus_wager_makes_the_dealer_draw_the_third_card() -> None:
    _, lines, _ = play("6s no 9c 7d draw Ks Ks 7h", bonus=300)
    assert nets(lines) == [("initial", -1000), ("bonus", 3000)]


def test_a_surrender_against_a_two_to_nine_is_half_at_once() -> None:
    _, lines, _ = play("6s attack 9c 7d surrender")
    assert nets(lines) == [("initial", -500), ("double attack", -500)]


def test_a_choice_that_the_hand_does_not_have_is_refused() -> None:
    with pytest.raises(UsageError, match="not possible"):
        play("6s no 9c 7d split")


def test_rounds_at_a_drawn_shoe_whose_count_agrees(tmp_path: Path) -> None:
    with simulated_table(tmp_path, GAME, seed=4) as it:
        for _ in range(4):
            it.table.play_round()
            assert it.shoe.current_round.cards.inside == len(it.floor.pile)
        check_books(it.books)
