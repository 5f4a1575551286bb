"""Progressive meters as values: contribution, payment at a player's turn, reset. Every change gives new meters.

Whole cents move between accounts; what a rate leaves below a cent is carried in the meter, so nothing is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fairshoe.errors import UsageError
from fairshoe_table.rules.ledger import TRAY, Transfer
from fairshoe_table.rules.money import DOLLAR, OfMeter, Rounding, divide, dollars
from fairshoe_table.rules.pay_tables import PayTable

RATE_ONE = 10_000  # rates count in hundredths of a percent
PROGRESSIVE, FIVE_CARD = "progressive", "five-card"
# The least rate and seed of pools that the rules know, and the clause.
LIMITS = {PROGRESSIVE: (7_000, 0, "CS 11(d)(5)"), FIVE_CARD: (1, 10_000 * DOLLAR, "CS 11(e)(4)")}


def account(pool: str, meter: str) -> str:
    """`meter progressive/main`."""
    return f"meter {pool}/{meter}"


@dataclass(frozen=True)
class Meter:
    """`cents` is what the sign shows, `carry` the ten-thousandths of a cent behind it. `owed`: cents of wagers on hands
    that became void after they had contributed; later wagers contribute nothing until as much was made."""

    cents: int
    seed: int
    rate: int
    carry: int = 0
    owed: int = 0


@dataclass(frozen=True)
class Meters:
    """The meters of one jackpot, by name. `pool` tells the progressive from the five-card bonus."""

    pool: str
    by_name: Mapping[str, Meter]

    def contribute(self, stake: int) -> tuple[Meters, list[Transfer]]:
        """A share of a wager, from the tray."""
        moves: list[Transfer] = []
        changed: dict[str, Meter] = {}
        for name, meter in self.by_name.items():
            counted = max(0, stake - meter.owed)
            cents, carry = divmod(counted * meter.rate + meter.carry, RATE_ONE)
            changed[name] = replace(meter, cents=meter.cents + cents, carry=carry, owed=meter.owed - stake + counted)
            if cents:
                moves.append(Transfer(TRAY, account(self.pool, name), cents))
        return replace(self, by_name=changed), moves

    def owe(self, stake: int) -> Meters:
        """So much of wagers was returned; no meter is lowered."""
        return replace(self, by_name={name: replace(it, owed=it.owed + stake) for name, it in self.by_name.items()})

    def share(self, stake: int) -> int:
        """Whole cents that so much of wagers contributes."""
        return sum(stake * meter.rate // RATE_ONE for meter in self.by_name.values())

    def amount(self, odds: OfMeter) -> int:
        """What these odds are worth at this moment."""
        return divide(self.by_name[odds.meter].cents * odds.percent, 100, Rounding.PLAYER)

    def pay(self, odds: OfMeter) -> tuple[Meters, int, int]:
        """Take a percentage out: the meters after it, what is paid, and the seed that the house puts in again after
        100 % (CS 11(d)(5))."""
        meter, paid = self.by_name[odds.meter], self.amount(odds)
        reset = meter.seed if odds.percent == 100 else 0
        return self.put_back(odds.meter, reset - paid), paid, reset

    def put_back(self, name: str, cents: int) -> Meters:
        """Change one meter by so much."""
        meter = self.by_name[name]
        return replace(self, by_name={**self.by_name, name: replace(meter, cents=meter.cents + cents)})


def meter_names(table: PayTable) -> set[str]:
    """The meters of which a table pays percentages."""
    return {row.odds.meter for row in table.rows if isinstance(row.odds, OfMeter)}


def check_meters(table: PayTable, meters: Meters | None, pool: str) -> None:
    """Refuse meters that are not those of the table, before the first wager."""
    if meters is None:
        advice = "Start them once, with approved rates and seeds: `table serve --meters FILE`."
        raise UsageError(f"the {pool} wager is offered, and the books have no meters for it.", advice)
    if set(meters.by_name) != meter_names(table):
        needed, there = (", ".join(sorted(names)) for names in (meter_names(table), meters.by_name))
        advice = "Give the table books of its own, or the pay table for which the meters were started."
        raise UsageError(f"{table.name} has the meters {needed}, and the books have {there}.", advice)


def new_meters(
    table: PayTable,
    rates: Mapping[str, int],
    seeds: Mapping[str, int],
    wager: int = DOLLAR,
    pool: str = PROGRESSIVE,
) -> Meters:
    """Meters for a progressive table, of a pool that the game names. PTMGL tables print their seeds for a wager of one
    dollar; tables A to E leave the seed to the licensee, and the five-card bonus leaves the rate too (CS 11(e)(4),
    ruling `cs-rate`)."""
    names = meter_names(table)
    printed = {name: cents * wager // DOLLAR for name, cents in table.seeds}
    chosen = {**seeds, **printed}
    if set(rates) != names or set(chosen) != names:
        raise UsageError(f"{table.name} has the meters {', '.join(sorted(names))}.", "Give a rate and a seed for each.")
    least, seed_least, clause = LIMITS.get(pool, (1, 0, table.clause))
    if min(rates.values()) < 0 or not least <= sum(rates.values()) <= RATE_ONE:
        advice = f"Together {least:,} to {RATE_ONE:,} hundredths of a percent."
        raise UsageError(f"rates of progression {dict(rates)} ({clause}).", advice)
    if min(chosen.values()) < seed_least:
        raise UsageError(f"the {pool} meter starts below {dollars(seed_least)} ({clause}).", "Raise the seed.")
    meters = {name: Meter(chosen[name], chosen[name], rates[name]) for name in sorted(names)}
    return Meters(pool, meters)
