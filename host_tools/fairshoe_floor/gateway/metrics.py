"""Metrics of a gateway as Prometheus text. Values of shoes come from their reporting profile: what `meters` does not
report is not here either."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

from fairshoe_floor.api.profiles import METERS_COUNTERS, Json, misfeeds_per_1000, shoe_view
from fairshoe_floor.api.tokens import Grant
from fairshoe_floor.gateway.live import Live
from fairshoe_floor.reader import Shoe

VERSION = version("fairshoe")
BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Histogram:
    """Seconds, by buckets. One thread adds, any thread reads."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS_S) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        place = next((i for i, most in enumerate(BUCKETS_S) if seconds <= most), len(BUCKETS_S))
        self.counts[place] += 1
        self.total += seconds

    def lines(self, name: str) -> Iterable[str]:
        so_far = 0
        for most, count in zip(BUCKETS_S, self.counts, strict=False):
            so_far += count
            yield f'{name}_bucket{{le="{most:g}"}} {so_far}'
        yield f'{name}_bucket{{le="+Inf"}} {sum(self.counts)}'
        yield f"{name}_sum {self.total:.6f}"
        yield f"{name}_count {sum(self.counts)}"


class Measures:
    """What the fleet measures: `take` is its metrics hook."""

    def __init__(self) -> None:
        self.commits = Histogram()
        self.stored = Histogram()
        self.counts: Counter[str] = Counter()
        self.committed_at = 0.0

    def take(self, name: str, value: float, _device: int) -> None:
        if name == "commit_s":
            self.commits.add(value)
            self.committed_at = time.time()
        elif name == "stored_s":
            self.stored.add(value)
        else:
            self.counts[name] += round(value)


class MetricsPage:
    """The whole text, for the bearer of a token."""

    def __init__(self, live: Live, measures: Measures, store: Path) -> None:
        self._live = live
        self._measures = measures
        self._store = store

    def text(self, grant: Grant) -> str:
        shoes = [shoe.view() for shoe in self._live.shoes()]
        if grant.pits:
            shoes = [shoe for shoe in shoes if shoe.entry.pit in grant.pits]
        families = _Families()
        for shoe in shoes:
            _shoe_metrics(families, shoe)
        lines = [*families.lines(), *self._own(shoes)]
        return "\n".join(lines) + "\n"

    def _own(self, shoes: list[Shoe]) -> Iterable[str]:
        links = Counter(shoe.sample.link.value for shoe in shoes if shoe.sample)
        yield "# TYPE fairshoe_gateway_info gauge"
        yield f'fairshoe_gateway_info{{version="{VERSION}"}} 1'
        yield "# TYPE fairshoe_gateway_shoes gauge"
        for link in ("open", "lost", "failed", "unknown"):
            yield f'fairshoe_gateway_shoes{{link="{link}"}} {links[link]}'
        yield "# HELP fairshoe_gateway_commit_seconds one commit to the store"
        yield "# TYPE fairshoe_gateway_commit_seconds histogram"
        yield from self._measures.commits.lines("fairshoe_gateway_commit_seconds")
        yield "# HELP fairshoe_gateway_stored_seconds lag: from the arrival of an event to its commit"
        yield "# TYPE fairshoe_gateway_stored_seconds histogram"
        yield from self._measures.stored.lines("fairshoe_gateway_stored_seconds")
        yield "# HELP fairshoe_gateway_outbox_events events on file that a reader with a cursor has not passed"
        yield "# TYPE fairshoe_gateway_outbox_events gauge"
        for cursor, count in sorted(outbox(self._store).items()):
            yield f'fairshoe_gateway_outbox_events{{cursor="{_escaped(cursor)}"}} {count}'
        yield "# TYPE fairshoe_gateway_store_bytes gauge"
        yield f"fairshoe_gateway_store_bytes {self._store.stat().st_size if self._store.exists() else 0}"


