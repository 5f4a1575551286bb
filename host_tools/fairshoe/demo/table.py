"""Play a demonstration: a simulated shoe on a real serial device path, through the host library.

The shoe runs in a process of its own. This side has two ends: the serial port, through pyserial, in an authenticated
session like any table system's; and a dealer's hands, which load decks and take stacks.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from fairshoe import messages
from fairshoe.client.shoe import CommandResult, Shoe
from fairshoe.errors import NoAnswer, SimulatorError
from fairshoe.games.record_kinds import Source
from fairshoe.keys import RoleKey, role_key, write_key
from fairshoe.messages import What
from fairshoe.sim import pseudo_terminal
from fairshoe.text.describe import words
from fairshoe.text.screen import Screen
from firmware.protocol.session import KEY_SIZE

EVENT_S = 60.0
SLOWEST_S = 600.0  # simulated: nothing that is waited for takes longer, eight decks in the shelves included
LOOK_S = 3.0
HAND_S = 60.0
PLAYERS = 3

Play = Callable[["Table", Screen], None]
Expected = tuple[int, int, int, list[str]]


@dataclass(frozen=True)
class Facts:
    """What the stories have to know of a game."""

    deck: int = 52
    stack: int = 5
    lockout: bool = False
    closings: int = 1
    final_each: int = 0


@dataclass(frozen=True)
class Story:
    """What is played, and what it must give: rounds ended and voided, decks refused, warnings."""

    play: Play
    expected: Expected
    facts: Facts = field(default_factory=Facts)
    table: list[str] = field(default_factory=list[str])  # settings of the table


class Child:
    """The simulated shoe's process. It ends when its input ends, so it cannot outlive us."""

    def __init__(self, arguments: list[str]) -> None:
        command = [sys.executable, "-m", "fairshoe", "sim", "--hands", "--json", *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdin is not None and self.process.stdout is not None
        self._stdin = self.process.stdin
        first = self.process.stdout.readline()
        if not first:
            code = self.process.wait()
            raise SimulatorError(f"the simulated shoe ended at once, with status {code}.", "Its own message is above.")
        self.ready: dict[str, Any] = json.loads(first)
        self.display: list[str] = []  # what the dealer reads now
        self._done = threading.Semaphore(0)
        self._reader = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self._reader.start()

    def _read(self, out: IO[bytes]) -> None:
        for line in out:
            heard = json.loads(line)
            if "did" in heard:
                self._done.release()
            else:
                self.display = heard["display"]

    def hand(self, action: str) -> None:
        """Act, and wait until it is done: on a busy machine a command could otherwise overtake the hand."""
        stopped = SimulatorError("the simulated shoe has stopped.", "Run the command again.")
        try:
            self._stdin.write(action.encode() + b"\n")
            self._stdin.flush()
        except OSError as error:
            raise stopped from error
        if not self._done.acquire(timeout=HAND_S):
            raise stopped

    def close(self) -> None:
        if not self._stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                self._stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(5)
        if self.process.stdout is not None:
            self.process.stdout.close()


@dataclass
class Tally:
    """What the closing summary says, counted from decoded events only."""

    ended: int = 0
    voided: int = 0
    decks_verified: int = 0
    decks_refused: int = 0
    stacks: int = 0
    cards: int = 0
    warnings: list[str] = field(default_factory=list[str])
    rules: list[str] = field(default_factory=list[str])  # clauses named, each once

    def count(self, event: messages.Event) -> None:
        clause = getattr(event, "clause", "HOUSE")
        if clause not in ("", "HOUSE", *self.rules):
            self.rules.append(clause)
        match event:
            case messages.RoundEnded():
                self.ended += 1
            case messages.RoundVoided():
                self.voided += 1
            case messages.DeckVerified():
                self.decks_verified += 1
            case messages.DeckRefused():
                self.decks_refused += 1
            case messages.StackTaken():
                self.stacks += 1
                self.cards += event.cards
            case messages.WarningLatched():
                self.warnings.append(event.warning.name.lower())
            case _:
                pass


class Table:
    """A dealer at the shoe: waits for an event, thinks for a moment, acts."""

    def __init__(self, shoe: Shoe, child: Child, screen: Screen, speed: float, facts: Facts) -> None:
        self.shoe = shoe
        self.facts = facts
        self.tally = Tally()
        self._child = child
        self._screen = screen
        self._speed = speed
        self._messages = shoe.messages(quiet_s=EVENT_S)
        self._early: list[messages.Event] = []  # came after the end of a command whose answer was still awaited

    def wait(self, *kinds: type[messages.Event]) -> messages.Event:
        """The next event of one of the kinds; everything on the way is shown and counted."""
        end = time.monotonic() + EVENT_S + SLOWEST_S / self._speed
        for event in self._early:
            if isinstance(event, kinds):
                self._early = self._early[self._early.index(event) + 1 :]
                return event
        for message in self._messages:
            if isinstance(self._see(message), kinds):
                return cast(messages.Event, message)
            if time.monotonic() > end:
                break
        names = " or ".join(kind.NAME for kind in kinds)
        raise NoAnswer(f"no {names} came.", "The shoe has stopped talking; run the command again.")

    def _see(self, message: messages.Message) -> messages.Message:
        self._screen.show(message)
        if isinstance(message, messages.Event):
            self.tally.count(message)
            self.shoe.acknowledge()  # before the dealer takes his time
        return message

    def rest(self, seconds: float) -> None:
        """Keep the session for a while; nothing is shown."""
        end = time.monotonic() + seconds
        for message in self._messages:
            if isinstance(message, messages.Event):
                self.shoe.acknowledge()
            if time.monotonic() > end:
                return

    def drain(self) -> int:
        """Run until the device has no event left; how many events it still keeps for us after five seconds."""
        end = time.monotonic() + 5
        for message in self._messages:
            self._see(message)
            if isinstance(message, messages.Status) and (message.events_waiting == 0 or time.monotonic() > end):
                return message.events_waiting
        return 0

    def do(self, *actions: str, after_s: float = 0.8) -> None:
        """Something a hand does to the machine."""
        for action in actions:
            time.sleep(after_s / self._speed)
            self._child.hand(action)

    def order(self, kind: type[messages.Command], after_s: float = 0.8, **arguments: int) -> CommandResult:
        """A command of the table system; what happens until its outcome is shown and counted."""
        time.sleep(after_s / self._speed)
        pending = self.shoe.start(kind, **arguments)
        ended = False
        self._early = []
        for message in self._messages:
            self._see(message)
            if ended and isinstance(message, messages.Event):
                self._early.append(message)
            # The answer may come before the events that led to it, or after: see all of it.
            ended = ended or (isinstance(message, messages.CommandEnded) and message.op == pending.op)
            result = pending.result
            if result is not None and (ended or result.outcome == messages.Outcome.REJECTED):  # a refusal is no event
                return result
        raise NoAnswer(f"no outcome of {kind.NAME}.", "The shoe has stopped talking; run the command again.")

    def record(self, what: What, a: int = 0, b: int = 0) -> CommandResult:
        """Something that no sensor sees."""
        return self.order(messages.Record, what=what, a=a, b=b)

    def look(self, words: str) -> None:
        """Read the display, which must say this by now."""
        end = time.monotonic() + LOOK_S
        while words not in "\n".join(self._child.display):
            if time.monotonic() > end:
                raise NoAnswer(f"the display does not say {words!r}.", "Please report it with the lines above.")
            time.sleep(0.02)
        self._screen.display(self._child.display)

    def shuffle(self, cards: int | str = 0) -> CommandResult:
        self.do(f"load {cards or self.facts.deck}")
        result = self.order(messages.Shuffle)
        if not result.done and result.reason == messages.Reason.NEED:
            # A table that keeps records: what people do with a new deck is recorded first.
            for step in (What.INSPECTED, What.VERIFIED, What.SHOWN, What.WASHED):
                self.record(step, 1)
            self.record(What.PROVENANCE, 1, Source.MACHINE)
            result = self.order(messages.Shuffle)
        return result

    def open_round(self, players: int) -> None:
        self.order(messages.SetPositions, positions=players)
        self.order(messages.CloseBetting)
        if self.facts.lockout:
            self.lock_out()

    def lock_out(self) -> None:
        if not self.order(messages.ConfirmLockout).done:
            self.record(What.PROGRESSIVE, 0, 0)
            self.order(messages.ConfirmLockout)

    def stacks(self, count: int) -> None:
        for _ in range(count):
            self.wait(messages.StackOffered)
            self.do("take")
            self.wait(messages.StackTaken)

    def release(self) -> None:
        self.order(messages.Release)
        self.do("take")
        self.wait(messages.RemainderTaken)

    def play_round(self, players: int) -> None:
        """From the deck in the dealer's hand to the end, as any game has it."""
        self.shuffle()
        self.open_round(players)
        self.stacks(players + 1)
        if self.facts.closings > 1:
            self.order(messages.CloseBetting)
        self.release()
        if self.facts.final_each:
            self.record(What.FINAL_DEAL, players)
        if not self.order(messages.EndRound).done:
            self.look("Count the stub")
            self.do("press lock")
            self.wait(messages.Recorded)
            self.order(messages.EndRound)

    def hand_out(self) -> None:
        """A machine that shuffles and does not deal."""
        self.shuffle()
        self.release()

    def short_shoe(self) -> None:
        """A shoe counts by dealing: a card that is missing shows when the rest comes out."""
        self.shuffle(self.facts.deck - 1)
        self.open_round(1)
        self.stacks(2)
        if self.facts.closings > 1:
            self.order(messages.CloseBetting)
        self.order(messages.Release)
        self.do("take")
        self._back_to_work()

    def draw_round(self, cards: int) -> None:
        self.order(messages.CloseBetting)
        self.do(*["draw 150"] * cards, after_s=0.6)
        self.order(messages.EndRound)

    def two_at_once(self) -> None:
        self.order(messages.CloseBetting)
        self.do("draw 150", "draw_two 150")
        self.wait(messages.WarningLatched)
        self.do("open", "clear", "close", after_s=1.2)
        self._back_to_work()

    def _back_to_work(self) -> None:
        self.order(messages.AcknowledgeWarning, after_s=1.2)
        self.wait(messages.WarningCleared)

    def short_deck(self) -> None:
        self.shuffle(self.facts.deck - 1)
        self.order(messages.AcknowledgeWarning)
        self.wait(messages.DeckRemoved)
        self.do("take")
        self.wait(messages.WarningCleared)

    def jam_while_dealing(self, ejected_before: int, stacks: int = 1) -> None:
        """After so many stacks, in the middle of the next one, a card stops at the exit."""
        size = self.facts.stack
        self.do(f"jam exit:{ejected_before + stacks * size + size // 2}:40000", after_s=0.1)
        self.shuffle()
        self.open_round(PLAYERS)
        for _ in range(stacks):
            self.wait(messages.StackOffered)
            self.do("take")
        self.wait(messages.WarningLatched)
        self.do("open", "clear", "close", after_s=1.2)
        self._back_to_work()


def play(arguments: list[str], story: Story, speed: float, screen: Screen) -> int:
    """Play all acts; 0 if every one went as the rules require."""
    with tempfile.TemporaryDirectory() as folder:
        key_file = Path(folder) / "demo.key"
        key = os.urandom(KEY_SIZE)
        write_key(key_file, "device", key)
        tcp = [] if pseudo_terminal.available() else ["--tcp", "0"]
        child = Child([*arguments, "--key-file", str(key_file), "--mode", "table", *tcp])
        try:
            return _run(child, story, role_key(key, messages.Role.TABLE), speed, screen)
        finally:
            screen.finish()
            child.close()


def _run(child: Child, story: Story, key: RoleKey, speed: float, screen: Screen) -> int:
    started = time.monotonic()
    ready = child.ready
    screen.line(f"Simulated shoe: board {ready['board']}, game {ready['game']}, seed {ready['seed']}.")
    screen.line(f"Its clock runs {speed:g} times as fast as yours; times below are its own.")
    screen.line("")
    port = ready["port"] or ready["tcp"]
    screen.line(f"  table port  {port}   (in use: this demo is the table system)")
    if ready["tap"]:
        screen.line(f"  tap         {ready['tap']}   (repeats what the shoe sends, for a second program)")
        screen.line("")
        screen.line("Watch it from a second terminal:")
        screen.line(f"  {own_command()} monitor {ready['tap']}", wrap=False)
    with Shoe.open(port, key, reconnect=False) as shoe:
        table = Table(shoe, child, screen, speed, story.facts)
        screen.heading("Power-up: the machine proves that it is empty")
        table.wait(messages.EmptyProved)
        story.play(table, screen)
        missing = table.drain()
        screen.finish()
        code = _summary(table, screen, story.expected, missing, time.monotonic() - started)
        _stay(table, ready["tap"], screen)
        return code


def _stay(table: Table, tap: str, screen: Screen) -> None:
    """At a terminal the shoe runs on until the reader is done; elsewhere the demonstration ends by itself."""
    if not (screen.live and sys.stdin.isatty()):
        return
    screen.line("")
    screen.line(f"The simulated shoe is still running{'. Look at it from a second terminal:' if tap else '.'}")
    if tap:
        screen.line(f"  {own_command()} monitor {tap}", wrap=False)
    screen.line("Press Enter here to stop it.", "bold")
    done = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.readline(), done.set()), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        while not done.is_set():
            table.rest(0.2)


