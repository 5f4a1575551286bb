"""OpenAPI and AsyncAPI of the read API.

Messages come from the classes of fairshoe.messages, which are generated from the message table, and routes from
route_table.py. Views (profiles.py) are listed here once more; a test compares them with real answers.
"""

from __future__ import annotations

from dataclasses import fields
from enum import IntEnum
from functools import cache
from importlib.metadata import version
from typing import Any, get_type_hints

from fairshoe import Event, Message, Status
from fairshoe.message_data import IDS
from fairshoe.messages import ALL, UNKNOWN, Health, LinkCounters, Meters
from fairshoe_floor.api.profiles import METERS_COUNTERS, METERS_EVENTS, METERS_PREFIX, METERS_TOTALS
from fairshoe_floor.api.route_table import ACKNOWLEDGE, LIVE, ROUTES
from fairshoe_floor.samples import Link, Totals

Json = dict[str, Any]
VERSION = version("fairshoe")
SIZES = {"B": 0xFF, "H": 0xFFFF, "I": 0xFFFFFFFF}
TEXT, TIME, COUNT = {"type": "string"}, {"type": "number", "description": "UTC seconds since 1970"}, {"type": "integer"}
DEVICE = {"type": "string", "pattern": "^[0-9a-f]{8}$"}
HEX = {"type": "string", "pattern": "^([0-9a-f]{2})*$"}
WARNING = {"device": DEVICE, "fault": TEXT, "since": TIME, "log": HEX, "seq": COUNT, "round": COUNT}
REPORTED = ["device", "fault", "since"]  # under every profile


@cache
def openapi(central: bool = False) -> Json:
    """Of a gateway, or of the central record, which can also note that an alarm was seen."""
    paths: Json = {}
    for route in (*ROUTES, *([ACKNOWLEDGE] if central else [])):
        parameters: list[Json] = [
            {"name": it.name, "in": "query", "required": False, "description": it.text, "schema": {"type": it.kind}}
            for it in route.parameters
        ]
        if "{device}" in route.path:
            parameters.insert(0, {"name": "device", "in": "path", "required": True, "schema": DEVICE})
        media = "text/plain" if route.schema == "Text" else "application/json"
        answers: Json = {"200": {"description": route.text, "content": {media: {"schema": _ref(route.schema)}}}}
        if route.scope:
            answers |= {
                "401": _answer("no valid token"),
                "403": _answer("the token has no such scope, or the profile no such data"),
            }
        if "{device}" in route.path:
            answers["404"] = _answer("no such shoe")
        if route.parameters:
            answers["400"] = _answer("a parameter that cannot be used")
        if "{id}" in route.path:
            parameters.insert(0, {"name": "id", "in": "path", "required": True, "schema": COUNT})
            answers |= {"404": _answer("no such alarm holds"), "409": _answer("it was acknowledged already")}
        paths[route.path] = {
            "post" if route is ACKNOWLEDGE else "get": {
                "operationId": route.name,
                "summary": route.text,
                "parameters": parameters,
                "security": [{"token": list[str]()}] if route.scope else [],
                "responses": answers,
            }
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "fairshoe floor", "version": VERSION, "description": _ABOUT},
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {**_views(), **{kind.NAME: message_schema(kind) for kind in _events()}},
        },
    }


_ABOUT = (
    "Reads what gateways have recorded of card shoes. No route reaches a device; at a gateway none changes anything. "
    "What a shoe reports depends on its profile and on the scopes of the token."
)


