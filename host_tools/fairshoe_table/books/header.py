"""The header of a round: the shoe that deals it, the options and approvals by which it is settled, and the program.

It is fixed when the wagers of the round are booked; until then each program writes it again. The shoe and the number
that it gives the round are fixed when betting is closed. Options are stored once, by the hash of their text: a round is
settled by those of its header until it is over, whatever the files of the table say meanwhile. A program of its own may
open rounds without a header: it is unknown.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timezone
from enum import Enum
from typing import Any, cast

from fairshoe import __version__
from fairshoe.errors import UsageError
from fairshoe_table.play import registry
from fairshoe_table.play.options import Options
from fairshoe_table.rules.money import For, Lose, OfMeter, Push, Rounding, To
from fairshoe_table.rules.pay_tables import PayTable, Row
from fairshoe_table.rules.poker import Hand

UNKNOWN = "unknown"
_ODDS = {it.__name__: it for it in (To, For, OfMeter, Push, Lose)}


def utc_now() -> str:
    """`2026-11-17T20:03:44.123Z`."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True)
class Header:
    """`device` and `log` are those of the shoe, in hexadecimal; `round` is its number there, 0 before the deal.
    `package` has name and version of a game that is not part of fairshoe."""

    game: str
    device: str = UNKNOWN
    log: str = UNKNOWN
    round: int = 0
    settings: str = UNKNOWN
    program: str = UNKNOWN
    package: str = ""
    began: str = UNKNOWN

    @property
    def known(self) -> bool:
        return UNKNOWN not in (self.device, self.settings)


def header(game: str, device: str, log: str) -> Header:
    """Of a round that begins now, at this shoe."""
    return Header(game, device, log, program=__version__, package=registry.origin(game))


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def settings_text(game: str, options: Options) -> str:
    """Options, approvals and pay tables as text, from which they are read again without any other source."""
    data = {item.name: _plain(getattr(options, item.name)) for item in fields(options)}
    return json.dumps({"game": game, "options": data}, sort_keys=True)


def options_of(text: str) -> Options:
    """The options of a header, with the pay tables as they were then. They were checked when the round began."""
    data: dict[str, Any] = json.loads(text)
    kind = registry.find(data["game"]).options
    known = {item.name for item in fields(kind)}
    missing = set(data["options"]) - known
    if missing:
        raise UsageError(
            f"the round began with an option {min(missing)} that this program does not know.",
            "Finish it with the version that its header names (`fairshoe table books`).",
        )
    return kind(**{name: _value(it) for name, it in data["options"].items()})


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, object]", value))
    match value:
        case PayTable():
            rows = [[row.text, type(row.odds).__name__, asdict(row.odds)] for row in value.rows]
            envy = [[hand.name, cents] for hand, cents in value.envy]
            return {"pay_table": {**asdict(value), "rows": rows, "envy": envy}}
        case Enum():
            return {type(value).__name__: value.value}
        case _:
            return value


def _value(data: Any) -> Any:
    match data:
        case {"pay_table": {"rows": rows, "envy": envy, "seeds": seeds, **rest}}:
            paid = tuple(Row(text, _ODDS[kind](**numbers)) for text, kind, numbers in rows)
            hands = tuple((Hand[hand], cents) for hand, cents in envy)
            return PayTable(rows=paid, envy=hands, seeds=tuple((its, cents) for its, cents in seeds), **rest)
        case {"Rounding": value}:
            return Rounding(value)
        case [*items]:
            return tuple(items)
        case _:
            return data
