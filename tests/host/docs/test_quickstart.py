"""The programs of docs/QUICKSTART.md do what the page says."""

import contextlib
import json
import re
from pathlib import Path

import pytest
from test_cli import simulator

PAGE = Path(__file__).resolve().parents[3] / "docs" / "QUICKSTART.md"
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


def test_a_round_is_played_with_what_the_page_says_to_type() -> None:
    """Each action as the page has it, when the display asks for it; the machine ends up where it began."""
    section = PAGE.read_text("utf-8").partition("## 2.")[2].partition("## 3.")[0]
    typed = re.findall(r"`((?:load|press|take)[ a-z0-9]*)`", section)
    asked = ["Insert deck", "Insert deck", "CLOSE", "LOCK", "Take the stack"]
    asked += ["Take the stack", "Take the remainder", "over"]
    assert len(typed) == len(asked)
    with simulator("--display") as (process, _ready):
        assert process.stdin and process.stdout
        shown = ""
        for words, wanted in zip([*typed, ""], [*asked, "Ready for a deck"], strict=True):
            while wanted not in shown:
                shown = " ".join(json.loads(process.stdout.readline()).get("display", ()))
                assert "STOP" not in shown, words
            process.stdin.write(f"{words}\n".encode() if words else b"quit\n")
            process.stdin.flush()
            shown = shown if words.startswith("load") else ""  # a deck that is put in changes nothing there
