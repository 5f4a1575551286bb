"""Where alarms go: webhooks (JSON by POST) and syslog (RFC 5424 over UDP). Blocking; call it in a thread."""

from __future__ import annotations

import json
import socket
import urllib.request
from datetime import datetime, timezone
from urllib.parse import urlsplit

from fairshoe_floor.alarms.rules import SEVERITIES, Route, RuleBook

TIMEOUT_S = 5.0
SYSLOG_PORT = 514
FACILITY = 16  # local0
_PRIORITY = {"minor": 4, "major": 3, "critical": 2}  # warning, error, critical

Notice = dict[str, object]


def notice(what: str, rule: str, severity: str, device: int, at: float, text: str) -> Notice:
    """`what` is raised, cleared or escalated."""
    time = datetime.fromtimestamp(at, timezone.utc).isoformat(timespec="seconds")
    return {"what": what, "rule": rule, "severity": severity, "device": f"{device:08x}", "at": time, "text": text}


def routes_of(book: RuleBook, severity: str) -> list[Route]:
    level = SEVERITIES.index(severity)
    return [route for route in book.routes if SEVERITIES.index(route.severity) <= level]


def send(route: Route, said: Notice) -> None:
    """OSError if it cannot be delivered. Syslog over UDP never says so."""
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
