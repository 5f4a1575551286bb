"""The engine: observations in, alarms out. It has no clock, no database and no network, so a dry run over history and
the live evaluation are the same code.

An alarm is raised once for a rule and a device, and stays until its condition is over. Feed observations in the order
of their time, and call `tick` now and then: conditions that begin by nothing happening need it. What the floor itself
knows to be wrong (dead letters, gaps, parts that stand still) comes as a whole list, with `standing`.

The cost of an observation does not grow with the number of shoes, and a tick looks only at rules that time can change:
2,000 shoes with every rule judged for every shoe every second, each against all its peers, took 92 % of a core.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fairshoe.messages import Part
from fairshoe.ship.release_facts import ReleaseFacts
from fairshoe.wear import Series
from fairshoe_floor.alarms.rules import Rule, RuleBook
from fairshoe_floor.samples import Sample

PEERS_MIN = 3  # fewer say nothing about what is usual
WEAR_DECKS = 10  # between two judgements of wear
PAST_DECKS = 100  # how much of a device's own past is remembered
EPOCH_S = 1_577_836_800  # 2020-01-01T00:00:00Z, from which a device counts
CLOCK_S = 60.0  # a clock is judged by the best event of so long: one that waited in the device looks like a late clock
OWN_WORD = "by its own word"  # a version is what a device says; only `fairshoe firmware verify` proves it


@dataclass(frozen=True)
class SeenEvent:
    """An event of a shoe. `at` is when its gateway stored it. Of two logs of a device the one with the greater `turn`
    is the newer one."""

    device: int
    seq: int
    at: float
    name: str
    utc_s: int
    fields: Mapping[str, Any]
    log: bytes = b""
    turn: int = 0


@dataclass(frozen=True)
class SeenExport:
    """A journal that was pulled: `problem` is empty if it is whole and continues the one before."""

    device: int
    at: float
    problem: str


@dataclass(frozen=True)
class Change:
    """An alarm begins (`raised`) or ends. `device` is 0 if it is about a part of the floor, which `part` names."""

    at: float
    rule: Rule
    device: int
    raised: bool
    text: str
    part: str = ""


class Peers:
    """One value of each shoe, and the median of all others."""

    def __init__(self) -> None:
        self._values: dict[int, float] = {}
        self._ordered: list[float] = []

    def note(self, device: int, value: float | None) -> None:
        before = self._values.get(device)
        if value == before:
            return
        if before is not None:
            del self._ordered[bisect_left(self._ordered, before)]
            del self._values[device]
        if value is not None:
            self._values[device] = value
            insort(self._ordered, value)

    def median_without(self, device: int) -> float | None:
        """None if too few others have a value."""
        own = self._values.get(device)
        place = len(self._ordered) if own is None else bisect_left(self._ordered, own)
        count = len(self._ordered) - (own is not None)
        if count < PEERS_MIN:
            return None
        low, high = (count - 1) // 2, count // 2
        return (self._ordered[low + (low >= place)] + self._ordered[high + (high >= place)]) / 2


@dataclass
class _Shoe:
    """What the engine remembers of one device."""

    log: bytes = b""  # its newest log
    turn: int = 0
    seqs: dict[str, int] = field(default_factory=dict[str, int])  # of that log, by subject the newest event taken
    heard_at: float = 0.0
    sampled: bool = False  # its gateway publishes samples: a quiet table still gives signs of life
    expected_at: float | None = None  # since when it should be heard, though it never was
    latched_at: float | None = None
    warning: str = ""
    refused: int = 0
    decks: deque[tuple[int, int]] = field(default_factory=lambda: deque[tuple[int, int]](maxlen=PAST_DECKS))
    feed_us: int = 0
    feed_us_new: int = 0
    firmware: str = ""
    board_crc: int | None = None
    clock_off_s: float = 0.0
    clock_at: float | None = None  # when the events began that are looked at now, and the best of them
    clock_best_s: float = 0.0
    broken: str = ""
    export: str = ""
    wear: Series = field(default_factory=Series)
    wear_text: str = ""  # what it shows, at so many decks
    wear_cycles: int = 0

    def is_late(self, seen: SeenEvent) -> bool:
        """Whether a newer event has said more than this one: events that were lost come again in any order, and no
        clock tells which is newer. A log that was left says nothing of what holds now."""
        if seen.log != self.log:
            if seen.turn < self.turn:
                return True
            self.log, self.seqs, self.latched_at = seen.log, {}, None
        self.turn = max(self.turn, seen.turn)
        subject = _SUBJECTS.get(seen.name, "")
        newest = self.seqs[subject] = max(seen.seq, self.seqs.get(subject, 0))
        return seen.seq < newest

    def worn(self, sample: Sample) -> bool:
        """Take what a sample says of wear. Whether it was judged: every few decks, as a trend is slow and 2,000 shoes
        are many."""
        if sample.meters is None or not self.wear.take(sample.meters, sample.wear):
            return False
        if 0 <= sample.meters.cycles - self.wear_cycles < WEAR_DECKS:
            return False
        self.judge_wear()
        return True

    def judge_wear(self) -> None:
        self.wear_cycles = self.wear.points[-1].cycles if self.wear.points else 0
        self.wear_text = "; ".join(finding.text for finding in self.wear.findings())


class Engine:
    """One for a floor."""

    def __init__(self, book: RuleBook) -> None:
        self.book = book
        self.active: dict[tuple[str, int, str], Change] = {}
        self._shoes: dict[int, _Shoe] = {}
        self._rules = [rule for rule in book.rules if rule.kind in JUDGES]  # the others come by `standing`
        self._peers = {rule.name: Peers() for rule in book.rules if rule.kind in _COMPARED}
        self._judge_all = True  # at the next tick
        self._expected: dict[int, float] = {}
        self._worn: set[int] = set()  # devices whose series is to be stored

    def remember_wear(self, device: int, series: Series) -> None:
        """What an earlier run has stored."""
        shoe = self._shoes.setdefault(device, _Shoe())
        shoe.wear = series
        shoe.judge_wear()

    def take_worn(self) -> dict[int, Series]:
        """By device the series that have changed since the last call."""
        worn, self._worn = self._worn, set()
        return {device: self._shoes[device].wear for device in worn}

    def restore(self, rule: str, device: int, at: float, text: str, part: str = "") -> bool:
        """An alarm of an earlier run is still open. Whether a rule keeps it: it may exist no longer, or be for other
        devices now."""
        self._judge_all = True
        if device:
            self._shoes.setdefault(device, _Shoe())
        for known in self.book.rules:
            if known.name == rule and known.covers(device):
                self.active[rule, device, part] = Change(at, known, device, True, text, part)
                return True
        return False

    def expect(self, devices: Mapping[int, float]) -> None:
        """Shoes that have a table, each since a time: one that is never heard is silent. One that has none any more is
        silent no longer."""
        for device in self._expected.keys() - devices.keys():
            self._shoes[device].expected_at = None
            self._shoes[device].sampled = False
        for device in devices.keys() - self._expected.keys():
            self._shoes.setdefault(device, _Shoe()).expected_at = devices[device]
        self._expected = dict(devices)

    def standing(self, kind: str, found: Mapping[tuple[int, str], str], now: float) -> list[Change]:
        """All that is wrong now of a kind that the floor itself knows, by device and part: what it is, in words."""
        changes: list[Change] = []
        for rule in self.book.rules:
            if rule.kind != kind:
                continue
            held = {key[1:] for key in self.active if key[0] == rule.name}
            for device, part in sorted(held - found.keys()):
                known = self.active.pop((rule.name, device, part))
                changes.append(Change(now, rule, device, False, known.text, part))
            for (device, part), text in found.items():
                if (device, part) not in held and rule.covers(device):
                    change = self.active[rule.name, device, part] = Change(now, rule, device, True, text, part)
                    changes.append(change)
        return changes

    def event(self, seen: SeenEvent) -> list[Change]:
        shoe = self._shoes.setdefault(seen.device, _Shoe())
        shoe.heard_at = max(shoe.heard_at, seen.at)
        take = _EVENTS.get(seen.name)
        late = shoe.is_late(seen)
        if take is not None and (not late or seen.name not in _SUBJECTS):
            take(shoe, seen)
        if take is _serviced:
            self._worn.add(seen.device)
        if seen.utc_s:
            _clock(shoe, seen.utc_s + EPOCH_S - seen.at, seen.at)
        return self._judge(seen.device, seen.at)

    def sample(self, sample: Sample) -> list[Change]:
        shoe = self._shoes.setdefault(sample.device, _Shoe())
        if sample.heard_at is None:
            shoe.expected_at = sample.at if shoe.expected_at is None else shoe.expected_at
            return self._judge(sample.device, sample.at)
        shoe.heard_at = sample.heard_at  # also when it is earlier than before: the clock of the gateway was set back
        shoe.sampled = True
        meters = (sample.before or sample).meters  # an alarm is reported under every profile: none by a round under way
        if meters is not None:
            shoe.feed_us, shoe.feed_us_new = meters.feed_us, meters.feed_us_new
        if shoe.worn(sample.before or sample):
            self._worn.add(sample.device)
        if sample.firmware:
            shoe.firmware = sample.firmware
        return self._judge(sample.device, sample.at)

    def export(self, seen: SeenExport) -> list[Change]:
        self._shoes.setdefault(seen.device, _Shoe()).export = seen.problem
        return self._judge(seen.device, seen.at)

    def tick(self, now: float) -> list[Change]:
        """Judge all shoes at this time: what time can change, and the first time everything. What is later than that
        was dated by a clock that was ahead, and would hold an alarm back until it is due: it counts from now on."""
        for shoe in self._shoes.values():
            shoe.heard_at = min(shoe.heard_at, now)
            shoe.latched_at = None if shoe.latched_at is None else min(shoe.latched_at, now)
        every, self._judge_all = self._judge_all, False
        rules = [rule for rule in self._rules if every or rule.kind in _TIMED]
        return [change for device in sorted(self._shoes) for change in self._judge_by(rules, device, now)]

    def _judge(self, device: int, now: float) -> list[Change]:
        return self._judge_by(self._rules, device, now)

    def _judge_by(self, rules: Sequence[Rule], device: int, now: float) -> list[Change]:
        changes: list[Change] = []
        shoe = self._shoes[device]
        for rule in rules:
            if rule.kind in _COMPARED:
                self._peers[rule.name].note(device, _COMPARED[rule.kind](rule, shoe))
            if not rule.covers(device):
                continue
            text = JUDGES[rule.kind](self, rule, device, shoe, now)
            known = self.active.get((rule.name, device, ""))
            if text and known is None:
                change = self.active[rule.name, device, ""] = Change(now, rule, device, True, text)
                changes.append(change)
            elif not text and known is not None:
                del self.active[rule.name, device, ""]
                changes.append(Change(now, rule, device, False, known.text))
        return changes

    def usual(self, rule: Rule, device: int) -> float | None:
        """The median of the other shoes; None if too few have a value."""
        return self._peers[rule.name].median_without(device)


# --- what events say ---------------------------------------------------------------------------


def _latched(shoe: _Shoe, seen: SeenEvent) -> None:
    shoe.latched_at, shoe.warning = seen.at, str(seen.fields.get("warning", ""))


def _cleared(shoe: _Shoe, _seen: SeenEvent) -> None:
    shoe.latched_at = None


def _refused_deck(shoe: _Shoe, _seen: SeenEvent) -> None:
    shoe.refused += 1


def _verified(shoe: _Shoe, seen: SeenEvent) -> None:
    shoe.refused = 0
    shoe.decks.append((int(seen.fields.get("misfeeds", 0)), int(seen.fields.get("counted", 0))))


def _booted(shoe: _Shoe, seen: SeenEvent) -> None:
    shoe.firmware, shoe.board_crc = str(seen.fields.get("firmware", "")), seen.fields.get("board_crc")


def _clock(shoe: _Shoe, off_s: float, at: float) -> None:
    best_s = off_s if shoe.clock_at is None else max(off_s, shoe.clock_best_s)
    if shoe.clock_at is not None and 0 <= at - shoe.clock_at < CLOCK_S:
        shoe.clock_best_s = best_s
        return
    if shoe.clock_at is not None:
        shoe.clock_off_s = best_s
    shoe.clock_at, shoe.clock_best_s = at, off_s


def _broken(shoe: _Shoe, seen: SeenEvent) -> None:
    shoe.broken = f"the device found its journal broken at record {seen.fields.get('at_seq')}"


def _serviced(shoe: _Shoe, seen: SeenEvent) -> None:
    part = Part.__members__.get(str(seen.fields.get("part", "")).upper())
    if part is not None:
        shoe.wear.serviced(part, int(seen.fields.get("cycles", 0)))
        shoe.judge_wear()


_EVENTS: Mapping[str, Callable[[_Shoe, SeenEvent], None]] = {
    "warning_latched": _latched,
    "warning_cleared": _cleared,
    "deck_refused": _refused_deck,
    "deck_verified": _verified,
    "booted": _booted,
    "journal_broken": _broken,
    "serviced": _serviced,
}
# The events that rules judge; of the others there are a hundred times as many. The desk's query, the gateway's alarms
# and the index events_judged of the database (a test compares it) are made of this.
JUDGED = tuple(sorted(_EVENTS))
# What an event describes, where only the newest one counts.
_SUBJECTS = {
    "warning_latched": "warning",
    "warning_cleared": "warning",
    "deck_refused": "deck",
    "deck_verified": "deck",
    "booted": "boot",
}

# --- judges: why a rule holds for a shoe now, in words; empty if it does not --------------------


def _judge_warning(_engine: Engine, rule: Rule, _device: int, shoe: _Shoe, now: float) -> str:
    if shoe.latched_at is None or now - shoe.latched_at < rule.limits["after_s"]:
        return ""
    return f"warning {shoe.warning} is not attended to for {now - shoe.latched_at:.0f} s"


def _judge_silent(_engine: Engine, rule: Rule, _device: int, shoe: _Shoe, now: float) -> str:
    since = shoe.heard_at if shoe.sampled else shoe.expected_at
    if since is None or now - since < rule.limits["after_s"]:
        return ""
    return f"nothing was heard of it for {now - since:.0f} s" if shoe.heard_at else "it was never heard"


def _judge_journal(_engine: Engine, _rule: Rule, _device: int, shoe: _Shoe, _now: float) -> str:
    return shoe.broken or shoe.export


def _judge_refused(_engine: Engine, rule: Rule, _device: int, shoe: _Shoe, _now: float) -> str:
    return f"{shoe.refused} decks in a row were refused" if shoe.refused >= rule.limits["times"] else ""


def _per_mille(decks: list[tuple[int, int]]) -> float | None:
    cards = sum(counted for _misfeeds, counted in decks)
    return 1000 * sum(misfeeds for misfeeds, _counted in decks) / cards if cards else None


def _judge_misfeeds(engine: Engine, rule: Rule, device: int, shoe: _Shoe, _now: float) -> str:
    count = int(rule.limits["decks"])
    decks = list(shoe.decks)
    if len(decks) < count:
        return ""
    now = _per_mille(decks[-count:])
    if now is None or now < rule.limits["per_mille_min"]:
        return ""
    past = _per_mille(decks[:-count]) if len(decks) >= 2 * count else None
    peers = engine.usual(rule, device)
    for usual, words in ((past, "before"), (peers, "at other shoes")):
        if usual is not None and now > rule.limits["ratio"] * usual:
            return f"{now:.0f} misfeeds per 1,000 cards in {count} decks, {usual:.0f} {words}"
    return ""


def _judge_feed_time(engine: Engine, rule: Rule, device: int, shoe: _Shoe, _now: float) -> str:
    if not shoe.feed_us:
        return ""
    peers = engine.usual(rule, device)
    for usual, words in ((shoe.feed_us_new or None, "when new"), (peers, "at other shoes")):
        if usual is not None and shoe.feed_us > rule.limits["ratio"] * usual:
            return f"a card takes {shoe.feed_us / 1000:.0f} ms to feed, {usual / 1000:.0f} ms {words}"
    return ""


def _judge_wear(_engine: Engine, _rule: Rule, _device: int, shoe: _Shoe, _now: float) -> str:
    return shoe.wear_text


def _judge_version(_engine: Engine, rule: Rule, _device: int, shoe: _Shoe, _now: float) -> str:
    release: ReleaseFacts = rule.limits["release"]
    wrong = release.differs(shoe.firmware, shoe.board_crc) if shoe.firmware else ""
    return f"{wrong}; {OWN_WORD}, beside release {release.version}" if wrong else ""


def _judge_clock(_engine: Engine, rule: Rule, _device: int, shoe: _Shoe, _now: float) -> str:
    if abs(shoe.clock_off_s) < rule.limits["off_s"]:
        return ""
    return f"its clock is off by {shoe.clock_off_s:+.0f} s"


# Each kind of rules.KINDS is here or in the desk's STANDING (a test compares them): a rule without a judge would
# never fire.
JUDGES: Mapping[str, Callable[[Engine, Rule, int, _Shoe, float], str]] = {
    "warning": _judge_warning,
    "silent": _judge_silent,
    "journal": _judge_journal,
    "refused": _judge_refused,
    "misfeeds": _judge_misfeeds,
    "feed_time": _judge_feed_time,
    "wear": _judge_wear,
    "version": _judge_version,
    "clock": _judge_clock,
}
_TIMED = ("warning", "silent")  # kinds that hold or end without any news
_COMPARED: Mapping[str, Callable[[Rule, _Shoe], float | None]] = {
    "misfeeds": lambda rule, shoe: _per_mille(list(shoe.decks)[-int(rule.limits["decks"]) :]),
    "feed_time": lambda _rule, shoe: shoe.feed_us or None,
}
