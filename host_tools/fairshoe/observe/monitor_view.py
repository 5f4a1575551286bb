"""The live view of the monitor as lines of text, independent of a terminal; 80 by 24 is enough."""

from __future__ import annotations

import re
import textwrap
import time
from collections import deque
from dataclasses import dataclass, field

from fairshoe.link.session import event_seq
from fairshoe.messages import (
    ZONES,
    Event,
    LinkCounters,
    Message,
    Meters,
    Status,
    UnknownMessage,
    WarningLatched,
)
from fairshoe.observe.observer import Mode, Watch
from fairshoe.text.advice import next_step, warned
from fairshoe.text.describe import FEED_DRIFT_PERCENT, describe_event, progress, words
from fairshoe.text.screen import Line, came_late, shoe_time, style_of

EVENTS_KEPT = 2000
SILENT_S = 3.0
WIDE = 110
NARROW = 72
TALL = 34
EVENTS_MIN = 5
_LABEL = 9
_KEYS = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|.", re.DOTALL)  # a key, or the sequence that a terminal sends for one
_HELP: list[Line] = [
    [(" q          ", "bold"), ("quit", "")],
    [(" ?          ", "bold"), ("this list", "")],
    [(" Up, Down   ", "bold"), ("scroll the events (also k, j)", "")],
    [(" PgUp, PgDn ", "bold"), ("scroll by a page; g first, G last", "")],
    [(" /          ", "bold"), ("list only events that contain a text; Enter ends typing", "")],
    [(" Esc        ", "bold"), ("back to all events, newest at the bottom", "")],
    [(" Times are the shoe's: its clock if a host has set it, else b3 0:12:05 for boot 3 and", "dim")],
    [(" the time since. Late: the shoe kept the event and sent it afterwards.", "dim")],
]


