"""Progressive meters as values: contribution, payment at a player's turn, reset. Every change gives new meters.

Whole cents move between accounts; what a rate leaves below a cent is carried in the meter, so nothing is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fairshoe.errors import UsageError
from fairshoe_table.ledger import TRAY, Transfer
from fairshoe_table.money import DOLLAR, OfMeter, Rounding, divide
from fairshoe_table.pay_tables import PayTable

RATE_ONE = 10_000  # rates count in hundredths of a percent
RATE_LEAST = 7_000  # CS 11(d)(5)
FIVE_CARD_SEED_LEAST = 10_000 * DOLLAR  # CS 11(e)(4)
PROGRESSIVE, FIVE_CARD = "progressive", "five-card"


def account(pool: str, meter: str) -> str:
    """`meter progressive/main`."""
    return f"meter {pool}/{meter}"


@dataclass(frozen=True)
class Meter:
    """`cents` is what the sign shows, `carry` the ten-thousandths of a cent behind it."""

    cents: int
    seed: int
    rate: int
    carry: int = 0


@dataclass(frozen=True)
class Meters:
    """The meters of one jackpot, by name. `pool` tells the progressive from the five-card bonus."""

    pool: str
    by_name: Mapping[str, Meter]

    def contribute(self, stake: int) -> tuple[Meters, list[Transfer]]:
        """A share of a wager, from the tray; a negative stake takes it back (ruling `void-side`)."""
        moves: list[Transfer] = []
        changed: dict[str, Meter] = {}
        for name, meter in self.by_name.items():
            cents, carry = divmod(stake * meter.rate + meter.carry, RATE_ONE)
            changed[name] = replace(meter, cents=meter.cents + cents, carry=carry)
            if cents:
                moves.append(Transfer(TRAY, account(self.pool, name), cents))
        return replace(self, by_name=changed), moves

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


def new_meters(table: PayTable, rates: Mapping[str, int], seeds: Mapping[str, int], wager: int = DOLLAR) -> Meters:
    """Meters for a progressive table. PTMGL tables print their seeds for a wager of one dollar; tables A to E leave the
    seed to the licensee."""
    names = {row.odds.meter for row in table.rows if isinstance(row.odds, OfMeter)}
    printed = {name: cents * wager // DOLLAR for name, cents in table.seeds}
    chosen = {**seeds, **printed}
    if set(rates) != names or set(chosen) != names:
        raise UsageError(f"{table.name} has the meters {', '.join(sorted(names))}.", "Give a rate and a seed for each.")
    if sum(rates.values()) < RATE_LEAST or sum(rates.values()) > RATE_ONE:
        raise UsageError(
            f"rates of progression {dict(rates)} (CS 11(d)(5)).", "Together 7,000 to 10,000 (70 to 100 %)."
        )
    if table.name == "CS-11e" and min(chosen.values()) < FIVE_CARD_SEED_LEAST:
        raise UsageError("the five-card meter starts below $10,000 (CS 11(e)(4)).", "Raise the seed.")
    pool = FIVE_CARD if table.name == "CS-11e" else PROGRESSIVE
    meters = {name: Meter(chosen[name], chosen[name], rates[name]) for name in sorted(names)}
    return Meters(pool, meters)
