"""Serves the page of a table system: the live view of its shoe, the table beside it, and the taps of the dealer.

The table system runs in a thread of its own, which owns shoe and books. It is known here by its shape only: `Desk` of
fairshoe_table has it. After an alarm the page says so until a person ends the program: one that is started again could
take another device for the one that was there. Whatever else ends the table ends the program, for its supervisor.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Any, Protocol

from fairshoe.errors import ALARMS, FairshoeError, UsageError
from fairshoe.messages import Message, Welcome
from fairshoe.web.live_server import LiveServer
from fairshoe.web.live_view import LiveView, Values

PAGE = "table.html"
ENDING_S = 10.0


class DeskLike(Protocol):
    """A table system for a page. The functions are called from its thread."""

    show: Callable[[Values], None]
    heard: Callable[[Message], None]
    linked: Callable[[bool, str], None]

    @property
    def welcome(self) -> Welcome | None: ...
    def tap(self, tap: Any) -> Future[str]: ...
    def run(self) -> None: ...
    def stop(self) -> None: ...


class DeskServer:
    """`async with` it: the desk is open and runs, and `url` has its page."""

    def __init__(
        self,
        open_desk: Callable[[], AbstractContextManager[DeskLike]],
        name: str,
        files: dict[str, bytes],
        port: int = 0,
    ) -> None:
        self._open_desk = open_desk
        self._view = LiveView(name)
        self._server = LiveServer(files, self._view, port, hear=self._hear, page=PAGE)
        self._opened: Future[DeskLike] = Future()
        self._stopped: Future[FairshoeError] = Future()
        self._thread = threading.Thread(target=self._run, name="table", daemon=True)
        self._desk: DeskLike | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def url(self) -> str:
        return self._server.url

    async def alarm(self) -> FairshoeError:
        """The alarm that has stopped the table, when there is one. Raises whatever else has ended it."""
        return await asyncio.wrap_future(self._stopped)

    async def __aenter__(self) -> DeskServer:
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        self._desk = await asyncio.wrap_future(self._opened)
        try:
            await self._server.__aenter__()
        except BaseException:
            self._end()
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        await asyncio.to_thread(self._end)
        await self._server.__aexit__(*error)

    def _end(self) -> None:
        if self._desk is not None:
            self._desk.stop()
        self._thread.join(ENDING_S)

    # -- in the thread of the desk ------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            with self._open_desk() as desk:
                desk.show = lambda values: self._post(lambda: self._view.show("table", values))
                desk.heard = lambda message: self._post(lambda: self._hear_shoe(desk.welcome, message))
                desk.linked = lambda up, why: self._post(lambda: self._link(up, why))
                self._opened.set_result(desk)
                self._post(lambda: self._link(True, ""))
                desk.run()
        except BaseException as error:  # of whatever kind: the page has to say that the table has stopped
            if not self._opened.done():
                self._opened.set_exception(error)
                return
            stop = (
                error if isinstance(error, FairshoeError) else UsageError(f"internal error: {error!r}.", "Restart it.")
            )
            self._post(lambda: self._view.link("stopped", False, stop.what, stop.advice))
            if isinstance(error, ALARMS):
                self._stopped.set_result(error)
            else:
                self._stopped.set_exception(error)

    def _post(self, change: Callable[[], None]) -> None:
        """Change the view in the loop of the server, and send what is new."""

        def do() -> None:
            change()
            self._server.publish()

        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(do)

    # -- in the loop of the server ------------------------------------------------------------------------------------

    def _hear_shoe(self, welcome: Welcome | None, message: Message) -> None:
        self._view.welcome(welcome)
        self._view.take([message])

    def _link(self, up: bool, why: str) -> None:
        if up:
            self._view.link("live", True)
        else:
            what = f"the shoe cannot be reached: {why}."
            self._view.link("closed", False, what, "Check cable and power; it is tried again.")

    async def _hear(self, tap: Any, _browser: object) -> str:
        if self._desk is None or not isinstance(tap, dict):
            raise UsageError("the page sent something that is no tap.", "Reload the page.")
        if not self._thread.is_alive():
            raise UsageError("the table has stopped.", "See what the page says, and start it again.")
        return await asyncio.wrap_future(self._desk.tap(tap))
