"""What a licensee chooses, as configuration. Every choice that differs from the default carries a reference to its
approval; an option or a pay table that the rules do not know is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from fairshoe.errors import UsageError
from fairshoe_table.rules.money import DOLLAR, Rounding
from fairshoe_table.rules.pay_tables import TABLES, PayTable, pay_table

VERSION = 1
# May be set without an approval: posted limits of the table.
_POSTED = ("minimum", "maximum", "approvals")


@dataclass(frozen=True)
class Options:
    """Common to all games. Amounts in cents; `cap` is the payout limit of a hand, 0 without one."""

    minimum: int = 10 * DOLLAR
    maximum: int = 1000 * DOLLAR
    cap: int = 0
    rounding: Rounding = Rounding.PLAYER
    approvals: Mapping[str, str] = field(default_factory=dict[str, str])

    cap_floor = 0  # what the rules print as the least limit
    cap_units = 0  # most that one patron can win in a round with the minimum wager, in units of it

    def check(self) -> None:
        if not 0 < self.minimum <= self.maximum:
            raise UsageError(f"limits {self.minimum} to {self.maximum} cents.", "Set minimum and maximum.")
        for item in fields(self):
            changed = item.name not in _POSTED and getattr(self, item.name) != item.default
            if changed and not self.approvals.get(item.name):
                raise UsageError(
                    f"option {item.name} differs from the default and names no approval.",
                    f'Add "{item.name}": "reference of the approval" to approvals.',
                )
        least = max(self.cap_floor, self.cap_units * self.minimum)
        if self.cap and self.cap < least:
            raise UsageError(f"a payout limit of {self.cap} cents is below {least}.", "Raise the limit.")


@dataclass(frozen=True)
class DoubleDownOptions(Options):
    two_areas: bool = False  # DDS 6(c)
    pays: PayTable = TABLES["DDS-10b"]

    cap_floor = 100_000 * DOLLAR
    cap_units = 1000 * 2 * 2  # doubled, on two areas


@dataclass(frozen=True)
class BostonOptions(Options):
    ante_pays: PayTable = TABLES["B5-11c"]
    bonus_pays: PayTable = TABLES["B5-11d"]
    bonus_on_win_only: bool = False  # ruling `b5-ante-bonus`
    ante_stays_on_bonus: bool = False  # ruling `b5-ante-stake`

    cap_floor = 50_000 * DOLLAR
    cap_units = 1000 + 2 + 2


@dataclass(frozen=True)
class CaribbeanOptions(Options):
    """`linked`: the jackpot is shared with other tables, which excludes tables A, B, C and E (CS 11(d)(4))."""

    bonus_pays: PayTable | None = None
    progressive_pays: PayTable | None = None
    progressive_wager: int = DOLLAR
    linked: bool = False
    five_card: bool = False
    cover_all: str = ""  # "with_dealer", or "without_dealer"
    cover_all_counts_folded: bool = False

    def check(self) -> None:
        super().check()
        table = self.progressive_pays
        if table is not None and self.linked and table.name in ("CS-11d-A", "CS-11d-B", "CS-11d-C", "CS-11d-E"):
            raise UsageError(f"{table.name} may not be linked (CS 11(d)(4)).", "Select table D or a PTMGL table.")
        if table is not None and table.name == "CS-11d-D" and self.progressive_wager not in (DOLLAR, 5 * DOLLAR):
            raise UsageError(
                f"no envy bonus is printed for a progressive wager of {self.progressive_wager} cents (CS 11(d)(7)).",
                "Table D takes $1 or $5 (ruling cs-envy-amount).",
            )
        if self.cover_all not in ("", "with_dealer", "without_dealer"):
            raise UsageError(f"cover_all: {self.cover_all!r}.", "with_dealer, without_dealer or empty.")
        if self.bonus_pays is not None and not self.bonus_pays.name.startswith("CS-11c-"):
            raise UsageError(f"{self.bonus_pays.name} is no Caribbean Stud bonus table.", "CS-11c-A, -B or -C.")
        if table is not None and not table.name.startswith(("CS-11d-", "PTMGL")):
            raise UsageError(f"{table.name} is no progressive table.", "CS-11d-A to -E, or PTMGL.")


@dataclass(frozen=True)
class DoubleCrossOptions(Options):
    raise_pays: PayTable = TABLES["DCP-11b"]
    three_pays: PayTable = TABLES["DCP-11c"]

    cap_floor = 60_000 * DOLLAR
    cap_units = 2 * 300 + 1


@dataclass(frozen=True)
class DoubleAttackOptions(Options):
    packs: int = 6
    positions: int = 7
    chip: int = DOLLAR  # the smallest chip, to which insurance is rounded up (DAB 11(b))
    bonus_maximum: int = 100 * DOLLAR
    hole_card: bool = False  # DAB 7(i)
    reader: bool = False
    surrender_at_once: bool = False  # DAB 8(a)(3)
    attack_equals_initial: bool = False  # ruling `dab-attack-amount`
    split_matches_both: bool = False  # ruling `dab-split-amount`
    boxes_per_player: int = 1  # DAB 14
    bettors_per_box: int = 1  # DAB 13(a), up to three
    late_entry_barred: bool = False

    def check(self) -> None:
        super().check()
        if self.packs not in (6, 8) or self.positions not in (6, 7):
            raise UsageError(f"{self.packs} packs, {self.positions} positions.", "6 or 8 packs, 6 or 7 positions.")
        if self.reader and not self.hole_card:
            raise UsageError("a reader needs a hole card (DAB 7(i)).", "Set hole_card as well.")
        if self.surrender_at_once and not self.reader:
            raise UsageError("surrender at once needs a reader (DAB 8(a)(3)).", "Set reader as well.")
        if not 1 <= self.bettors_per_box <= 3:
            raise UsageError(f"{self.bettors_per_box} bettors on a box (DAB 13(a)).", "One to three.")


BY_GAME: Mapping[str, type[Options]] = {
    "double-down-stud": DoubleDownOptions,
    "boston-5-stud": BostonOptions,
    "caribbean-stud": CaribbeanOptions,
    "double-cross-poker": DoubleCrossOptions,
    "double-attack-blackjack": DoubleAttackOptions,
}
GAMES = tuple(BY_GAME)


def load_options(data: Mapping[str, Any]) -> Options:
    """From JSON: {"version": 1, "game": "caribbean-stud", "bonus_pays": "CS-11c-B", "approvals": {...}}."""
    game, version = data.get("game", ""), data.get("version")
    if version != VERSION:
        raise UsageError(f"options of version {version}.", f"This program reads version {VERSION}.")
    if game not in BY_GAME:
        raise UsageError(f"no game {game!r}.", f"There are {', '.join(GAMES)}.")
    kind = BY_GAME[game]
    known = {item.name for item in fields(kind)}
    given: dict[str, Any] = {}
    for name, value in data.items():
        if name in ("game", "version"):
            continue
        if name not in known:
            raise UsageError(f"{game} has no option {name!r}.", f"It has {', '.join(sorted(known))}.")
        if name.endswith("pays"):
            value = pay_table(value) if value is not None else None
        given[name] = Rounding(value) if name == "rounding" else value
    options = kind(**given)
    options.check()
    return options