def outbox(store: Path) -> dict[str, int]:
    """By cursor, how many events on file it has not passed."""
    database = sqlite3.connect(f"{store.resolve().as_uri()}?mode=ro", uri=True)
    try:
        rows = database.execute(
            "SELECT cursors.name, logs.id, COALESCE((SELECT seq FROM cursor_places WHERE name = cursors.name"
            " AND log = logs.id), 0), COALESCE((SELECT MIN(seq) FROM events WHERE log = logs.id), 1),"
            " COALESCE((SELECT MAX(seq) FROM events WHERE log = logs.id), 0) FROM cursors CROSS JOIN logs"
        ).fetchall()
    finally:
        database.close()
    left: Counter[str] = Counter()
    for name, _log, passed, first, last in rows:
        left[name] += max(0, last - max(passed, first - 1))
    return dict(left)


class _Families:
    """Samples by metric: all of one metric stand together, as the format wants it."""

    def __init__(self) -> None:
        self._kinds: dict[str, tuple[str, str]] = {}
        self._lines: dict[str, list[str]] = {}

    def add(self, name: str, kind: str, text: str, labels: dict[str, str], value: float | None) -> None:
        if value is None:
            return
        self._kinds.setdefault(name, (kind, text))
        inside = ",".join(f'{key}="{_escaped(word)}"' for key, word in labels.items())
        self._lines.setdefault(name, []).append(f"fairshoe_shoe_{name}{{{inside}}} {value:.10g}")

    def lines(self) -> Iterable[str]:
        for name, (kind, text) in self._kinds.items():
            yield f"# HELP fairshoe_shoe_{name} {text}"
            yield f"# TYPE fairshoe_shoe_{name} {kind}"
            yield from self._lines[name]


def _shoe_metrics(families: _Families, shoe: Shoe) -> None:
    view = shoe_view(shoe, shoe.entry.profile)
    labels = {"device": shoe.entry.name, "table": shoe.entry.table, "pit": shoe.entry.pit}
    heard, meters, counters = view["heard_at"], view["meters"], view["counters"]
    add = families.add
    add("up", "gauge", "1 while a session is open", labels, float(view["link"] == "open"))
    age = None if heard is None else max(0.0, time.time() - heard)
    add("heard_age_seconds", "gauge", "since the last message of the device", labels, age)
    if view["warning"]:
        add("warning", "gauge", "1 for each latched warning", {**labels, "fault": view["warning"]["fault"]}, 1)
    for name, text in (
        ("shuffles", "decks verified"),
        ("refused", "decks refused"),
        ("failed", "shuffles that failed"),
        ("warnings", "warnings latched"),
    ):
        add(f"{name}_total", "counter", text, labels, view["totals"][name])
    if meters:
        add("cards_total", "counter", "cards moved, of the machine's meters", labels, meters["cards"])
        add("misfeeds_total", "counter", "of the machine's meters", labels, meters["misfeeds"])
        add("misfeeds_per_1000_cards", "gauge", "over the machine's life", labels, misfeeds_per_1000(meters))
        add("feed_seconds", "gauge", "mean time to feed a card", labels, _seconds(meters["feed_us"]))
    if counters:
        add(
            "drops_total",
            "counter",
            "frames that the device dropped",
            labels,
            sum(counters[name] or 0 for name in METERS_COUNTERS),
        )
    _table_metrics(families, labels, view)


def _table_metrics(families: _Families, labels: dict[str, str], view: Json) -> None:
    """What only the profile table reports."""
    if view.get("status"):
        families.add("state", "gauge", "1 for the state it is in", {**labels, "state": view["status"]["state"]}, 1)
    families.add("events_waiting", "gauge", "events that no host has acknowledged", labels, view.get("waiting"))
    for name, text in (
        ("rounds", "rounds ended"),
        ("voided", "rounds void"),
        ("commands_refused", "commands that the device refused, of any host"),
    ):
        families.add(f"{name}_total", "counter", text, labels, view["totals"].get(name))


def _seconds(microseconds: int | None) -> float | None:
    return None if microseconds is None else microseconds / 1e6


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
