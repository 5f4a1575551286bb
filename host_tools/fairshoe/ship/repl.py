"""MicroPython's raw prompt, as its manual describes it: code goes in, output and traceback come out.

Code is sent in raw paste mode, where the device says how much it can take: nothing is lost at a slow UART, and nothing
waits longer than it has to. Every wait has a limit. A line that goes away is PortLost, whatever it went away from.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from typing import Protocol

import serial

from fairshoe.errors import PortError, PortLost
from fairshoe.ship.errors import DeviceFailed, NoPrompt

_RAW = b"\x01"
_INTERRUPT = b"\x03"
_END = b"\x04"
_PASTE = b"\x05A\x01"
_NO_PASTE = (b"R\x00", b"ra")  # of a prompt that knows the order and not the mode; that takes it for a new start
_RAW_BANNER = b"raw REPL; CTRL-B to exit\r\n>"

READ_S = 0.05
KNOCK_S = 0.15  # between two tries to get the prompt: the window of a device that starts is short
ANSWER_S = 20.0  # a soft reset mounts the file system, and may have to make one
QUIET_S = 0.1
DRAIN_S = 2.0  # and no longer: what goes on talking is ended by the soft reset, or is not to be talked to
STARTED_S = 0.5
HEARD_MAX = 8192  # of what is not understood
PRINTED_MAX = 1 << 20


class Line(Protocol):
    """What is used of a pyserial port."""

    def read(self, size: int, /) -> bytes: ...
    def write(self, data: bytes, /) -> object: ...
    def close(self) -> None: ...


class Raised(Exception):
    """Code on the device ended in an exception; `text` is its traceback."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    @property
    def last(self) -> str:
        lines = self.text.strip().splitlines()
        return lines[-1] if lines else "no reason given"


