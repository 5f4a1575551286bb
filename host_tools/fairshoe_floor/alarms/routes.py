"""Where alarms go: webhooks (JSON by POST) and syslog (RFC 5424 over UDP). Blocking; call it in a thread."""

from __future__ import annotations

import json
import logging
import socket
import time
import urllib.request
from collections import deque
from datetime import datetime, timezone
from http.client import HTTPException
from urllib.parse import urlsplit

from fairshoe_floor.alarms.rules import SEVERITIES, Route, RuleBook

TIMEOUT_S = 5.0
AGAIN_S = 30.0  # after a notice that was not taken
WAITING_MAX = 1000  # notices of one route; the oldest go first
SYSLOG_PORT = 514
FACILITY = 16  # local0
_PRIORITY = {"minor": 4, "major": 3, "critical": 2}  # warning, error, critical

Notice = dict[str, object]
_log = logging.getLogger("fairshoe.alarms")


def notice(what: str, rule: str, severity: str, device: int, at: float, text: str) -> Notice:
    """`what` is raised, cleared or escalated."""
    when = datetime.fromtimestamp(at, timezone.utc).isoformat(timespec="seconds")
    return {"what": what, "rule": rule, "severity": severity, "device": f"{device:08x}", "at": when, "text": text}


def routes_of(book: RuleBook, severity: str) -> list[Route]:
    level = SEVERITIES.index(severity)
    return [route for route in book.routes if SEVERITIES.index(route.severity) <= level]


class Sender:
    """Notices on their way, in order for each route. A route that does not take one gets it again later; until then it
    is left alone, so that it holds up neither the rules nor the other routes."""

    def __init__(self, book: RuleBook) -> None:
        self._book = book
        self._waiting = {route: deque[Notice]() for route in book.routes}
        self._again_at = dict.fromkeys(book.routes, 0.0)

    def add(self, severity: str, said: Notice) -> None:
        for route in routes_of(self._book, severity):
            if len(self._waiting[route]) >= WAITING_MAX:
                _log.error("%s: %d notices wait; the oldest is dropped", route.url, WAITING_MAX)
                self._waiting[route].popleft()
            self._waiting[route].append(said)

    def deliver(self, now: float) -> None:
        """Send what is due at this time of a monotonic clock, but no longer than TIMEOUT_S to a route that is slow."""
        for route, waiting in self._waiting.items():
            end = time.monotonic() + TIMEOUT_S
            while waiting and now >= self._again_at[route] and time.monotonic() < end:
                try:
                    send(route, waiting[0])
                except (OSError, HTTPException, ValueError) as error:
                    self._again_at[route] = now + AGAIN_S
                    _log.error(
                        "%s does not take the notice: %s. %d wait; trying again in %.0f s.",
                        *(route.url, str(error).strip(), len(waiting), AGAIN_S),
                    )
                else:
                    waiting.popleft()


def send(route: Route, said: Notice) -> None:
    """OSError, HTTPException or ValueError if it cannot be delivered. Syslog over UDP never says so."""
    if route.url.startswith("syslog://"):
        _send_syslog(route.url, said)
    else:
        request = urllib.request.Request(
            route.url, json.dumps(said).encode(), {"Content-Type": "application/json"}, method="POST"
        )
        with urllib.request.urlopen(request, timeout=TIMEOUT_S):
            pass


def _send_syslog(url: str, said: Notice) -> None:
    place = urlsplit(url)
    priority = FACILITY * 8 + _PRIORITY[str(said["severity"])]
    line = f"<{priority}>1 {said['at']} {socket.gethostname()} fairshoe-floor - {said['rule']} - {json.dumps(said)}"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(line.encode(), (place.hostname or "127.0.0.1", place.port or SYSLOG_PORT))
