"""Metrics of the floor's programs, by prometheus-client: every family has its text, and the library writes the format.

Each program has a table of its metrics, by name with their texts; the page of the reference is made from them. A family
is made when it is read, out of counts that the program keeps anyway. So nothing is counted twice, and what a token may
not see is not there to be hidden.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from typing import Any

from prometheus_client import PROCESS_COLLECTOR, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from fairshoe.errors import cannot_listen

VERSION = version("fairshoe")
BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
STILL_S = 60.0
INFO = {"info": "1; the label `version` says which version runs"}  # of every program
TYPE = "text/plain; version=0.0.4; charset=utf-8"
Health = Callable[[], tuple[bool, Mapping[str, Any]]]


class Histogram:
    """Seconds, by buckets. One thread adds, any thread reads."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS_S) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(BUCKETS_S, seconds)] += 1
        self.total += seconds

    def family(self, name: str, text: str) -> Metric:
        so_far, buckets = 0, list[tuple[str, float]]()
        for most, count in zip((*(f"{it:g}" for it in BUCKETS_S), "+Inf"), list(self.counts), strict=True):
            so_far += count
            buckets.append((most, so_far))
        return HistogramMetricFamily(name, text, buckets, self.total)


class Families:
    """Samples by metric: all of one metric stand together, as the format wants it. `texts` is the program's table."""

    def __init__(self, prefix: str, texts: Mapping[str, str]) -> None:
        self._prefix = prefix
        self._texts = texts
        self._found: dict[str, Metric] = {}

    def add(self, name: str, value: float | None, labels: Mapping[str, str] | None = None) -> None:
        """A counter has a name that ends with _total, any other is a gauge. No value: no sample."""
        made = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
        family = self._found.setdefault(name, made(f"{self._prefix}_{name}", self._texts[name]))
        if value is not None:
            family.add_sample(f"{self._prefix}_{name}", dict(labels or {}), value)

    def put(self, name: str, histogram: Histogram) -> None:
        self._found[name] = histogram.family(f"{self._prefix}_{name}", self._texts[name])

    def add_process(self) -> None:
        """Which version runs, and what its process takes."""
        self.add("info", 1, {"version": VERSION})
        self._found.update({family.name: family for family in PROCESS_COLLECTOR.collect()})

    def text(self) -> str:
        return generate_latest(self).decode()  # pyright: ignore[reportArgumentType]

    def collect(self) -> Iterable[Metric]:
        return [it for it in self._found.values() if it.samples]


def of_program(name: str, texts: Mapping[str, str], values: Mapping[str, float | None]) -> str:
    """The metrics of a program: its version, its values by name, and its process."""
    families = Families(f"fairshoe_{name}", texts)
    families.add_process()
    for word, value in values.items():
        families.add(word, value)
    return families.text()


def totals(counted: Mapping[str, str]) -> dict[str, str]:
    """The table of counters, from that of the counts."""
    return {f"{name}_total": text for name, text in counted.items()}


class MetricsServer:
    """/metrics, /healthz and /readyz of a program without an API, for this machine: a scraper beside it. `with` it."""

    def __init__(self, port: int, metrics: Callable[[], str], health: Health, ready: Health) -> None:
        pages: dict[str, Callable[[], tuple[int, str, str]]] = {
            "/metrics": lambda: (200, TYPE, metrics()),
            "/healthz": lambda: _said(health()),
            "/readyz": lambda: _said(ready()),
        }

        class Handler(BaseHTTPRequestHandler):
            timeout = 10

            def do_GET(self) -> None:
                page = pages.get(self.path)
                status, kind, text = (
                    page() if page else (404, "text/plain", "there are /metrics, /healthz and /readyz\n")
                )
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, format: str, *args: object) -> None:
                pass

        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        except OSError as error:
            raise cannot_listen("127.0.0.1", port, error) from error
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    @classmethod
    def on(
        cls, port: int | None, metrics: Callable[[], str], health: Health, ready: Health
    ) -> contextlib.AbstractContextManager[object]:
        """Without a port there is none."""
        return contextlib.nullcontext() if port is None else cls(port, metrics, health, ready)

    def __enter__(self) -> MetricsServer:
        threading.Thread(target=self._server.serve_forever, daemon=True, name="metrics").start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class Pulse:
    """When a program has last done what it is for, by a monotonic clock; so its health needs no other thread's word."""

    def __init__(self) -> None:
        self._at: float | None = None

    def beat(self) -> None:
        self._at = time.monotonic()

    @property
    def age_s(self) -> float | None:
        return None if self._at is None else time.monotonic() - self._at

    def trouble(self, name: str) -> list[str]:
        """What is wrong, in words; nothing if it moves."""
        age_s = self.age_s
        if age_s is None:
            return [f"the {name} has not begun to work"]
        return [f"the {name} has not moved for {age_s:.0f} s"] if age_s > STILL_S else []


def verdict(trouble: Sequence[str]) -> tuple[bool, Mapping[str, Any]]:
    return not trouble, {"status": "; ".join(trouble) or "ok"}


def _said(found: tuple[bool, Mapping[str, Any]]) -> tuple[int, str, str]:
    return 200 if found[0] else 503, "application/json", json.dumps(found[1]) + "\n"
