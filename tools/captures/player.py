"""Plays the steps of a capture: real commands in a real pseudo-terminal, simulated shoes beside them."""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import json
import os
import pty
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from captures.svg import BACKGROUND, FOREGROUND, PLAIN, Cell, Style

ROOT = Path(__file__).resolve().parents[2]
STEP_S = 60.0
END_S = 5.0
ROWS_ALL = 200  # of a capture that shows everything: more than any of them writes
INTERRUPT = b"\x03"


class CaptureError(Exception):
    """A text that did not come, or a command that failed."""


@dataclass(frozen=True)
class Cue:
    """As soon as `see` and so many line ends after it were written, after what the cue before saw: type a line, or have
    a dealer's hands do something."""

    see: str
    lines: int = 0
    type: str = ""
    hands: str = ""


@dataclass(frozen=True)
class Sim:
    """A simulated shoe in the background; its ports are {port}, {tap} and {service} in the commands that follow."""

    options: str = ""


@dataclass(frozen=True)
class Hands:
    """What a dealer does at the simulated shoe in the background, when its display says `see`; "": at once."""

    see: str
    act: str = ""  # "": nothing but to wait


@dataclass(frozen=True)
class Quiet:
    """A command that prepares something and is not shown."""

    command: str


@dataclass(frozen=True)
class Show:
    """A command as typed, with all that it writes: to its end, or to the line that holds `until` and so
    many more."""

    command: str
    cues: tuple[Cue, ...] = ()
    until: str = ""
    more: int = 0
    settle_s: float = 0.0  # a view that is drawn again and again: until it has shown that, and all around it
    status: int = 0


Step = Sim | Hands | Quiet | Show


@dataclass(frozen=True)
class Edit:
    """One place of a copied file that reads otherwise."""

    name: str
    old: str
    new: str


@dataclass(frozen=True)
class Capture:
    """One picture. `files` are copied into the folder that the commands run in, by the names they have there."""

    name: str
    title: str
    steps: tuple[Step, ...]
    columns: int = 100
    rows: int = 0  # 0: everything that was written
    files: dict[str, str] = field(default_factory=dict[str, str])
    edits: tuple[Edit, ...] = ()
    vary: tuple[str, ...] = ()  # patterns of what may be otherwise in every run: counters of a live view
    drop: str = ""  # a pattern of what is written in some runs only: what was shown for an instant


# --- the simulated shoe ------------------------------------------------------------------------


class Shoe:
    """A `fairshoe sim` whose hands and display are ours. It ends when its input ends, so it cannot outlive us."""

    def __init__(self, options: str, folder: Path) -> None:
        command = ["fairshoe", "sim", "--hands", "--json", "--display", *shlex.split(options)]
        # A session of its own: Ctrl-C is for us, and it hears of our end by its input.
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment(folder),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self._stdin = self.process.stdin
        first = self.process.stdout.readline()
        if not first:
            raise CaptureError(f"{shlex.join(command)}: ended at once")
        self.ports: dict[str, str] = json.loads(first)
        self._said: list[str] = []
        self._changed = threading.Condition()
        threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True).start()

    def _read(self, out: IO[str]) -> None:
        for line in out:
            with self._changed:
                self._said.append(" ".join(json.loads(line).get("display", ())))
                self._changed.notify_all()

    def wait(self, text: str) -> None:
        """Until the display says `text`, now or since the last wait."""
        with self._changed:
            if not self._changed.wait_for(lambda: any(text in said for said in self._said), STEP_S):
                raise CaptureError(f"the display never said {text!r}, but {self._said}")
            # What came before is over; what is shown now may be waited for again.
            self._said = self._said[-1:]

    def act(self, action: str) -> None:
        with self._changed:
            self._said.clear()
        self._stdin.write(action + "\n")
        self._stdin.flush()

    def close(self) -> None:
        self._stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


# --- playing -----------------------------------------------------------------------------------


