"""The read API as a Starlette application over a Reader. Every route is a GET, but the one that acknowledges an alarm
in the central record; OpenAPI is made of the same ROUTES."""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from fairshoe import FairshoeError
from fairshoe_floor.api import profiles
from fairshoe_floor.api.documents import openapi
from fairshoe_floor.api.live_socket import Changes, serve_live
from fairshoe_floor.api.route_table import ACKNOWLEDGE, BASE, LIVE, ROUTES
from fairshoe_floor.api.tokens import Grant, Tokens
from fairshoe_floor.inventory import Profile
from fairshoe_floor.reader import PAGE_MAX, Reader, Shoe
from fairshoe_floor.schema_check import SECONDS_MAX

TYPES = {
    "html": "text/html",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "json": "application/json",
}
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
HOST = re.compile(r"([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")  # it becomes part of a header of the answer
DEVICE = re.compile("[0-9a-f]{8}")
LOG = re.compile("([0-9a-f]{32})?")  # empty: a shoe that was never heard has none
SECONDS = re.compile(r"[0-9]{1,12}(\.[0-9]{1,9})?")

Health = Callable[[], tuple[bool, profiles.Json]]
Metrics = Callable[[Grant], str]
Acknowledge = Callable[[int, str, str], bool]
NOTE_BYTES = 4096
GZIP_LEVEL = 1


class Refusal(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, error: str, advice: str) -> None:
        super().__init__(error)
        self.response = JSONResponse({"error": error, "advice": advice}, status)
        if status == 401:
            self.response.headers["WWW-Authenticate"] = "Bearer"


@dataclass
class Service:
    """What the routes need. `local`: answer only to names of this machine, against DNS rebinding."""

    reader: Reader
    tokens: Tokens
    health: Health
    metrics: Metrics
    files: Mapping[str, bytes]
    local: bool = True
    ready: Health | None = None  # none: as its health
    acknowledge: Acknowledge | None = None  # of the central record: number, who and note; whether it was news
    changes: Changes = field(default_factory=Changes)

    def grant(self, connection: HTTPConnection) -> Grant:
        found = self.tokens.of_header(connection.headers.get("authorization", ""))
        if found is None:
            raise Refusal(401, "no valid token.", "Send `Authorization: Bearer TOKEN`.")
        return found

    async def shoe(self, request: Request) -> tuple[Shoe, Profile]:
        """The shoe of the path, and how much of it the token shows."""
        grant = self.grant(request)
        named = request.path_params["device"]
        shoe = await run_in_threadpool(self.reader.shoe, int(named, 16)) if DEVICE.fullmatch(named) else None
        profile = grant.sees(shoe.entry) if shoe is not None else None
        if shoe is None or profile is None:
            raise Refusal(404, "no such shoe.", f"GET {BASE}/shoes lists those that this token may see.")
        return shoe, profile


def make_app(service: Service) -> Starlette:
    """The application. `service.changes` must be run by the server: it wakes live clients."""
    handlers: dict[str, Callable[[Service, Request], Awaitable[Response]]] = {
        "shoes": _shoes,
        "shoe": _shoe,
        "rounds": _rounds,
        "events": _events,
        "meters": _meters,
        "warnings": _warnings,
        "alarms": _alarms,
        "openapi": _openapi,
        "healthz": _healthz,
        "readyz": _readyz,
        "metrics": _metrics,
    }
    routes = [Route(it.path, _endpoint(service, handlers[it.name]), methods=["GET"], name=it.name) for it in ROUTES]

    if service.acknowledge is not None:
        routes.append(
            Route(ACKNOWLEDGE.path, _endpoint(service, _acknowledge), methods=["POST"], name=ACKNOWLEDGE.name)
        )

    async def live(socket: WebSocket) -> None:
        await serve_live(socket, service.reader, service.tokens, service.changes)

    files = Route("/{path:path}", _endpoint(service, _file), methods=["GET"])
    app = Starlette(routes=[*routes, WebSocketRoute(LIVE, live), files])
    app.add_middleware(_Guard, service=service)
    return app


def _endpoint(
    service: Service, handler: Callable[[Service, Request], Awaitable[Response]]
) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            return await handler(service, request)
        except Refusal as refusal:
            return refusal.response
        except FairshoeError as error:
            return JSONResponse({"error": error.what, "advice": error.advice}, 503)

    return answer


