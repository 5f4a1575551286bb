"""OpenAPI of the read API.

Messages come from docs/protocol/messages.schema.json, which is generated from the message table, routes from
route_table.py, and views (profiles.py) from the classes whose fields they show; a test compares them with real answers.
"""

from __future__ import annotations

from dataclasses import fields
from enum import Enum, IntEnum
from functools import cache
from importlib.metadata import version
from typing import Any, get_args, get_type_hints

from fairshoe import Event, Message
from fairshoe.games.rounds import Stage
from fairshoe.message_data import schema
from fairshoe.messages import ALL, LinkCounters
from fairshoe_floor.api.profiles import METERS_COUNTERS, METERS_EVENTS, METERS_PREFIX, METERS_TOTALS
from fairshoe_floor.api.route_table import ACKNOWLEDGE, ROUTES
from fairshoe_floor.inventory import Entry
from fairshoe_floor.reader import SEVERITIES, Alarm, Latched, Reading, Round, Sample, Shoe, Totals

Json = dict[str, Any]
VERSION = version("fairshoe")
TEXT, TIME, COUNT = {"type": "string"}, {"type": "number", "description": "UTC seconds since 1970"}, {"type": "integer"}
DEVICE = {"type": "string", "pattern": "^[0-9a-f]{8}$"}
HEX = {"type": "string", "pattern": "^([0-9a-f]{2})*$"}
PLAIN: dict[Any, Json] = {str: TEXT, float: TIME, int: COUNT, bytes: HEX}
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
def _definitions() -> Json:
    return schema()["definitions"]


def message_schema(kind: type[Message], only: tuple[str, ...] | None = None) -> Json:
    """A message as fairshoe.message_data writes it: all of its fields, or the message with these."""
    whole: Json = _definitions()[kind.NAME]
    if only is None:
        return whole
    return _object({name: it for name, it in whole["properties"].items() if name in ("message", *only)})


def _events() -> list[type[Message]]:
    return [kind for kind in ALL if issubclass(kind, Event)]


def _object(properties: Json, required: list[str] | None = None) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties) if required is None else required}


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _or_null(schema: Json) -> Json:
    return {"anyOf": [schema, {"type": "null"}]}


def _answer(text: str) -> Json:
    return {"description": text, "content": {"application/json": {"schema": _ref("Error")}}}


def _bare(kind: type[Message]) -> Json:
    """A message without its name."""
    properties = message_schema(kind)["properties"]
    return _object({name: it for name, it in properties.items() if name != "message"})


def _of(kind: type, *names: str) -> Json:
    """Properties of a view that are fields of this class: these, or all."""
    hints = get_type_hints(kind)
    chosen = names or [field.name for field in fields(kind)]
    return {name: DEVICE if name == "device" else _type(hints[name]) for name in chosen}


def _type(hint: Any) -> Json:
    inside = [it for it in get_args(hint) if it is not type(None)]
    if inside:
        return _or_null(_type(inside[0]))
    if issubclass(hint, Enum):
        return {"enum": [it.name.lower() if issubclass(hint, IntEnum) else it.value for it in hint]}
    return _bare(hint) if issubclass(hint, Message) else PLAIN[hint]


def _shoe_schema() -> Json:
    always = {
        **_of(Entry, "device", "table", "pit", "profile"),
        **_of(Sample, "link", "link_text", "heard_at", "firmware", "boot", "meters", "health"),
        **_of(Shoe, "gateway", "log", "seq"),
        "fresh_s": {"type": "number", "description": "how old heard_at may be while all is well"},
        "warning": _or_null(_object(_of(Latched), REPORTED)),
        "totals": _object(_of(Totals), list(METERS_TOTALS)),
        "counters": _or_null(_bare(LinkCounters) | {"required": list(METERS_COUNTERS)}),
    }
    table = {
        **_of(Sample, "game", "waiting", "status"),
        **_of(Shoe, "stored_at"),
        "next": _or_null(_object({"who": TEXT, "text": TEXT})),
        "logs": _list(HEX),
    }
    return _object({**always, **table}, list(always))


def _views() -> Json:
    event = {"anyOf": [*(_ref(kind.NAME) for kind in _events()), _ref("EventOfMeters"), {"type": "object"}]}
    reading = _object(_of(Reading, "at", "meters"))
    where = _of(Entry, "table", "pit")
    warning = _object(where | _of(Latched), [*where, *REPORTED])
    alarm = where | _of(Alarm) | {"severity": {"enum": list(SEVERITIES)}}
    round_view = _of(Round) | {"stage": {"enum": [it.value for it in Stage if it is not Stage.NONE]}}
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
        "RoundsAnswer": _object({"rounds": _list(_object(round_view)), "before": _or_null(TEXT)}),
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
