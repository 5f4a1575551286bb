"""Sends alarms: every POST_S all that hold, and those that ended, to Prometheus Alertmanager and to plain webhooks.

Nothing is queued here. What is to be said stands in the table of alarms, and is said again and again: so a receiver
that was down, a notice that was lost, and a restart of this program or of Alertmanager (which keeps no alerts on disk)
all heal by themselves. Routing, grouping, silences, e-mail and escalation are Alertmanager's: it does them well, and
our own were 90 lines that lost what waited when the program ended.

Both kinds of receivers get the same body, a list as `POST /api/v2/alerts` takes it. An alarm that holds has its end
HOLD_S ahead: a desk that is dead says nothing, and that must not look as if the alarm were over.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
import urllib.request
from collections.abc import Sequence
from datetime import datetime, timezone
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

import psycopg

from fairshoe.errors import UsageError
from fairshoe_floor import database
from fairshoe_floor.alarms import book
from fairshoe_floor.alarms.book import Alarm

POST_S = 30.0
ENDED_S = 900.0  # so long an end is repeated; longer until every receiver has taken it once
ENDED_S_MAX = 86400.0
HOLD_S = 86400.0
TIMEOUT_S = 5.0
TURN_S = 60.0
LOOK_S = 0.5
_log = logging.getLogger("fairshoe.alarms")


def receivers(alertmanagers: Sequence[str], webhooks: Sequence[str]) -> list[str]:
    """Their URLs, checked."""
    for url in (*alertmanagers, *webhooks):
        try:
            place = urlsplit(url)
            good = place.scheme in ("http", "https") and place.hostname and place.port != 0 and " " not in url
        except ValueError:
            good = False
        if not good:
            raise UsageError(f"{url} is no receiver of alarms.", "Write http://HOST:PORT or https://HOST:PORT.")
    return [*(f"{url.rstrip('/')}/api/v2/alerts" for url in alertmanagers), *webhooks]


def alert(alarm: Alarm, now: float) -> dict[str, Any]:
    """As Alertmanager has it. Labels are its identity, so they have only what does not change while it holds."""
    labels = {
        "alertname": alarm.rule,
        "severity": alarm.severity,
        "device": f"{alarm.device:08x}" if alarm.device else "",
        "table": alarm.place,
        "pit": alarm.pit,
        "part": alarm.part,
    }
    annotations = {
        "summary": alarm.text,
        "alarm": str(alarm.id),
        "acknowledged_by": alarm.acknowledged_by or "",
        "note": alarm.note or "",
    }
    begin = min(alarm.raised_at, now)
    end = now + HOLD_S if alarm.cleared_at is None else max(begin, min(alarm.cleared_at, now))
    return {
        "labels": {name: text for name, text in labels.items() if text},
        "annotations": {name: text for name, text in annotations.items() if text},
        "startsAt": _when(begin),
        "endsAt": _when(end),
    }


def body(alarms: Sequence[Alarm], now: float) -> bytes:
    """An alarm that is raised again has the labels of the one that ended: the newer one counts."""
    found = {json.dumps(it["labels"], sort_keys=True): it for it in (alert(alarm, now) for alarm in alarms)}
    return json.dumps(list(found.values())).encode()


def _when(at: float) -> str:
    return datetime.fromtimestamp(at, timezone.utc).isoformat(timespec="milliseconds")


def post(url: str, data: bytes) -> None:
    """OSError, HTTPException or ValueError if it was not taken."""
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method="POST")
    with urllib.request.urlopen(request, timeout=TIMEOUT_S):
        pass


class Notifier:
    """Posts until it is stopped."""

    def __init__(self, url: str, urls: Sequence[str], post_s: float = POST_S) -> None:
        self._database = url
        self._urls = list(urls)
        self._post_s = post_s
        self._stopped = False
        self._hurry = True
        self.posted = 0
        self.failed = 0

    def stop(self) -> None:
        self._stopped = True

    def hurry(self) -> None:
        """There is news: do not wait for the next turn."""
        self._hurry = True

    async def run(self) -> None:
        at = 0.0
        while not self._stopped:
            if self._urls and (self._hurry or time.monotonic() >= at):
                self._hurry = False
                at = time.monotonic() + self._post_s
                try:
                    async with database.in_threads(self._database) as db:
                        await database.within(TURN_S, lambda: self.turn(db, time.time()))
                except (psycopg.Error, TimeoutError, asyncio.TimeoutError) as error:
                    _log.warning("alarms are not sent: %s", str(error).strip() or "the database does not answer")
            await asyncio.sleep(LOOK_S)

    def turn(self, db: psycopg.Connection[Any], now: float) -> bool:
        """Say everything once to every receiver. Whether all have taken it."""
        alarms = book.to_send(db, now - ENDED_S, now - ENDED_S_MAX)
        if not alarms:
            return True
        data = body(alarms, now)
        taken = [self._post(url, data) for url in self._urls]
        if all(taken):
            book.note_sent(db, [alarm.id for alarm in alarms if alarm.cleared_at is not None])
        return all(taken)

    def _post(self, url: str, data: bytes) -> bool:
        try:
            post(url, data)
        except (OSError, HTTPException, ValueError) as error:
            self.failed += 1
            place = urlsplit(url)  # without the user and password that it may have
            _log.error(
                "%s://%s:%s does not take the alarms: %s. Trying again in %.0f s.",
                *(place.scheme, place.hostname, place.port or "", str(error).strip(), self._post_s),
            )
            return False
        self.posted += 1
        return True