class _Guard:
    """Around all routes: names of this machine only, and the headers of every answer."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._local = service.local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        host = connection.headers.get("host", "")
        origin = connection.headers.get("origin")
        named = HOST.fullmatch(host)
        foreign = origin is not None and origin not in (f"http://{host}", f"https://{host}")
        if named is None or (self._local and named[1] not in LOCAL_NAMES) or foreign:
            if scope["type"] == "websocket":
                await WebSocket(scope, receive, send).close(1008)
                return
            refusal = JSONResponse(
                {"error": "this server answers to its own name and page only.", "advice": "Open it by its address."},
                403,
            )
            await refusal(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for key, value in HEADERS.items():
                    headers[key] = value
                # Not every browser takes a WebSocket of the same server for 'self'.
                headers["Content-Security-Policy"] += f"; connect-src 'self' ws://{host} wss://{host}"
            await send(message)

        await self._app(scope, receive, with_headers)


# --- routes ------------------------------------------------------------------------------------


async def _shoes(service: Service, request: Request) -> Response:
    grant = service.grant(request)
    known = await service.changes.known(service.reader, "shoes")
    body = known.bodies.get(grant.view)
    if body is None:
        seen = [(shoe, grant.sees(shoe.entry)) for shoe in known.values]
        texts = [service.changes.text(shoe, profile) for shoe, profile in seen if profile]
        body = known.bodies[grant.view] = b'{"at":%r,"shoes":[%s]}' % (known.at, b",".join(texts))
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(body, media_type="application/json")
    # Half a megabyte for 400 tables, a twentieth of it packed: once for all clients, not once for each.
    packed = known.bodies.get((grant.view, "gzip"))
    if packed is None:
        packed = known.bodies[grant.view, "gzip"] = gzip.compress(body, GZIP_LEVEL)
    return Response(packed, media_type="application/json", headers={"Content-Encoding": "gzip"})


async def _shoe(service: Service, request: Request) -> Response:
    shoe, profile = await service.shoe(request)
    view = profiles.shoe_view(shoe, profile)
    view["logs"] = [log.hex() for log in await run_in_threadpool(service.reader.logs, shoe.entry.device)]
    return JSONResponse({"at": time.time(), "shoe": view})


async def _rounds(service: Service, request: Request) -> Response:
    shoe, profile = await service.shoe(request)
    if profile is not Profile.TABLE:
        raise Refusal(
            403,
            "rounds are not reported under the profile meters.",
            "It takes the profile table in the inventory, with an approval, and a token with the scope table.",
        )
    before = None
    if "before" in request.query_params:
        log, _, seq = request.query_params["before"].rpartition(":")
        before = (_log("before", log), _whole("before", seq, 0, 1 << 32))
    limit = _whole("limit", request.query_params.get("limit", "100"), 1, PAGE_MAX)
    rounds = await run_in_threadpool(service.reader.rounds, shoe.entry.device, before, limit)
    onward = f"{rounds[-1].log.hex()}:{rounds[-1].seq_first}" if len(rounds) == limit else None
    return JSONResponse({"rounds": [profiles.round_view(it) for it in rounds], "before": onward})


async def _events(service: Service, request: Request) -> Response:
    shoe, profile = await service.shoe(request)
    log = _log("log", request.query_params["log"]) if "log" in request.query_params else shoe.log
    after = _whole("after", request.query_params.get("after", "0"), 0, 1 << 32)
    limit = _whole("limit", request.query_params.get("limit", "100"), 1, PAGE_MAX)
    read = await run_in_threadpool(service.reader.events, shoe.entry.device, log, after, limit)
    found = profiles.reported(shoe, profile, log, read)
    views = [view for view in (profiles.event_view(stored, profile) for stored in found) if view]
    onward = found[-1].seq if found else after
    return JSONResponse({"log": log.hex(), "after": onward, "more": len(found) == limit, "events": views})


async def _meters(service: Service, request: Request) -> Response:
    shoe, profile = await service.shoe(request)
    since = _number("since", request.query_params.get("since", "0"))
    limit = _whole("limit", request.query_params.get("limit", "500"), 1, PAGE_MAX)
    found = await run_in_threadpool(service.reader.meters, shoe.entry.device, since, limit)
    return JSONResponse({"device": shoe.entry.name, "readings": profiles.reading_views(shoe, profile, found)})


async def _warnings(service: Service, request: Request) -> Response:
    grant = service.grant(request)
    known = await service.changes.known(service.reader, "shoes")
    found: list[profiles.Json] = []
    for shoe in sorted((it for it in known.values if it.warning), key=lambda it: it.warning.since):
        profile = grant.sees(shoe.entry)
        if profile is not None:
            found.append(
                {"table": shoe.entry.table, "pit": shoe.entry.pit, **profiles.warning_view(shoe.warning, profile)}
            )
    return JSONResponse({"at": known.at, "warnings": found})


async def _alarms(service: Service, request: Request) -> Response:
    grant = service.grant(request)
    known = await service.changes.known(service.reader, "alarms")
    body = known.bodies.get(grant.view)
    if body is None:
        shoes = await service.changes.known(service.reader, "shoes")
        entries = {it.entry.device: it.entry for it in shoes.values}
        found: list[profiles.Json] = []
        for alarm in known.values:
            entry = entries.get(alarm.device)
            if not alarm.device and not grant.pits:  # about the floor itself
                found.append({"table": "", "pit": "", **profiles.alarm_view(alarm)})
            if entry is not None and grant.sees(entry) is not None:
                found.append({"table": entry.table, "pit": entry.pit, **profiles.alarm_view(alarm)})
        body = known.bodies[grant.view] = json.dumps({"at": known.at, "alarms": found}).encode()
    return Response(body, media_type="application/json")


async def _acknowledge(service: Service, request: Request) -> Response:
    """The one route that changes something, at the central record alone. Who has seen an alarm is the token's name; the
    one that a person typed stands behind it. A foreign page cannot send it (see _Guard)."""
    grant = service.grant(request)
    if "acknowledge" not in grant.scopes:
        raise Refusal(403, "this token has no scope acknowledge.", "Make one with `fairshoe floor inventory token`.")
    number = _whole("the alarm", request.path_params["id"], 0, 10**11)
    entries = {it.entry.device: it.entry for it in (await service.changes.known(service.reader, "shoes")).values}
    alarms = await run_in_threadpool(service.reader.alarms)
    alarm = next((it for it in alarms if it.id == number), None)
    entry = entries.get(alarm.device) if alarm is not None else None
    if alarm is None or (grant.pits and (entry is None or entry.pit not in grant.pits)):
        raise Refusal(404, "no such alarm holds.", f"GET {BASE}/alarms lists those that do.")
    note, typed = await _note(request)
    by = f"{grant.name} ({typed})" if typed else grant.name
    assert service.acknowledge is not None
    if not await run_in_threadpool(service.acknowledge, number, by, note):
        raise Refusal(409, f"{alarm.acknowledged_by or 'a person'} has acknowledged it already.", "Nothing to do.")
    return JSONResponse({"id": number, "acknowledged_by": by, "note": note})


async def _note(request: Request) -> tuple[str, str]:
    """Note and typed name of the body: empty, or {"note": "...", "name": "..."}."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > NOTE_BYTES:
            raise Refusal(413, "the note is too long.", f"Send {NOTE_BYTES} bytes at most.")
    if not body:
        return "", ""
    try:
        said: Any = json.loads(body)
        note, name = said.get("note", ""), said.get("name", "")
    except (ValueError, AttributeError, RecursionError):
        note, name = None, None
    if not (isinstance(note, str) and isinstance(name, str) and (note + name).isprintable()):
        raise Refusal(400, "the body is no note.", 'Send {"note": "one line", "name": "who"}, or nothing.')
    return note, name.strip()


