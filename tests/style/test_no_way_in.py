"""No byte that arrives at a shoe becomes code: nothing that its link reaches can run, load or open anything."""

import ast
import builtins
import signal
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import style_checks as checks
from test_style import python_files

import firmware.main as device_main

BITE_S = 0.05
ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("firmware/", "hal/")
SIMULATED = ("hal/sim/", "hal/disk.py")  # on a host only
CALLS = {"exec", "eval", "compile", "__import__", "execfile", "input", "globals", "locals", "getattr", "setattr"}
FILES = {"open"}
MODULES = {"os", "uos", "io", "vfs", "importlib", "network", "socket", "bluetooth", "_thread", "subprocess", "code"}
ANYWHERE = {"dupterm", "bootloader", "exec", "eval", "__import__", "chdir", "rename", "unlink"}
# hal/boot_main.py opens board, game and dictionary for firmware/main.py, and before that the modules, to check their
# checksum. The flash chip's size is known to the file system alone.
MAY_OPEN = {"hal/boot_main.py"}
MAY_IMPORT = {"hal/rp2/onboard.py": {"os"}, "hal/boot_main.py": {"os", "io"}}


def ways_in(path: str, source: str) -> list[str]:
    """Names in a module that would let what it is given become more than data."""
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id in CALLS or (node.id in FILES and path not in MAY_OPEN):
                found.append(f"{path}:{node.lineno}: {node.id}")
        elif isinstance(node, ast.Attribute) and node.attr in ANYWHERE:
            found.append(f"{path}:{node.lineno}: .{node.attr}")
        elif isinstance(node, ast.Constant) and node.value in ANYWHERE | CALLS:
            found.append(f"{path}:{node.lineno}: {node.value!r}")
    for item in checks.imports_of(path, source):
        top = item.name.split(".")[0]
        if top in MODULES - MAY_IMPORT.get(path, set()) and not item.guarded:
            found.append(f"{path}:{item.line}: import {top}")
    return found


def shipped() -> dict[str, str]:
    ours = {path: text for path, text in python_files().items() if path.startswith(SHIPPED)}
    return {path: text for path, text in ours.items() if not path.startswith(SIMULATED)}


def test_nothing_that_is_shipped_can_run_load_or_open_what_it_is_given() -> None:
    assert len(shipped()) > 50
    assert [way for path, text in shipped().items() for way in ways_in(path, text)] == []


@pytest.mark.parametrize(
    "line",
    [
        "exec(text)",
        "value = eval(text)",
        "run = eval",
        "__import__(name)",
        "file = open(name)",
        "import os",
        "from os import dupterm",
        "import uos as quiet",
        "machine.bootloader()",
        "getattr(app, name)()",
        "term.dupterm(uart)",
        "import network",
        "call = 'exec'",
    ],
)
def test_a_way_in_that_is_planted_is_found(line: str) -> None:
    assert ways_in("firmware/link/planted.py", line)


def test_only_the_port_to_the_console_knows_the_console() -> None:
    users = [path for path, text in shipped().items() if any(i.top == "sys" for i in checks.imports_of(path, text))]
    assert users == ["hal/board/usb.py"]


def test_no_shipped_file_gives_the_uart_of_the_table_to_the_prompt() -> None:
    """MicroPython's prompt is at the console of the RP2040, and anywhere else only after dupterm."""
    for path, text in shipped().items():
        assert "dupterm" not in text, path
    boot_files = [path for path in python_files() if Path(path).name in ("boot.py", "_boot.py")]
    assert boot_files == []


# -- once scanning, never a prompt -------------------------------------------------------------------------------------


class Bitten(BaseException):
    """The watchdog has reset the device."""


def no_files(name: str) -> Any:
    raise OSError(name)


class Board:
    """A port that notes what is done to it."""

    def __init__(self, storage_fails: bool) -> None:
        self.done: list[str] = []
        self.storage_fails = storage_fails
        self.now_ms = 800  # loading takes that long
        self.ctrl_c_ms = -1

    def ticks_ms(self) -> int:
        return self.now_ms

    def idle(self, ms: int) -> None:
        self.now_ms += ms
        if self.now_ms == self.ctrl_c_ms:
            raise KeyboardInterrupt

    def all_off(self) -> None:
        self.done.append("off")
        signal.setitimer(signal.ITIMER_REAL, BITE_S, BITE_S)  # what runs on its own, like the watchdog

    def nv_prog(self, _address: int, buf: bytearray) -> bool:
        if self.storage_fails:
            raise MemoryError
        self.done.append(f"stored {bytes(buf[4:12]).decode()}")
        return True

    def nv_sync(self) -> bool:
        return True

    def watchdog_feed(self) -> None:
        self.done.append("watched")


