"""Follow one shoe for the live page: as an observer that takes nothing from its table system, or as its host.

An observer acknowledges nothing: an event belongs to the host that stores it. With `--control` the page is the host: it
stores events, acknowledges what is stored, and gives commands under numbers that are stored, too. A simulated shoe in
this process has no other host: its events are acknowledged when they were taken.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from fairshoe import messages
from fairshoe.client.async_shoe import AsyncShoe
from fairshoe.client.notices import LinkBack, LinkLost
from fairshoe.errors import FairshoeError, UsageError
from fairshoe.keys import RoleKey
from fairshoe.observe.observer import Mode, Watch
from fairshoe.text.describe import describe_reason, words
from fairshoe.web.live_view import LiveView

HISTORY = 50  # events from before that are shown, if the device lets us read them
RETRY_S = 3.0
COMMAND_S = 30.0
COMMANDS: dict[str, type[messages.Command]] = {
    kind.NAME: kind
    for kind in (
        *(
            messages.Shuffle,
            messages.SetPositions,
            messages.CloseBetting,
            messages.ConfirmLockout,
            messages.GiveCard,
            messages.DealCommunity,
        ),
        *(messages.Release, messages.EndRound, messages.AcknowledgeWarning),
    )
}
ROLES = (messages.Role.TABLE, messages.Role.SERVICE)

Publish = Callable[[], None]


class Observer:
    """Reads a shoe and never writes to it more than a hello. Lost ports are opened again."""

    def __init__(self, url: str, key: RoleKey | None = None, listen: bool = False) -> None:
        self._make: Callable[[], Watch] = lambda: Watch(url, key, listen=listen, history=HISTORY)
        self._watch = self._make()

    async def open(self) -> None:
        """Open the port; PortError says why not. Later failures are shown, and tried again."""
        await asyncio.to_thread(self._watch.open)

    async def run(self, view: LiveView, publish: Publish) -> None:
        """Until it is cancelled."""
        try:
            while True:
                try:
                    await self._step(view)
                except FairshoeError as error:  # the device wants no session with us; later it may
                    view.link("refused", False, error.what, error.advice)
                    publish()
                    self._watch.close()
                    await asyncio.sleep(RETRY_S)
                    self._watch = self._make()
                publish()
        finally:
            await asyncio.to_thread(self._watch.close)

    async def _step(self, view: LiveView) -> None:
        watch = self._watch
        known = watch.known
        fresh = await asyncio.to_thread(watch.step)
        if watch.known is not known:
            view.forget()
        view.welcome(watch.known.welcome)
        view.take(fresh)
        wrong = watch.problem or watch.halted
        live = watch.mode in (Mode.LIVE, Mode.LISTENING) and wrong is None
        view.link(watch.mode.value, live, wrong.what if wrong else "", wrong.advice if wrong else "")


class Host:
    """The host of a shoe: acknowledges events, and gives commands if `store` says where numbers and events are kept."""

    def __init__(self, url: str, key: RoleKey | None = None, store: Path | None = None) -> None:
        if store is not None and (key is None or key.role not in ROLES):
            role = f"a key of the role {words(key.role.name)} gives none" if key else "there is no key"
            raise UsageError(f"commands need the table's key; {role}.", "Pass --key-file, or leave --control out.")
        self._url, self._key, self._store = url, key, store
        self._shoe: AsyncShoe | None = None

    async def open(self) -> None:
        """Begin a session; the error says why there is none. Afterwards the library reconnects by itself."""
        self._shoe = await AsyncShoe.open(self._url, self._key, store=self._store)

    async def run(self, view: LiveView, publish: Publish) -> None:
        """Until it is cancelled, or the shoe cannot go on by itself."""
        shoe = self._opened()

        def lost(notice: LinkLost) -> None:
            what, advice = f"{self._url} cannot be reached: {notice.why}.", "Check cable and power; it is tried again."
            view.link(Mode.CLOSED.value, False, what, advice)
            publish()

        def back(_notice: LinkBack) -> None:
            view.link(Mode.LIVE.value, True)
            publish()

        if self._store is not None:
            view.control(COMMANDS)
        view.link(Mode.LIVE.value, True)
        shoe.on(LinkLost, lost)
        shoe.on(LinkBack, back)
        try:
            async for message in shoe.messages():
                view.welcome(shoe.welcome)
                view.take([message])
                publish()
        finally:
            await shoe.close()

    async def give(self, name: str, argument: int | None) -> str:
        """Give a command by its name, and wait for its outcome: in words. UsageError for what the page cannot give."""
        kind = COMMANDS.get(name) if self._store is not None else None
        if kind is None or (kind is messages.SetPositions) != (argument is not None):
            raise UsageError(f"the page gives no command {name!r} of this form.", f"Known: {', '.join(COMMANDS)}.")
        arguments = {} if argument is None else {"positions": argument}
        result = await self._opened().command(kind, COMMAND_S, **arguments)
        done = words(result.outcome.name)
        return done if result.outcome == messages.Outcome.DONE else done + describe_reason(result.reason, result.detail)

    def _opened(self) -> AsyncShoe:
        if self._shoe is None:
            raise UsageError("the shoe has not answered yet.", "Open it first.")
        return self._shoe
