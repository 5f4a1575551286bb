"""Run a bench plan on a device and make its report, also when the run is interrupted or the device is lost."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO

from fairshoe import __version__
from fairshoe.bench import report_file as result_
from fairshoe.bench.deck_runner import Overdue
from fairshoe.bench.drills import PROCEDURES
from fairshoe.bench.plan import Data, Plan, Step
from fairshoe.bench.report_file import StepResult
from fairshoe.bench.steps import Bench, Findings, NotApplicable, NotTested, fresh_meters, right
from fairshoe.errors import FairshoeError, HelloRefused, NoAnswer, PortError, PortLost, StoreError
from fairshoe.messages import Booted, Event, Meters, State
from fairshoe.os_errors import os_errors_as
from fairshoe.text.advice import WARNINGS, WORKING
from fairshoe.text.describe import words

_MOVES = tuple(state for state in WORKING if state != State.STARTING)

_NAMES_MAX = 100
_KEY_WORD = re.compile(r"([?&]key=)[^&]*")  # the place of a key does not belong into a report


class Log:
    """Events as they come, one JSON object a line, written before they are acknowledged."""

    def __init__(self, folder: Path, stem: str) -> None:
        self._hash = hashlib.sha256()
        with os_errors_as(StoreError, f"cannot write into {folder}", "Name a folder that can be written with --out."):
            folder.mkdir(parents=True, exist_ok=True)
            self.path, self._file = _new_file(folder, stem)

    def write(self, event: Event) -> None:
        line = json.dumps({"message": event.NAME, **asdict(event)}, default=bytes.hex).encode() + b"\n"
        with os_errors_as(StoreError, f"cannot write {self.path}", "Free space."):
            self._file.write(line)
            self._file.flush()
        self._hash.update(line)

    def discard(self) -> None:
        """Delete the log: it has no event."""
        self._file.close()
        if not self.path.stat().st_size:
            self.path.unlink()

    def close(self) -> str:
        """The SHA-256 of what was written."""
        self._file.close()
        return self._hash.hexdigest()


def _new_file(folder: Path, stem: str) -> tuple[Path, IO[bytes]]:
    """A name of its own: several benches may begin in the same second."""
    number = 1
    while True:
        path = folder / f"{stem}{f'-{number}' if number > 1 else ''}.events.jsonl"
        try:
            return path, path.open("xb")
        except FileExistsError:
            if number == _NAMES_MAX:
                raise
            number += 1


@dataclass
class Facts:
    """Facts about a run that people give: operator, serial number."""

    operator: str
    serial: str
    port: str
    simulated: bool
    options: Data = field(default_factory=dict[str, "int | str"])


class Watcher:
    """Receives the progress of a run."""

    def begin(self, number: int, total: int, step: Step) -> None: ...

    def end(self, number: int, total: int, result: StepResult) -> None: ...


class Run:
    """One plan on one device. `play` never raises for what a device or a technician does; the report shows it."""

    def __init__(
        self, bench: Bench, plan: Plan, facts: Facts, watcher: Watcher, now: Callable[[], datetime] | None = None
    ) -> None:
        self.bench = bench
        self.plan = plan
        self.facts = facts
        self.watcher = watcher
        self.results = [result_.step_result(step) for step in plan.steps]
        self.decks: list[Data] = []
        self.stopped = ""  # why it ended before its end, if that is not the machine's fault
        self.broken = False  # the machine cannot be brought to rest any more
        self.error: FairshoeError | None = None
        self.interrupted = False
        self._now = now or (lambda: datetime.now().astimezone())
        self._started = self._now()
        self._before: Meters | None = None
        self._after: Meters | None = None

    def play(self) -> None:
        """Every step that applies. Ctrl-C and a lost device end it; what was found until then is kept."""
        try:
            self._before = fresh_meters(self.bench.device)
            for number, (step, result) in enumerate(zip(self.plan.steps, self.results, strict=True), 1):
                self.watcher.begin(number, len(self.results), step)
                self._step(step, result)
                self.watcher.end(number, len(self.results), result)
                if self.broken:
                    break
            self._after = fresh_meters(self.bench.device)
        except KeyboardInterrupt:
            self.interrupted = True
            self.stopped = "Interrupted by the operator."
        except EOFError:
            self.stopped = "No answer: standard input ended."
        except Overdue as error:
            self.stopped = _sentence(str(error))
        except FairshoeError as error:
            self.error = error
            lost = isinstance(error, (PortError, PortLost, NoAnswer, HelloRefused))
            self.stopped = f"{'The device was lost' if lost else 'It could not go on'}: {error.what}"

    def aftermath(self) -> str:
        """After an interruption: what the machine is doing now, and what to do about it."""
        status = self.bench.device.status
        if status is None:
            return "Nothing is known of the machine's state."
        doing = words(status.state.name)
        if status.warning:
            advice = _sentence(WARNINGS[status.warning].advice)
            return f"The machine is stopped: warning {words(status.warning.name)}. {advice}"
        if status.state == State.WAITING_FOR_DECK:
            return "The machine waits for a deck. Take out what you have put into its hopper."
        if status.state in _MOVES:
            return f"The machine is {doing} and continues without the bench. Wait until it rests."
        return (
            f"The machine is {doing}, with cards inside. Finish the round at its panel, or open the door and empty it."
        )

    @property
    def verdict(self) -> tuple[str, str]:
        return result_.verdict_of(self.results, self.stopped, self.broken)

    def _step(self, step: Step, result: StepResult) -> None:
        against = step.reason_against(self.bench.board.kind)
        if against:
            result.status, result.reason = result_.NOT_APPLICABLE, against
            return
        found = Findings()
        clock = self.bench.device.line.clock
        began = clock()
        result.started = self._now().isoformat(timespec="seconds")
        result.status, result.reason = result_.STOPPED, "The run ended during this step."
        try:
            if step.kind != "identity":
                self._rest()
            PROCEDURES[step.kind](self.bench, step, found)
            result.status, result.reason = result_.PASSED, ""
        except NotApplicable as reason:
            result.status, result.reason = result_.NOT_APPLICABLE, _sentence(str(reason))
        except NotTested as reason:
            result.status, result.reason = result_.NOT_TESTED, _sentence(str(reason))
        except Overdue as error:
            result.status, result.reason = result_.FAILED, _sentence(str(error))
        finally:
            result.seconds = round(clock() - began, 1)
            if result.status not in (result_.NOT_APPLICABLE, result_.NOT_TESTED):
                result_.judge(result, step, self.bench.board.kind, found)
            self._keep(found, step)

    def _rest(self) -> None:
        """Every step that moves anything begins with an empty machine; one that cannot be emptied ends the run."""
        try:
            self.bench.play.rest()
        except Overdue:
            self.broken = True
            raise

    def _keep(self, found: Findings, step: Step) -> None:
        for deck in found.decks:
            if deck.stopped:
                verdict = "stopped on purpose"
            elif step.kind == "counts" and deck.loaded != self.bench.board.deck_cards:
                verdict = "refused, as it must be" if deck.refused and deck.counted == deck.loaded else "NOT TOLD APART"
            elif right(deck, self.bench.board):
                verdict = "right"
            else:
                verdict = "not counted to the end" if deck.cut else "WRONG"
            self.decks.append(result_.deck_row(deck, step.id, verdict))

    def report(self, log: Log) -> Data:
        device = self.bench.device
        verdict, reason = self.verdict
        ended = self._now()
        sha256 = log.close()
        report: Data = {
            "format": result_.FORMAT,
            "tool": {"name": "fairshoe", "version": __version__},
            "verdict": verdict,
            "reason": reason,
            "simulated": self.facts.simulated,
            "plan": {
                "name": self.plan.name,
                "title": self.plan.title,
                "about": self.plan.about,
                "source": self.plan.source,
                "sha256": self.plan.sha256,
                "options": self.facts.options,
            },
            "operator": self.facts.operator,
            "serial": self.facts.serial,
            "port": _KEY_WORD.sub(r"\1...", self.facts.port),
            "started": self._started.isoformat(timespec="seconds"),
            "ended": ended.isoformat(timespec="seconds"),
            "time_zone": ended.tzname() or "",
            "device": self._device(),
            "meters": {
                "before": result_.messages_fields(self._before) if self._before else None,
                "after": result_.messages_fields(self._after) if self._after else None,
            },
            "steps": [asdict(result) for result in self.results],
            "decks": self.decks,
            "events": {
                "first": device.events[0].seq if device.events else 0,
                "last": device.events[-1].seq if device.events else 0,
                "count": len(device.events),
                "log": log.path.name,
                "sha256": sha256,
            },
        }
        result_.check_report(report)
        return report

    def _device(self) -> Data:
        """As the device reports it, beside the options of the bench; nothing here is proved."""
        device, board = self.bench.device, self.bench.board
        welcome = device.welcome
        boots = [event for event in device.events if isinstance(event, Booted)]
        return {
            "id": f"{welcome.device:08x}",
            "firmware": welcome.firmware,
            "game": welcome.game,
            "dictionary": welcome.dictionary.hex(),
            "boot": welcome.boot,
            "has_key": bool(welcome.has_key),
            "link_mode": words(welcome.mode.name),
            "role": words(welcome.role.name),
            "board_crc": f"{boots[-1].board_crc:08x}" if boots else None,
            "board": board.name,
            "board_crc_expected": f"{board.crc:08x}",
            "mechanism": board.kind,
            "count_assurance": board.count_assurance,
            "deck_cards": board.deck_cards,
        }


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith(".") or not text else text + "."
