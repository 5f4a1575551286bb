"""Wrong values in every field of every tap: each is refused, and nothing has changed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sitting import bet, sitting

from fairshoe.errors import UsageError
from fairshoe_table.books.books import Books
from fairshoe_table.desk.tap_fields import PAGE, TAPS
from fairshoe_table.play.options import Options
from fairshoe_table.simulated.sitting import Sitting

WRONG: tuple[object, ...] = (
    *(None, 5, -1, 10**30, 0.5, 1e999, True, "5", [], [None], ["x" * 10_000], [5] * 1000, {}, {"by": "J. Doe"}),
    *("", "  ", "x" * 10_000, "J. Doe\x1b[31m", "J. Doe\n", "\x00", "\u202eeoD"),
)
WORD, NUMBER, FLAG, WORDS, NUMBERS = "word", 5, True, ["word"], [5]
RIGHT: dict[str, dict[str, object]] = {
    "wager": {"seat": NUMBER, "bettor": 1, "wager": "ante", "cents": 1000, "coupon": 0},
    "again": {},
    "close": {},
    "go": {"command": WORD},
    "choose": {"key": WORD, "choice": WORD, "cents": NUMBER},
    "count": {"key": WORD, "count": NUMBER},
    "card": {"key": WORD, "card": NUMBER},
    "back": {"place": NUMBER},
    "leave": {},
    "enter": {"key": WORD},
    "done": {"line": WORD, "checked": WORDS, "by": WORD},
    "house": {"choice": "void", "by": "J. Doe", "reason": WORD},
    "irregularity": {"name": WORD, "seat": NUMBER, "cards": NUMBER, "by": WORD},
    "correct": {"of": WORD, "cards": NUMBERS, "by": "J. Doe", "also": "", "also_cards": []},
    "rack": {"kind": "opening", "cents": 100, "by": "J. Doe", "note": "", "key": ""},
    "seen": {"call": NUMBER},
    "hands": {"on": FLAG},
    "hand": {},
    "players": {},
    "answer": {"key": WORD},
    "jam": {},
}
OPTIONAL = {
    *(("wager", "bettor"), ("wager", "coupon"), ("choose", "cents"), ("back", "place"), ("done", "checked")),
    *(("done", "by"), ("irregularity", "seat"), ("irregularity", "cards"), ("irregularity", "by"), ("correct", "also")),
    ("correct", "also_cards"),
}
MAY_BE_BLANK = {("rack", "note"), ("rack", "key"), ("done", "by"), ("irregularity", "by"), ("correct", "also")}


def fits(kind: str, name: str, right: object, value: object) -> bool:
    """Whether this value has the type of the field: only its meaning may be wrong."""
    if (kind, name) == ("choose", "choice") and type(value) is bool:
        return True
    if isinstance(value, str) and isinstance(right, str):
        return value == "5" or (not value.strip() and (kind, name) in MAY_BE_BLANK)
    return (type(value) is type(right) and value in (5, True)) or (isinstance(right, list) and value == [])


def wrong_taps(kind: str, right: dict[str, object]) -> Iterator[dict[str, object]]:
    for name, its in {**right, "do": kind, "round": NUMBER, "lines_of": NUMBER}.items():
        for value in WRONG:
            if not fits(kind, name, its, value):
                yield {**right, "do": kind, name: value}
    yield {**right, "do": kind, "unknown": 1}
    for name in right:
        if (kind, name) not in OPTIONAL:
            yield {"do": kind, **{it: value for it, value in right.items() if it != name}}


def state(it: Sitting) -> Any:
    books: Books = it.desk.books
    entries = books.rack.entries(books.rack.last_shift())
    return books.inputs(it.desk.number), entries, it.desk.calls, it.desk.draft.placed, it.desk.hands_by_themselves


def test_every_field_of_every_tap_is_listed() -> None:
    assert {kind: set(fields) for kind, fields in TAPS.items()} == {kind: set(right) for kind, right in RIGHT.items()}
    assert all(field.meaning for fields in (PAGE, *TAPS.values()) for field in fields.values())


@pytest.mark.parametrize("dealt", [False, True], ids=["wagers", "cards"])
def test_wrong_values_are_refused_in_every_field_of_every_tap(tmp_path: Path, dealt: bool) -> None:
    with sitting(tmp_path, "caribbean-stud") as it:
        it.desk.call("a floorperson is called")
        it.bets()
        right = RIGHT
        if dealt:
            bet(it, 2, ante=1000)
            while not it.values["entered"]:
                it.go_on()
            hand = it.values["entered"][0]
            right = {**RIGHT, "correct": {**RIGHT["correct"], "of": hand["of"], "cards": hand["cards"]}}
        before = state(it)
        for kind, its in right.items():
            answers = [(tap, it.desk.tap({**it.shown(), **tap})) for tap in wrong_taps(kind, its)]
            it.turn()
            for tap, answer in answers:
                assert isinstance(answer.exception(0), UsageError), tap
            assert state(it) == before, kind
        for kind in ("rack", *(("correct", "house") if dealt else ("wager",))):
            it.tap(do=kind, **right[kind])  # taken: nothing but the wrong value was refused


@pytest.mark.parametrize("text", ["x" * 201, "J.\x1b[31m Doe", "J. Doe\nvoided by R. Roe"])
def test_no_program_books_a_name_or_a_reason_that_is_no_line(books: Books, text: str) -> None:
    for act in (
        lambda: books.rack.add("opening", 100, text),
        lambda: books.void_unread(text, "x"),
        lambda: books.void_unread("J. Doe", text),
        lambda: books.correct(1, "cards:1:", [5], Options(), "dealer", text),
    ):
        with pytest.raises(UsageError, match="is no line of up to 200 characters"):
            act()
