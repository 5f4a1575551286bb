"""The programs of docs/QUICKSTART.md do what the page says."""

import contextlib
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "QUICKSTART.md"
LISTEN, INSIDE = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


class Enough(Exception):
    """The program has no end of its own."""


def lines_of(program: str, lines: int, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> list[str]:
    """What the program prints, to its end or to so many lines."""
    told: list[str] = []

    def show(*words: object) -> None:
        told.append(" ".join(str(word) for word in words))
        if len(told) == lines:
            raise Enough

    monkeypatch.setattr("sys.argv", ["listen.py", *arguments])
    with contextlib.suppress(Enough):
        exec(compile(program, PAGE.name, "exec"), {"print": show})
    return told


def test_a_round_is_played_inside_the_program_and_then_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    told = lines_of(INSIDE, 1000, monkeypatch)
    assert (told[0], told[-1]) == ("0 booted", "1 round_ended")


@pytest.mark.parametrize(
    ("faults", "told"),
    [("", "deck 1: 52 cards, counted twice"), ("&faults=jam:throat:12", "stopped: jam_throat")],
)
def test_the_listener_tells_of_decks_and_warnings(faults: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines_of(LISTEN, 1, monkeypatch, f"sim://pico-carousel?dealer=auto{faults}") == [told]