@cache
def asyncapi() -> Json:
    texts = {
        "hello": (
            "the only text of the client, within five seconds",
            _object(
                {
                    "token": TEXT,
                    "shoes": {"type": "boolean"},
                    "events": {"anyOf": [{"const": "all"}, {"type": "object"}]},
                },
                ["token"],
            ),
        ),
        "shoes": ("all shoes, once", _kind("shoes", shoes={"type": "array", "items": _ref("Shoe")})),
        "shoe": ("shoes that have changed", _kind("shoe", shoes={"type": "array", "items": _ref("Shoe")})),
        "events": (
            "a page of events of one log, in order",
            _kind(
                "events", device=DEVICE, log=HEX, after=COUNT, events={"type": "array", "items": _ref("StoredEvent")}
            ),
        ),
        "live": ("the replay of a shoe has caught up", _kind("live", device=DEVICE, log=HEX, after=COUNT)),
        "beat": ("every five seconds: when each shoe was heard last", _kind("beat", heard={"type": "object"})),
    }
    return {
        "asyncapi": "2.6.0",
        "info": {"title": "fairshoe floor, live", "version": VERSION, "description": _ABOUT},
        "defaultContentType": "application/json",
        "channels": {
            LIVE: {
                "publish": {"message": {"$ref": "#/components/messages/hello"}},
                "subscribe": {
                    "message": {
                        "oneOf": [{"$ref": f"#/components/messages/{name}"} for name in texts if name != "hello"]
                    }
                },
            }
        },
        "components": {
            "messages": {
                name: {"name": name, "summary": text, "payload": payload} for name, (text, payload) in texts.items()
            },
            "schemas": openapi()["components"]["schemas"],
        },
    }


def message_schema(kind: type[Message], only: tuple[str, ...] | None = None) -> Json:
    """A message as fairshoe.message_data writes it, from its class."""
    hints = get_type_hints(kind)
    sizes = iter(_sizes(kind))
    properties: Json = {"message": {"const": kind.NAME}}
    for field in fields(kind):
        schema = _field(kind, field.name, hints[field.name], next(sizes))
        if only is None or field.name in only:
            properties[field.name] = schema
    return _object(properties)


def _field(kind: type[Message], name: str, hint: Any, size: str) -> Json:
    if isinstance(hint, type) and issubclass(hint, IntEnum):
        return {"enum": [it.name.lower() for it in hint]}
    if hint is str:
        return {"type": "string", "maxLength": 8}
    if hint is bytes:
        return {"type": "string", "pattern": f"^[0-9a-f]{{{2 * int(size[:-1])}}}$"} if size else HEX
    if name in IDS:
        return {"anyOf": [{"enum": [it.NAME for it in ALL]}, {"type": "integer"}]}
    if name in UNKNOWN.get(kind.NAME, {}):
        return {"type": ["integer", "null"], "minimum": 0, "maximum": SIZES[size] - 1}
    return {"type": "integer", "minimum": 0, "maximum": SIZES[size]}


def _sizes(kind: type[Message]) -> list[str]:
    """The format of each field, out of the struct of the message: B, H, I, 8s ..."""
    found: list[str] = []
    digits = ""
    for sign in kind.LAYOUT.format.lstrip("<"):
        if sign.isdigit():
            digits += sign
        elif sign == "s":
            found.append(f"{digits}s")
            digits = ""
        else:
            found += [sign] * int(digits or 1)
            digits = ""
    return [*found, ""]


def _events() -> list[type[Message]]:
    return [kind for kind in ALL if issubclass(kind, Event)]


def _object(properties: Json, required: list[str] | None = None) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties) if required is None else required}


def _kind(kind: str, **properties: Json) -> Json:
    return _object({"kind": {"const": kind}, **properties})


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _or_null(schema: Json) -> Json:
    return {"anyOf": [schema, {"type": "null"}]}


def _answer(text: str) -> Json:
    return {"description": text, "content": {"application/json": {"schema": _ref("Error")}}}


def _bare(kind: type[Message]) -> Json:
    """A message without its name."""
    schema = message_schema(kind)
    del schema["properties"]["message"]
    schema["required"].remove("message")
    return schema


