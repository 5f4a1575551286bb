"""No byte that arrives at a shoe becomes code: nothing that its link reaches can run, load or open anything."""

import ast
import builtins
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import style_checks as checks
from test_style import python_files

import firmware.main as device_main

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("firmware/", "hal/board/", "hal/rp2/", "hal/esp32/", "hal/stm32/", "hal/flash.py", "hal/device.py")
CALLS = {"exec", "eval", "compile", "__import__", "execfile", "input", "globals", "locals", "getattr", "setattr"}
FILES = {"open"}
MODULES = {"os", "uos", "io", "vfs", "importlib", "network", "socket", "bluetooth", "_thread", "subprocess", "code"}
ANYWHERE = {"dupterm", "bootloader", "exec", "eval", "__import__", "chdir", "rename", "unlink"}
# hal/device.py opens board, game and dictionary for firmware/main.py, and before that the modules, to check that they
# are whole. The flash chip's size is known to the file system alone; ESP32's random numbers are in os.
MAY_OPEN = {"hal/device.py"}
MAY_IMPORT = {"hal/rp2/onboard.py": {"os"}, "hal/device.py": {"os", "io"}, "hal/esp32/port.py": {"os"}}


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
    return {path: text for path, text in python_files().items() if path.startswith(SHIPPED)}


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
    """MicroPython's prompt is at the console of the RP2040, and anywhere else only if somebody says dupterm."""
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
    """A port that notes what is done to it; its watchdog bites when it is fed after a halt."""

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

    def nv_prog(self, _address: int, buf: bytearray) -> bool:
        if self.storage_fails:
            raise MemoryError
        self.done.append(f"stored {bytes(buf[4:12]).decode()}")
        return True

    def nv_sync(self) -> bool:
        return True

    def watchdog_feed(self) -> None:
        self.done.append("fed")
        raise Bitten


def starts(hal: Board) -> Callable[[Any], Any]:
    def start(_open_data: Any) -> Any:
        return SimpleNamespace(boot=3, hal=hal)

    return start


@pytest.mark.parametrize("storage_fails", [False, True])
@pytest.mark.parametrize(
    "error", [KeyboardInterrupt, SystemExit, MemoryError, ValueError, GeneratorExit, OSError, RecursionError]
)
def test_whatever_ends_the_scans_ends_in_motors_off_and_the_watchdog(
    error: type[BaseException], storage_fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    hal = Board(storage_fails)
    interrupts: list[int] = []

    def scans(_app: Any) -> None:
        hal.done.append("scanning")
        assert interrupts == [-1], "Ctrl-C is only a byte by now"
        raise error

    monkeypatch.setattr(device_main, "start", starts(hal))
    monkeypatch.setattr(device_main, "run", scans)
    monkeypatch.setattr(device_main.micropython, "kbd_intr", interrupts.append, raising=False)
    with pytest.raises(Bitten):
        device_main.main(no_files, 2000)
    said = [] if storage_fails else [f"stored {error()!r:.8}"]
    assert [word.rstrip("\0") for word in hal.done] == ["scanning", "off", *said, "fed"]


def test_in_the_first_two_seconds_a_technician_gets_in_by_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shoe that scans has no prompt: without these seconds nobody could replace its firmware."""
    interrupts: list[int] = []

    def scans(_app: Any) -> None:
        raise Bitten

    monkeypatch.setattr(device_main, "run", scans)
    monkeypatch.setattr(device_main.micropython, "kbd_intr", interrupts.append, raising=False)
    for ctrl_c_ms in (801, 1999, -1):
        hal = Board(storage_fails=False)
        hal.ctrl_c_ms = ctrl_c_ms
        monkeypatch.setattr(device_main, "start", starts(hal))
        with pytest.raises(KeyboardInterrupt if ctrl_c_ms > 0 else Bitten):
            device_main.main(no_files, 2000)
        assert interrupts == ([] if ctrl_c_ms > 0 else [-1])
        assert hal.now_ms == (ctrl_c_ms if ctrl_c_ms > 0 else 2000)
    assert hal.done == ["off", "stored Bitten()", "fed"]


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
    for path in ("firmware/main.py", "hal/device.py"):
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("open", "open_file", "open_data"):
                found.append(ast.unparse(node))
    assert sorted(found) == [
        "open('files.crc')",
        "open(name, 'rb')",  # of open_file
        "open(name, 'rb')",  # of the modules
        "open_data('board.json')",
        "open_data(BOARD_FILE)",
        "open_data(GAME_FILE)",
        "open_data(WORDS_FILE)",
        "open_file(name)",  # of a bench image: the name that was asked of it
    ]
