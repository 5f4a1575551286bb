"""Completion scripts, tried in the real bash; zsh and fish where they are installed, and their shape everywhere."""

import json
import shutil
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from pty_screen import PtyScreen

from fairshoe.cli import command_line, registry, shell_completion
from fairshoe.sim import running_shoes


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion") / "fairshoe.bash"
    path.write_text(shell_completion.script(command_line.full_parser(), "bash"))
    return path


def complete(script: Path, *words: str, folder: Path | None = None) -> list[str]:
    """What Tab offers after these words, of which the last is being typed."""
    quoted = " ".join(f"'{word}'" for word in words)
    program = (
        f'source "{script}"; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _shtab_fairshoe; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    command = ["bash", "--norc", "-uc", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder, timeout=600)
    assert done.stderr == ""
    return done.stdout.split()


def test_commands_of_every_level_are_completed(script: Path) -> None:
    assert complete(script, "fairshoe", "st") == ["start", "status"]
    every = complete(script, "fairshoe", "")
    assert set(every) == set(registry.COMMANDS)
    assert complete(script, "fairshoe", "journal", "p") == ["pull"]
    assert complete(script, "fairshoe", "config", "") == ["show", "check"]
    assert complete(script, "fairshoe", "completion", "") == ["bash", "fish", "zsh"]
    assert "set-positions" in complete(script, "fairshoe", "command", "/dev/ttyACM0", "set")


def test_options_are_completed_and_those_of_the_command_only(script: Path) -> None:
    assert complete(script, "fairshoe", "monitor", "--h") == ["--help", "--host"]
    assert "--host" not in complete(script, "fairshoe", "status", "--")
    assert complete(script, "fairshoe", "--config", "x", "status", "--js") == ["--json"]


def test_the_value_of_an_option_is_completed_by_what_it_may_be(script: Path, tmp_path: Path) -> None:
    (tmp_path / "table.key").write_text("")
    assert complete(script, "fairshoe", "sim", "--mode", "") == ["report_only", "table"]
    assert complete(script, "fairshoe", "status", "--key-file", "ta", folder=tmp_path) == ["table.key"]
    assert complete(script, "fairshoe", "sim", "--seed", "") == []


def test_files_are_completed_where_a_file_is_wanted(script: Path, tmp_path: Path) -> None:
    (tmp_path / "my board.json").write_text("")
    (tmp_path / "capture.bin").write_text("")
    assert complete(script, "fairshoe", "decode", "cap", folder=tmp_path) == ["capture.bin"]
    assert complete(script, "fairshoe", "config", "check", "my", folder=tmp_path) == ["my", "board.json"]
    assert complete(script, "fairshoe", "status", "cap", folder=tmp_path) == []


def test_names_of_boards_games_plans_pages_and_scenarios_are_completed(script: Path) -> None:
    assert complete(script, "fairshoe", "sim", "--board", "pico-sh") == ["pico-shelves", "pico-shoe"]
    assert complete(script, "fairshoe", "demo", "--game", "bo") == ["boston-5-stud"]
    assert complete(script, "fairshoe", "firmware", "flash", "--board", "pico-dr") == ["pico-draw"]
    assert complete(script, "fairshoe", "game", "check", "house", "car") == ["caribbean-stud"]
    assert complete(script, "fairshoe", "bench", "show", "jam") == ["jam-drill"]
    assert complete(script, "fairshoe", "bench", "/dev/ttyACM0", "acc") == ["acceptance"]
    assert complete(script, "fairshoe", "docs", "QUICK") == ["QUICKSTART"]
    assert "carousel-card-under-the-rail" in complete(script, "fairshoe", "scenario", "run", "carousel-card-u")


def test_ports_of_running_simulators_are_completed(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with running_shoes.registered({"port": "/dev/pts/4711", "tap": "/dev/pts/4712", "tcp": None}):
        for command in ("monitor", "status", "bench"):
            assert "/dev/pts/4711" in complete(script, "fairshoe", command, "/dev/pts/47"), command
            assert "/dev/pts/4712" not in complete(script, "fairshoe", command, "/dev/pts/47"), command


# --- zsh and fish, which need not be installed ------------------------------------------------------------

TYPED = {
    "stat": ["status"],
    "journal p": ["pull"],
    "completion ": ["bash", "fish", "zsh"],
    "command /dev/ttyACM0 set-p": ["set-positions"],
    "monitor --h": ["--help", "--host"],
    "--config x status --js": ["--json"],
    "sim --mode ": ["report_only", "table"],
    "sim --board pico-sh": ["pico-shelves", "pico-shoe"],
    "status --key-file ta": ["table.key"],
    "decode cap": ["capture.bin"],
    "bench show jam": ["jam-drill"],
    "docs QUICK": ["QUICKSTART"],
    "monitor /dev/pts/471": ["/dev/pts/4711", "/dev/pts/4713"],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """With files to complete, and two simulated shoes that seem to run."""
    for name in ("table.key", "capture.bin"):
        (tmp_path / name).write_text("")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    sims = tmp_path / "fairshoe"
    sims.mkdir()
    for port in ("4711", "4713"):
        (sims / f"sim-{port}.json").write_text(json.dumps({"port": f"/dev/pts/{port}", "tap": "/dev/pts/4712"}))
    yield tmp_path


def installed(shell: str) -> bool:
    if shutil.which(shell) is None:
        warnings.warn(f"{shell} is not installed: its completion script was not run", stacklevel=2)
    return shutil.which(shell) is not None


def test_fish_completes_where_it_is_installed(folder: Path) -> None:
    if not installed("fish"):
        return
    (folder / "script").write_text(shell_completion.script(command_line.full_parser(), "fish"))
    program = "source script; " + "; ".join(f"complete -C'fairshoe {typed}'; echo ." for typed in TYPED)
    done = subprocess.run(
        ["fish", "--no-config", "-c", program], capture_output=True, text=True, timeout=600, check=True
    )
    shown = [[line.partition("\t")[0] for line in part.split("\n") if line] for part in done.stdout.split(".\n")]
    assert done.stderr == ""
    assert dict(zip(TYPED, shown, strict=False)) == TYPED


def test_zsh_completes_where_it_is_installed(folder: Path) -> None:
    if not installed("zsh"):
        return
    (folder / "_fairshoe").write_text(shell_completion.script(command_line.full_parser(), "zsh"))
    screen = PtyScreen(["zsh", "-f", "-i"], 120, 40, {"HOME": str(folder)})
    try:
        screen.press("PS1='> '; fpath=($PWD $fpath); autoload -U compinit; compinit -D -u; echo $((40 + 2))\n")
        screen.until("\n42")
        for typed, offered in TYPED.items():
            screen.press(f"\x15\x0cfairshoe {typed}\t")  # the line and the screen cleared before
            text = screen.until(lambda text: all(word in text for word in offered))  # noqa: B023
            assert "_fairshoe" not in text, text  # an error of the script
    finally:
        screen.close()
