"""A program on a real pseudo-terminal, and what a person would see there."""

import contextlib
import fcntl
import os
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Generator, Mapping
from typing import Any

import pyte
from waits import LIMIT_S


class PtyScreen:
    """The screen of one program. `text` is what it shows now, `raw` every byte it ever wrote."""

    def __init__(self, command: list[str], columns: int, rows: int, environment: Mapping[str, str]) -> None:
        self.near, far = os.openpty()
        self._resize(columns, rows)
        self.before = termios.tcgetattr(far)
        self.screen: Any = pyte.Screen(columns, rows)
        self._stream: Any = pyte.ByteStream(self.screen)
        self.raw = b""
        self._far = far
        self.process = subprocess.Popen(
            command,
            stdin=far,
            stdout=far,
            stderr=far,
            env={**os.environ, "TERM": "xterm-256color", "NO_COLOR": "", **environment},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def until(self, seen: Callable[[str], bool] | str) -> str:
        """The screen when it shows this."""
        end = time.monotonic() + LIMIT_S
        while not (seen in self.text if isinstance(seen, str) else seen(self.text)):
            assert time.monotonic() < end, f"never seen: {seen}\n{self.text}"
            self._read(0.1)
        return self.text

    def press(self, keys: str) -> None:
        os.write(self.near, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        self._resize(columns, rows)
        self.screen.resize(rows, columns)
        os.killpg(self.process.pid, signal.SIGWINCH)

    def end(self) -> int:
        """Its exit status, when it has ended by itself."""
        end = time.monotonic() + LIMIT_S
        while self.process.poll() is None:
            assert time.monotonic() < end, self.text
            self._read(0.1)
        while self._read(0.05):
            pass
        return self.process.returncode

    def settings(self) -> list[Any]:
        """Of the terminal, as tcgetattr has them."""
        return termios.tcgetattr(self._far)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.near)
        os.close(self._far)

    def _resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.near, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self, seconds: float) -> bool:
        if not select.select([self.near], [], [], seconds)[0]:
            return False
        with contextlib.suppress(OSError):
            data = os.read(self.near, 65536)
            self.raw += data
            self._stream.feed(data)
            return bool(data)
        return False


@contextlib.contextmanager
def on_a_terminal(*arguments: str, columns: int = 80, rows: int = 24, **environment: str) -> Generator[PtyScreen]:
    """`fairshoe` with these arguments."""
    screen = PtyScreen([sys.executable, "-m", "fairshoe", *arguments], columns, rows, environment)
    try:
        yield screen
    finally:
        screen.close()
