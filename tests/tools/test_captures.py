"""Captures are what a terminal showed: played in a real one, rendered cell by cell, compared but for what differs."""

import re
from pathlib import Path

import pytest
from captures import compare
from captures import player as captures_run
from captures.catalogue import CAPTURES
from captures.pages import PAGES
from captures.player import Capture, CaptureError, Cue, Edit, Quiet, Show, screen_of, scrub
from captures.svg import PLAIN, Cell, Style, render

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[2]


def text_of(rows: list[list[Cell]]) -> list[str]:
    return ["".join(data for data, _ in row).rstrip() for row in rows]


def played(tmp_path: Path, *steps: captures_run.Step, columns: int = 60, **more: object) -> list[str]:
    capture = Capture("name", "title", steps, columns=columns, **more)  # pyright: ignore[reportArgumentType]
    return text_of(screen_of(captures_run.Player(capture, tmp_path).play(), columns, capture.rows))


# -- playing --------------------------------------------------------------------------------------


def test_a_command_runs_on_a_terminal_of_the_size_that_was_asked_for(tmp_path: Path) -> None:
    shown = played(tmp_path, Show("sh -c 'test -t 0 && test -t 1 && stty size'"), columns=72, rows=20)
    assert shown == ["$ sh -c 'test -t 0 && test -t 1 && stty size'", "20 72"]


def test_what_is_typed_and_answered_is_shown(tmp_path: Path) -> None:
    ask = Show("sh -c 'echo who?; read x; echo hello $x'", cues=(Cue("who?", 1, type="dealer"),))
    assert played(tmp_path, ask)[1:] == ["who?", "dealer", "hello dealer"]


def test_a_command_without_an_end_is_shown_to_a_line_and_interrupted(tmp_path: Path) -> None:
    endless = Show("sh -c 'echo one; echo two; echo three; exec sleep 600'", until="one", more=1)
    assert played(tmp_path, endless)[1:] == ["one", "two"]


def test_preparations_are_made_and_not_shown(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("")
    steps = (Quiet("touch prepared"), Show("ls prepared"))
    assert played(tmp_path, *steps) == ["$ ls prepared", "prepared"]


def test_nothing_of_whoever_takes_a_capture_reaches_its_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRSHOE_PORT", "/dev/ttyACM9")
    monkeypatch.setenv("NO_COLOR", "1")
    shown = played(tmp_path, Show("env"))
    assert [line for line in shown if line.startswith(("FAIRSHOE", "NO_COLOR", "USER"))] == []
    assert {f"{name}=~" for name in ("HOME", "TMPDIR", "XDG_RUNTIME_DIR")} <= set(shown)


def test_a_copied_file_reads_as_it_was_edited(tmp_path: Path) -> None:
    edit = Edit("licence", "MIT License", "another")
    assert played(tmp_path, Show("head -1 licence"), files={"licence": "LICENSE"}, edits=(edit,))[1:] == ["another"]


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (Show("false"), "status 1, not 0"),
        (Show("true", status=15), "status 0, not 15"),
        (Show("echo one", until="two"), "no output matched 'two'"),
        (Show("echo one", cues=(Cue("never", type="x"),)), "no output matched 'never'"),
        (Quiet("false"), "false: status 1"),
    ],
)
def test_a_step_that_does_not_go_as_it_should_is_told(step: captures_run.Step, told: str, tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match=re.escape(told)):
        played(tmp_path, step)


def test_a_command_that_says_nothing_is_not_waited_for_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(captures_run, "STEP_S", 0.2)
    with pytest.raises(CaptureError, match="no output matched 'never'"):
        played(tmp_path, Show("sleep 600", until="never"))


def test_an_edit_of_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="0 times"):
        played(tmp_path, files={"licence": "LICENSE"}, edits=(Edit("licence", "no such words", ""),))


# -- rendering ------------------------------------------------------------------------------------


def test_the_screen_is_what_is_left_after_lines_were_written_over() -> None:
    assert text_of(screen_of("> live\r\x1b[Kline\r\n> live again\r\x1b[K", 20, 5)) == ["line"]


def test_colours_weights_and_faint_text_arrive() -> None:
    ((a, b, c, *_),) = screen_of("\x1b[31ma\x1b[0m\x1b[1mb\x1b[0m\x1b[2mc\x1b[0m", 20, 5)
    assert (a, b, c) == (("a", Style("red")), ("b", Style(bold=True)), ("c", Style("brightblack")))


def test_text_is_escaped_selectable_and_as_long_as_its_cells() -> None:
    svg = render([[(char, PLAIN) for char in "a <b> & c "]], 10, "t & u")
    assert 'textLength="75.6"' in svg  # nine cells: spaces at the end are not drawn
    assert ">a &lt;b&gt; &amp; c</text>" in svg
    assert "<title>t &amp; u</title>" in svg


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
