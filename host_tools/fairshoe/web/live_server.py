"""The server of the live page: its files and one WebSocket, on this machine, for a browser that knows the token.

A request must name this machine as its host, or a name that an attacker made point here could reach it (DNS
rebinding). The socket also wants the token of the URL, and an Origin that is this server. Without a `give` function
there is no path for commands: a browser that sends anything is disconnected. A browser that does not read what it gets
is disconnected, too; when it comes back, it gets a new snapshot.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import secrets
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any, Protocol, cast
from urllib.parse import parse_qs, unquote, urlsplit

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from fairshoe.errors import FairshoeError, cannot_listen
from fairshoe.web.live_view import Values
from fairshoe.web.server import HEADERS, TYPES

HOST = "127.0.0.1"
NAMES = ("127.0.0.1", "localhost")
SOCKET = "/live"
PAGE = "live.html"
BEAT_S = 1.0
BROWSERS_MAX = 8
CONNECTIONS_MAX = 64  # also those that have not asked for anything yet; others are closed at once
REQUEST_S = 5.0  # from connecting to the end of the request
QUEUE_MAX = 64  # texts that wait for one browser
HEARD_MAX = 4096  # bytes of one text of a browser: a name and a reason of 200 characters in any script
NO_COMMAND = "the page sent something that is no command"
BYE_READ_ONLY, BYE_FULL = 1008, 1013

Give = Callable[[str, "int | None"], Awaitable[str]]
Hear = Callable[[Any, object], "Awaitable[str | None]"]  # None: the page waits for no answer


# A request that is no request is no news: without this the library logs a traceback for each.
_SILENT = logging.getLogger("fairshoe.web.requests")
_SILENT.disabled = True


class _Bounded(ServerConnection):
    """One of up to CONNECTIONS_MAX."""

    def __init__(self, others: set[ServerConnection], *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._others = others

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._others.add(self)
        if len(self._others) > CONNECTIONS_MAX:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._others.discard(self)
        super().connection_lost(exc)


class View(Protocol):
    """What a page shows: LiveView, or a view that has more."""

    def snapshot(self) -> Values: ...
    def changes(self) -> Values: ...
    def beat(self) -> Values: ...


class LiveServer:
    """Serves one view. `async with` it, then `publish` after each change of the view; `url` has the token.

    `give` gets the commands of a page that may give them; `hear` instead of it gets every JSON value that a page
    sends, with its browser, and checks it; `left` gets each browser that is gone."""

    def __init__(
        self,
        files: dict[str, bytes],
        view: View,
        port: int = 0,
        give: Give | None = None,
        hear: Hear | None = None,
        page: str = PAGE,
        left: Callable[[object], None] | None = None,
    ) -> None:
        self.token = secrets.token_urlsafe(24)
        self.url = ""
        self._files = {f"/{name}": data for name, data in files.items()}
        self._view = view
        self._port = port
        self._hear = hear or (None if give is None else commands(give))
        self._left = left
        self._page = page
        self._browsers: set[Browser] = set()
        self._connections: set[ServerConnection] = set()
        self._server: Server | None = None
        self._beats: asyncio.Task[None] | None = None

    async def __aenter__(self) -> LiveServer:
        try:
            self._server = await serve(
                self._serve,
                HOST,
                self._port,
                process_request=self._request,
                max_size=HEARD_MAX,
                max_queue=4,
                open_timeout=REQUEST_S,
                close_timeout=1,
                create_connection=cast(Any, self._connection),
                logger=_SILENT,
                compression=None,
                server_header=None,
            )
        except OSError as error:
            raise cannot_listen(HOST, self._port, error) from error
        port = next(iter(self._server.sockets)).getsockname()[1]
        self.url = f"http://{HOST}:{port}/{self._page}#{self.token}"
        self._beats = asyncio.create_task(self._beat())
        return self

    async def __aexit__(self, *_error: object) -> None:
        if self._beats is not None:
            self._beats.cancel()
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    def _connection(self, *given: Any, **named: Any) -> ServerConnection:
        return _Bounded(self._connections, *given, **named)

    def publish(self) -> None:
        """Send what is new to every browser."""
        delta = self._view.changes()
        if delta:
            self._send_all(delta)

    # -- requests ------------------------------------------------------------------------------------------------------

    def _request(self, _connection: ServerConnection, request: Request) -> Response | None:
        """A file, or a refusal; None lets the handshake of a WebSocket go on."""
        hosts = request.headers.get_all("Host")
        host = hosts[0] if len(hosts) == 1 else ""
        if host.rpartition(":")[0] not in NAMES:
            return _answer(HTTPStatus.FORBIDDEN, b"this server answers on this machine only\n")
        try:
            parts = urlsplit(request.path)
        except ValueError:
            return _answer(HTTPStatus.BAD_REQUEST, b"this is no path\n")
        path = unquote(parts.path)
        if path == SOCKET:
            return self._objection(request.headers.get_all("Origin"), host, parts.query)
        if path not in self._files:
            return _answer(HTTPStatus.NOT_FOUND, b"no such file\n")
        return _answer(HTTPStatus.OK, self._files[path], TYPES.get(path.rpartition(".")[2], ""), host)

    def _objection(self, origins: list[str], host: str, query: str) -> Response | None:
        if origins != [f"http://{host}"]:
            return _answer(HTTPStatus.FORBIDDEN, b"only the page of this server may open this socket\n")
        given = "".join(parse_qs(query).get("token", []))
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            return _answer(HTTPStatus.FORBIDDEN, b"wrong token: open the URL that the program has printed\n")
        return None

    # -- sockets -------------------------------------------------------------------------------------------------------

    async def _serve(self, connection: ServerConnection) -> None:
        if len(self._browsers) >= BROWSERS_MAX:
            await connection.close(BYE_FULL, "too many browsers")
            return
        browser = Browser(connection)
        browser.put(json.dumps(self._view.snapshot()))
        self._browsers.add(browser)
        sending = asyncio.create_task(browser.send())
        try:
            async for text in connection:
                if self._hear is None:
                    await connection.close(BYE_READ_ONLY, "this page only looks on")
                    return
                answer = await _obey(self._hear, text, browser)
                if answer is not None:
                    browser.put(json.dumps({"answer": answer}))
        except ConnectionClosed:
            pass  # a browser may leave without a word
        finally:
            self._browsers.discard(browser)
            sending.cancel()
            if self._left is not None:
                self._left(browser)

    async def _beat(self) -> None:
        """A sign of life every second, with the age of what is shown."""
        while True:
            await asyncio.sleep(BEAT_S)
            self._send_all(self._view.beat())

    def _send_all(self, values: Values) -> None:
        text = json.dumps(values)
        for browser in list(self._browsers):
            if not browser.put(text):
                self._browsers.discard(browser)


async def _obey(hear: Hear, text: str | bytes, browser: object) -> str | None:
    """Do what a browser asks for; the outcome, or why not, in words."""
    try:
        wanted: Any = json.loads(text)
    except (ValueError, RecursionError):
        return NO_COMMAND
    try:
        return await hear(wanted, browser)
    except FairshoeError as error:
        return f"{error.what} {error.advice}"


def commands(give: Give) -> Hear:
    """Takes {"command": name, "argument": number} for a function that gives commands."""

    async def hear(wanted: Any, _browser: object) -> str:
        try:
            name, argument = wanted["command"], wanted.get("argument")
        except (TypeError, KeyError, AttributeError):
            return NO_COMMAND
        if not isinstance(name, str) or not (argument is None or type(argument) is int):
            return NO_COMMAND
        return f"{name.replace('_', ' ')}: {await give(name, argument)}"

    return hear


class Browser:
    """One connection and the texts that wait for it: at most QUEUE_MAX."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._queue: asyncio.Queue[str] = asyncio.Queue(QUEUE_MAX)

    def put(self, text: str) -> bool:
        """False if it does not read: it was disconnected."""
        try:
            self._queue.put_nowait(text)
        except asyncio.QueueFull:
            self._connection.transport.abort()  # a closing handshake would wait behind what it does not read
            return False
        return True

    async def send(self) -> None:
        while True:
            await self._connection.send(await self._queue.get())


def _answer(status: HTTPStatus, data: bytes, kind: str = "text/plain", host: str = "") -> Response:
    headers = Headers(HEADERS)
    # Not every browser takes a WebSocket of the same server for 'self'.
    headers["Content-Security-Policy"] = f"{headers.pop('Content-Security-Policy')}; connect-src 'self' ws://{host}"
    headers["Content-Type"] = kind or "application/octet-stream"
    headers["Content-Length"] = str(len(data))
    headers["Connection"] = "close"
    return Response(status.value, status.phrase, headers, data)
