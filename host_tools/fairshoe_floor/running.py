"""What `fairshoe floor run` says of itself: metrics, health, and whether it is the one that writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairshoe_floor.alarms.desk import Desk
from fairshoe_floor.alarms.notify import Notifier
from fairshoe_floor.history.consumer import COUNTED, Consumer
from fairshoe_floor.metrics import INFO, of_program, totals, verdict

METRICS = {
    **INFO,
    **totals(COUNTED),
    "alarm_posts_total": "posts of alarms that a receiver has taken",
    "alarm_posts_failed_total": "posts of alarms that a receiver did not take",
    "writes": "1 while this process has the lease of the writer",
    "consumer_age_seconds": "since the consumer last moved",
    "desk_age_seconds": "since the desk last judged",
    "alarms": "alarms that hold",
}


class FloorRun:
    """Consumer, desk and notifier of one process. Any thread may ask."""

    def __init__(self, consumer: Consumer, desk: Desk, notifier: Notifier) -> None:
        self._consumer = consumer
        self._desk = desk
        self._notifier = notifier

    def metrics(self) -> str:
        values = {
            **{f"{name}_total": getattr(self._consumer.counts, name) for name in COUNTED},
            "alarm_posts_total": self._notifier.posted,
            "alarm_posts_failed_total": self._notifier.failed,
            "writes": float(self._consumer.has_lease),
            "consumer_age_seconds": self._consumer.pulse.age_s,
            "desk_age_seconds": self._desk.pulse.age_s,
            "alarms": self._desk.holding,
        }
        return of_program("floor", METRICS, values)

    def health(self) -> tuple[bool, Mapping[str, Any]]:
        """A standby that waits for the lease is well."""
        return verdict([*self._consumer.pulse.trouble("consumer"), *self._desk.pulse.trouble("desk")])

    def ready(self) -> tuple[bool, Mapping[str, Any]]:
        waiting = [] if self._consumer.has_lease else ["another program has the lease of the writer, or none was taken"]
        return verdict([*waiting, *self._consumer.pulse.trouble("consumer"), *self._desk.pulse.trouble("desk")])