@dataclass
class View:
    """What was shown so far: the last events, and what became of the connection."""

    watch: Watch
    events: deque[tuple[int, Message, float]] = field(default_factory=lambda: deque(maxlen=EVENTS_KEPT))
    helping: bool = False
    back: int = 0  # how many events the list is scrolled back
    search: str = ""  # only events with this text are listed
    typing: bool = False  # keys go into the search
    kept: set[int] = field(default_factory=set[int])  # numbers of events that were heard after a restart of the shoe
    _room: int = 10

    def take(self, messages: list[Message], heard_s: float | None = None) -> None:
        """New messages, heard now or at `heard_s` by the wall clock."""
        for message in messages:
            seq = event_seq(message)
            if seq is not None:
                welcome = self.watch.known.welcome
                if isinstance(message, Event) and welcome is not None and message.boot < welcome.boot:
                    self.kept.add(seq)
                self.events.append((seq, message, time.time() if heard_s is None else heard_s))
                self.back += bool(self.back)  # a list that is scrolled back stays where it is

    def press(self, typed: str) -> bool:
        """What was typed. False: quit."""
        for key in _KEYS.findall(typed):
            if self.typing:
                self._type(key)
            elif key in "qQ":
                return False
            elif key == "?":
                self.helping = not self.helping
            elif key == "/":
                self.typing, self.search, self.back = True, "", 0
            elif key == "\x1b":
                self.helping, self.search, self.back = False, "", 0
            else:
                self._scroll(key)
        return True

    def _type(self, key: str) -> None:
        if key in "\r\n":
            self.typing = False
        elif key == "\x1b":
            self.typing, self.search = False, ""
        elif key in "\x7f\b":
            self.search = self.search[:-1]
        elif key.isprintable():
            self.search += key

    def _scroll(self, key: str) -> None:
        step = {"\x1b[A": 1, "k": 1, "\x1b[B": -1, "j": -1, "\x1b[5~": self._room, "\x1b[6~": -self._room}.get(key, 0)
        if key == "g":
            step = EVENTS_KEPT
        elif key == "G":
            step = -EVENTS_KEPT
        self.back = max(min(self.back + step, len(self._listed()) - self._room), 0)

    def _listed(self) -> list[tuple[int, Message, float]]:
        if not self.search:
            return list(self.events)
        return [each for each in self.events if self.search.lower() in _text(each[1]).lower()]

    def lines(self, columns: int, rows: int) -> list[Line]:
        """The whole view; the events get what is left."""
        status = self.watch.known.status
        top = [self._title(columns), *self._identity(columns), []]
        top += _connection(self.watch, columns)
        if status is not None:
            top += _past(status) if _stale(self.watch) else self._now(status, columns)
        wide = columns >= WIDE and rows >= TALL
        # The last events and the keys come before meters and the line, which `fairshoe status` has too.
        top += self._columns(columns) if wide else self._compact(columns)[: max(rows - len(top) - EVENTS_MIN - 3, 0)]
        footer: Line = [("q", "bold"), (" quit  ", "dim"), ("?", "bold"), (" help", "dim"), (self._note(), "dim")]
        room = max(rows - len(top) - 3, 0)
        self._room = max(room, 1)
        events = _HELP[:room] if self.helping else self._events(room, columns)
        events += [[] for _ in range(room - len(events))]
        return [*[*top, [], self._heading(), *events][: rows - 1], footer]

    def _heading(self) -> Line:
        if self.helping:
            return [("keys", "bold")]
        parts: Line = [("events", "bold")]
        if self.search or self.typing:
            parts.append((f"   with {self.search!r}" + ("_  (Enter, or Esc to clear)" if self.typing else ""), "warn"))
        if self.back:
            parts.append((f"   {self.back} newer below", "warn"))
        return parts

    # -- parts ---------------------------------------------------------------------------------------------------------

    def _now(self, status: Status, columns: int) -> list[Line]:
        """The state; of a warning also what it named when it was latched, if that event was heard: a status has no room
        for that."""
        latched = [message for _seq, message, _heard in self.events if isinstance(message, WarningLatched)]
        known = latched[-1] if latched and latched[-1].warning == status.warning else None
        return _state(status, columns, known)

    def _title(self, columns: int) -> Line:
        watch = self.watch
        welcome = watch.known.welcome
        role = words(welcome.role.name) if welcome and welcome.role else "watching"
        mode = role if watch.mode is Mode.LIVE else watch.mode.value
        if watch.mode in (Mode.LIVE, Mode.LISTENING) and watch.silent_s > SILENT_S:
            mode = f"silent for {watch.silent_s:.0f} s"
        left, right = f" {watch.url}", f"{mode} "
        return [(f"{left:{max(columns - 1 - len(right), len(left) + 1)}s}{right}", "title")]

    def _identity(self, columns: int) -> list[Line]:
        welcome = self.watch.known.welcome
        if welcome is None:
            return [[(" the shoe has not identified itself yet", "dim")]]
        key = "has a key" if welcome.has_key else "no key"
        line: Line = [(f" device {welcome.device:08x}", "bold")]
        line.append((f"  firmware {welcome.firmware}  game {welcome.game}  boot {welcome.boot}", ""))
        more = f" {words(welcome.mode.name)}, {key}"
        if sum(len(text) for text, _style in line) + 1 + len(more) < columns:
            return [[*line, (f" {more}", "dim")]]
        return [line, [(more, "dim")]]

    def _compact(self, columns: int) -> list[Line]:
        known = self.watch.known
        lines: list[Line] = [[]]
        if known.status is not None:
            lines += _packed("ledger", _zones(known.status), columns, "  ")
        if known.meters is not None:
            lines += _packed("meters", meters_facts(known.meters), columns)
        return lines + _packed("link", link_facts(self.watch), columns)

    def _columns(self, columns: int) -> list[Line]:
        """Two columns: where the cards are, and how machine and link do."""
        known = self.watch.known
        left: list[Line] = [[("ledger", "bold")]]
        left += _bars(known.status) if known.status is not None else []
        right: list[Line] = [[("meters", "bold")]]
        right += [[(f"  {text}", "")] for text in meters_facts(known.meters)] if known.meters is not None else []
        right += [[], [("link", "bold")]]
        right += [[(f"  {text}", "")] for text in link_facts(self.watch)]
        half = columns // 2
        lines: list[Line] = [[]]
        for number in range(max(len(left), len(right))):
            a = left[number] if number < len(left) else []
            b = right[number] if number < len(right) else []
            used = sum(len(text) for text, _style in a)
            lines.append([*a, (" " * (half - used), ""), *b])
        return lines

    def _events(self, room: int, columns: int) -> list[Line]:
        listed = self._listed()
        shown = listed[: len(listed) - self.back][-room:] if room else []
        newest_first = [(each, heard_s) for _seq, each, heard_s in reversed(self.events) if isinstance(each, Event)]
        late = self.kept | came_late(newest_first)
        lines = [line for seq, message, _heard in shown for line in _event(seq, message, columns, seq in late)][-room:]
        if not lines and room:
            lines = [[("  none" if self.search else "  none yet", "dim")]]
        return lines

    def _note(self) -> str:
        missing = self.watch.missing
        return f"   {missing} more events need a key: --key-file" if missing else ""


