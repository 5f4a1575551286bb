"""A server with the bench page, a browser, and a page in it that says what it was asked to show."""

from __future__ import annotations

import importlib
import os
import shutil
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairshoe.web.assets import page_files
from fairshoe.web.server import PageServer

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
WAIT_S = 120.0


def find_chromium() -> str:
    """The browser to drive: $CHROMIUM, or the system's; nothing if there is none."""
    given = os.environ.get("CHROMIUM", "")
    return given or next((path for path in map(shutil.which, NAMES) if path), "")


@contextmanager
def served() -> Generator[str, None, None]:
    """The page on a free port of this machine: its address."""
    server = PageServer(page_files())
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.url
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def browser() -> Generator[Any, None, None]:
    """Chromium, driven by Playwright, which has no types of its own here: it is installed on demand."""
    sync_api: Any = importlib.import_module("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        try:
            yield started
        finally:
            started.close()


class Bench:
    """The page in a tab. `errors` collects what the browser's console complained about."""

    def __init__(self, tab: Any, url: str) -> None:
        self.tab = tab
        self.url = url
        self.errors: list[str] = []
        tab.set_default_timeout(1000 * WAIT_S)  # a busy machine has taken more than the browser's half a minute
        tab.on("console", self._heard)
        tab.on("pageerror", self._failed)

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def _failed(self, error: Any) -> None:
        self.errors.append(str(error))

    def open(self, fragment: str = "") -> None:
        """Load the page and wait until its machine runs."""
        self.tab.goto(self.url + fragment)
        self.until("globalThis.bench?.about")

    def start(self, board: str, game: str = "", seed: int = 1, speed: str = "max") -> None:
        """Another machine on the same VM."""
        self.ask("bench.about = null")
        self.tab.select_option("#board", board)
        if game:
            self.tab.select_option("#game", game)
        self.tab.fill("#seed", str(seed))
        self.tab.click("#restart")
        self.until("bench.about")
        self.tab.select_option("#speed", speed)

    def go_to(self, ms: int) -> None:
        """The machine as it was at that millisecond, paused: from there on one test is always the same run."""
        self.ask("bench.about = null")
        self.ask(f"bench.goTo({ms})")
        self.until(f"bench.about && bench.now() >= {ms}")

    def go_on(self, ms: int) -> None:
        """Let so much simulated time pass."""
        self.until(f"bench.now() >= {self.ask('bench.now()') + ms}")

    def ask(self, script: str) -> Any:
        return self.tab.evaluate(script)

    def until(self, script: str, wait_s: float = WAIT_S) -> Any:
        """Wait until the expression is true in the page; its value."""
        # Not Playwright's own waiting, which evaluates text inside the page: its security policy forbids that.
        deadline = time.monotonic() + wait_s
        while True:
            value = self.ask(script)
            if value:
                return value
            if time.monotonic() > deadline:
                raise TimeoutError(f"not within {wait_s:g} s: {script}; the page says {self.said()!r}")
            self.tab.wait_for_timeout(40)

    def scan_until(self, script: str, scans_max: int = 2000) -> None:
        """Let a paused machine do one scan after another until the expression is true in the page."""
        found = self.ask(
            f"""(async () => {{
              for (let i = 0; i < {scans_max} && !({script}); i += 1) {{
                const {{ scans }} = bench.picture;
                bench.source.scan();
                while (bench.picture.scans === scans) await new Promise((resume) => setTimeout(resume));
              }}
              return Boolean({script});
            }})()"""
        )
        if not found:
            raise TimeoutError(f"not within {scans_max} scans: {script}; the page says {self.said()!r}")

    def said(self) -> str:
        """The messages of the page and its newest events."""
        words = "document.getElementById('loading').textContent + ' ' + (bench.names?.slice(-6) ?? '')"
        return str(self.ask(f"globalThis.live ? JSON.stringify([live.down, live.known.link]) : {words}"))

    def event(self, name: str) -> None:
        """Wait for an event of the device."""
        self.until(f"bench.names.includes({name!r})")