def environment(folder: Path) -> dict[str, str]:
    """Nothing of the machine or of who runs it: no settings, no other simulators, no colours switched off."""
    path = f"{ROOT / '.venv' / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin"
    kept = {"PATH": path, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1"}
    homes = ("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME")
    return {**kept, **dict.fromkeys(homes, str(folder))}


class Player:
    """Plays one capture in a folder of its own; `text` is what the terminal was sent."""

    def __init__(self, capture: Capture, folder: Path) -> None:
        self.capture = capture
        self.folder = folder
        self.text = ""
        self.shoe: Shoe | None = None

    def play(self) -> str:
        for name, source in self.capture.files.items():
            shutil.copy(ROOT / source, self.folder / name)
        for edit in self.capture.edits:
            edit_file(self.folder / edit.name, edit)
        try:
            for step in self.capture.steps:
                self._step(step)
        finally:
            if self.shoe is not None:
                self.shoe.close()
        text = scrub(self.text, self.folder)
        return re.sub(self.capture.drop, "", text) if self.capture.drop else text

    def _step(self, step: Step) -> None:
        if isinstance(step, Sim):
            self.shoe = Shoe(step.options, self.folder)
        elif isinstance(step, Hands):
            if step.see:
                self._hands().wait(step.see)
            if step.act:
                self._hands().act(step.act)
        elif isinstance(step, Quiet):
            command = shlex.split(self._filled(step.command))
            known = environment(self.folder)
            done = subprocess.run(command, cwd=self.folder, env=known, capture_output=True, text=True)
            if done.returncode:
                raise CaptureError(f"{shlex.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
        else:
            self._show(step)

    def _hands(self) -> Shoe:
        assert self.shoe is not None, "a capture with hands needs a Sim first"
        return self.shoe

    def _filled(self, command: str) -> str:
        return command.format(**self.shoe.ports) if self.shoe else command

    def _show(self, step: Show) -> None:
        command = self._filled(step.command)
        self.text += "\r\n" if self.text else ""
        self.text += f"\x1b[32m$\x1b[0m \x1b[1m{command}\x1b[0m\r\n"
        rows = self.capture.rows or ROWS_ALL
        process, near = spawn(shlex.split(command), self.folder, rows, self.capture.columns)
        try:
            self.text += self._watch(near, step)
            if step.until:
                os.write(near, INTERRUPT)
            # What it writes while it ends is not shown, and must not block it.
            while read_some(near, END_S):
                pass
            status = None if step.until else process.wait(END_S)
        finally:
            end_all(process)
            os.close(near)
        if not step.until and status != step.status:
            raise CaptureError(f"{command}: status {status}, not {step.status}\n{self.text}")

    def _watch(self, near: int, step: Show) -> str:
        """What is written until the step is over; cues are obeyed meanwhile."""
        limit = time.monotonic() + STEP_S
        seen, after = "", 0
        cues = list(step.cues)
        while time.monotonic() < limit:
            if cues and (end := _line_end(seen, cues[0].see, cues[0].lines, after)) >= 0:
                after = end
                self._obey(cues.pop(0), near)
                continue
            if step.settle_s and not cues and seen.find(step.until, after) >= 0:
                return seen + _read_for(near, step.settle_s)
            if step.until and not cues and (end := _line_end(seen, step.until, 1 + step.more)) >= 0:
                return seen[:end]
            piece = read_some(near, limit - time.monotonic())
            if not piece and (cues or step.until):
                break
            if not piece:
                return seen
            seen += piece
        waited = cues[0].see if cues else step.until or "its end"
        raise CaptureError(f"{step.command}: no output matched {waited!r} in\n{seen}")

    def _obey(self, cue: Cue, near: int) -> None:
        if cue.type:
            os.write(near, cue.type.encode() + b"\n")
        if cue.hands:
            self._hands().act(cue.hands)


def edit_file(path: Path, edit: Edit) -> None:
    text = path.read_text(encoding="utf-8")
    if text.count(edit.old) != 1:
        raise CaptureError(f"{edit.name} has {edit.old!r} {text.count(edit.old)} times, not once")
    path.write_text(text.replace(edit.old, edit.new), encoding="utf-8")


def _line_end(text: str, wanted: str, lines: int, start: int = 0) -> int:
    """Behind `wanted` and so many line ends; -1: not yet."""
    at = text.find(wanted, start)
    if at < 0:
        return -1
    at += len(wanted)
    for _ in range(lines):
        at = text.find("\n", at) + 1
        if at == 0:
            return -1
    return at


def spawn(command: list[str], folder: Path, rows: int, columns: int) -> tuple[subprocess.Popen[bytes], int]:
    near, far = pty.openpty()
    fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    # Its own session with this terminal, so that Ctrl-C reaches it alone.
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment(folder),
        stdin=far,
        stdout=far,
        stderr=far,
        start_new_session=True,
        preexec_fn=_take_terminal,
    )
    os.close(far)
    return process, near


def end_all(process: subprocess.Popen[bytes]) -> None:
    """It and what it started: they are a session, and so a process group, of their own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def read_some(near: int, limit_s: float) -> str:
    """The next piece; "" when the other end is closed, or the limit has passed."""
    if not select.select([near], [], [], max(limit_s, 0))[0]:
        return ""
    try:
        return os.read(near, 65536).decode("utf-8", "replace")
    except OSError:
        return ""


def _read_for(near: int, seconds: float) -> str:
    end = time.monotonic() + seconds
    text = ""
    while piece := read_some(near, end - time.monotonic()):
        text += piece
    return text


# --- from bytes to a screen --------------------------------------------------------------------


def scrub(text: str, folder: Path) -> str:
    """Names of one run replaced by ones that stay: its folder, processes, days, pseudo-terminals (from 7 on)."""
    numbers: dict[str, int] = {}
    text = text.replace(f"{folder}/", "").replace(str(folder), "~")
    text = re.sub(r"\bprocess \d+", "process 4711", text)
    text = re.sub(r"\b20\d{6}-\d{6}\b", "20260301-101500", text)
    return re.sub(r"/dev/pts/(\d+)", lambda match: f"/dev/pts/{numbers.setdefault(match[1], 7 + len(numbers))}", text)


def screen_of(text: str, columns: int, rows: int) -> list[list[Cell]]:
    """The screen of a terminal that was sent `text`, without empty lines at its end."""
    pyte: Any = importlib.import_module("pyte")
    screen = pyte.Screen(columns, rows or ROWS_ALL)
    # pyte knows no faint text; bright black is how terminals show it.
    pyte.Stream(screen).feed(text.replace("\x1b[2m", "\x1b[90m"))
    found = [[_cell(screen.buffer[row][column]) for column in range(columns)] for row in range(screen.lines)]
    while found and not any(data.strip() or style != PLAIN for data, style in found[-1]):
        found.pop()
    return found


def _cell(char: Any) -> Cell:
    fg, bg = (char.bg, char.fg) if char.reverse else (char.fg, char.bg)
    if char.reverse and fg == "default":
        fg = BACKGROUND.removeprefix("#")
    if char.reverse and bg == "default":
        bg = FOREGROUND.removeprefix("#")
    return char.data, Style(fg, bg, char.bold, char.underscore)


def record(capture: Capture) -> list[list[Cell]]:
    with tempfile.TemporaryDirectory(prefix="fairshoe-") as folder:
        text = Player(capture, Path(folder)).play()
    return screen_of(text, capture.columns, capture.rows)
