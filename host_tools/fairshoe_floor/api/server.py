"""The HTTP server: uvicorn in the loop of the process that records. It binds to this machine unless TLS and tokens are
given."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from fairshoe.errors import UsageError, cannot_listen
from fairshoe.look import shared_files
from fairshoe.text.advice import WARNINGS
from fairshoe_floor.api.app import Service, make_app
from fairshoe_floor.api.live_socket import ABORT

PAGE = Path(__file__).resolve().parents[1] / "page"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
STOP_S = 3
TEXT_MAX = 16 << 10  # of one text of a client
CONNECTIONS_MAX = 256  # beyond that requests are answered with 503, and beyond twice that connections are ended
REQUEST_S = 30.0  # from connecting, or from the answer before, to the end of an answer
SEND_BYTES = 256 << 10  # that the kernel keeps for a client that does not read


@dataclass(frozen=True)
class Binding:
    """Where to listen."""

    host: str = "127.0.0.1"
    port: int = 0
    certificate: Path | None = None
    key: Path | None = None

    def check(self, tokens: bool) -> None:
        """Refuse to be open to a network without TLS and without tokens of its own."""
        if self.host not in LOOPBACK and (self.certificate is None or self.key is None or not tokens):
            raise UsageError(
                f"{self.host} is open to a network.",
                "Give --tls-cert, --tls-key and --tokens, or stay on 127.0.0.1 and use a tunnel.",
            )

    @property
    def local(self) -> bool:
        return self.host in LOOPBACK


class _Protocol(WebSocketsSansIOProtocol):
    """Lets a route end a connection whose client does not read."""

    async def run_asgi(self) -> None:
        self.scope[ABORT] = self.transport.abort  # type: ignore[typeddict-unknown-key]
        await super().run_asgi()


class _Http(H11Protocol):
    """Ends a connection that does not get a request and its answer done in time: a client that sends its head byte by
    byte, or does not read, would keep one of CONNECTIONS_MAX places for ever."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._begin()
        if len(self.connections) > 2 * CONNECTIONS_MAX:
            transport.abort()  # each takes a file descriptor, which the process needs for its shoes

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._begin()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._end()  # a WebSocket has its own time limits
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()
        super().connection_lost(exc)

    def _begin(self) -> None:
        self._end()
        self._late = self.loop.call_later(REQUEST_S, self.transport.abort)

    def _end(self) -> None:
        if self._late is not None:
            self._late.cancel()


class _Server(uvicorn.Server):
    """Signals belong to the process, not to its server."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


class ApiServer:
    """`async with` it; `url` says where it listens."""

    def __init__(self, service: Service, binding: Binding) -> None:
        self._service = service
        self._binding = binding
        self._server: _Server | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self.url = ""

    async def __aenter__(self) -> ApiServer:
        it = self._binding
        try:
            family = socket.AF_INET6 if ":" in it.host else socket.AF_INET
            listening = socket.create_server((it.host, it.port), family=family)
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BYTES)  # of each connection, too
        except OSError as error:
            raise cannot_listen(it.host, it.port, error) from error
        try:
            config = uvicorn.Config(
                make_app(self._service),
                http=_Http,
                ws=_Protocol,
                ws_max_size=TEXT_MAX,
                ws_max_queue=4,
                ws_per_message_deflate=False,  # memory for each client, and time in the loop that records
                ssl_certfile=it.certificate,
                ssl_keyfile=it.key,
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                lifespan="off",
                limit_concurrency=CONNECTIONS_MAX,
                timeout_graceful_shutdown=STOP_S,
            )
            config.load()
        except OSError as error:
            listening.close()
            raise UsageError(
                f"the certificate cannot be used: {error.strerror or error}.",
                "Give both in PEM: --tls-cert, --tls-key.",
            ) from error
        self._server = _Server(config)
        scheme = "https" if it.certificate else "http"
        host = f"[{it.host}]" if ":" in it.host else it.host
        self.url = f"{scheme}://{host}:{listening.getsockname()[1]}/"
        self._tasks = [
            asyncio.create_task(self._server.serve([listening]), name="floor api"),
            asyncio.create_task(self._service.changes.run(self._service.reader), name="floor changes"),
        ]
        while not self._server.started and not self._tasks[0].done():
            await asyncio.sleep(0.01)
        return self

    async def __aexit__(self, *_error: object) -> None:
        if self._server is not None:
            self._server.should_exit = True
            with contextlib.suppress(asyncio.CancelledError):
                await self._tasks[0]
        self._tasks[1].cancel()

    async def ended(self) -> None:
        """Until the server has ended by itself, which it should not."""
        await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)


def page_files() -> dict[str, bytes]:
    """The floor page, by path, with what it shares with the other pages, and what to do about each warning."""
    own = {path.relative_to(PAGE).as_posix(): path.read_bytes() for path in sorted(PAGE.rglob("*")) if path.is_file()}
    advice = {fault.name.lower(): said.advice for fault, said in WARNINGS.items()}
    return {**shared_files(), **own, "warnings.json": json.dumps(advice).encode()}
