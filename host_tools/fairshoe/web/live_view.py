"""What the live page shows: one shoe's messages, folded once into plain JSON values, as a snapshot and as changes.

It holds only what a host may know: status, meters, health, events. No slot, no order, no key. Texts of a device stay
texts; the page sets them as text.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import asdict
from enum import IntEnum
from pathlib import Path
from typing import Any

from fairshoe.link.session import event_seq
from fairshoe.messages import (
    ZONES,
    Booted,
    Event,
    Health,
    Message,
    Meters,
    Need,
    Role,
    Serviced,
    Status,
    WarningLatched,
    Wear,
    Welcome,
)
from fairshoe.text.advice import next_step, warned
from fairshoe.text.describe import describe_event, progress, words
from fairshoe.text.screen import shoe_time, style_of
from fairshoe.wear import BEAMS, WearFile

EVENTS_KEPT = 100
HISTORY_S = 3600.0
POINT_S = 10.0  # one point of history stands for so long
WHO = {
    "machine": "the machine, by itself",
    "hand": "a person at the machine",
    "command": "the table system, or the dealer's button",
    "record": "the table system, with a record",
    "host": "a host that stores events",
}

Values = dict[str, Any]


class LiveView:
    """`take` folds messages in, `changes` gives what is new since it was last called, `snapshot` all of it."""

    def __init__(self, url: str, boards: dict[int, str] | None = None, board: str = "") -> None:
        self.clock: Callable[[], float] = time.monotonic
        self._boards = boards or {}  # names by the CRC that `booted` tells
        self._start = self.clock()
        self._heard: float | None = None
        self._known: Values = {"url": url, "board": board}
        self._changed: set[str] = set()
        self._events: deque[Values] = deque(maxlen=EVENTS_KEPT)
        self._new_events: deque[Values] = deque(maxlen=EVENTS_KEPT)
        self._history: deque[list[Any]] = deque(maxlen=int(HISTORY_S / POINT_S))
        self._point_changed = False
        self._restarted = False  # another device: what is new is all of it
        self._seq = 0  # of the last event
        self._meters: Meters | None = None
        self._health: Health | None = None
        self._latched: WarningLatched | None = None
        self.wear_folder: Path | None = None  # where trends are kept; None: there are none
        self._wear: WearFile | None = None

    # -- in ------------------------------------------------------------------------------------------------------------

    def take(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self._heard = self.clock()
            self._fold(message)

    def welcome(self, welcome: Welcome | None) -> None:
        if welcome is None:
            return
        known = self._known.get("shoe")
        if known and known["device"] != f"{welcome.device:08x}":
            self.forget()
        if self.wear_folder is not None and self._wear is None:
            self._wear = WearFile(self.wear_folder, welcome.device)
            self._trends()
        device = {"device": f"{welcome.device:08x}", "firmware": welcome.firmware, "game": welcome.game}
        role = words(welcome.role.name) if welcome.role != Role.CLEAR else "in clear"
        self._put("shoe", {**device, "boot": welcome.boot, "has_key": bool(welcome.has_key), "role": role})

    def link(self, mode: str, live: bool, problem: str = "", advice: str = "") -> None:
        """How the line is: `live` as long as what is shown may be believed."""
        self._put("link", {"mode": mode, "live": live, "problem": problem, "advice": advice})

    def control(self, commands: Iterable[str]) -> None:
        """The commands that the page may give; none unless this is called."""
        self._put("commands", list(commands))

    def show(self, name: str, value: object) -> None:
        """A value beside those of the shoe, for a page that has more."""
        self._put(name, value)

    def forget(self) -> None:
        """Another device answers on this port: what was known is not about it."""
        self._known = {**self._known, "shoe": None, "status": None, "meters": None, "board": ""}
        if self._wear is not None:
            self._known["wear"] = []
        self._restarted = True
        self._events.clear()
        self._new_events.clear()
        self._history.clear()
        self._meters = self._health = self._latched = self._wear = None
        self._seq = 0

    # -- out -----------------------------------------------------------------------------------------------------------

    def snapshot(self) -> Values:
        """All of it. The events of `changes` that are still to come may be in here, too: they are numbered."""
        history = [list(point) for point in self._history]
        return {"snapshot": {**self._known, "events": list(self._events), "history": history}, **self.beat()}

    def changes(self) -> Values:
        """What is new; empty if nothing is. A snapshot if another device answers."""
        restarted, self._restarted = self._restarted, False
        delta: Values = {name: self._known[name] for name in self._changed}
        if self._new_events:
            delta["events"] = list(self._new_events)
        if self._point_changed:
            delta["history"] = [list(self._history[-1])]
        self._changed.clear()
        self._new_events.clear()
        self._point_changed = False
        if restarted:
            return self.snapshot()
        return {"delta": delta, **self.beat()} if delta else {}

    def beat(self) -> Values:
        """What every text to a browser has: the time here, and how old the last message of the shoe is."""
        age_s = None if self._heard is None else round(self.clock() - self._heard, 2)
        return {"t": self._now(), "age_s": age_s}

    # -- folding -------------------------------------------------------------------------------------------------------

    def _fold(self, message: Message) -> None:
        match message:
            case Welcome():
                self.welcome(message)
            case Status():
                self._put("status", self._status(message))
            case Meters():
                self._meters = message
                self._put("meters", asdict(message))
                self._point()
            case Wear():
                if self._wear is not None and self._meters is not None and self._wear.take(self._meters, message):
                    self._trends()
            case Health():
                self._health = message
                self._point()
            case _:
                if isinstance(message, Serviced) and self._wear is not None and self._wear.serviced(message):
                    self._trends()
                seq = event_seq(message)
                if seq is not None:
                    self._event(seq, message)

    def _trends(self) -> None:
        assert self._wear is not None
        shown = [[trend.text, "warn" if trend.worn else "", trend.curve] for trend in self._wear.series.trends()]
        self._put("wear", shown)

    def _put(self, name: str, value: object) -> None:
        if self._known.get(name) != value:
            self._known[name] = value
            self._changed.add(name)

    def _status(self, status: Status) -> Values:
        warning = warned(status, self._latched)
        step = next_step(status)
        plain = {name: _plain(value) for name, value in asdict(status).items()}
        return {
            **{name: plain[name] for name in ("state", "round", "deck", "positions", "stack", "need", *ZONES)},
            "events_waiting": status.events_waiting,
            "hopper_seen": bool(status.hopper_seen),
            "door_open": status.need == Need.CLOSE_DOOR,
            "next": step.text,
            "who": WHO[step.who],
            "command": step.command.NAME if step.command else "",
            "progress": progress(status),
            "warning": None if warning is None else [plain["warning"], warning.what, warning.advice],
        }

    def _event(self, seq: int, message: Message) -> None:
        if seq <= self._seq:
            return  # a new session may begin with events from before
        self._seq = seq
        known = isinstance(message, Event)
        if isinstance(message, WarningLatched):
            self._latched = message
        if isinstance(message, Booted) and message.board_crc in self._boards:
            self._put("board", self._boards[message.board_crc])
        row = {
            "seq": seq,
            "when": shoe_time(message) if known else "",
            "round": message.round if known else 0,
            "name": message.NAME if known else "",
            "text": describe_event(message) if known else "an event that this version does not know",
            "style": style_of(message) if known else "",
        }
        self._events.append(row)
        self._new_events.append(row)

    def _point(self) -> None:
        """One point of history. Those of the same ten seconds are one: the last."""
        meters, health = self._meters, self._health
        if meters is None:
            return
        now = self._now()
        scans = [health.scan_ms_max, health.overruns] if health else [None, None]
        glitches = [getattr(meters, beam) for beam in BEAMS]
        feed_ms = meters.feed_us / 1000 if meters.feed_us else None  # no card was fed yet
        values = [feed_ms, meters.misfeeds, *scans, *glitches]
        if self._history and now - self._history[-1][0] < POINT_S:
            self._history[-1][1:] = values
        else:
            self._history.append([now, *values])
        self._point_changed = True

    def _now(self) -> float:
        return round(self.clock() - self._start, 2)


def _plain(value: object) -> object:
    return words(value.name) if isinstance(value, IntEnum) else value
