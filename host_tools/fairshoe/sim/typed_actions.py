"""The dealer's actions as a person types them: their list, help, what an incomplete line lacks, and reading lines."""

from __future__ import annotations

import contextlib
import os
import queue
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TextIO

from fairshoe.printable import coloured_lines, say
from rig.actions import ACTIONS, act
from rig.rig import Rig

try:
    import readline
except ImportError:  # Windows: the console has a history of its own
    readline = None
try:
    import termios
except ImportError:
    termios = None

PROMPT = "sim> "
DRAW_S = 2.0  # readline draws a prompt in far less
BUSY_S = 30.0  # on a busy machine, by a readline that is known to say when it has drawn
Say = Callable[[str], None]


@dataclass(frozen=True)
class Typed:
    """One action: its argument, what it does, and the question if a needed argument is missing."""

    argument: str
    about: str
    question: str = ""


TYPED: dict[str, Typed] = {
    "load": Typed("N", "put N cards into the hopper", "load how many cards? For example: load 52"),
    "press": Typed("BUTTON", "press a button: {buttons}", "press what? {buttons}"),
    "take": Typed("[N]", "take the stack, or N cards, out of the tray"),
    "lift": Typed("", "lift the cards out of the hopper"),
    "open": Typed("", "open the door"),
    "clear": Typed("", "with the door open: take out what lies in the path"),
    "close": Typed("", "close the door"),
    "key": Typed("on|off", "turn the key switch", "key on or off?"),
    "cover": Typed("LINE", "hold a hand in a beam, or on a switch", "cover which line? For example: cover throat_a"),
    "uncover": Typed("LINE", "let go of it", "uncover which line? For example: uncover throat_a"),
    "place": Typed("", "put a card into the slot at the mouth"),
    "draw": Typed("[MS]", "draw a card by hand, in so many milliseconds"),
    "peek": Typed("RANK", "hole card into the reader, 1 ace to 13 king", "peek at which rank? 1 (ace) to 13 (king)"),
    "peek_end": Typed("", "take the hole card out of the reader"),
    "litter": Typed("[N]", "leave cards in the path"),
    "jam": Typed("PLACE:NTH:UM", "jam a card", "jam where? For example: jam throat:10:60000 (card 10, after 60 mm)"),
    "misfeed": Typed("NTH:TIMES", "let a card not feed", "misfeed which card, how often? For example: misfeed 5:2"),
    "cut": Typed("", "cut the power"),
    "boot": Typed("", "switch the power on"),
}


def help_text(rig: Rig) -> str:
    """All actions, with what they do."""
    rows = [f"  {name + ' ' + each.argument:20s} {_filled(each.about, rig)}" for name, each in TYPED.items()]
    rows += ["  lamps                say which lamps are lit"]
    rows += ["  help                 this list", "  quit                 end the simulation"]
    return "\n".join(["actions of the dealer, one a line:", *rows])


def obey(rig: Rig, words: list[str], say: Say) -> bool:
    """Carry out one line. Says what is wrong with it, or what it lacks. False: the simulation ends."""
    if not words:
        return True
    if words[0] in ("quit", "exit"):
        return False
    if words[0] in ("help", "?"):
        say(help_text(rig))
        return True
    if words[0] == "lamps":
        say(f"lit: {', '.join(rig.lit()) or 'no lamp'}")
        return True
    known = TYPED.get(words[0])
    if known is None and words[0] not in ACTIONS:
        say(f"there is no action {words[0]!r}; type help for the list")
        return True
    if known is not None and known.question and len(words) == 1:
        say(_filled(known.question, rig))
        return True
    try:
        act(rig, words[0], words[1] if len(words) > 1 else "")
    except ValueError as error:
        if known is None or not known.question:
            say(f"{' '.join(words)}: {error}")
        else:  # the question has the list of what is known
            say(f"{' '.join(words)}: {str(error).split('; known')[0]}; {_filled(known.question, rig)}")
    return True


def _filled(text: str, rig: Rig) -> str:
    names = [name.removeprefix("button_") for name in rig.plant.lines if name.startswith("button_")]
    return text.replace("{buttons}", ", ".join(names))


