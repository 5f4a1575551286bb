"""Windows and macOS: the library and the commands around a device need no module and no function of POSIX alone."""

import subprocess
import sys
from pathlib import Path

import pytest

from fairshoe import files, keys
from fairshoe.messages import Role

ROOT = Path(__file__).resolve().parents[2]
BLOCKED = ("fcntl", "termios", "tty", "pty", "pwd", "grp", "resource", "readline", "curses", "syslog")
GONE = ("getuid", "geteuid", "openpty", "fork", "forkpty", "set_blocking", "ttyname", "mkfifo", "killpg")

# A Python as on Windows, as far as that goes here: modules that cannot be imported, functions and signals that are not.
PROGRAM = """
import asyncio, os, select, signal, subprocess, sys
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
    commands = [
        ["status", shoe],
        ["monitor", shoe, "--json", "--quiet-s", "0"],
        ["decode", str(ROOT / "docs" / "protocol" / "golden.bin")],
        ["journal", "pull", shoe, "-o", str(tmp_path / "shift.journal")],
        ["journal", "show", str(tmp_path / "shift.journal")],
        ["bench", "list"],
        ["flash", "--help"],
        ["selftest", shoe],
        *([name, "--help"] for name in ("bench", "round", "provision", "sim", "demo", "audit", "verify")),
    ]
    program = PROGRAM.format(blocked=BLOCKED, gone=GONE, commands=commands)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=600, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr[-2000:]


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
