"""From a device's journal to a moment of the bench page: the course before a stop, played again on a simulated shoe.

A journal names the board, the game, the cards that were counted, what people did and when, and the warning. It does not
name the order of the cards, where a card lay when it stopped, or when power failed. So the course is followed event by
event: a simulated dealer does what was done, as long after the event before as on the device, and a fault that leads to
this warning is put where the counts say. What does not come out the same is tried elsewhere. The result is a record of
the bench page (rig/live.py), and a list of what is reconstructed and what is guessed.

Rejected: to write steps with the times of the journal and hope. The simulated machine is a little faster or slower than
the real one, and after a minute a press would come too early to count.
"""

from __future__ import annotations

import base64
import copy
import json
from dataclasses import dataclass, field

from fairshoe.boards.configs import load_board
from fairshoe.messages import Event, Fault, RoundStarted, ShuffleStarted, StackStarted
from fairshoe.sim.replay_course import Course, NoStop, Step, causes
from rig.live import Live
from rig.operator import next_moves

TRIES_MAX = 14
STEP_MS = 20  # how often the simulated dealer looks
LATE_MS = 3000  # a course that has not gone on by so much later than it did is helped by the careful operator
PATIENCE_MS = 30_000  # beyond what the next event took on the device
SEEN_MS = 150  # after the stop, so that the display has it
BOOT_MS = 2000
# What a hand did, where the careful operator would do something else.
_DONE = {
    "green_pressed": {"do": "press", "button": "green"},
    "removal_started": {"do": "press", "button": "ack"},
    "door_opened": {"do": "open"},
    "door_closed": {"do": "close"},
}
_SENSORS = {"inputs.back": 22, "inputs.face": 28}


@dataclass(frozen=True)
class Replay:
    """A record for the bench page, and how near it comes."""

    course: Course
    data: Step  # a scenario with the script until then
    at_ms: int
    same: bool  # the same warning
    known: tuple[str, ...]
    guessed: tuple[str, ...]

    def fragment(self) -> str:
        """The part of a link behind the address of the bench page."""
        data = {key: value for key, value in self.data.items() if key not in ("title", "script")}
        moment = {**data, "steps": self.data["script"], "at": self.at_ms}
        text = base64.urlsafe_b64encode(json.dumps(moment, separators=(",", ":")).encode()).decode()
        return "#m=" + text.rstrip("=")


# -- the simulated shoe ------------------------------------------------------------------------------------------------


@dataclass
class _Run:
    """One try: a simulated shoe that is led along a course."""

    course: Course
    live: Live
    late: list[Step]  # what strikes at the moment of the stop
    at: int = 0  # how many events of the course have come
    mark_ms: int = 0  # when the last of them came
    took_ms: int = 0  # from the event before
    compared: int = 0
    moves: list[tuple[int, Step]] = field(default_factory=list[tuple[int, Step]])
    stopped: list[int] | None = None  # fields of the warning that came

    def play(self) -> bool:
        """Until a warning is latched; False if none was."""
        while self.stopped is None and self.live.now_ms() < self.mark_ms + self._gap_ms() + PATIENCE_MS:
            now_ms = self.live.now_ms()
            self.live.run_to(
                min(now_ms + STEP_MS, max(self.moves[0][0], now_ms + 1) if self.moves else now_ms + STEP_MS)
            )
            self._listen()
            if self.moves and self.moves[0][0] <= self.live.now_ms():
                self._act(self.moves.pop(0)[1])
            elif not self.moves:
                self._plan()
        return self.stopped is not None

    def _listen(self) -> None:
        events = self.live.stage.peer.events
        while self.compared < len(events):
            event = events[self.compared]
            self.compared += 1
            if event.name == "warning_latched":
                self.stopped = event.fields
            if self.at < len(self.course.events) and event.name == self.course.events[self.at].NAME:
                self.at += 1
                self.took_ms = self.live.now_ms() - self.mark_ms
                self.mark_ms = self.live.now_ms()
                self.moves = []

    def _act(self, step: Step) -> None:
        self.live.act(json.dumps({key: value for key, value in step.items() if key != "hand"}))

    def _plan(self) -> None:
        """What is done next, and when: as long after the event before as it was on the device."""
        now_ms = self.live.now_ms()
        wanted = self.course.events[min(self.at, len(self.course.events) - 1)]
        due_ms = self.mark_ms + self._gap_ms()
        if self.at >= len(self.course.events) - 1 and self.late:
            self.moves = [(max(now_ms, due_ms - _lead_ms(step)), step) for step in self.late]
            if self.late[0]["do"] == "cut":
                self.moves.append((self.moves[0][0] + BOOT_MS, {"do": "boot"}))
            self.late = []
        elif wanted.NAME in _DONE:
            self.moves = [(max(now_ms, due_ms), dict(_DONE[wanted.NAME]))]
        else:
            self._operate(now_ms, due_ms, wanted)

    def _operate(self, now_ms: int, due_ms: int, wanted: Event) -> None:
        moves = [(delay, {"do": action, **given}) for delay, action, given in next_moves(self.live.stage, True)]
        if not moves or not self.live.rig.powered:
            return
        for _delay, step in moves:
            if step["do"] == "load":
                step["cards"] = self.course.cards
        if any(step["do"] == "load" for _delay, step in moves) and not self.course.cards:
            return  # no deck was loaded before the stop
        if isinstance(wanted, RoundStarted) and moves[-1][1] == {"do": "press", "button": "close"}:
            moves = [(200, {"do": "press", "button": "seat"})] * wanted.positions + moves
        at_ms = max(now_ms, due_ms - sum(delay for delay, _step in moves[1:]))
        if wanted.NAME == "warning_latched":
            at_ms = now_ms + moves[0][0]
        elif at_ms > now_ms + LATE_MS and wanted.NAME not in _HANDS:
            return  # the machine is at work: it goes on by itself
        for delay, step in moves:
            self.moves.append((at_ms, step))
            at_ms += delay

    def late_ms(self) -> int:
        """How much longer or shorter the simulated shoe took to its warning."""
        last = self.course.events[-1]
        before = self.course.events[-2] if len(self.course.events) > 1 else last
        took_ms = _ms(last) - _ms(before) if last.boot == before.boot else 0
        return abs(self.took_ms - took_ms) if took_ms else 0

    def _gap_ms(self) -> int:
        """Between the last event that has come and the next one, on the device."""
        if not self.at:
            return 0
        before, wanted = self.course.events[self.at - 1], self.course.events[min(self.at, len(self.course.events) - 1)]
        if before.boot != wanted.boot:
            return _dark_ms(before)
        return max(0, _ms(wanted) - _ms(before))


