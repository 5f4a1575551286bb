"""Metrics of a gateway. Values of shoes come from their reporting profile: what `meters` does not
report is not here either."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from prometheus_client import PROCESS_COLLECTOR

from fairshoe_floor.api.profiles import METERS_COUNTERS, Json, misfeeds_per_1000, shoe_view
from fairshoe_floor.api.tokens import Grant
from fairshoe_floor.gateway.live import Live
from fairshoe_floor.metrics import VERSION, Families, Histogram
from fairshoe_floor.reader import Shoe


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
        families = Families("fairshoe_shoe")
        for shoe in shoes:
            _shoe_metrics(families, shoe)
        return families.text() + self._own(shoes)

    def _own(self, shoes: list[Shoe]) -> str:
        families = Families("fairshoe_gateway")
        families.add("info", "gauge", "1; the label says which version runs", 1, {"version": VERSION})
        links = Counter(shoe.sample.link.value for shoe in shoes if shoe.sample)
        for link in ("open", "lost", "failed", "unknown"):
            families.add("shoes", "gauge", "shoes of the inventory, by their link", links[link], {"link": link})
        it = self._measures
        families.put(it.commits.family("fairshoe_gateway_commit_seconds", "one commit to the store"))
        lag = "lag: from the arrival of an event to its commit"
        families.put(it.stored.family("fairshoe_gateway_stored_seconds", lag))
        for cursor, count in sorted(outbox(self._store).items()):
            text = "events on file that a reader with a cursor has not passed"
            families.add("outbox_events", "gauge", text, count, {"cursor": cursor})
        size = self._store.stat().st_size if self._store.exists() else 0
        families.add("store_bytes", "gauge", "size of the store's file", size)
        for family in PROCESS_COLLECTOR.collect():
            families.put(family)
        return families.text()


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


def _shoe_metrics(families: Families, shoe: Shoe) -> None:
    view = shoe_view(shoe, shoe.entry.profile)
    labels = {"device": shoe.entry.name, "table": shoe.entry.table, "pit": shoe.entry.pit}
    heard, meters, counters = view["heard_at"], view["meters"], view["counters"]

    def add(name: str, kind: str, text: str, value: float | None, **more: str) -> None:
        families.add(name, kind, text, value, labels | more)

    add("up", "gauge", "1 while a session is open", float(view["link"] == "open"))
    age = None if heard is None else max(0.0, time.time() - heard)
    add("heard_age_seconds", "gauge", "since the last message of the device", age)
    if view["warning"]:
        add("warning", "gauge", "1 for each latched warning", 1, fault=view["warning"]["fault"])
    for name, text in (
        ("shuffles", "decks verified"),
        ("refused", "decks refused"),
        ("failed", "shuffles that failed"),
        ("warnings", "warnings latched"),
    ):
        add(f"{name}_total", "counter", text, view["totals"][name])
    if meters:
        add("cards_total", "counter", "cards moved, of the machine's meters", meters["cards"])
        add("misfeeds_total", "counter", "of the machine's meters", meters["misfeeds"])
        add("misfeeds_per_1000_cards", "gauge", "over the machine's life", misfeeds_per_1000(meters))
        add("feed_seconds", "gauge", "mean time to feed a card", _seconds(meters["feed_us"]))
    if counters:
        add(
            "drops_total",
            "counter",
            "frames that the device dropped",
            sum(counters[name] or 0 for name in METERS_COUNTERS),
        )
    _table_metrics(add, view)


def _table_metrics(add: Callable[..., None], view: Json) -> None:
    """What only the profile table reports."""
    if view.get("status"):
        add("state", "gauge", "1 for the state it is in", 1, state=view["status"]["state"])
    add("events_waiting", "gauge", "events that no host has acknowledged", view.get("waiting"))
    for name, text in (
        ("rounds", "rounds ended"),
        ("voided", "rounds void"),
        ("commands_refused", "commands that the device refused, of any host"),
    ):
        add(f"{name}_total", "counter", text, view["totals"].get(name))


def _seconds(microseconds: int | None) -> float | None:
    return None if microseconds is None else microseconds / 1e6
