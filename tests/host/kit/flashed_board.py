"""A board with MicroPython's prompt, in process: raw mode, raw paste with its flow control, soft reset, Ctrl-C, files.

What is sent to it is run by CPython against a file system in memory. Its time passes when a caller waits for a byte,
so that a test which waits a minute takes none: mpremote and our wrapper of it go by the time of the board that was
made last, and behind a pseudo-terminal by the real one.
"""

from __future__ import annotations

import builtins
import errno
import hashlib
import io
import time
import types
from collections.abc import Callable
from typing import Any

from mpremote import transport_serial

from fairshoe.ship import flash, prompt
from fairshoe.ship.device_files import Device
from fairshoe.ship.file_plan import Plan
from fairshoe.ship.flash import FlashPermissions

WINDOW = 96
TICK_S = 0.05
BANNER = b'MicroPython v1.28.0; Raspberry Pi Pico 2 with RP2350\r\nType "help()" for more information.\r\n>>> '
RAW_BANNER = b"raw REPL; CTRL-B to exit\r\n>"


class Time:
    """`time` for those who wait for a board."""

    board: FakeBoard | None = None

    def monotonic(self) -> float:
        return self.board.clock() if self.board else time.monotonic()

    def sleep(self, seconds: float) -> None:
        if self.board:
            self.board.wait(seconds)
        else:
            time.sleep(seconds / 10)  # mpremote looks for an answer a hundred times in a second, too slow for tests


TIME = Time()
transport_serial.time = prompt.time = TIME  # pyright: ignore[reportAttributeAccessIssue]


class Reset(BaseException):
    """machine.reset() was called."""


