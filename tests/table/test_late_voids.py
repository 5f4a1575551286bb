"""Face-up cards that a person reports when the hands are settled void Double Down Stud also then: 11(b) has no time."""

from __future__ import annotations

from test_books import OVER, ROUNDS, check_books, tell, void

from fairshoe_table.books.books import Books
from fairshoe_table.rules.ledger import Outcome

GAME = "double-down-stud"


def test_what_was_paid_and_taken_goes_back_when_a_settled_round_is_void(books: Books) -> None:
    number, settled = tell(books, GAME, ROUNDS[GAME])
    assert any(line.paid for line in settled)
    tell(books, GAME, [void("DDS-11b"), OVER])
    assert {line.outcome for line in books.lines(number)} == {Outcome.VOID}
    assert sum(line.net for line in books.lines(number)) == 0 and books.balances()["table-1/tray"] == 0
    check_books(books)
