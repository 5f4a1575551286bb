"""MicroPython's prompt, through mpremote: reach it, run code, write files.

mpremote's SerialTransport speaks the raw prompt. It is made for a person at a terminal; what a technician's tool needs
beside it is here. It drops the reason why a port does not open, so it is given an open one. It waits for ever where a
device goes on talking, so the line under it counts the time. It prints what it does not understand, which is caught. A
cable that is out, a device that is silent and an exception on the device are three errors (decision 0136).
"""

from __future__ import annotations

import contextlib
import errno
import io
import time
from collections.abc import Callable, Generator
from typing import Any

from fairshoe.errors import PortError, PortLost
from fairshoe.ship.errors import DeviceFailed, NoPrompt, need
from fairshoe.transport.urls import Port

KNOCK_FIRST_S = 2.0
KNOCK_S = 0.15  # between two tries to get the prompt: the window of a device that starts is short
ANSWER_S = 20.0  # a soft reset mounts the file system, and may have to make one
RESET_S = 1.0
CHUNK_BYTES = 768  # of a file in one statement

Sent = Callable[[int, int], None]  # bytes of a file, and how many it has

HOW_TO_REACH = """\
No prompt yet: a shoe that runs takes no Ctrl-C. To let this tool in:
  1. open the door, and leave the USB cable in its place at the board;
  2. switch the machine's power off and on, or press RESET at the board (an unplugged cable works as well, if the board
     is powered by it);
  3. wait: in the moment before its first scan the board takes the Ctrl-C that is being sent all the time.
If it never does: hold BOOTSEL while power comes, and follow "repair" in docs/FIRMWARE.md."""


class Raised(DeviceFailed):
    """Code on the device ended in an exception; `last` is the last line of its traceback."""

    def __init__(self, name: str, traceback: str) -> None:
        lines = traceback.strip().splitlines()
        self.last = lines[-1] if lines else "no reason given"
        super().__init__(
            f"{name}: the device says {self.last}.",
            "It waits at its prompt. Run the same command again; if that does not help: docs/FIRMWARE.md, repair.",
        )


