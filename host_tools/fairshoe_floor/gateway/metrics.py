"""Metrics of a gateway. Values of shoes come from their reporting profile: what `meters` does not
report is not here either."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from pathlib import Path

from fairshoe_floor.api.profiles import METERS_COUNTERS, misfeeds_per_1000, shoe_view
from fairshoe_floor.api.tokens import Grant
from fairshoe_floor.gateway.live import Live
from fairshoe_floor.metrics import INFO, Families, Histogram
from fairshoe_floor.reader import Shoe

# Of every shoe, with its number, table and pit as labels.
OF_SHOES = {
    "up": "1 while a session is open",
    "heard_age_seconds": "since the last message of the device",
    "warning": "1 for each latched warning; the label `fault` names it",
    "shuffles_total": "decks verified",
    "refused_total": "decks refused",
    "failed_total": "shuffles that failed",
    "warnings_total": "warnings latched",
    "cards_total": "cards moved, of the machine's meters",
    "misfeeds_total": "of the machine's meters",
    "misfeeds_per_1000_cards": "over the machine's life",
    "feed_seconds": "mean time to feed a card",
    "drops_total": "frames that the device dropped",
    "state": "1 for the state it is in; the label `state` names it; only under the profile `table`",
    "events_waiting": "events that no host has acknowledged; only under the profile `table`",
    "rounds_total": "rounds ended; only under the profile `table`",
    "voided_total": "rounds void; only under the profile `table`",
    "commands_refused_total": "commands that the device refused, of any host; only under the profile `table`",
}
METRICS = INFO | {
    "shoes": "shoes of the inventory; the label `link` says how: open, lost, failed, unknown",
    "commit_seconds": "one commit to the store",
    "stored_seconds": "lag: from the arrival of an event to its commit",
    "outbox_events": "events on file that a reader with a cursor has not passed; the label `cursor` names it",
    "store_bytes": "size of the store's file",
}
HISTOGRAMS = ("commit_seconds", "stored_seconds")


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
            self.committed_at = time.monotonic()
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
        families = Families("fairshoe_shoe", OF_SHOES)
        for shoe in shoes:
            _shoe_metrics(families, shoe)
        return families.text() + self._own(shoes)

    def _own(self, shoes: list[Shoe]) -> str:
        families = Families("fairshoe_gateway", METRICS)
        links = Counter(shoe.sample.link.value for shoe in shoes if shoe.sample)
        for link in ("open", "lost", "failed", "unknown"):
            families.add("shoes", links[link], {"link": link})
        families.put("commit_seconds", self._measures.commits)
        families.put("stored_seconds", self._measures.stored)
        for cursor, count in sorted(outbox(self._store).items()):
            families.add("outbox_events", count, {"cursor": cursor})
        families.add("store_bytes", self._store.stat().st_size if self._store.exists() else 0)
        families.add_process()
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

    def add(name: str, value: float | None, **more: str) -> None:
        families.add(name, value, labels | more)

    add("up", float(view["link"] == "open"))
    add("heard_age_seconds", None if heard is None else max(0.0, time.time() - heard))
    if view["warning"]:
        add("warning", 1, fault=view["warning"]["fault"])
    for name in ("shuffles", "refused", "failed", "warnings"):
        add(f"{name}_total", view["totals"][name])
    if meters:
        add("cards_total", meters["cards"])
        add("misfeeds_total", meters["misfeeds"])
        add("misfeeds_per_1000_cards", misfeeds_per_1000(meters))
        add("feed_seconds", _seconds(meters["feed_us"]))
    if counters:
        add("drops_total", sum(counters[name] or 0 for name in METERS_COUNTERS))
    # What only the profile table reports.
    if view.get("status"):
        add("state", 1, state=view["status"]["state"])
    add("events_waiting", view.get("waiting"))
    for name in ("rounds", "voided", "commands_refused"):
        add(f"{name}_total", view["totals"].get(name))


def _seconds(microseconds: int | None) -> float | None:
    return None if microseconds is None else microseconds / 1e6