def open_line(url: str) -> Line:
    """A serial device, or any pyserial URL."""
    try:
        return serial.serial_for_url(url, baudrate=115200, timeout=READ_S, write_timeout=10, exclusive=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        if isinstance(error, OSError) and error.errno and reason.startswith("could not open port"):
            reason = os.strerror(error.errno)  # pyserial names the port twice
        raise PortError(
            f"cannot open {url}: {reason}.",
            "Check the name, the cable and your permission; `fairshoe ports` lists what is there.",
        ) from error


class Repl:
    """An open line with MicroPython at its other end. `clock` is any clock in seconds that does not jump."""

    def __init__(self, line: Line, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = name
        self._line = line
        self._clock = clock
        self._heard = bytearray()

    def close(self) -> None:
        self._line.close()

    # -- getting there -------------------------------------------------------------------------------------------

    def knock(self, limit_s: float) -> bool:
        """Try to stop whatever runs and get the raw prompt; False if nothing answers within the limit."""
        until = self._clock() + limit_s
        while True:
            # Twice, for a program may swallow one; the line end is for a prompt in the middle of a statement.
            self._send(_INTERRUPT + _INTERRUPT + b"\r" + _RAW)
            if self._wait(_RAW_BANNER, min(KNOCK_S, max(until - self._clock(), 0.0))):
                self._drain()
                return True
            if self._clock() >= until:
                return False

    def soft_reset(self) -> None:
        """Restart the interpreter and stay at the raw prompt: main.py does not run, and nothing is left of it."""
        self._heard.clear()
        self._send(_END)
        if not self._wait(_RAW_BANNER, ANSWER_S):
            raise NoPrompt(f"{self.name}: no prompt after a soft reset.", "Unplug the device, plug it in, try again.")
        self._drain()

    # -- running code --------------------------------------------------------------------------------------------

    def run(self, code: str, limit_s: float = ANSWER_S) -> str:
        """Run code on the device; what it printed. `limit_s` is how long it may say nothing."""
        self._paste(code.encode())
        printed = self._until(_END, limit_s)
        raised = self._until(_END, limit_s)
        self._until(b">", limit_s)
        if raised:
            raise Raised(raised.decode("utf-8", "replace"))
        return printed.decode("utf-8", "replace").replace("\r\n", "\n")

    def start(self, code: str) -> None:
        """Run code that does not come back, such as a reset: it is not always known whether it was received."""
        self._paste(code.encode(), confirmed=False)
        with contextlib.suppress(PortLost):
            self._wait(_END, STARTED_S)

    def _paste(self, data: bytes, confirmed: bool = True) -> None:
        self._heard.clear()
        self._send(_PASTE)
        answer = self._exactly(2)
        if answer != b"R\x01":
            if answer not in _NO_PASTE:
                raise self._nonsense(answer)
            raise NoPrompt(
                f"{self.name}: the prompt does not know raw paste mode.", "Put MicroPython 1.28 or newer on the device."
            )
        window = int.from_bytes(self._exactly(2), "little")
        room = window
        at = 0
        while at < len(data):
            while room == 0 or self._ready():
                word = self._exactly(1)
                if word == b"\x01":
                    room += window
                elif word == _END:
                    # It has seen enough, a syntax error perhaps; what it has to say comes next.
                    self._send(_END)
                    return
                else:
                    raise self._nonsense(word)
            self._send(data[at : at + room])
            sent = min(room, len(data) - at)
            at += sent
            room -= sent
        self._send(_END)
        while confirmed and (word := self._exactly(1)) != _END:
            if word != b"\x01":
                raise self._nonsense(word)

    def _nonsense(self, word: bytes) -> DeviceFailed:
        return DeviceFailed(
            f"{self.name}: the device answered {word!r} while code was sent to it.",
            "Is another program using the port? Close it, and try again.",
        )

    # -- bytes ---------------------------------------------------------------------------------------------------

    def listen(self, limit_s: float, enough: bytes) -> bytes:
        """What comes by itself, until `enough` is in it or the time is over."""
        until = self._clock() + limit_s
        while enough not in self._heard and len(self._heard) < HEARD_MAX:
            if not self._read() and self._clock() >= until:
                break
        heard = bytes(self._heard)
        self._heard.clear()
        return heard

    def send(self, data: bytes) -> None:
        self._send(data)

    def _exactly(self, size: int) -> bytes:
        until = self._clock() + ANSWER_S
        while len(self._heard) < size:
            if not self._read() and self._clock() >= until:
                raise self._silence()
        data = bytes(self._heard[:size])
        del self._heard[:size]
        return data

    def _until(self, mark: bytes, limit_s: float) -> bytes:
        """All up to a mark. The limit is for silence: a device that goes on talking is at work."""
        until = self._clock() + limit_s
        while mark not in self._heard and len(self._heard) < PRINTED_MAX:
            if self._read():
                until = self._clock() + limit_s
            elif self._clock() >= until:
                raise self._silence()
        data, _mark, rest = bytes(self._heard).partition(mark)
        self._heard[:] = rest
        return data

    def _silence(self) -> DeviceFailed:
        return DeviceFailed(f"{self.name}: the device stopped answering.", "Reset it and run the same command again.")

    def _wait(self, mark: bytes, limit_s: float) -> bool:
        until = self._clock() + limit_s
        while mark not in self._heard:
            if not self._read() and self._clock() >= until:
                return False
            # Too much output: drop it.
            if len(self._heard) > HEARD_MAX:
                del self._heard[: -len(mark)]
                if self._clock() >= until:
                    return False
        return True

    def _drain(self) -> None:
        """Several knocks may have been answered."""
        last = self._clock() + DRAIN_S
        until = self._clock() + QUIET_S
        while self._clock() < min(until, last):
            if self._read():
                until = self._clock() + QUIET_S
        self._heard.clear()

    def _read(self) -> bool:
        """Take what is there; waits READ_S for the first byte."""
        try:
            data = self._line.read(1)
            if data:
                waiting = getattr(self._line, "in_waiting", 0)
                data += self._line.read(waiting) if waiting else b""
        except (OSError, TypeError) as error:
            # pyserial raises TypeError when another thread has closed the port under it.
            raise self._lost() from error
        self._heard += data
        return bool(data)

    def _ready(self) -> bool:
        """Whether there is something to read, without waiting for it."""
        try:
            return bool(self._heard) or getattr(self._line, "in_waiting", 0) > 0
        except (OSError, TypeError) as error:
            raise self._lost() from error

    def _send(self, data: bytes) -> None:
        try:
            self._line.write(data)
        except OSError as error:
            raise self._lost() from error

    def _lost(self) -> PortLost:
        return PortLost(f"{self.name} is gone.", "Plug the device in and run the same command again: it goes on there.")
