"""A card that was entered wrongly is corrected by a reversing entry: nothing is overwritten, money is conserved."""

import sqlite3
from pathlib import Path

import pytest
from running_tables import FULL, check_books, check_replayed

from fairshoe.errors import UsageError
from fairshoe_table.books.books import Books
from fairshoe_table.games.double_attack.options import DoubleAttackOptions
from fairshoe_table.play.game import Dealt
from fairshoe_table.play.inputs import Input, wager
from fairshoe_table.play.options import Options
from fairshoe_table.play.round import asks
from fairshoe_table.rules.cards import cards
from fairshoe_table.rules.ledger import Wager

CARIBBEAN, DRAWN = "caribbean-stud", "double-attack-blackjack"
BY = "J. Doe, badge 12"


def answer(books: Books, number: int, options: Options, words: list[str]) -> None:
    """A choice, or cards by names joined with commas."""
    for word in words:
        ask = asks(books.play(number, options), Dealt(True, rest=True))[0]
        if ask.kind == "cards":
            fact = ask.answer(cards=list(cards(word.replace(",", " "))), source="dealer")
        else:
            fact = ask.answer(choice=word)
        books.record(number, fact, options)


def caribbean(books: Books, own: str, dealer: str = "Ah,Kd,9c,4s,2h", **side: int) -> int:
    number = books.open_round(CARIBBEAN)
    amounts = {Wager.ANTE: 1000, **{name.replace("_", " "): cents for name, cents in side.items()}}
    books.record(number, wager(2, amounts), FULL)
    books.record(number, Input("closed", "closed", {"round": 1}), FULL)
    answer(books, number, FULL, [dealer.split(",")[0], "raise", dealer, own])
    return number


def blackjack(books: Books, words: str) -> int:
    number, options = books.open_round(DRAWN), DoubleAttackOptions()
    books.record(number, wager(1, {Wager.INITIAL: 1000}), options)
    books.record(number, Input("closed", "closed", {"round": 1}), options)
    answer(books, number, options, words.split())
    return number


def seat(books: Books, number: int = 2) -> int:
    return books.balances()[f"table-1/seat {number}"]


def test_a_correction_before_the_settlement_settles_the_right_cards(books: Books) -> None:
    number = books.open_round(CARIBBEAN)
    books.record(number, wager(2, {Wager.ANTE: 1000}), FULL)
    books.record(number, Input("closed", "closed", {"round": 1}), FULL)
    answer(books, number, FULL, ["Ah", "raise", "Ah,Kd,9c,4s,2h"])
    books.correct(number, "cards:0:", cards("Ah Qd 9c 4s 2h"), FULL, "dealer", BY)
    assert books.lines(number) == []
    answer(books, number, FULL, ["2c,3d,5h,7s,8c"])
    books.record(number, Input("over", "over"), FULL)
    assert seat(books) == 1000  # the dealer does not qualify: ante 1 to 1, bet returned
    check_replayed(books, FULL)


@pytest.mark.parametrize("over", [False, True])
def test_a_correction_after_the_settlement_reverses_its_lines_and_books_them_again(books: Books, over: bool) -> None:
    number = caribbean(books, "Qc,Qd,3h,7s,8c")
    if over:
        books.record(number, Input("over", "over"), FULL)
    assert seat(books) == 3000
    fresh = books.correct(number, "cards:2:", cards("Qc Jd 3h 7s 8c"), FULL, "dealer", BY)
    assert [line.outcome.value for line in fresh] == ["lose", "lose"] and seat(books) == -3000
    booked = [line.outcome.value for _, line in books.history(number) if line is not None]
    assert booked == ["win", "win", "lose", "lose"]
    check_books(books)
    if not over:
        books.record(number, Input("over", "over"), FULL)
    assert books.replay(FULL) == []


def test_the_wrong_entry_and_who_approved_stay_in_the_books(books: Books, tmp_path: Path) -> None:
    number = caribbean(books, "Qc,Qd,3h,7s,8c")
    for right in ("Qc Jd 3h 7s 8c", "Qc Qd 3h 7s 8c"):
        books.correct(number, "cards:2:", cards(right), FULL, "dealer", BY)
    fact = {one.key: one for one in books.inputs(number)}
    assert fact["cards:2:"].data["cards"] == list(cards("Qc Qd 3h 7s 8c"))
    assert [fact[f"correct:cards:2::{time}"].data["approval"] for time in (1, 2)] == [BY, BY]
    assert seat(books) == 3000
    with sqlite3.connect(tmp_path / "books.db") as db:
        moved = db.execute("SELECT SUM(cents) FROM transfers WHERE target = 'table-1/tray'").fetchone()[0]
    assert moved == 3000 + 3000  # the lost wagers, and the winnings that came back
    check_books(books)


