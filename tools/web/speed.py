"""Figures of the bench page in Chromium, beside their targets, for `make bench`."""

from __future__ import annotations

import importlib.util
from typing import Any

from web.browser import Bench, browser, find_chromium, served

# Name, unit, target, and whether more is better.
TARGETS = {
    "drawing": ("s until the drawing is there", 1.0, False),
    "vm": ("s until the VM is ready", 3.0, False),
    "pictures": ("pictures a second at 1 x", 30.0, True),
    "busy": ("% of the main thread at 1 x", 30.0, False),
    "fastest": ("x real time in a shuffle, as fast as it goes", 20.0, True),
}
WATCH_MS = 4000
# A picture counts when it has been shown; what showing takes keeps the main thread busy.
COUNT = """() => {
  const show = bench.show.bind(bench);
  bench.shown = { count: 0, ms: 0 };
  bench.show = (picture) => {
    const began = performance.now();
    show(picture);
    bench.shown.count += 1;
    bench.shown.ms += performance.now() - began;
  };
}"""


def measure() -> dict[str, float]:
    """One figure for each target; nothing without Chromium and Playwright."""
    if not find_chromium() or importlib.util.find_spec("playwright") is None:
        return {}
    with served() as url, browser() as chromium:
        return _measure(Bench(chromium.new_page(), url))


def _measure(bench: Bench) -> dict[str, float]:
    found: dict[str, float] = {}
    bench.tab.goto(bench.url)
    bench.tab.wait_for_selector("svg.machine")
    found["drawing"] = float(bench.ask("performance.now()")) / 1000
    bench.until("globalThis.bench?.about")
    found["vm"] = float(bench.ask("performance.now()")) / 1000
    bench.event("empty_proved")
    bench.tab.click("#load")
    bench.tab.click("#press-green")
    bench.event("shuffle_started")
    bench.ask(COUNT)
    shown = _watch(bench, "bench.shown")
    found["pictures"] = shown["count"] / WATCH_MS * 1000
    found["busy"] = shown["ms"] / WATCH_MS * 100
    bench.tab.select_option("#speed", "max")
    bench.tab.check("#dealer")
    before = bench.ask("bench.spent")
    bench.tab.wait_for_timeout(WATCH_MS)
    after = bench.ask("bench.spent")
    found["fastest"] = (after["simulated_ms"] - before["simulated_ms"]) / WATCH_MS
    return found


def _watch(bench: Bench, script: str) -> Any:
    bench.tab.wait_for_timeout(WATCH_MS)
    return bench.ask(script)


def report(found: dict[str, float]) -> list[str]:
    if not found:
        return ["bench page: NOT MEASURED, for want of Chromium or Playwright; `make test-web` says how to get them"]
    lines = ["bench page: a carousel on the MicroPython VM in Chromium"]
    for name, (unit, target, more) in TARGETS.items():
        met = found[name] >= target if more else found[name] <= target
        lines.append(f"  {found[name]:7.1f} {unit} (aim {target:g}, {'met' if met else 'NOT met'})")
    return lines