class _Line:
    """The port as mpremote uses it. Whatever the device does, its time is over `limit_s` after the last write."""

    def __init__(self, port: Port, name: str) -> None:
        self._port, self._name = port, name
        self.allow(ANSWER_S)

    def allow(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._until = time.monotonic() + limit_s

    def inWaiting(self) -> int:  # as pyserial once called it
        self._check_time()
        with self._told():
            return self._port.in_waiting

    def read(self, size: int) -> bytes:
        """All of it, as mpremote expects."""
        data = b""
        while len(data) < size:
            self._check_time()
            with self._told():
                data += self._port.read(size - len(data))
        return data

    def write(self, data: bytes) -> None:
        self.allow(self._limit_s)
        with self._told():
            self._port.write(data)

    def _check_time(self) -> None:
        if time.monotonic() > self._until:
            raise no_answer(self._name, f"nothing that fits within {self._limit_s:.0f} s")

    @contextlib.contextmanager
    def _told(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            advice = "Plug the device in and run the same command again: it goes on there."
            raise PortLost(f"{self._name} is gone.", advice) from error


class Prompt:
    """A port with MicroPython at its other end."""

    def __init__(self, open_port: Callable[[], Port], name: str) -> None:
        self.name = name
        self._serial = need("mpremote.transport_serial", "flash")
        self._port = open_port()
        self._line = _Line(self._port, name)
        # Made with a port that is none, and given ours.
        self._remote = self._serial.SerialTransport("loop://", timeout=ANSWER_S)
        self._remote.serial = self._line

    def close(self) -> None:
        self._port.close()

    def knock(self, limit_s: float) -> bool:
        """Try to stop whatever runs and get the raw prompt; False if nothing answers within the limit."""
        until = time.monotonic() + limit_s
        while True:
            with contextlib.suppress(DeviceFailed), self._mpremote(KNOCK_S) as remote:
                remote.enter_raw_repl(soft_reset=False, timeout_overall=KNOCK_S)
                return True
            if time.monotonic() >= until:
                return False

    def soft_reset(self) -> None:
        """Restart the interpreter and stay at the raw prompt: main.py does not run, and nothing is left of it."""
        with self._mpremote() as remote:
            remote.enter_raw_repl(soft_reset=True, timeout_overall=ANSWER_S)

    def run(self, code: str, limit_s: float = ANSWER_S) -> str:
        """Run code on the device; what it printed."""
        with self._mpremote(limit_s) as remote:
            printed, raised = remote.exec_raw(code, timeout=limit_s)
        if raised:
            raise self._failure(raised.decode("utf-8", "replace"))
        return printed.decode("utf-8", "replace").replace("\r\n", "\n")

    def reset(self) -> None:
        """As at power-up. Nothing answers after it, and it is not always known whether it was received."""
        with contextlib.suppress(PortLost, DeviceFailed), self._mpremote(RESET_S) as remote:
            remote.exec_raw_no_follow("import machine\nmachine.reset()")

    def write_file(self, path: str, data: bytes, progress: Sent) -> None:
        """After an error it stays open, half written: the next soft reset forgets it, and the next run its contents."""
        with self._mpremote() as remote:
            remote.fs_writefile(path, data, CHUNK_BYTES, progress)

    def delete(self, path: str, folder: bool) -> None:
        with self._mpremote() as remote:
            (remote.fs_rmdir if folder else remote.fs_rmfile)(path)

    def make_folder(self, path: str) -> None:
        with self._mpremote() as remote:
            remote.fs_mkdir(path)

    @contextlib.contextmanager
    def _mpremote(self, limit_s: float = ANSWER_S) -> Generator[Any]:
        """mpremote at work: what it prints goes nowhere, and its errors become ours."""
        self._line.allow(limit_s)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                yield self._remote
        except self._serial.TransportExecError as error:
            raise self._failure(error.error_output) from error
        except OSError as error:  # of the device's file system: one of the port is a PortLost by now
            raise self._failure(f"OSError: {errno.errorcode.get(error.errno or 0)}, {error.strerror}") from error
        except (self._serial.TransportError, UnicodeDecodeError) as error:
            raise no_answer(self.name, str(error)) from error

    def _failure(self, traceback: str) -> DeviceFailed:
        if "ENOSPC" in traceback or "Errno 28" in traceback:
            return DeviceFailed(
                f"{self.name}: the device's file system is full.",
                "It has no main.py now and waits at its prompt. Delete what is not fairshoe's with --clean, or "
                "format the file system (docs/FIRMWARE.md), and run the same command again.",
            )
        return Raised(self.name, traceback)


def no_answer(name: str, why: str) -> DeviceFailed:
    return DeviceFailed(
        f"{name}: the device stopped answering as a prompt does: {why}.",
        "Is another program using the port? Close it, reset the device, and run the same command again.",
    )


def reach(open_port: Callable[[], Port], name: str, wait_s: float, say: Callable[[str], None]) -> Prompt:
    """The raw prompt of a device, freshly reset. Waits for a person to restart one that runs; the port may go away
    and come back meanwhile."""
    until = time.monotonic() + wait_s
    asked = False
    last: PortError | PortLost | None = None
    while True:
        left = until - time.monotonic()
        prompt = None
        try:
            prompt = Prompt(open_port, name)
            last = None
            if prompt.knock(max(min(KNOCK_FIRST_S, left), 0.0)):
                prompt.soft_reset()
                return prompt
        except (PortError, PortLost) as error:
            last = error
            if not asked and isinstance(error, PortError):
                raise
        if prompt is not None:
            prompt.close()
        if time.monotonic() >= until:
            break
        if not asked and wait_s > KNOCK_FIRST_S:
            say(f"{HOW_TO_REACH}\nWaiting up to {wait_s:.0f} s ...")
            asked = True
    if last is not None:
        raise last
    raise NoPrompt(
        f"{name}: no MicroPython prompt within {wait_s:.0f} s.",
        "Restart the device while this command waits (--wait-s gives more time). If it has no MicroPython at all: hold "
        "BOOTSEL at power-up and copy MicroPython's .uf2 onto the drive that appears: docs/FIRMWARE.md.",
    )
