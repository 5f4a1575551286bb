"""Bring-up on the live page: the course of `fairshoe bringup`, in a second thread, for one tab at a time.

The course belongs to this process: every tab shows it, and a second one cannot begin another. It lasts only as long as
the page that began it is there and answers. If that page is closed, reloaded or hangs, nothing more is asked of the
device: a motion that runs ends by itself (decision 0101), and the diagnostic mode is left. What has passed is in the
file that the terminal uses too, so that either of them goes on there.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from fairshoe.bringup.checks import FAILED, NOT_TESTED, PASSED, Bringup, Check
from fairshoe.bringup.guide import Course, Stage, State, Turn, cure_path, state_path, steps_of, summary
from fairshoe.bringup.inputs import confirm_config, watch
from fairshoe.calibrate.hands import SEEN, Say
from fairshoe.calibrate.machine import Machine
from fairshoe.errors import FairshoeError, UsageError
from fairshoe.web.live_view import LiveView, Values

HERE_S = 10.0  # the page answers every second; a browser that is busy may be late. The device waits as long
LEAVE_S = 11.0  # the device leaves the mode by itself, 10 s after the last frame
SHOW_S = 0.05  # what changes faster is shown together
LEAD, WATCH = "lead", "watch"
OPEN, RUNNING, BEFORE = "open", "running", "passed before"
Open = Callable[[Say], Machine]


class Stopped(FairshoeError):
    """By the page, or because the page is gone."""


class BringupDesk:
    """`open_machine` opens the device for the diagnostic mode; `run` follows the shoe for the page in between."""

    def __init__(self, open_machine: Open, board: str, config: dict[str, Any], crc: int, view: LiveView) -> None:
        self._open = open_machine
        self._board, self._config, self._crc = board, config, crc
        self._view = view
        self.here_s = HERE_S
        self.publish: Callable[[], None] = lambda: None  # set when there is a server
        self._loop: asyncio.AbstractEventLoop | None = None
        self._begun = asyncio.Event()
        self._doing = self._first = ""
        self._runs = 0
        self._rest_s = 0.0
        self._holder: object = None  # the browser that began
        self._heard = 0.0
        self._stop = ""  # why
        self._course: Course | None = None
        self._machine: Machine | None = None
        self._bringup: Bringup | None = None
        self._due = False
        self._steps: dict[str, Stage] = steps_of(config)
        self.values: Values = {}
        self._show(**self._at_rest())

    def _at_rest(self) -> Values:
        done = State(state_path(self._board)).done
        steps: list[Values] = [
            {"name": name, "about": step.about, "state": BEFORE if name in done else OPEN, "checks": []}
            for name, step in self._steps.items()
        ]
        texts = dict.fromkeys(("doing", "by", "now", "seen", "problem", "summary", "next", "cure"), "")
        return {"board": Path(self._board).name, "run": self._runs, "steps": steps, **texts}

    # -- in the loop of the server -------------------------------------------------------------------------------------

    async def hear(self, wanted: Values, browser: object) -> str | None:
        """What a page asks for; the answer in words."""
        match wanted:
            case {"bringup": "here"}:
                self._heard = time.monotonic() if browser is self._holder else self._heard
                return None
            case {"bringup": ("lead" | "watch") as doing, "tab": str(tab), **more}:
                return self._begin(doing, tab, more.get("from", ""), browser)
            case {"bringup": "stop"}:
                self.stop("the page asked for it")
                return "bring-up is stopped"
            case {"bringup": "write"}:
                return self._write()
            case _:
                raise UsageError("the page sent something that is no step of a bring-up.", "Reload the page.")

    def left(self, browser: object) -> None:
        """A page is gone."""
        if browser is self._holder:
            self.stop("its page was closed, or loaded again")

    def stop(self, why: str) -> None:
        if self._doing:
            self._stop = self._stop or why

    @property
    def busy(self) -> bool:
        return bool(self._doing)

    def _begin(self, doing: str, tab: str, first: Any, browser: object) -> str:
        if self._doing:
            raise UsageError("a bring-up is under way already, perhaps in another tab.", "Stop it there, or here.")
        if first not in ("", *self._steps):
            raise UsageError(f"there is no step {first!r}.", f"Known: {', '.join(self._steps)}.")
        self._doing, self._first, self._holder, self._stop = doing, first, browser, ""
        self._heard = time.monotonic()
        self._runs += 1
        self._show(**self._at_rest() | {"doing": doing, "by": tab, "now": "Wait: the device is opened."})
        self._begun.set()
        return "watching the inputs" if doing == WATCH else "bring-up begins"

    def _write(self) -> str:
        """The config with what was found put right, beside the board's."""
        course = self._course
        if self._doing or course is None or course.cure is None:
            raise UsageError("there is nothing to put right in the config now.", "Run the steps first.")
        path = cure_path(self._board)
        course.write_cure(path)
        self._show(next=course.next(path), cure="")
        return f"written: {path}"

    async def run(self, follow: Callable[[], Awaitable[object]]) -> None:
        """Until it is cancelled. `follow` shows the shoe, and has its port while no bring-up is under way."""
        self._loop = asyncio.get_running_loop()
        while True:
            following = asyncio.ensure_future(self._follow(follow))
            begun = asyncio.ensure_future(self._begun.wait())
            try:
                await asyncio.wait([following, begun], return_when=asyncio.FIRST_COMPLETED)
                if following.done():
                    following.result()
                    await begun
            finally:
                following.cancel()
                begun.cancel()
                await asyncio.wait([following, begun])
            self._begun.clear()
            try:
                await asyncio.to_thread(self._work)
            finally:
                self.stop("the program ends")
            self._doing, self._holder = "", None
            self._show(doing="", by="", now="", seen="")

    async def _follow(self, follow: Callable[[], Awaitable[object]]) -> None:
        """If the mode could not be left, not at once: with a host on the line the device would stay in it."""
        rest_s, self._rest_s = self._rest_s, 0.0
        await asyncio.sleep(rest_s)
        await follow()

    def _show(self, **changed: Any) -> None:
        """Values are replaced, never changed: the server's loop may read them at any time."""
        self.values = {**self.values, **changed}
        if self._loop is None:
            self._view.show("bringup", self.values)
        elif not self._due:
            self._due = True
            self._loop.call_soon_threadsafe(self._loop.call_later, SHOW_S, self._flush)

    def _flush(self) -> None:
        self._due = False
        self._view.show("bringup", self.values)
        if self._bringup is not None:
            self._view.show("lines", self._bringup.lines.to_json())
        if self._machine is not None and self._machine.shoe.status is not None:
            self._view.link("bring-up", True)
            self._view.take([self._machine.shoe.status])
        self.publish()

    # -- in the second thread ------------------------------------------------------------------------------------------

    def _work(self) -> None:
        problem = ""
        try:
            self._going()
            self._machine = self._open(self._say)
            self._machine.going = self._going
            self._bringup = Bringup(self._machine, self._config, self._crc)
            self._watch(self._bringup) if self._doing == WATCH else self._lead(self._bringup)
        except FairshoeError as error:
            problem = f"{error.what} {error.advice}"
        except Exception as error:  # the page has to say that nothing goes on
            problem = f"internal error: {error!r}. Go on, or use `fairshoe bringup`."
        finally:
            self._close()
        steps = [step | {"state": OPEN} if step["state"] == RUNNING else step for step in self.values["steps"]]
        self._show(steps=steps, problem=problem)

    def _close(self) -> None:
        machine, bringup = self._machine, self._bringup
        self._machine = None
        if machine is None:
            return
        machine.going = lambda: None
        self._rest_s = LEAVE_S
        with contextlib.suppress(FairshoeError, OSError):
            if bringup is not None:
                bringup.leave()
            self._rest_s = 0.0
        with contextlib.suppress(FairshoeError, OSError):
            machine.shoe.close()

    def _lead(self, bringup: Bringup) -> None:
        self._course = course = Course(bringup, self._board)
        for turn in course.run(self._first):
            self._turn(turn)
        cure = Path(cure_path(self._board)).name if course.cure else ""
        self._show(summary=summary(course.every), next=course.next(), cure=cure)

    def _watch(self, bringup: Bringup) -> None:
        bringup.machine.shoe.greet()
        confirm_config(bringup.machine, self._config)
        bringup.enter()
        while True:
            self._show(now=watch(bringup) or "Touch what you want to try: every input is shown below.")

    def _turn(self, turn: Turn) -> None:
        known = self._course.found.get(turn.step, []) if self._course else []
        state = RUNNING if turn.checks is None else BEFORE if turn.before else _state(known)
        shown = {"state": state, "checks": [check.to_json() for check in known]}
        steps = [step | shown if step["name"] == turn.step else step for step in self.values["steps"]]
        self._show(steps=steps, now="", seen="")

    def _say(self, text: str) -> None:
        if text.startswith(SEEN):
            self._show(seen=text.removeprefix(SEEN))
        else:
            self._show(now=text)

    def _going(self) -> None:
        if time.monotonic() - self._heard > self.here_s:
            self.stop("its page does not answer")
        if self._stop:
            raise Stopped(f"stopped: {self._stop}.", "Go on when you are ready: what passed is kept.")
        self._show()


def _state(checks: list[Check]) -> str:
    """The state of a step that has run. Without any check it met a fault that an earlier step has named already."""
    results = {check.result for check in checks}
    return FAILED if FAILED in results or not results else PASSED if PASSED in results else NOT_TESTED
