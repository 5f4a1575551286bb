"""The dealer's page of a table with a simulated shoe, in a tab: for its tests, and for its picture."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairshoe.web.assets import table_files
from fairshoe.web.desk_server import DeskServer
from fairshoe_table.desk.setup import PAGE, Setup
from fairshoe_table.simulated.desk import open_desk
from web.browser import Bench

SPEED = 20.0
STEPS_MAX = 400


# Where the focus is among the controls that the Tab key reaches now, and where a control is.
STOPS = """(name) => {
  const within = document.querySelector('dialog[open]') ?? document;
  const stops = [...within.querySelectorAll('a[href], button, input, select, summary')];
  const there = stops.filter((it) => !it.disabled && it.checkVisibility());
  return [there.indexOf(document.activeElement), there.findIndex((it) => it.id === name)];
}"""


class Dealer(Bench):
    """A person at the page, by mouse, finger or keys alone."""

    way = "mouse"

    @property
    def table(self) -> Any:
        """What the page shows of the table."""
        return self.ask("table.known.table")

    def tap(self, name: str) -> None:
        """Tap a control, and wait until the server has answered."""
        self.press(name)
        self.until("table.taps === 0")

    def press(self, name: str) -> None:
        """Touch a control in this person's way."""
        if self.way == "mouse":
            self.tab.click(f"#{name}")
        elif self.way == "finger":
            self.tab.tap(f"#{name}")
        else:
            self._reach(name)
            box = self.ask("document.activeElement.type") == "checkbox"
            self.tab.keyboard.press("Space" if box else "Enter")

    def _reach(self, name: str) -> None:
        """Tab to a control. The page may change meanwhile: look again then."""
        for _ in range(8):
            at, wanted = self.tab.evaluate(STOPS, name)
            if wanted < 0:
                raise AssertionError(f"no key reaches {name}")
            if at == wanted:
                return
            for _ in range(abs(wanted - at)):
                self.tab.keyboard.press("Tab" if wanted > at else "Shift+Tab")
        raise AssertionError(f"the focus does not come to {name}")

    def write(self, name: str, text: str) -> None:
        """Fill a field in."""
        if self.way == "keys":
            self._reach(name)
        else:
            self.press(name)
        self.tab.keyboard.press("Control+a")
        self.tab.keyboard.type(text)

    def card(self, rank: str, suit: str) -> None:
        """Two taps, or two letters."""
        if self.way == "keys" and not self.ask("document.querySelector('dialog[open]')"):
            self.tab.keyboard.type(("T" if rank == "10" else rank) + suit[0])
            self.until("table.taps === 0")
            return
        self.press(f"rank-{rank}")
        self.tap(f"suit-{suit}")

    def bets(self) -> None:
        self.until("globalThis.table?.known.table?.now.say === 'Place your bets' && !table.stale")

    def due(self) -> Any:
        """Wait until a person has something to do: an answer, a line, a command."""
        self.until("table.known.table.ask || table.known.table.now.action.do")
        return self.table

    def proceed(self) -> None:
        """Do what is next, with the simulated player or the cards of the simulated shoe."""
        table = self.due()
        for number, _ in enumerate(table["now"]["action"].get("checks", ())):
            self.tab.check(f"#check-{number}")
            self.tab.fill("#validated", "J. Doe")
        self.tap("by-plant" if table["ask"] and table["now"]["action"].get("do") != "done" else "go")
        refused = self.tab.inner_text("#answer")
        if refused:
            raise AssertionError(refused)

    def finish(self) -> None:
        """Play the round to its end, and do every line."""
        number = self.table["round"]
        over = f"table.known.table.round > {number}"
        for _ in range(STEPS_MAX):
            self.until(f"{over} || table.known.table.ask || table.known.table.now.action.do")
            if self.ask(over) and not self.table["now"]["action"]:
                return
            if self.ask(over) and self.table["now"]["action"]["do"] != "done":
                return
            self.proceed()
        raise TimeoutError(f"round {number} does not end: {self.table['now']}")

    def said(self) -> str:
        return str(self.ask("document.getElementById('now').textContent + document.getElementById('shoe').textContent"))


class Serving:
    """A server in a thread of its own."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._started = threading.Event()
        self._failed: BaseException | None = None
        self._thread = threading.Thread(target=self._main, daemon=True)
        self._thread.start()
        if not self._started.wait(30) or self._failed is not None:
            raise RuntimeError("the table did not start") from self._failed

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join(30)

    def _main(self) -> None:
        try:
            asyncio.run(self._run())
        except BaseException as error:
            self._failed = error
            self._started.set()

    async def _run(self) -> None:
        self._loop, self._ending = asyncio.get_running_loop(), asyncio.Event()
        files = table_files(PAGE)
        async with DeskServer(lambda: open_desk(self._setup), self._setup.game, files) as self.server:
            self._started.set()
            await self._ending.wait()


@contextmanager
def dealer(chromium: Any, setup: Setup, way: str = "mouse", **page: Any) -> Generator[Dealer]:
    """The page of a table in a tab; `errors` has what the console complained about."""
    serving = Serving(setup)
    view = {"viewport": {"width": 1180, "height": 900}, **page}
    sitting = Dealer(chromium.new_page(**view), serving.server.url)
    sitting.way = way
    sitting.tab.goto(sitting.url)
    try:
        yield sitting
    finally:
        sitting.tab.close()
        serving.close()


def setup(game: str, folder: Path, **more: Any) -> Setup:
    # No share in the order: it has to be given within seconds, which a busy machine misses.
    return Setup(game, folder, speed=SPEED, seed=3, nonce=False, **more)