def test_a_correction_is_refused_without_a_supervisor_or_cards_that_were_entered(books: Books) -> None:
    number = caribbean(books, "Qc,Qd,3h,7s,8c")
    for of, right, by in (
        ("cards:2:", "Qc Jd 3h 7s 8c", " "),
        ("cards:2:", "Qc Jd 3h 7s", BY),
        ("cards:3:", "Qc Jd 3h 7s 8c", BY),
        ("closed", "Qc", BY),
        ("cards:2:", "Ah Jd 3h 7s 8c", BY),  # the dealer has that ace
    ):
        with pytest.raises(UsageError):
            books.correct(number, of, cards(right), FULL, "dealer", by)
    assert seat(books) == 3000
    check_books(books)


def test_a_round_before_the_last_deal_is_not_corrected(books: Books) -> None:
    number = caribbean(books, "Qc,Qd,3h,7s,8c")
    books.record(number, Input("over", "over"), FULL)
    newer = books.open_round(CARIBBEAN)
    books.record(newer, wager(2, {Wager.ANTE: 1000}), FULL)
    books.correct(number, "cards:2:", cards("Qc Jd 3h 7s 8c"), FULL, "dealer", BY)
    books.record(newer, Input("closed", "closed", {"round": 2}), FULL)
    with pytest.raises(UsageError, match="another round"):
        books.correct(number, "cards:2:", cards("Qc Qd 3h 7s 8c"), FULL, "dealer", BY)


ROYAL = "Ac Kc Qc Jc 10c"


def test_a_jackpot_that_was_missed_is_paid_by_a_correction_and_one_that_was_paid_stays(books: Books) -> None:
    number = caribbean(books, "Ac,Kc,Qc,Jc,9d", progressive=100)
    meter = books.meters("progressive")
    assert meter is not None
    shown = meter.by_name["main"].cents
    fresh = books.correct(number, "cards:2:", cards(ROYAL), FULL, "dealer", BY)
    assert [line.paid for line in fresh if line.source.startswith("meter ")] == [shown]
    again = books.meters("progressive")
    assert again is not None and again.by_name["main"].cents == again.by_name["main"].seed
    with pytest.raises(UsageError, match="jackpot"):
        books.correct(number, "cards:2:", cards("Ac Kc Qc Jc 8d"), FULL, "dealer", BY)
    # What does not touch the jackpot may be corrected: the dealer qualifies no more.
    fresh = books.correct(number, "cards:0:", cards("Ah Qd 9c 4s 2h"), FULL, "dealer", BY)
    assert [line.wager for line in fresh] == ["ante", "bet"]
    check_replayed(books, FULL)


def test_a_corrected_card_of_blackjack_opens_the_hand_again(books: Books) -> None:
    """A bust that was none: its line is reversed, nothing stands in its place, and the player is asked again."""
    number, options = blackjack(books, "6s no 9c 7d draw Ks"), DoubleAttackOptions()
    assert [line.net for line in books.lines(number)] == [-1000]
    assert books.correct(number, "cards:1:0.2.1", cards("2s"), options, "dealer", BY) == []
    assert books.lines(number) == [] and books.history(number)[-1][1] is None
    answer(books, number, options, ["stand", "Kc", "9h"])
    books.record(number, Input("over", "over"), options)
    assert seat(books, 1) == 1000
    check_replayed(books, options)


def test_a_correction_after_which_the_round_would_have_gone_on_otherwise_is_refused(books: Books) -> None:
    number, options = blackjack(books, "6s no 9c Kd stand 2c 9h"), DoubleAttackOptions()
    with pytest.raises(UsageError, match="not what this round asks"):  # 21: there was nothing to decide
        books.correct(number, "cards:1:0.0", cards("Ac"), options, "dealer", BY)
    books.record(number, Input("over", "over"), options)
    with pytest.raises(UsageError, match="would not be over"):  # the dealer has 16
        books.correct(number, "cards:0:3", cards("8h"), options, "dealer", BY)
    check_books(books)


def test_cards_of_two_hands_that_were_exchanged_are_corrected_at_once(books: Books) -> None:
    """Each correction alone would enter a card twice."""
    number = caribbean(books, "Ac,7d,7s,3h,2c", "Ah,Kd,9c,4s,2h")
    right, dealers = list(cards("Ah 7d 7s 3h 2c")), list(cards("Ac Kd 9c 4s 2h"))
    mine, other = (fact.key for fact in books.inputs(number)[-1:-3:-1])
    for of, faces in ((mine, right), (other, dealers)):
        with pytest.raises(UsageError, match="is entered again"):
            books.correct(number, of, faces, FULL, "dealer", BY)
    books.correct(number, mine, right, FULL, "dealer", BY, (other, dealers))
    round = books.play(number, FULL).round
    assert round.hands[0].cards == tuple(right) and round.dealer == tuple(dealers)
    with pytest.raises(UsageError, match="no such cards"):
        books.correct(number, mine, right, FULL, "dealer", BY, (other, dealers[:4]))
    check_books(books)