_HANDS = ("shuffle_started", "deck_loaded", "round_started", "lockout_confirmed", "stack_taken", "remainder_taken")


def _lead_ms(step: Step) -> int:
    """How long before the warning a step is done, so that the device notices it about then."""
    return 20 if step["do"] == "open" else 0 if step["do"] == "cut" else 100


def _dark_ms(before: Event) -> int:
    """When power fails after this event: a guess, in the middle of what was going on."""
    if isinstance(before, ShuffleStarted):
        return before.report_ds * 50
    return 300 if isinstance(before, StackStarted) else 500


def _ms(event: Event) -> int:
    return event.uptime_s * 1000 + event.uptime_ms


def replay(course: Course, seed: int = 1) -> Replay:
    """Try what may have led to the stop until the simulated shoe stops as the device did; else the nearest try."""
    best: tuple[tuple[int, int, int], _Run, str] | None = None
    tries = 0
    for words, steps in causes(course):
        again: list[Step] | None = steps
        while again is not None and tries < TRIES_MAX:
            tries += 1
            run = _try(course, again, seed)
            score = _distance(run)
            if best is None or score < best[0]:
                best = (score, run, words)
            again = _nearer(run, again) if score[0] == 0 and score[1] else None
        if tries >= TRIES_MAX or (best is not None and best[0][:2] == (0, 0) and course.stop.warning != Fault.JAM_EXIT):
            break
    if best is None:
        raise NoStop(
            f"the page has no fault that leads to the warning {course.stop.warning.name.lower()}.",
            "`fairshoe explain` says what the warning means.",
        )
    return _replayed(course, best[1], best[2], best[0])


def _try(course: Course, steps: list[Step], seed: int) -> _Run:
    data: Step = {"title": "Replayed from a journal", "board": course.board, "game": course.game, "seed": seed}
    if course.stop.warning in (Fault.BACK, Fault.FACE_UP):
        data["changes"] = dict(_SENSORS)
    run = _Run(course, Live(data, copy.deepcopy(load_board(course.board)[0])), [it for it in steps if "hand" in it])
    for step in steps:
        if "hand" not in step:
            run.live.act(json.dumps(step))
    run.play()
    return run


def _distance(run: _Run) -> tuple[int, int, int]:
    """How far a try is from the stop: another warning, another number of cards, milliseconds."""
    stop, found = run.course.stop, run.stopped
    if found is None:
        return (2, 0, 0)
    late_ms = run.late_ms()
    missed = len(run.course.events) - run.at
    return (int(found[0] != stop.warning), abs(found[1] - stop.cards_seen), 1000 * missed + late_ms)


def _nearer(run: _Run, steps: list[Step]) -> list[Step] | None:
    """The same fault at another card, if the device had counted more or fewer by then."""
    off = run.course.stop.cards_seen - (run.stopped or [0, 0])[1]
    moved = [{**step, "card": step["card"] + off} for step in steps if "card" in step]
    return moved if moved and all(step["card"] >= 0 for step in moved) else None


def _replayed(course: Course, run: _Run, words: str, score: tuple[int, int, int]) -> Replay:
    stop = course.stop
    known = [*course.known, f"warning {stop.warning.name.lower()} after {stop.cards_seen} cards"]
    hands = sum(1 for event in course.events if event.NAME in _HANDS or event.NAME in _DONE)
    known.append(
        f"{run.at} of {len(course.events)} events in the same order, {hands} of them done by hands at their times"
    )
    guessed = [*course.guessed, f"the cause: {words}"]
    if score[0]:
        guessed.append("the simulated shoe does not stop as the device did: this is the nearest course")
    elif score[1]:
        guessed.append(f"the simulated shoe had counted {(run.stopped or [0, 0])[1]} cards by then")
    live = run.live
    live.run_to(live.now_ms() + SEEN_MS)
    data = json.loads(live.saved())
    data["script"] = data["script"][:-1]  # without the wait at its end: the moment has it
    data["story"] = f"Replayed from a journal. Reconstructed: {'; '.join(known)}. Guessed: {'; '.join(guessed)}."
    return Replay(course, data, live.now_ms(), score[0] == 0, tuple(known), tuple(guessed))
