"""Figures of the bench page in Chromium, beside their targets, for `make bench`."""

from __future__ import annotations

import importlib.util
from typing import Any

from web.browser import Bench, browser, find_chromium, served

from bench.section import Lacking

# Name, unit, target, and whether more is better.
TARGETS = {
    "drawing": ("s until the drawing is there", 1.0, False),
    "vm": ("s until the VM is ready", 3.0, False),
    "pictures": ("pictures a second at 1 x", 30.0, True),
    "busy": ("% of the main thread at 1 x, with layout and painting", 30.0, False),
    "fastest": ("x real time in a shuffle, as fast as it goes", 20.0, True),
}
WATCH_MS = 4000
COUNT = """() => {
  const show = bench.show.bind(bench);
  bench.shown = 0;
  bench.show = (picture) => {
    show(picture);
    bench.shown += 1;
  };
}"""


def measure(watch_ms: int = WATCH_MS) -> dict[str, float]:
    """One figure for each target."""
    if not find_chromium() or importlib.util.find_spec("playwright") is None:
        raise Lacking("Chromium or Playwright; `make test-web` says how to get them")
    with served() as url, browser() as chromium:
        return _measure(Bench(chromium.new_page(), url), watch_ms)


def _measure(bench: Bench, watch_ms: int) -> dict[str, float]:
    found: dict[str, float] = {}
    devtools = bench.tab.context.new_cdp_session(bench.tab)
    devtools.send("Performance.enable")
    bench.tab.goto(bench.url)
    bench.until("globalThis.bench?.about")
    marks = bench.ask("performance.getEntriesByType('mark').map(({ name, startTime }) => [name, startTime])")
    found["drawing"], found["vm"] = (dict(marks)[name] / 1000 for name in ("drawing", "machine"))
    bench.event("empty_proved")
    bench.tab.click("#load")
    bench.tab.click("#press-green")
    bench.event("shuffle_started")
    bench.ask(COUNT)
    before = _main_thread_s(devtools)
    bench.tab.wait_for_timeout(watch_ms)
    found["pictures"] = bench.ask("bench.shown") / watch_ms * 1000
    found["busy"] = (_main_thread_s(devtools) - before) / watch_ms * 1000 * 100
    bench.tab.select_option("#speed", "max")
    bench.tab.check("#dealer")
    began = bench.ask("[bench.spent.simulated_ms, performance.now()]")
    bench.tab.wait_for_timeout(watch_ms)
    ended = bench.ask("[bench.spent.simulated_ms, performance.now()]")
    found["fastest"] = (ended[0] - began[0]) / (ended[1] - began[1])
    return found


def _main_thread_s(devtools: Any) -> float:
    """How long the main thread of the page has worked, by Chromium's own count: scripts, style, layout, painting."""
    metrics = {entry["name"]: entry["value"] for entry in devtools.send("Performance.getMetrics")["metrics"]}
    return float(metrics["TaskDuration"])


def report(found: dict[str, float]) -> list[str]:
    lines = ["bench page: a carousel on the MicroPython VM in Chromium"]
    for name, (unit, target, more) in TARGETS.items():
        met = found[name] >= target if more else found[name] <= target
        lines.append(f"  {found[name]:7.1f} {unit} (aim {target:g}, {'met' if met else 'NOT met'})")
    return lines