def own_command() -> str:
    """How to call this program from any folder, as one pastes it into a shell."""
    script = Path(sys.argv[0]).absolute()
    if shutil.which("fairshoe") == str(script) and "VIRTUAL_ENV" not in os.environ:
        return "fairshoe"  # a second terminal finds it too, unless an activated environment is the reason
    if script.stem == "fairshoe" and script.is_file():
        return shlex.quote(str(script))
    return f"{shlex.quote(sys.executable)} -m fairshoe"


def _summary(table: Table, screen: Screen, expected: Expected, missing: int, seconds: float) -> int:
    tally, shoe = table.tally, table.shoe
    screen.heading("Summary")
    rows = (
        ("rounds", f"{tally.ended} ended, {tally.voided} void"),
        ("decks", f"{tally.decks_verified} verified, {tally.decks_refused} refused"),
        ("stacks taken", f"{tally.stacks}, {tally.cards} cards"),
        ("warnings", ", ".join(words(name) for name in tally.warnings) or "none"),
        ("events", f"{shoe.counts.events} received, {missing} missing; the lines above leave out routine ones"),
        ("rules named", ", ".join(tally.rules) or "none"),
        ("time", f"{seconds:.0f} s on your clock"),
    )
    for name, value in rows:
        screen.line(f"  {name:13s} {value}", indent=16)
    if tally.rules:
        screen.line(f"  What a rule says: {own_command()} explain {tally.rules[0]}", wrap=False)
    as_expected = (tally.ended, tally.voided, tally.decks_refused, tally.warnings) == expected
    if not as_expected:
        screen.warn("  This is not what the story should give: please report it with the lines above.")
    return 0 if as_expected else 1
