"""The WebSocket: replay from a cursor, then live.

The client sends one text, within HELLO_S:

    {"token": "...", "shoes": true, "events": {"00510001": {"log": "...", "after": 41}}}

`events` may also be "all": every shoe that the token sees, from now on. Then it only listens; another text closes the
connection. The server sends `shoes` (all), then `shoe` (those that have changed, at most once a second), `events` (a
page), `live` (a shoe's replay has caught up) and `beat` (when each shoe was heard last).

Nothing is queued for a client: each page is read from the reader when the one before is sent, so a slow client holds
one page and is disconnected when it takes longer than SEND_S for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.websockets import WebSocket, WebSocketDisconnect

from fairshoe import FairshoeError
from fairshoe_floor import schema_check as check
from fairshoe_floor.api.profiles import Json, event_view, heard_view, last_seq, reported, shoe_view
from fairshoe_floor.api.tokens import Grant, Tokens
from fairshoe_floor.inventory import Profile
from fairshoe_floor.reader import Reader, Shoe

HELLO_S = 5.0
ASKED_S = 10.0  # without a request for so long, nothing is renewed
SEND_S = 10.0
LOOK_S = 0.2  # how often the reader is asked whether something has changed
SHOES_S = 1.0  # between two texts about the same shoe
BEAT_S = 5.0  # a client hears something this often
EVENTS_MAX = 256  # in one message
ABORT = "fairshoe.abort"  # in the scope: ends a connection whose client does not read
BYE_TOKEN, BYE_WORD, BYE_LISTEN, BYE_FULL = 4401, 1008, 1008, 1013
CLIENTS_MAX = 64
SEQ_MAX = 1 << 32
LOG_BYTES = 16  # of an identity
TOKEN_MAX = 200
SHOWN = {"meters", "table"}  # scopes that read shoes
_log = logging.getLogger("fairshoe_floor.api")


@dataclass
class ReadAnswer:
    """What the reader has answered, when, and what was made of it for each kind of token."""

    values: Sequence[Any]
    at: float
    read_at: float  # monotonic
    bodies: dict[object, bytes] = field(default_factory=dict[object, bytes])


class Changes:
    """Wakes live clients when the reader has something new, and keeps what it has answered: one query, and the JSON of
    a shoe, serve all clients. What is kept is renewed in the background while requests come, so that none waits; if the
    reader fails it runs out after twice `lasting_s`, and requests get the error."""

    def __init__(self) -> None:
        self._version = 0
        self._woken = asyncio.Event()
        self.clients = 0  # with a token: others cannot take their places
        self._shoes: list[Shoe] = []
        self._shoes_of = -1  # the version that they are of
        self._views: dict[tuple[int, Profile], tuple[Shoe, Json]] = {}
        self._texts: dict[tuple[int, Profile], tuple[Shoe, bytes]] = {}
        self._known: dict[str, ReadAnswer] = {}
        self._reading: dict[str, asyncio.Lock] = {}
        self._asked: dict[str, float] = {}

    async def shoes(self, reader: Reader) -> list[Shoe]:
        if self._shoes_of != self._version or not self._shoes:
            version = self._version
            self._shoes = list(await run_in_threadpool(reader.shoes))
            self._shoes_of = version
        return self._shoes

    def view(self, shoe: Shoe, profile: Profile) -> Json:
        place = (shoe.entry.device, profile)
        known = self._views.get(place)
        if known is None or known[0] is not shoe:
            known = self._views[place] = (shoe, shoe_view(shoe, profile))
        return known[1]

    def text(self, shoe: Shoe, profile: Profile) -> bytes:
        """Its view as JSON, made once for each object."""
        place = (shoe.entry.device, profile)
        known = self._texts.get(place)
        if known is None or known[0] is not shoe:
            data = json.dumps(shoe_view(shoe, profile), separators=(",", ":"), ensure_ascii=False).encode()
            known = self._texts[place] = (shoe, data)
        return known[1]

    async def known(self, reader: Reader, what: str) -> ReadAnswer:
        """What `reader.shoes` or `reader.alarms` has answered."""
        self._asked[what] = time.monotonic()
        found = self._known.get(what)
        if found is not None and time.monotonic() - found.read_at < 2 * reader.lasting_s:
            return found
        return await self._read(reader, what)

    async def _read(self, reader: Reader, what: str) -> ReadAnswer:
        async with self._reading.setdefault(what, asyncio.Lock()):
            found = self._known.get(what)
            if found is None or time.monotonic() - found.read_at >= reader.lasting_s / 2:
                began = time.monotonic()
                values = await run_in_threadpool(getattr(reader, what))
                found = self._known[what] = ReadAnswer(values, time.time(), began)
            return found

    async def _renew(self, reader: Reader) -> None:
        now = time.monotonic()
        for what, asked in list(self._asked.items()):
            if reader.lasting_s and now - asked < ASKED_S and now - self._known_at(what) >= reader.lasting_s / 2:
                with contextlib.suppress(FairshoeError):
                    await self._read(reader, what)

    def _known_at(self, what: str) -> float:
        found = self._known.get(what)
        return found.read_at if found is not None else 0.0

    async def run(self, reader: Reader) -> None:
        """Until it is cancelled."""
        while True:
            await self._renew(reader)
            version = await run_in_threadpool(reader.version)
            if version != self._version:
                self._version = version
                woken, self._woken = self._woken, asyncio.Event()
                woken.set()
            await asyncio.sleep(LOOK_S)

    async def wait(self, seconds: float) -> None:
        """Until something has changed, or so long."""
        try:
            await asyncio.wait_for(self._woken.wait(), seconds)
        except asyncio.TimeoutError:
            return


@dataclass
class Follow:
    """How far a client is with one log, and was with others, which may come back; and whether `live` was sent."""

    log: bytes
    after: int
    live: bool = False
    places: dict[bytes, int] = field(default_factory=dict[bytes, int])


class _Client:
    """One connection after its hello."""

    def __init__(self, socket: WebSocket, reader: Reader, grant: Grant, wanted: Json) -> None:
        self._socket = socket
        self._reader = reader
        self._grant = grant
        self._shoes = wanted["shoes"] is not False
        self._all = wanted["events"] == "all"
        self._follows: dict[int, Follow] = {} if self._all else wanted["events"] or {}
        self._sent: dict[int, Json] = {}
        self._shoes_at = 0.0
        self._beat_at = 0.0

    async def serve(self, changes: Changes) -> None:
        first = True
        while True:
            shoes = await changes.shoes(self._reader)
            found = [(shoe, self._grant.sees(shoe.entry)) for shoe in shoes]
            seen = {shoe.entry.device: (shoe, profile) for shoe, profile in found if profile is not None}
            now = time.monotonic()
            if self._shoes and now >= self._shoes_at:
                self._shoes_at = now + SHOES_S
                await self._send_shoes({device: changes.view(*pair) for device, pair in seen.items()}, first)
            if self._all and first:
                self._follows = {device: Follow(pair[0].log, last_seq(*pair)) for device, pair in seen.items()}
            for device, follow in self._follows.items():
                if device in seen:
                    await self._send_events(*seen[device], follow)
            if now >= self._beat_at:
                self._beat_at = now + BEAT_S
                heard = {pair[0].entry.name: heard_view(*pair) for pair in seen.values() if pair[0].sample}
                await self._send({"kind": "beat", "at": time.time(), "heard": heard})
            first = False
            await changes.wait(SHOES_S)

    async def _send_shoes(self, views: dict[int, Json], first: bool) -> None:
        """Those that differ in more than when they were heard: a beat says that of all."""
        plain = {device: {**view, "heard_at": None, "counters": None} for device, view in views.items()}
        changed = [views[device] for device, view in plain.items() if view != self._sent.get(device)]
        self._sent = plain
        if first:
            await self._send({"kind": "shoes", "shoes": list(views.values())})
        elif changed:
            await self._send({"kind": "shoe", "shoes": changed})

    async def _send_events(self, shoe: Shoe, profile: Profile, follow: Follow) -> None:
        device = shoe.entry.device
        while follow.log != shoe.log or follow.after < last_seq(shoe, profile):
            read = await run_in_threadpool(self._reader.events, device, follow.log, follow.after, EVENTS_MAX)
            found = reported(shoe, profile, follow.log, read)
            views = [view for view in (event_view(stored, profile) for stored in found) if view]
            if found:
                follow.after = found[-1].seq
            if views or len(found) == EVENTS_MAX:
                place = {"device": shoe.entry.name, "log": follow.log.hex(), "after": follow.after}
                await self._send({"kind": "events", **place, "events": views})
            elif not found and follow.log != shoe.log:
                logs = await run_in_threadpool(self._reader.logs, device)
                later = logs[logs.index(follow.log) + 1 :] if follow.log in logs else logs
                if not later:
                    return
                follow.places[follow.log] = follow.after
                follow.log, follow.after = later[0], follow.places.get(later[0], 0)
            elif not found:
                return
        if not follow.live:
            follow.live = True
            place = {"device": shoe.entry.name, "log": follow.log.hex(), "after": follow.after}
            await self._send({"kind": "live", **place})

    async def _send(self, message: Json) -> None:
        """TimeoutError if the client does not read."""
        await asyncio.wait_for(self._socket.send_text(json.dumps(message, separators=(",", ":"))), SEND_S)


async def serve_live(socket: WebSocket, reader: Reader, tokens: Tokens, changes: Changes) -> None:
    """One connection, from its hello to its end."""
    await socket.accept()
    try:
        wanted = check.fields(json.loads(await asyncio.wait_for(socket.receive_text(), HELLO_S)), _HELLO)
        grant = tokens.find(wanted["token"])
        client = _Client(socket, reader, grant, wanted) if grant is not None and grant.scopes & SHOWN else None
    except WebSocketDisconnect:
        return
    except (ValueError, KeyError, RecursionError, asyncio.TimeoutError):  # KeyError: it sent bytes
        await socket.close(BYE_WORD, "the first text is no request: see docs/FLOOR.md")
        return
    if client is None:
        await socket.close(BYE_TOKEN, "no valid token")
        return
    if changes.clients >= CLIENTS_MAX:
        await socket.close(BYE_FULL, "too many clients")
        return
    changes.clients += 1
    try:
        await _listen(socket, client, changes)
    finally:
        changes.clients -= 1


async def _listen(socket: WebSocket, client: _Client, changes: Changes) -> None:
    """Send until the client goes away, speaks, or does not read."""
    abort: Callable[[], None] = socket.scope.get(ABORT, lambda: None)
    sending = asyncio.create_task(client.serve(changes))
    heard = asyncio.create_task(socket.receive())
    try:
        await asyncio.wait([sending, heard], return_when=asyncio.FIRST_COMPLETED)
        if sending.done():
            abort()  # a closing handshake would wait behind what the client does not read
            error = sending.exception()
            if isinstance(error, FairshoeError):
                _log.warning("a live client was ended, and may come again: %s", error)
            elif error is not None and not isinstance(error, (asyncio.TimeoutError, WebSocketDisconnect)):
                raise error
        elif heard.result()["type"] != "websocket.disconnect":
            sending.cancel()
            await socket.close(BYE_LISTEN, "this socket only tells")
    finally:
        sending.cancel()
        heard.cancel()
        await asyncio.gather(sending, heard, return_exceptions=True)  # a send that a disconnect broke is no news


def _flag(value: Any) -> bool:
    if type(value) is not bool:
        raise check.Refused("it is not true or false")
    return value


def _events(value: Any) -> Any:
    """ "all", or where each shoe is read on from; a log that is left out is the first one."""
    if value == "all":
        return value
    if not isinstance(value, dict):
        raise check.Refused("it is neither all nor an object")
    follows: dict[int, Follow] = {}
    for name, place in value.items():  # pyright: ignore[reportUnknownVariableType]
        found = check.fields(place, _PLACE)
        follows[check.device(name)] = Follow(found["log"] or b"", found["after"] or 0)
    return follows


_PLACE = {"log": check.optional(check.hexadecimal(0, LOG_BYTES)), "after": check.optional(check.whole(0, SEQ_MAX))}
_HELLO = {"token": check.text(TOKEN_MAX), "shoes": check.optional(_flag), "events": check.optional(_events)}