def _shoe_schema() -> Json:
    totals = {field.name: _or_null(TIME) if field.name == "since" else COUNT for field in fields(Totals)}
    always = {
        "device": DEVICE,
        "table": TEXT,
        "pit": TEXT,
        "gateway": TEXT,
        "profile": {"enum": ["meters", "table"]},
        "link": {"enum": [it.value for it in Link]},
        "link_text": TEXT,
        "heard_at": _or_null(TIME),
        "fresh_s": {"type": "number", "description": "how old heard_at may be while all is well"},
        "firmware": _or_null(TEXT),
        "boot": _or_null(COUNT),
        "log": HEX,
        "seq": COUNT,
        "warning": _or_null(_object(WARNING, REPORTED)),
        "totals": _object(totals, list(METERS_TOTALS)),
        "meters": _or_null(_bare(Meters)),
        "health": _or_null(_bare(Health)),
        "counters": _or_null(_bare(LinkCounters) | {"required": list(METERS_COUNTERS)}),
    }
    table = {
        "game": _or_null(TEXT),
        "waiting": _or_null(COUNT),
        "stored_at": _or_null(TIME),
        "status": _or_null(_bare(Status)),
        "next": _or_null(_object({"who": TEXT, "text": TEXT})),
        "logs": _list(HEX),
    }
    return _object({**always, **table}, list(always))


def _round_schema() -> Json:
    counts = dict.fromkeys(("number", "seq_first", "seq_last", "positions"), COUNT)
    may_be = {name: _or_null(COUNT) for name in ("stacks", "dealt", "remainder")}
    words = dict.fromkeys(("game", "clause", "fault"), TEXT)
    stage = {"enum": ["dealing", "settling", "ended", "void"]}
    times = {"began_at": TIME, "ended_at": _or_null(TIME)}
    return _object({"device": DEVICE, "log": HEX, "stage": stage, **counts, **may_be, **words, **times})


def _views() -> Json:
    event = {"anyOf": [*(_ref(kind.NAME) for kind in _events()), _ref("EventOfMeters"), {"type": "object"}]}
    reading = _object({"at": TIME, "meters": _bare(Meters)})
    warning = _object({"table": TEXT, "pit": TEXT, **WARNING}, ["table", "pit", *REPORTED])
    severity = {"enum": ["critical", "major", "minor"]}
    alarm = {"table": TEXT, "pit": TEXT, "device": DEVICE, "rule": TEXT, "severity": severity, "text": TEXT}
    alarm |= {"since": TIME, "acknowledged_by": _or_null(TEXT), "id": _or_null(COUNT)}
    page = {"log": HEX, "after": COUNT, "more": {"type": "boolean"}, "events": _list(_ref("StoredEvent"))}
    return {
        "Shoe": _shoe_schema(),
        "ShoesAnswer": _object({"at": TIME, "shoes": _list(_ref("Shoe"))}),
        "ShoeAnswer": _object({"at": TIME, "shoe": _ref("Shoe")}),
        "StoredEvent": _object({"device": DEVICE, "log": HEX, "seq": COUNT, "received": TIME, "event": event}),
        "EventOfMeters": {
            "description": "an event under the profile meters: these kinds, these fields",
            "anyOf": [message_schema(kind, (*METERS_PREFIX, *names)) for kind, names in METERS_EVENTS.items()],
        },
        "EventsAnswer": _object(page),
        "RoundsAnswer": _object({"rounds": _list(_round_schema()), "before": _or_null(TEXT)}),
        "MetersAnswer": _object({"device": DEVICE, "readings": _list(reading)}),
        "AlarmsAnswer": _object({"at": TIME, "alarms": _list(_object(alarm))}),
        "WarningsAnswer": _object({"at": TIME, "warnings": _list(warning)}),
        "Acknowledged": _object({"id": COUNT, "acknowledged_by": TEXT, "note": TEXT}),
        "Health": {"type": "object"},
        "Document": {"type": "object"},
        "Text": {"type": "string"},
        "Error": _object({"error": TEXT, "advice": TEXT}),
    }


def _list(schema: Json) -> Json:
    return {"type": "array", "items": schema}