def run_main(prompt_ms: int, started: Callable[[], None]) -> None:
    def bite(_signal: int, _frame: Any) -> None:
        raise Bitten

    kept = signal.signal(signal.SIGALRM, bite)
    try:
        device_main.main(no_files, prompt_ms, started)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, kept)


def starts(hal: Board, error: type[BaseException] | None = None) -> Callable[[Any], Any]:
    """firmware.main.start: an app whose first scan ends, or raises."""

    def scan(_now_ms: int) -> int:
        hal.done.append("first scan")
        if error:
            raise error
        return 0

    def start(_open_data: Any) -> Any:
        return SimpleNamespace(boot=3, hal=hal, scan=scan)

    return start


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("storage_fails", [False, True])
@pytest.mark.parametrize(
    "error", [KeyboardInterrupt, SystemExit, MemoryError, ValueError, GeneratorExit, OSError, RecursionError]
)
def test_whatever_ends_the_scans_ends_in_motors_off_and_the_watchdog(
    error: type[BaseException], storage_fails: bool, first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    hal = Board(storage_fails)
    interrupts: list[int] = []

    def scans(_app: Any, started: Callable[[], None]) -> None:
        hal.done.append("scanning")
        started()
        assert interrupts == [-1], "Ctrl-C is only a byte by now"
        raise error

    monkeypatch.setattr(device_main, "start", starts(hal, error if first else None))
    monkeypatch.setattr(device_main, "run", scans)
    monkeypatch.setattr(device_main.micropython, "kbd_intr", interrupts.append)
    with pytest.raises(Bitten):
        run_main(2000, lambda: hal.done.append("started"))
    said = [] if storage_fails else [f"stored {error()!r:.8}"]
    scanned = ["watched", "first scan"] if first else ["watched", "first scan", "scanning", "started"]
    assert [word.rstrip("\0") for word in hal.done] == [*scanned, "off", *said]


def test_in_the_first_two_seconds_a_technician_gets_in_by_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without these seconds the firmware of a shoe could not be replaced. The watchdog does not run yet."""
    interrupts: list[int] = []

    def scans(_app: Any, _started: Callable[[], None]) -> None:
        raise MemoryError

    monkeypatch.setattr(device_main, "run", scans)
    monkeypatch.setattr(device_main.micropython, "kbd_intr", interrupts.append)
    for ctrl_c_ms in (801, 1999):
        hal = Board(storage_fails=False)
        hal.ctrl_c_ms = ctrl_c_ms
        monkeypatch.setattr(device_main, "start", starts(hal))
        with pytest.raises(KeyboardInterrupt):
            run_main(2000, lambda: None)
        assert hal.done == [] and interrupts == [] and hal.now_ms == ctrl_c_ms
    for prompt_ms in (2000, 0):
        hal = Board(storage_fails=False)
        monkeypatch.setattr(device_main, "start", starts(hal))
        with pytest.raises(Bitten):
            run_main(prompt_ms, lambda: None)
        assert hal.done[:2] == ["watched", "first scan"] and interrupts.pop() == -1
        assert hal.now_ms == max(prompt_ms, 800)


def test_main_has_no_way_out_behind_the_scans() -> None:
    """Its last statement is a loop without an end, outside of any handler."""
    tree = ast.parse((ROOT / "firmware" / "main.py").read_text(encoding="utf-8"))
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "main")
    last = function.body[-1]
    assert isinstance(last, ast.While)
    assert isinstance(last.test, ast.Constant) and last.test.value is True
    assert [type(node) for node in last.body] == [ast.Pass]
    assert not [node for node in ast.walk(function) if isinstance(node, ast.Return)]


def test_the_list_of_ways_in_names_what_python_has() -> None:
    """A word that was misspelt would find nothing."""
    assert {name for name in CALLS if not hasattr(builtins, name)} == {"execfile"}


def test_files_are_opened_to_be_read_and_by_names_of_the_firmware_alone() -> None:
    """The link cannot name a file: each name is a constant, or a module that the folder lists."""
    found: list[str] = []
    for path in ("firmware/main.py", "hal/boot_main.py"):
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("open", "open_file", "open_data"):
                found.append(ast.unparse(node))
    assert sorted(found) == [
        "open('files.crc')",
        "open(name, 'rb')",  # of open_file
        "open(path, 'rb')",  # of the modules
        "open_data('board.json')",
        "open_data(BOARD_FILE)",
        "open_data(GAME_FILE)",
        "open_data(WORDS_FILE)",
        "open_file(name)",  # of a bench image: the name that was asked of it
    ]