class FakeBoard:
    """Power on with `power_on`. A line is made with `open_line`, one at a time, as a serial device is opened."""

    def __init__(self, files: dict[str, bytes] | None = None) -> None:
        self.files: dict[str, bytes] = dict(files or {})
        self.folders = {name[:at] for name in self.files for at, letter in enumerate(name) if letter == "/"}
        self.machine = "Raspberry Pi Pico 2 with RP2350"
        self.platform = "rp2"
        self.version = (1, 28, 0)
        self.mpy = 6 | 3 << 8 | 7 << 10
        self.block_bytes, self.blocks = 4096, 352
        self.window_s = 1.0  # from power-up to the first scan
        self.main_ends = ""  # a traceback, if main.py ends instead of running
        self.has_prompt = True
        self.image = b""  # the identity of a bench image
        self.cut_after: int | None = None  # bytes from the host until the cable is pulled
        self.flips: set[str] = set()  # files that are written wrong once
        self.slow = False  # what it says can be read only after a wait for it
        self.noise = b""  # before every banner
        self.now: float = 0.0
        self.resets = 0
        self.pulls = 0
        self.received = 0
        self.ran: list[str] = []
        self.history: list[str] = []  # what happened to files, in order
        self.overrun = False
        self.plugged = True
        self.absent_until = 0.0
        self.reset_absent_s = 0.0  # how long the port is gone after a reset
        self.on_tick: Callable[[], None] = lambda: None
        self._out = bytearray()
        self._late = bytearray()
        self._mode = "off"
        self.power_on()
        TIME.board = self

    # -- power and time ------------------------------------------------------------------------------------------

    def power_on(self) -> None:
        self._globals: dict[str, Any] = {}
        self._buf = bytearray()
        self._out.clear()
        self._late.clear()
        self._room = 0
        self._booted_at = self.now
        self._friendly()

    def _friendly(self) -> None:
        """What a start does: main.py if there is one, or else the prompt."""
        if "main.py" in self.files and not self.main_ends:
            self._mode = "main"
        else:
            self._say(self.main_ends.encode().replace(b"\n", b"\r\n") + BANNER)
            self._mode = "prompt"

    @property
    def runs(self) -> bool:
        return self._mode == "main"

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def wait(self, seconds: float) -> None:
        """Time for the board as well."""
        self.now += seconds
        self._out += self._late
        self._late.clear()
        self.on_tick()

    def open_line(self) -> FakeLine:
        if not self.plugged or self.now < self.absent_until:
            self.now += TICK_S
            from fairshoe.errors import PortError

            raise PortError("cannot open fake: no such file.", "")
        return FakeLine(self)

    # -- bytes in ------------------------------------------------------------------------------------------------

    def feed(self, data: bytes) -> None:
        for byte in data:
            self.received += 1
            if self.cut_after is not None and self.received > self.cut_after:
                self.pull()
                raise OSError(errno.EIO, "Input/output error")
            if self.has_prompt:
                self._byte(byte)

    def pull(self) -> None:
        """Cable out: the board loses power with it. Cable in again at the next open."""
        self.cut_after = None
        self.pulls += 1
        self.power_on()

    def _byte(self, byte: int) -> None:
        if self._mode == "main":
            if byte == 3 and self.now - self._booted_at <= self.window_s:
                self._say(b'Traceback (most recent call last):\r\n  File "main.py"\r\nKeyboardInterrupt: \r\n' + BANNER)
                self._mode = "prompt"
        elif self._mode == "prompt":
            self._prompt_byte(byte)
        elif self._mode == "raw":
            self._raw_byte(byte)
        elif self._mode == "paste":
            self._paste_byte(byte)

    def _prompt_byte(self, byte: int) -> None:
        if byte == 1:
            self._mode = "raw"
            self._buf.clear()
            self._say(self.noise + RAW_BANNER)
        elif byte == 4:
            self._globals = {}
            self._friendly()
        elif byte in (3, 13):
            self._say(b"\r\n>>> ")

    def _raw_byte(self, byte: int) -> None:
        if byte == 1 and bytes(self._buf) == b"\x05A":
            self._mode = "paste"
            self._buf.clear()
            self._room = 2 * WINDOW
            self._since = 0
            self._say(b"R\x01" + WINDOW.to_bytes(2, "little") + b"\x01")
        elif byte == 1:
            self._buf.clear()
            self._say(self.noise + RAW_BANNER)
        elif byte == 2:
            self._mode = "prompt"
            self._say(BANNER)
        elif byte == 3:
            self._buf.clear()
        elif byte == 4 and not self._buf:
            self._globals = {}
            self._say(b"OK\r\nMPY: soft reboot\r\n" + self.noise + RAW_BANNER)
        else:
            self._buf.append(byte)

    def _paste_byte(self, byte: int) -> None:
        if byte == 4:
            self._say(b"\x04")
            self._mode = "raw"
            code = self._buf.decode()
            self._buf.clear()
            self._run(code)
            return
        if byte == 3:
            self._mode = "raw"
            self._buf.clear()
            self._say(b"\x04\x04\x04>")
            return
        self._buf.append(byte)
        self._room -= 1
        self._since += 1
        self.overrun |= self._room < 0
        if self._since == WINDOW:
            self._since = 0
            self._room += WINDOW
            self._say(b"\x01")

    def _say(self, data: bytes) -> None:
        if self.slow:
            self._late += data
        else:
            self._out += data

    def take(self, size: int) -> bytes:
        data = bytes(self._out[:size])
        del self._out[:size]
        if not data:
            self.wait(TICK_S)
        return data

    @property
    def waiting(self) -> int:
        return len(self._out)

    # -- code ----------------------------------------------------------------------------------------------------

    def _run(self, code: str) -> None:
        self.ran.append(code)
        printed = io.StringIO()
        error = ""
        if not self._globals:
            self._globals = {"__builtins__": self._builtins()}

        def say(*words: object) -> None:
            print(*words, file=printed)

        self._globals["__builtins__"]["print"] = say
        try:
            exec(compile(code, "<stdin>", "exec"), self._globals)
        except Reset:
            self.resets += 1
            self.power_on()
            self.absent_until = self.now + self.reset_absent_s
            return
        except Exception as raised:
            error = f'Traceback (most recent call last):\n  File "<stdin>", line 1\n{_words(raised)}\n'
        text = printed.getvalue().replace("\n", "\r\n").encode()
        self._say(text + b"\x04" + error.replace("\n", "\r\n").encode() + b"\x04>")

    def _builtins(self) -> dict[str, Any]:
        modules = {"os": self._os(), "sys": self._sys(), "machine": self._machine()}
        if self.image:
            modules["image_data"] = types.SimpleNamespace(IDENTITY=self.image)

        def load(name: str, *_more: Any) -> Any:
            if name in modules:
                return modules[name]
            if name in ("binascii", "hashlib", "gc"):
                return builtins.__import__(name)
            raise ImportError(f"no module named '{name}'")

        return {**vars(builtins), "__import__": load, "open": self._open}

    def _sys(self) -> Any:
        words = {"name": "micropython", "version": (*self.version, ""), "_machine": self.machine, "_mpy": self.mpy}
        return types.SimpleNamespace(platform=self.platform, implementation=types.SimpleNamespace(**words))

    def _machine(self) -> Any:
        def reset() -> None:
            raise Reset

        return types.SimpleNamespace(unique_id=lambda: bytes.fromhex("e6614103e7a5"), reset=reset)

    # -- files ---------------------------------------------------------------------------------------------------

    def used_blocks(self) -> int:
        return 4 + sum(-(-len(data) // self.block_bytes) for data in self.files.values())

    def _os(self) -> Any:
        def stat(path: str) -> tuple[int, ...]:
            return (0, 0, 0, 0, 0, 0, len(self.files[_inside(path)]))

        def statvfs(_path: str) -> tuple[int, ...]:
            return (self.block_bytes, self.block_bytes, self.blocks, self.blocks - self.used_blocks())

        def mkdir(path: str) -> None:
            name = _inside(path)
            if name in self.folders or name in self.files:
                raise OSError(errno.EEXIST, "EEXIST")
            self._need_folder(name)
            self.folders.add(name)
            self.history.append(f"mkdir {name}")

        def rmdir(path: str) -> None:
            if self._list(path):
                raise OSError(errno.ENOTEMPTY, "ENOTEMPTY")
            self.folders.remove(_inside(path))
            self.history.append(f"rmdir {_inside(path)}")

        return types.SimpleNamespace(
            getcwd=lambda: "/",
            ilistdir=self._list,
            stat=stat,
            statvfs=statvfs,
            remove=self._remove,
            mkdir=mkdir,
            rmdir=rmdir,
            rename=self._rename,
            sync=lambda: None,
        )

    def _list(self, path: str) -> list[tuple[str, int, int]]:
        top = _inside(path)
        prefix = f"{top}/" if top else ""
        names = [(name, 0x8000) for name in self.files] + [(name, 0x4000) for name in self.folders]
        inside = [(name[len(prefix) :], kind) for name, kind in names if name.startswith(prefix)]
        return [(name, kind, 0) for name, kind in inside if name and "/" not in name]

    def _need_folder(self, name: str) -> None:
        folder = name.rpartition("/")[0]
        if folder and folder not in self.folders:
            raise OSError(errno.ENOENT, "ENOENT")

    def _remove(self, path: str) -> None:
        name = _inside(path)
        if name not in self.files:
            raise OSError(errno.ENOENT, "ENOENT")
        del self.files[name]
        self.history.append(f"remove {name}")

    def _rename(self, old: str, new: str) -> None:
        self.files[_inside(new)] = self.files.pop(_inside(old))
        self.history.append(f"rename {_inside(old)} {_inside(new)}")

    def _open(self, path: str, mode: str = "r") -> FakeFile:
        name = _inside(path)
        if "w" in mode:
            self._need_folder(name)
            self.files[name] = b""
            self.history.append(f"write {name}")
        elif name not in self.files:
            raise OSError(errno.ENOENT, "ENOENT")
        return FakeFile(self, name)


class FakeFile:
    """An open file: what a power cut loses is what was not written."""

    def __init__(self, board: FakeBoard, name: str) -> None:
        self._board, self._name, self._at = board, name, 0

    def write(self, data: bytes) -> int:
        board = self._board
        if board.used_blocks() * board.block_bytes + len(data) > board.blocks * board.block_bytes:
            raise OSError(errno.ENOSPC, "ENOSPC")
        if self._name in board.flips:
            board.flips.remove(self._name)
            data = bytes((data[0] ^ 1,)) + data[1:]
        board.files[self._name] += data
        return len(data)

    def readinto(self, buf: bytearray) -> int:
        data = self._board.files[self._name][self._at : self._at + len(buf)]
        buf[: len(data)] = data
        self._at += len(data)
        return len(data)

    def read(self, most: int) -> bytes:
        return self._board.files[self._name][:most]

    def close(self) -> None:
        pass

    def __enter__(self) -> FakeFile:
        return self

    def __exit__(self, *_error: object) -> None:
        pass


class FakeLine:
    """What pyserial would give; closed or unplugged it raises, as pyserial does."""

    def __init__(self, board: FakeBoard) -> None:
        self.board = board
        self.pulls = board.pulls
        self.closed = False

    def _alive(self) -> None:
        board = self.board
        if self.closed or self.pulls != board.pulls or not board.plugged or board.now < board.absent_until:
            raise OSError(errno.EIO, "device reports readiness to read but returned no data")

    @property
    def in_waiting(self) -> int:
        self._alive()
        return self.board.waiting

    def read(self, size: int, /) -> bytes:
        self._alive()
        return self.board.take(size)

    def write(self, data: bytes, /) -> int:
        self._alive()
        self.board.feed(data)
        return len(data)

    def close(self) -> None:
        self.closed = True


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _inside(path: str) -> str:
    return path.strip("/")


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno:
        return f"OSError: [Errno {error.errno}] {error.strerror}"
    return f"{type(error).__name__}: {error}"


CONFIG: dict[str, Any] = {"mcu": {"port": "rp2", "board": "Raspberry Pi Pico 2"}}
NOTHING = FlashPermissions()


def no_progress(_what: str, _done: int, _total: int) -> None:
    pass


def at_prompt(board: FakeBoard, wait_s: float = 60.0, told: list[str] | None = None) -> Device:
    say = (told if told is not None else []).append
    return Device(prompt.reach(board.open_line, "fake", wait_s, say))


def put(board: FakeBoard, files: dict[str, bytes], leave: FlashPermissions = NOTHING) -> Plan:
    device = at_prompt(board)
    flash.check_device(device.identity, CONFIG, files, leave)
    plan = flash.plan_for(device, files, leave)
    flash.apply(device, files, plan, no_progress)
    flash.check(device.files(), files)
    return plan