async def _openapi(service: Service, request: Request) -> Response:
    return JSONResponse(openapi(service.acknowledge is not None))


async def _healthz(service: Service, request: Request) -> Response:
    well, about = await run_in_threadpool(service.health)
    return JSONResponse(about, 200 if well else 503)


async def _readyz(service: Service, request: Request) -> Response:
    well, about = await run_in_threadpool(service.ready or service.health)
    return JSONResponse(about, 200 if well else 503)


async def _metrics(service: Service, request: Request) -> Response:
    grant = service.grant(request)
    if "metrics" not in grant.scopes:
        raise Refusal(403, "this token has no scope metrics.", "Make one with `fairshoe floor inventory token`.")
    text = await run_in_threadpool(service.metrics, grant)
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4")


async def _file(service: Service, request: Request) -> Response:
    """A file of the page: public, so no token."""
    name = request.path_params["path"] or "index.html"
    data = service.files.get(name)
    if data is None:
        raise Refusal(404, "no such path.", f"{BASE}/openapi.json lists what there is.")
    return Response(data, media_type=TYPES.get(name.rpartition(".")[2], "application/octet-stream"))


def _whole(name: str, text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 12 and least <= int(text) <= most):
        raise Refusal(400, f"{name} must be a whole number from {least} to {most}.", "Mend the query.")
    return int(text)


def _number(name: str, text: str) -> float:
    if not (SECONDS.fullmatch(text) and float(text) <= SECONDS_MAX):
        raise Refusal(400, f"{name} must be a number.", "Give UTC seconds since 1970.")
    return float(text)


def _log(name: str, text: str) -> bytes:
    if not LOG.fullmatch(text):
        raise Refusal(400, f"{name} must be hexadecimal.", "Take it from an earlier answer.")
    return bytes.fromhex(text)
