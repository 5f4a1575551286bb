"""What a licensee chooses, as configuration, checked as strictly as money.

Every option has a type; amounts have a range and are a whole number of chips; a pay table belongs to the game and the
wager that the option is for. A choice that differs from the default carries a reference to its approval. What the rules
do not know is refused, with the option and the clause.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, NamedTuple, NoReturn, cast

from fairshoe.errors import UsageError
from fairshoe_table.rules.money import DOLLAR, Rounding, dollars
from fairshoe_table.rules.pay_tables import PayTable, improve, pay_table

VERSION = 1
AMOUNT_MAX = 10_000_000 * DOLLAR
SIDE_MAXIMUM = 100 * DOLLAR  # posted for a side wager unless the options say otherwise
CHIPS = (1, 5, 25, 50, 100, 250, 500, 1000, 2000, 2500, 10_000, 50_000, 100_000, 500_000)  # cents of a chip or coin
# May be set without an approval: posted limits of the table.
_POSTED = ("minimum", "maximum", "chip", "side_limits", "approvals")


class Range(NamedTuple):
    """What the rules allow for an amount or a number, and where they say so."""

    least: int
    most: int
    clause: str


def refuse(option: str, said: str, clause: str, advice: str) -> NoReturn:
    raise UsageError(f"option {option}: {said} ({clause}).", advice)


@dataclass(frozen=True)
class Options:
    """Common to all games. Amounts in cents; `cap` is the payout limit of a hand, 0 without one; `side_limits` the
    posted least and most of side wagers, by wager; `chip` the smallest chip of the table; `coupons` the wagers of which
    a coupon may be a part."""

    minimum: int = 10 * DOLLAR
    maximum: int = 1000 * DOLLAR
    chip: int = DOLLAR
    cap: int = 0
    rounding: Rounding = Rounding.PLAYER
    side_limits: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    approvals: Mapping[str, str] = field(default_factory=dict[str, str])
    coupons: tuple[str, ...] = ()

    cap_clause: ClassVar[str] = ""  # without a clause there is no payout limit
    cap_floor: ClassVar[int] = 0  # what the rules print as the least limit
    cap_units: ClassVar[int] = 0  # most that one patron can win in a round with the minimum wager, in units of it
    ranges: ClassVar[Mapping[str, Range]] = {}
    words: ClassVar[Mapping[str, tuple[str, ...]]] = {}  # texts that an option may have
    tables: ClassVar[Mapping[str, tuple[str, ...]]] = {}  # pay tables that an option may name
    sides: ClassVar[Mapping[str, Range]] = {}  # side wagers, and what the rules allow
    takes_coupons: ClassVar[Mapping[str, str]] = {}  # wagers of which a coupon may be a part, and the clause

    def side(self, wager: str) -> tuple[int, int]:
        """The posted limits of a side wager; if none are posted, the least that whole chips make, and SIDE_MAXIMUM or
        one chip."""
        allowed = self.sides[wager]
        least = -(-allowed.least // self.chip) * self.chip
        most = min(allowed.most, max(SIDE_MAXIMUM, least)) // self.chip * self.chip
        least, most = self.side_limits.get(wager, (least, most))
        return least, most

    def check(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            _check_type(item.name, str(item.type), value)
            if item.name in self.ranges:
                least, most, clause = self.ranges[item.name]
                if not least <= value <= most:
                    refuse(item.name, f"{value}", clause, f"{least} to {most}.")
            if item.name in self.words and value not in self.words[item.name]:
                refuse(item.name, repr(value), "HOUSE", f"One of {', '.join(map(repr, self.words[item.name]))}.")
            if isinstance(value, PayTable) and value.name.rstrip("+") not in self.tables.get(item.name, ()):
                refuse(item.name, f"{value.name} is no table of this wager", value.clause,
                       f"One of {', '.join(self.tables.get(item.name, ()))}.")  # fmt: skip
        self._check_amounts()
        self._check_approvals()

    def _check_amounts(self) -> None:
        if not 0 < self.minimum <= self.maximum <= AMOUNT_MAX:
            refuse("minimum", f"limits of {self.minimum} to {self.maximum} cents", "HOUSE", "Set minimum and maximum.")
        if self.chip not in CHIPS:
            refuse("chip", f"a chip of {self.chip} cents", "HOUSE", "Chips have 1, 5, 25, 50 cents, $1, $2.50, $5 ...")
        limits = {"minimum": (self.minimum,), "maximum": (self.maximum,), **self.side_limits}
        for name, amounts in limits.items():
            if any(cents % self.chip for cents in amounts):
                refuse(name, f"{amounts[0]} cents in chips of {dollars(self.chip)}", "HOUSE", "Post whole chips.")
        for wager, posted in self.side_limits.items():
            if wager not in self.sides:
                refuse("side_limits", f"no side wager {wager!r}", "HOUSE", f"There are {', '.join(self.sides)}.")
            least, most, clause = self.sides[wager]
            if len(posted) != 2 or not least <= posted[0] <= posted[1] <= most:
                advice = f"Least and most, within {dollars(least)} to {dollars(most)}."
                refuse("side_limits", f"{wager} {list(posted)} cents", clause, advice)
        for wager, allowed in self.sides.items():
            if self.side(wager)[0] > self.side(wager)[1]:
                refuse("chip", f"no {wager} wager in chips of {dollars(self.chip)}", allowed.clause, "Smaller chips.")
        for wager in self.coupons:
            if wager not in self.takes_coupons or self.coupons.count(wager) > 1:
                refuse("coupons", f"on {wager!r}", "HOUSE", f"There are {', '.join(self.takes_coupons) or 'none'}.")
        if self.cap and not self.cap_clause:
            refuse("cap", "this game has no payout limit", "no clause", "Leave it out.")
        if self.cap % self.chip:
            refuse("cap", f"{self.cap} cents in chips of {dollars(self.chip)}", self.cap_clause, "Whole chips.")
        floor = max(self.cap_floor, self.cap_units * self.minimum)
        if self.cap and not floor <= self.cap <= 100 * AMOUNT_MAX:
            refuse("cap", f"a payout limit of {dollars(self.cap)} is below {dollars(floor)}", self.cap_clause,
                   "Raise the limit.")  # fmt: skip

    def _check_approvals(self) -> None:
        names = {item.name for item in fields(self)}
        for item in fields(self):
            changed = item.name not in _POSTED and getattr(self, item.name) != item.default
            if changed and not any(map(str.isalnum, self.approvals.get(item.name, ""))):
                raise UsageError(
                    f"option {item.name} differs from the default and names no approval.",
                    f'Add "{item.name}": "reference of the approval" to approvals.',
                )
        for name in self.approvals:
            if name not in names:
                refuse("approvals", f"there is no option {name!r}", "HOUSE", "Correct its name.")


def _check_type(name: str, wanted: str, value: object) -> None:
    """An int is no bool here, and no float."""
    match wanted:
        case "Mapping[str, str]":
            found = cast("dict[object, object]", value).items() if isinstance(value, Mapping) else [(0, 0)]
            good = all(isinstance(it, str) for pair in found for it in pair)
        case "Mapping[str, tuple[int, int]]":
            pairs = cast("dict[object, Any]", value).items() if isinstance(value, Mapping) else [(0, 0)]
            good = all(isinstance(key, str) and isinstance(it, list | tuple) for key, it in pairs)
            good = good and all(type(cents) is int for _, it in pairs for cents in cast("list[object]", it))
        case "tuple[str, ...]":
            good = isinstance(value, list | tuple) and all(isinstance(it, str) for it in cast("list[object]", value))
        case _:
            good = any(type(value).__name__ == it or (it == "None" and value is None) for it in wanted.split(" | "))
    if not good:
        raise UsageError(f"option {name}: {value!r} is no {wanted}.", "Correct its type; docs/TABLE.md has the list.")


def from_json(game: str, kind: type[Options], data: Mapping[str, Any]) -> Options:
    """From JSON: {"version": 1, "game": "caribbean-stud", "bonus_pays": "CS-11c-B", "approvals": {...}}."""
    known = {item.name: item for item in fields(kind)}
    given: dict[str, Any] = {}
    for name, value in data.items():
        if name in ("game", "version"):
            continue
        if name not in known:
            raise UsageError(f"{game} has no option {name!r}.", f"It has {', '.join(sorted(known))}.")
        if "PayTable" in str(known[name].type) and value is not None:
            value = _table(name, kind, value, data.get("approvals"))
        if name == "rounding":
            if value not in [it.value for it in Rounding]:
                refuse(name, repr(value), "ruling odd-chip", "player or house.")
            value = Rounding(value)
        given[name] = tuple(cast("list[object]", value)) if isinstance(value, list) else value
    options = kind(**given)
    options.check()
    return options


def _table(name: str, kind: type[Options], value: object, approvals: object) -> PayTable:
    """By its name; or {"table": its name, "rows": {"Flush": "8 to 1"}} for one that pays more than a minimum."""
    own = {it.default.name: it.default for it in fields(kind) if isinstance(it.default, PayTable)}
    if isinstance(value, Mapping):
        better = cast("Mapping[str, object]", value)
        base, rows = better.get("table"), better.get("rows")
        if set(better) == {"table", "rows"} and isinstance(base, str) and isinstance(rows, Mapping):
            odds = cast("Mapping[str, object]", rows)
            if odds and all(isinstance(it, str) for it in odds.values()):
                approval = cast("Mapping[str, str]", approvals).get(name) if isinstance(approvals, Mapping) else ""
                return improve(base, cast("Mapping[str, str]", odds), approval or "")
    if not isinstance(value, str):
        advice = 'Give the name of a table, or {"table": NAME, "rows": {ROW: ODDS}}.'
        raise UsageError(f"option {name}: {value!r} is no pay table.", advice)
    return own[value] if value in own else pay_table(value)