def _connection(watch: Watch, columns: int) -> list[Line]:
    """Nothing while all is well."""
    wrong = watch.problem or watch.halted
    if wrong is not None:
        return [*_wrapped("port", [wrong.what, wrong.advice], columns, "bad"), []]
    if watch.mode is Mode.ASKING:
        text = "no answer yet: is it powered, and is this its table port?" if watch.silent_s > 1 else "asking"
        return [_labelled("port", text, "warn"), []]
    if watch.mode is not Mode.CLOSED and watch.silent_s > SILENT_S:
        return [_labelled("port", "open, but the shoe is silent: check its power and the cable", "bad"), []]
    return []


def _stale(watch: Watch) -> bool:
    """Whether what is known may no longer be so."""
    return watch.mode in (Mode.CLOSED, Mode.ASKING) or watch.silent_s > SILENT_S


def _past(status: Status) -> list[Line]:
    """The state may be out of date, so no next step is shown."""
    text = f"{words(status.state.name)}, {', '.join(round_facts(status))}, when last heard"
    return [_labelled("it was", text, "dim")]


def round_facts(status: Status) -> list[str]:
    facts = [f"round {status.round}" if status.round else "no round"]
    facts += [f"deck {status.deck}"] if status.deck else []
    facts += [many(status.positions, "position")] if status.positions else []
    facts += ["cards in the hopper"] if status.hopper_seen and not status.hopper else []
    return facts + ([f"stack {status.stack}"] if status.round and status.stack else [])


def _state(status: Status, columns: int, latched: WarningLatched | None) -> list[Line]:
    step = next_step(status)
    facts = round_facts(status)
    style = "bad" if status.warning else "good"
    lines: list[Line] = [[(f" {'state':{_LABEL}s}", "dim"), (words(status.state.name), style), _after(facts)]]
    share = progress(status)
    if share is not None:
        width = max(min(columns - 40, 50), 10)
        filled = round(share * width)
        bar = f"[{'#' * filled}{'.' * (width - filled)}] {share:4.0%}"
        lines.append(_labelled("", f"{bar}  {status.elapsed_ds / 10:.0f} of {status.expected_ds / 10:.0f} s, by time"))
    else:
        lines += _wrapped("next", [step.text], columns, "" if step.machine else "bold")
    warning = warned(status, latched)
    if warning is not None:
        lines += _wrapped("warning", [f"{words(status.warning.name)}: {warning.what}"], columns, "bad")
        lines += _wrapped("to do", [warning.advice], columns, "bold")
    return lines


def _after(facts: list[str]) -> tuple[str, str]:
    return "   " + ", ".join(facts), "dim"


def _zones(status: Status) -> list[str]:
    return [f"{zone} {getattr(status, zone)}" for zone in ZONES]


