"""The routes of the read API, as data: the application and OpenAPI are both made of them."""

from __future__ import annotations

from dataclasses import dataclass

BASE = "/api/v1"
LIVE = f"{BASE}/live"


@dataclass(frozen=True)
class Parameter:
    """One parameter of a query."""

    name: str
    kind: str  # a type of JSON Schema
    text: str


@dataclass(frozen=True)
class RouteInfo:
    """A path, what it is for, and the schema of its answer (documents.py). `scope`: any of these; none: no token."""

    name: str
    path: str
    text: str
    schema: str
    scope: tuple[str, ...] = ("meters", "table")
    parameters: tuple[Parameter, ...] = ()


ACKNOWLEDGE = RouteInfo(  # of the central record alone: a gateway has no route that changes anything
    "acknowledge",
    f"{BASE}/alarms/{{id}}/acknowledge",
    "note that the person of this token has seen an alarm, by POST; the body may have a note and a name",
    "Acknowledged",
    ("acknowledge",),
)
LIMIT = Parameter("limit", "integer", "the most to return, up to 1000")
ROUTES = (
    RouteInfo("shoes", f"{BASE}/shoes", "every shoe, as it is known now", "ShoesAnswer"),
    RouteInfo("shoe", f"{BASE}/shoes/{{device}}", "one shoe and its logs", "ShoeAnswer"),
    RouteInfo(
        "events",
        f"{BASE}/shoes/{{device}}/events",
        "events on file after a cursor, in order; go on with the `after` of the answer",
        "EventsAnswer",
        parameters=(
            Parameter("log", "string", "the log, in hexadecimal; the newest if it is left out"),
            Parameter("after", "integer", "the number of the last event that you have, or 0"),
            LIMIT,
        ),
    ),
    RouteInfo(
        "rounds",
        f"{BASE}/shoes/{{device}}/rounds",
        "rounds, newest first; only of shoes with the profile table",
        "RoundsAnswer",
        ("table",),
        (Parameter("before", "string", "the `before` of an answer: the page after it"), LIMIT),
    ),
    RouteInfo(
        "meters",
        f"{BASE}/shoes/{{device}}/meters",
        "readings of the meters, oldest first, thinned out evenly to the limit",
        "MetersAnswer",
        parameters=(Parameter("since", "number", "UTC seconds since 1970"), LIMIT),
    ),
    RouteInfo("warnings", f"{BASE}/warnings", "warnings that are latched now, oldest first", "WarningsAnswer"),
    RouteInfo("alarms", f"{BASE}/alarms", "alarms that hold now, the most severe first", "AlarmsAnswer"),
    RouteInfo("openapi", f"{BASE}/openapi.json", "this document", "Document", ()),
    RouteInfo("healthz", "/healthz", "whether what it is for works now; 503 if not", "Health", ()),
    RouteInfo("readyz", "/readyz", "whether requests can be answered; 503 if not", "Health", ()),
    RouteInfo("metrics", "/metrics", "Prometheus text", "Text", ("metrics",)),
)
