"""A full-screen view on a terminal: redraws changed lines, and restores the terminal in every case."""

from __future__ import annotations

import contextlib
import importlib
import os
import select
import shutil
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TextIO

from fairshoe.printable import printable
from fairshoe.text.screen import END, STYLES, Line

try:
    import termios
    import tty
except ImportError:  # Windows: its console gives keys at once, through msvcrt
    termios = tty = None

_ENTER = "\x1b[?1049h\x1b[?25l"  # the other screen, no cursor
_LEAVE = "\x1b[?25h\x1b[?1049l"
_CLEAR = "\x1b[2J"
_ENDING = (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM))


class Terminal:
    """Use as a context. `draw` shows lines, `keys` gives what was typed; a changed size shows at the next drawing."""

    def __init__(self, keyboard: TextIO | None = None, out: TextIO | None = None) -> None:
        self._keyboard = keyboard or sys.stdin
        self._out = out or sys.stdout
        self._colour = not os.environ.get("NO_COLOR")
        self._shown: list[str] = []
        self.drawn = (0, 0)  # the size that was drawn for last
        self._before: list[Any] | None = None
        self._handlers: dict[int, Any] = {}

    @staticmethod
    def fits() -> bool:
        """Whether input and output are a terminal."""
        return sys.stdout.isatty() and sys.stdin.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    def __enter__(self) -> Terminal:
        self._take()
        actions: dict[int, Callable[[int, FrameType | None], None]] = dict.fromkeys(_ENDING, _end)
        if hasattr(signal, "SIGTSTP"):
            actions |= {signal.SIGTSTP: self._pause}
        for number, action in actions.items():
            self._handlers[number] = signal.signal(number, action)
        return self

    def __exit__(self, *_error: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._give_back()

    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        found = shutil.get_terminal_size()
        return found.columns, found.lines

    def draw(self, lines: list[Line]) -> None:
        size = self.size()
        if size != self.drawn:
            self.drawn, self._shown = size, []
            self._out.write(_CLEAR)
        columns, rows = size
        texts = [self._text(line, columns) for line in lines[:rows]]
        texts += [""] * (rows - len(texts))
        for row, text in enumerate(texts):
            if row >= len(self._shown) or self._shown[row] != text:
                self._out.write(f"\x1b[{row + 1};1H{text}\x1b[K" if text else f"\x1b[{row + 1};1H\x1b[K")
        self._shown = texts
        self._out.flush()

    def keys(self) -> str:
        """What was typed since; does not wait. A terminal that went away reads as q."""
        typed = ""
        if termios is None:
            return _console_keys()
        while select.select([self._keyboard], [], [], 0)[0]:
            data = os.read(self._keyboard.fileno(), 256)
            if not data:
                return "q"
            typed += data.decode("utf-8", "replace")
        return typed

    def _text(self, line: Line, columns: int) -> str:
        """A line as it is sent; what does not fit is cut. The last column stays free: some terminals wrap there."""
        left = columns - 1
        parts: list[str] = []
        for text, style in line:
            shown = printable(text)[: max(left, 0)]
            left -= len(shown)
            parts.append(f"{STYLES[style]}{shown}{END}" if style and self._colour and shown else shown)
        return "".join(parts)

    def _take(self) -> None:
        if termios is not None and tty is not None:
            self._before = termios.tcgetattr(self._keyboard)
            tty.setcbreak(self._keyboard)
        self._out.write(_ENTER + _CLEAR)
        self._out.flush()
        self._shown, self.drawn = [], (0, 0)

    def _give_back(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # it may be gone: then there is nothing to give back
            self._out.write(_LEAVE)
            self._out.flush()
        if termios is not None and self._before is not None:
            with contextlib.suppress(termios.error, OSError, ValueError):
                termios.tcsetattr(self._keyboard, termios.TCSADRAIN, self._before)

    def _pause(self, _number: int, _frame: FrameType | None) -> None:
        """Ctrl-Z: give the terminal back to the shell until the process is resumed."""
        self._give_back()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._pause)
        self._take()


def _console_keys() -> str:
    """What was typed at a console of Windows; does not wait."""
    console: Any = importlib.import_module("msvcrt")
    typed = ""
    while console.kbhit():
        typed += console.getwch()
    return typed


def _end(number: int, _frame: FrameType | None) -> None:
    """As an exception, so that everything on the way out is tidied."""
    raise SystemExit(128 + number)