def _bars(status: Status) -> list[Line]:
    total = max(sum(getattr(status, zone) for zone in ZONES), 1)
    lines: list[Line] = []
    for zone in ZONES:
        count: int = getattr(status, zone)
        bar = "#" * (-(-count * 24 // total))
        lines.append([(f"  {zone:10s}", "" if count else "dim"), (f"{count:4d}  ", ""), (bar, "good")])
    return lines


def meters_facts(meters: Meters) -> list[str]:
    """What maintenance asks first."""
    cards = max(meters.cards, 1)
    parts = [
        f"{many(meters.cycles, 'deck')}, {many(meters.cards, 'card')}",
        f"misfeeds {meters.misfeeds} ({meters.misfeeds * 1000 / cards:.1f} per thousand), stalls {meters.stalls}",
        f"jams {meters.jams}, double feeds {meters.double_feeds}, faults {meters.faults}",
    ]
    if meters.feed_us_new:
        drift = (meters.feed_us - meters.feed_us_new) * 100 / meters.feed_us_new
        advice = ", clean the rollers" if drift > FEED_DRIFT_PERCENT else ""
        parts.append(f"feed {meters.feed_us / 1000:.0f} ms ({drift:+.0f} % against new{advice})")
    return parts


def link_facts(watch: Watch) -> list[str]:
    """How good the line is, at both ends."""
    link, status, health = watch.link, watch.known.status, watch.known.health
    bad = {name: count for name, count in link.drops.by_reason().items() if count}
    damaged = ", ".join(f"{words(name)} {count}" for name, count in bad.items())
    parts = [
        f"{many(link.frames, 'frame')}, {link.drops.total()} damaged{f' ({damaged})' if damaged else ''}",
        f"{link.again} sent again{', as no host acknowledges' if link.again and _kept(status) else ''}",
        many(link.reconnects, "reconnect"),
    ]
    if status is not None:
        parts.append(f"{many(status.events_waiting, 'event')} for a host")
    if watch.known.counters is not None:
        parts.append(_counters(watch.known.counters))
    if health is not None:
        parts.append(f"longest scan {health.scan_ms_max} ms, {health.overruns} too long")
    return parts


def _kept(status: Status | None) -> bool:
    return status is not None and status.events_waiting > 0


def _counters(counters: LinkCounters) -> str:
    damaged = counters.bad_stuffing + counters.bad_crc + counters.too_short + counters.too_long
    return f"at the shoe {many(counters.good, 'frame')}, {damaged} damaged"


def many(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _event(seq: int, message: Message, columns: int, late: bool) -> list[Line]:
    """One line; where it does not fit, on a narrow terminal, as many as it takes."""
    if not isinstance(message, Event):
        return [[(f" #{seq:<6d}", "dim"), (_text(message), "warn")]]
    round_text = f"round {message.round}" if message.round else ""
    head = f" #{seq:<5d} {shoe_time(message):10s} "
    head += f"{round_text:8s} " if columns >= NARROW else ""
    text = f"{'late: ' if late else ''}{describe_event(message)}"
    room = columns - 1 - len(head)
    if len(text) <= room:
        return [[(head, "dim"), (text, style_of(message))]]
    if columns >= NARROW:
        return [[(head, "dim"), (text[: max(room - 3, 0)] + "...", style_of(message))]]
    first, *more = textwrap.wrap(text, max(room, 20)) or [""]
    return [
        [(head, "dim"), (first, style_of(message))],
        *([(" " * len(head) + part, style_of(message))] for part in more),
    ]


def _text(message: Message) -> str:
    if isinstance(message, Event):
        return f"{f'round {message.round} ' if message.round else ''}{describe_event(message)}"
    what = f"message {message.id}" if isinstance(message, UnknownMessage) else "a message"
    return f"{what} that this version does not know"


def _labelled(label: str, text: str, style: str = "") -> Line:
    return [(f" {label:{_LABEL}s}", "dim"), (text, style)]


def _packed(label: str, parts: list[str], columns: int, between: str = "; ") -> list[Line]:
    """One label, and parts that stay whole, as many on a line as fit."""
    rows: list[str] = []
    width = max(columns - _LABEL - 3, 20)
    for part in [line for whole in parts for line in textwrap.wrap(whole, width) or [""]]:
        if rows and len(rows[-1]) + len(between) + len(part) < columns - _LABEL - 2:
            rows[-1] += between + part
        else:
            rows.append(part)
    return [_labelled(label if not number else "", text) for number, text in enumerate(rows)]


def _wrapped(label: str, parts: list[str], columns: int, style: str = "") -> list[Line]:
    """One label, and its text on as many lines as it takes."""
    texts = textwrap.wrap("; ".join(part.rstrip(".;") for part in parts), max(columns - _LABEL - 3, 20)) or [""]
    return [_labelled(label if not number else "", text, style) for number, text in enumerate(texts)]
