"""A scenario as a reader follows it: paced by the clock, and every message of the shoe in words.

The machine is in this process. What it sends to its host is repeated on a pseudo-terminal, for a second program.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from fairshoe import messages
from fairshoe.demo.choice import Played
from fairshoe.errors import GameError
from fairshoe.link.framing import Decoder
from fairshoe.sim.pseudo_terminal import NoPort, PseudoTerminal, available
from fairshoe.text.describe import words
from fairshoe.text.screen import Screen
from rig.scenario import Scenario
from rig.story import TO_HOST

IDLE_MS = 1000


class Told(Scenario):
    """Plays `speed` times as fast as the clock."""

    def __init__(self, played: Played, speed: float, screen: Screen, tap: NoPort | PseudoTerminal) -> None:
        super().__init__(*played)
        self.heard: list[messages.Event] = []
        self._screen = screen
        self._tap = tap
        self._speed = speed
        self._started = time.monotonic()
        self._decoder = Decoder()
        self.stage.tap = self._hear

    def _hear(self, way: int, data: bytes | bytearray) -> None:
        if way != TO_HOST:
            return
        self._tap.write(data)
        for message in self._decoder.feed_messages(bytes(data)):
            self._screen.show(message)
            if isinstance(message, messages.Event):
                self.heard.append(message)

    def _listen(self) -> None:
        super()._listen()
        self._tap.read()  # what is written there goes nowhere
        ahead_s = self.stage.rig.plant.now_us / 1e6 / self._speed - (time.monotonic() - self._started)
        time.sleep(max(0.0, ahead_s))

    def do(self, step: dict[str, Any]) -> None:
        super().do(step)
        if step["do"] == "read":
            self._screen.display(list(self.stage.rig.hal.lines))
        elif step["do"] == "tell":
            self._screen.heading(step["text"])


def play(played: Played, speed: float, screen: Screen) -> int:
    """0 if everything went as the scenario expects."""
    tap = PseudoTerminal() if available() else NoPort()
    watch = f"  {_own_command()} monitor {tap.path}" if tap.path else ""
    screen.line(f"Simulated shoe, {speed:g} times as fast as your clock; times below are its own.")
    if watch:
        screen.line(f"  tap  {tap.path}   (repeats what the shoe sends, for a second program)")
        screen.line("")
        screen.line("Watch it from a second terminal:")
        screen.line(watch, wrap=False)
    screen.heading(played[0]["title"])
    try:
        told = _told(played, speed, screen, tap)
        told.play()
        screen.finish()
        _summary(told, screen)
        _stay(told, watch, screen)
    finally:
        screen.finish()
        tap.close()
    return 1 if told.problems else 0


def _told(played: Played, speed: float, screen: Screen, tap: NoPort | PseudoTerminal) -> Told:
    try:
        return Told(played, speed, screen, tap)
    except ValueError as error:
        raise GameError(f"this game on this board: {error}.", "Choose another game or board.") from error


def _summary(told: Told, screen: Screen) -> None:
    count = Counter(type(event) for event in told.heard)
    warnings = [words(event.warning.name) for event in told.heard if isinstance(event, messages.WarningLatched)]
    clauses = {getattr(event, "clause", "HOUSE"): None for event in told.heard}
    rules = [clause for clause in clauses if clause not in ("", "HOUSE")]
    missing = told.stage.rig.app.journal.seq_last - told.stage.peer.seq_last
    rows = (
        ("rounds", f"{count[messages.RoundEnded]} ended, {count[messages.RoundVoided]} void"),
        ("decks", f"{count[messages.DeckVerified]} verified, {count[messages.DeckRefused]} refused"),
        ("warnings", ", ".join(warnings) or "none"),
        ("events", f"{len(told.heard)} received, {missing} missing; the lines above leave out routine ones"),
        ("rules named", ", ".join(rules) or "none"),
    )
    screen.heading("Summary")
    for name, value in rows:
        screen.line(f"  {name:13s} {value}", indent=16)
    if rules:
        screen.line(f"  What a rule says: {_own_command()} explain {rules[0]}", wrap=False)
    for problem in told.problems:
        screen.warn(f"  not as the story should go: {problem}; please report it with the lines above")


def _stay(told: Told, watch: str, screen: Screen) -> None:
    """At a terminal the shoe runs on until the reader is done; elsewhere the demonstration ends by itself."""
    if not (screen.live and sys.stdin.isatty()):
        return
    screen.line("")
    screen.line(f"The simulated shoe is still running{'. Look at it from a second terminal:' if watch else '.'}")
    screen.line(watch, wrap=False)
    screen.line("Press Enter here to stop it.", "bold")
    pressed = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.readline(), pressed.set()), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        while not pressed.is_set():
            told.stage.run(IDLE_MS)


def _own_command() -> str:
    """How to call this program from any folder, as one pastes it into a shell."""
    script = Path(sys.argv[0]).absolute()
    if shutil.which("fairshoe") == str(script) and "VIRTUAL_ENV" not in os.environ:
        return "fairshoe"  # a second terminal finds it too, unless an activated environment is the reason
    if script.stem == "fairshoe" and script.is_file():
        return shlex.quote(str(script))
    return f"{shlex.quote(sys.executable)} -m fairshoe"