# --- reading ---------------------------------------------------------------------------------------------------------


class PipedLines:
    """Lines from a pipe or a file."""

    def __init__(self, source: TextIO) -> None:
        self._source = source
        self._pending = b""

    def begin(self) -> None:
        pass

    def fileno(self) -> int:
        return self._source.fileno()

    def take(self) -> list[str] | None:
        """The lines that are there; None at the end."""
        chunk = os.read(self.fileno(), 4096)
        if not chunk:
            return None
        *lines, self._pending = (self._pending + chunk).split(b"\n")
        return [line.decode("ascii", "replace") for line in lines]

    def say(self, text: str) -> None:
        say(text, file=sys.stderr, flush=True)

    def show(self, text: str) -> None:
        say(text, flush=True)

    def close(self) -> None:
        pass


class PromptedLines:
    """Lines that a person types at a prompt, with history and completion where Python has readline.

    A thread waits for them, and a socket wakes the simulation: on Windows nothing else can be waited for."""

    def __init__(self, prompt: str = PROMPT) -> None:
        self._prompt = prompt
        self._typed: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._near, self._far = socket.socketpair()
        self._screen = threading.Lock()  # the reading thread holds it while readline draws the prompt
        self._hooked = self._proven = False  # readline is asked to say when it has drawn; it has done so once
        self._before: list[Any] | None = termios.tcgetattr(sys.stdin) if termios and sys.stdin.isatty() else None
        if readline is not None and prompt:
            readline.set_completer(_complete)
            readline.set_completer_delims(" ")
            readline.parse_and_bind("tab: complete")
            if sys.stdin.isatty() and hasattr(readline, "set_pre_input_hook"):
                readline.set_pre_input_hook(self._drawn)
                self._hooked = True

    def begin(self) -> None:
        """Draw the prompt. Until then a person has nothing to type at, and no reason to press Ctrl-C."""
        threading.Thread(target=self._read, daemon=True).start()

    def fileno(self) -> int:
        return self._near.fileno()

    def take(self) -> list[str] | None:
        self._near.recv(4096)
        lines: list[str] = []
        while not self._typed.empty():
            line = self._typed.get()
            if line is None:
                return None
            lines.append(line)
        return lines

    def say(self, text: str) -> None:
        self.show(text)

    def show(self, text: str) -> None:
        """Above the line that is being typed."""
        self._wait_drawn()
        typed = readline.get_line_buffer() if readline is not None else ""
        shown = coloured_lines(text)
        sys.stdout.write(f"\r\x1b[K{shown}\n{self._prompt}{typed}" if self._prompt else f"{shown}\n")
        sys.stdout.flush()
        if self._hooked:
            self._screen.release()

    def _wait_drawn(self) -> None:
        if self._hooked and not self._screen.acquire(timeout=BUSY_S if self._proven else DRAW_S):
            self._hooked = False  # this readline does not call the hook: never wait again

    def close(self) -> None:
        """Give the terminal back as it was: the thread may be in the middle of a line, or about to begin one. It begins
        none any more: readline would change the terminal again."""
        self._wait_drawn()
        if self._prompt:
            sys.stdout.write("\r\x1b[K")
            sys.stdout.flush()
        if termios is not None and self._before is not None:
            with contextlib.suppress(termios.error, OSError, ValueError):
                termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)

    def _drawn(self) -> None:
        """readline calls this when the prompt is on the screen."""
        self._proven = True
        if self._screen.locked():
            self._screen.release()

    def _read(self) -> None:
        while True:
            if self._hooked:
                self._screen.acquire()
                sys.stdout.write("\r\x1b[K")  # a prompt that `show` wrote after the line was typed
                sys.stdout.flush()
            try:
                line: str | None = input(self._prompt)
            except (EOFError, OSError, ValueError):
                line = None
            self._typed.put(line)
            with contextlib.suppress(OSError):
                self._far.send(b"x")
            if line is None:
                return


def _complete(text: str, state: int) -> str | None:
    found = [f"{name} " for name in (*TYPED, "lamps", "help", "quit") if name.startswith(text)]
    return found[state] if state < len(found) else None
