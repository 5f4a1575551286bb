"""Captures tell nothing of who took them, are compared but for what differs, and are what the pages show."""

import re
from pathlib import Path

import pytest
from captures import compare, player
from captures.catalogue import CAPTURES
from captures.pages import PAGES
from captures.player import Capture, Show, screen_of, scrub
from captures.svg import PLAIN, render

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[2]


# -- playing --------------------------------------------------------------------------------------


def test_nothing_of_whoever_takes_a_capture_reaches_its_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRSHOE_PORT", "/dev/ttyACM9")
    monkeypatch.setenv("NO_COLOR", "1")
    text = player.Player(Capture("name", "title", (Show("env"),)), tmp_path).play()
    shown = ["".join(data for data, _ in row).rstrip() for row in screen_of(text, 60, 0)]
    assert [line for line in shown if line.startswith(("FAIRSHOE", "NO_COLOR", "USER"))] == []
    assert {f"{name}=~" for name in ("HOME", "TMPDIR", "XDG_RUNTIME_DIR")} <= set(shown)


# -- comparing ------------------------------------------------------------------------------------


def line(text: str) -> str:
    return render([[(char, PLAIN) for char in text]], 80, "t")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("   1.0 s  #1  booted", "  11.4 s  #1  booted"),
        ("commitment d0391b282d876da0", "commitment ddf99c80fbcca7c7"),
        ("> waiting for deck", "> preparing"),
    ],
)
def test_what_differs_from_run_to_run_makes_no_capture_stale(one: str, other: str) -> None:
    assert compare.steady(line(one)) == compare.steady(line(other))


@pytest.mark.parametrize(
    ("one", "other"), [("counted 52", "counted 51"), ("#1  booted", "#2  booted"), ("a -> b", "a -> c")]
)
def test_everything_else_does(one: str, other: str) -> None:
    assert compare.steady(line(one)) != compare.steady(line(other))


def test_ports_and_folders_of_the_machine_are_not_shown(tmp_path: Path) -> None:
    text = f"port /dev/pts/12, tap /dev/pts/3, port /dev/pts/12, {tmp_path}/x.journal in {tmp_path}"
    assert scrub(text, tmp_path) == "port /dev/pts/7, tap /dev/pts/8, port /dev/pts/7, x.journal in ~"
    text = "process 12, report bench-feed-20991231-235959.json"
    assert scrub(text, tmp_path) == "process 4711, report bench-feed-20260301-101500.json"


# -- what is in the repository --------------------------------------------------------------------


def test_there_is_a_picture_for_every_capture_and_no_other() -> None:
    assert {path.stem for path in compare.FOLDER.glob("*.svg")} == {capture.name for capture in CAPTURES}


def test_every_picture_is_shown_on_a_page_of_the_documentation() -> None:
    pages = [path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]]
    unused = [capture.name for capture in CAPTURES if not any(f"captures/{capture.name}.svg" in page for page in pages)]
    assert unused == []


def test_every_picture_of_a_page_is_there_and_on_the_tour() -> None:
    assert {path.stem for path in compare.FOLDER.glob("*.png")} == set(PAGES)
    pages = "".join(path.read_text(encoding="utf-8") for path in compare.FOLDER.parent.glob("*.md"))
    assert [name for name in PAGES if f"captures/{name}.png" not in pages] == []


# On a screen of few rows the command has scrolled away.
WHOLE = [capture for capture in CAPTURES if not capture.rows]


@pytest.mark.parametrize("capture", WHOLE, ids=[capture.name for capture in WHOLE])
def test_a_picture_shows_the_commands_of_its_capture(capture: Capture) -> None:
    svg = (compare.FOLDER / f"{capture.name}.svg").read_text(encoding="utf-8")
    shown = [step.command.split("{")[0] for step in capture.steps if isinstance(step, Show)]
    assert len(shown) == svg.count(">$</text>")
    assert [command for command in shown if command[:40] not in svg] == []


def test_pictures_fetch_nothing_and_name_no_machine() -> None:
    for path in compare.FOLDER.glob("*.svg"):
        svg = path.read_text(encoding="utf-8")
        assert re.findall(r"https?://[^\"]*", svg) == ["http://www.w3.org/2000/svg"], path
        assert "/tmp/" not in svg, path


def test_a_stale_capture_is_told_line_by_line() -> None:
    was, now = (compare.steady(line(text)) for text in ("   1.0 s  counted 52", "  22.0 s  counted 51"))
    told = compare.difference(was, now)
    assert [text.strip() for text in told.splitlines()][-2:] == ["- - counted 52", "+ - counted 51"]


def test_what_a_capture_says_may_vary_does_not_count_and_all_else_does() -> None:
    vary = (r"\d+ frames",)
    assert compare.steady(line("9 frames, 1 bad"), vary) == compare.steady(line("61 frames, 1 bad"), vary)
    assert compare.steady(line("9 frames, 1 bad"), vary) != compare.steady(line("9 frames, 2 bad"), vary)
