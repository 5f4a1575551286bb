"""Windows and macOS: the library and the commands around a device need no module and no function of POSIX alone."""

import subprocess
import sys
from pathlib import Path

import pytest

from fairshoe import files, keys
from fairshoe.bench import hands
from fairshoe.cli.command_line import main
from fairshoe.messages import Role

ROOT = Path(__file__).resolve().parents[3]
BLOCKED = ("fcntl", "termios", "tty", "pty", "pwd", "grp", "resource", "readline", "curses", "syslog")
GONE = ("getuid", "geteuid", "openpty", "fork", "forkpty", "set_blocking", "ttyname", "mkfifo", "killpg")

# A Python as on Windows, as far as that goes here: modules that cannot be imported, functions and signals that are not.
PROGRAM = """
import asyncio, os, select, signal, stat, subprocess, sys
import serial, serial.tools.list_ports  # which have modules of their own for each system
class Block:
    def find_spec(self, name, path=None, target=None):
        if name in {blocked}:
            raise ImportError(name)
sys.meta_path.insert(0, Block())
for name in {blocked}:
    sys.modules.pop(name, None)
for name in {gone}:
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGHUP", "SIGTSTP", "SIGUSR1", "SIGKILL"):
    delattr(signal, name)
for name in ("poll", "epoll"):
    delattr(select, name)
wait = select.select
def sockets_only(*lists):
    for each in [each for some in lists[:3] for each in some]:
        number = each if isinstance(each, int) else each.fileno()
        if not stat.S_ISSOCK(os.fstat(number).st_mode):
            raise OSError(10038, "select takes only sockets on Windows")
    return wait(*lists)
select.select = sockets_only
from fairshoe import files
files.WINDOWS = True
from fairshoe.cli.command_line import main
failed = []
for words in {commands}:
    try:
        code = main(words)
    except SystemExit as ended:
        code = ended.code
    if code:
        failed.append((words, code))
sys.exit(repr(failed) if failed else 0)
"""


def test_the_commands_around_a_device_run_without_posix(tmp_path: Path) -> None:
    shoe = "sim://pico-shoe?dealer=none"
    made = tmp_path / "keys"
    assert main(["keys", "new", str(made)]) == 0  # here: icacls protects a key file on Windows
    commands = [
        ["status", shoe],
        ["monitor", shoe, "--json", "--quiet-s", "0"],
        ["decode", str(ROOT / "docs" / "protocol" / "golden.bin")],
        ["journal", "pull", shoe, "-o", str(tmp_path / "shift.journal")],
        ["journal", "show", str(tmp_path / "shift.journal")],
        ["bench", "list"],
        ["bench", "sim://pico-shoe", "sensors", "--out", str(tmp_path / "reports")],
        ["firmware", "flash", "--help"],
        ["selftest", shoe],
        ["round", f"sim://pico-carousel?dealer=hands&key={made}/device.key", "--key-file", str(made / "table.key")],
        *([name, "--help"] for name in ("bench", "deal", "provision", "sim", "demo", "proof", "firmware")),
    ]
    program = PROGRAM.format(blocked=BLOCKED, gone=GONE, commands=commands)
    done = subprocess.run(
        [sys.executable, "-c", program],
        input="\n2\n" + "\n" * 20,  # Enter to shuffle, the positions, Enter before each other command
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "how many positions play?" in done.stdout and "round 1" in done.stdout


def test_on_windows_an_access_list_protects_a_key_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[list[str]] = []
    monkeypatch.setattr(files, "WINDOWS", True)
    monkeypatch.setenv("USERNAME", "dealer")

    def run(words: list[str], **_more: object) -> None:
        called.append(words)

    monkeypatch.setattr(files.subprocess, "run", run)
    path = tmp_path / "table.key"
    keys.write_key(path, "table", bytes(32))
    assert called == [["icacls", str(path), "/inheritance:r", "/grant:r", "dealer:F"]]
    path.chmod(0o644)  # what every file seems to have there
    assert keys.read_key(path).role == Role.TABLE


@pytest.mark.parametrize(
    ("problem", "named"),
    [
        (FileNotFoundError(2, "not found", "icacls"), "the program icacls was not found"),
        (subprocess.CalledProcessError(5, "icacls"), "icacls ended with status 5"),
    ],
)
def test_on_windows_a_key_that_cannot_be_protected_is_not_written(
    problem: Exception, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(_words: list[str], **_more: object) -> None:
        raise problem

    monkeypatch.setattr(files, "WINDOWS", True)
    monkeypatch.setattr(files.subprocess, "run", run)
    assert main(["keys", "new", str(tmp_path / "made")]) == 3
    said = " ".join(capsys.readouterr().err.split())
    assert named in said and "every user of this computer could read it. The key was not written." in said
    assert list(tmp_path.rglob("*.key")) == []


class Console:
    """The keyboard of a Windows console: the characters that were typed and not yet read."""

    def __init__(self, typed: str) -> None:
        self.typed = list(typed)

    def kbhit(self) -> bool:
        return bool(self.typed)

    def getwch(self) -> str:
        return self.typed.pop(0)


@pytest.mark.parametrize(
    ("typed", "entered"), [("", False), ("y", False), ("\r", True), ("yes\r", True), ("\rx", True)]
)
def test_on_windows_the_bench_reads_the_console(typed: str, entered: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(typed)
    monkeypatch.setitem(sys.modules, "msvcrt", console)  # type: ignore[arg-type]
    monkeypatch.setattr(hands.sys, "platform", "win32")
    assert hands.enter_pressed() is entered
    assert not console.typed and not hands.enter_pressed()
