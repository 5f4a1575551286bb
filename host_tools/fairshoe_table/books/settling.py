"""What follows from an input, in money: contributions, lines of the settlement, reversals, payouts in suspense.

A line that was booked stays, unless its hand becomes void or a card is corrected. A payout that a floorperson has
validated is never reversed by the program: if its hand becomes void it is in suspense until a supervisor decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from fairshoe.errors import UsageError
from fairshoe_table.books.accounts import NOTHING, Accounts
from fairshoe_table.play.game import Play
from fairshoe_table.play.round import settle
from fairshoe_table.rules.ledger import (
    COUPON_BOX,
    COUPONS,
    FINAL,
    HOUSE,
    IN_SUSPENSE,
    SUSPENSE,
    TRAY,
    Line,
    Outcome,
    Transfer,
    payee,
    player,
    transfers,
)
from fairshoe_table.rules.line_shapes import void_line
from fairshoe_table.rules.meters import Meters

VOIDS = ("void", "void hand")  # inputs after which lines that were booked are not due any more
DECIDED = "suspense"  # a supervisor has decided about a payout in suspense
DECISIONS = ("pay", "return")


def _same_jackpot(old: Line, new: Line) -> bool:
    """Whether a line was paid from this meter already for the same hand: its amount is that of the meter then."""
    return old.jackpot and (old.source, old.outcome, old.why) == (new.source, new.outcome, new.why)


class Settling:
    """Moves the money of a table's rounds."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    def contribute(self, number: int, cause: int, play: Play) -> None:
        """Bring the contribution of the round up to its wagers when their settlement begins. A displayed meter is never
        lowered: the house makes up for a hand that is void after that, or later wagers do (ruling `void-side`)."""
        known = self._accounts.contributed(number)
        kept = [line for line in self._accounts.lines(number) if line.state and line.outcome is not Outcome.VOID]
        for pool, due in play.game.contributes(play).items():
            meters, before = self._accounts.meters(pool), known.get(pool, 0)
            # A wager on a void hand whose payout is in suspense, or was paid all the same, was not returned.
            stake = max(due, min(before, due + sum(it.stake for it in kept if play.game.pool_of(it.wager) == pool)))
            if meters is None or stake == before:
                continue
            if stake > before:
                meters, moves = meters.contribute(stake - before)
            elif play.game.owes_later(play.options):
                meters, moves = meters.owe(before - stake), []
            else:
                moves = [Transfer(HOUSE, TRAY, meters.share(before) - meters.share(stake))]
            self._accounts.save(meters)
            self._accounts.move(number, cause, moves)
            self._accounts.contributes(number, pool, stake)

    def settle(self, number: int, cause: int, play: Play, kind: str) -> list[Line]:
        """Book lines that are new. A booked line is final, unless a card was corrected, or a hand has become void: its
        own, one that was paid from the same meter, or the highest hand at the table (CS 12(b))."""
        booked = {line.key: line for line in self._accounts.lines(number)}
        due = settle(play, self._pools(play))
        corrects = kind == "correct"
        if corrects and any(line.state for line in booked.values()):
            raise UsageError("a payout of this round was decided by a supervisor.", "Settle it by hand.")
        fresh: list[Line] = []
        if kind in VOIDS:
            fresh += self._hold(number, cause, play, booked, due.lines)
            if self._took_jackpots_back(number, cause, booked, due.lines):
                due = settle(play, self._pools(play))
        jackpots_before = any(line.jackpot for line in booked.values())
        if corrects or kind in VOIDS:
            self._reverse_undue(number, cause, booked, due.lines, corrects)
        for line in due.lines:
            old = booked.get(line.key)
            if old is not None and (old == line or old.state or _same_jackpot(old, line)):
                continue
            if old is not None:
                if kind not in (*VOIDS, "correct"):
                    continue
                self._reverse(number, cause, old, corrects)
            fresh.append(self._accounts.put(number, cause, line, transfers(line)))
        jackpots = [line for line in fresh if line.jackpot and not line.state]
        if corrects and jackpots and jackpots_before:
            raise UsageError("a jackpot of this round was paid already.", "A supervisor decides, with its paperwork.")
        for meters in due.meters.values():
            if any(line.source.startswith(f"meter {meters.pool}/") for line in jackpots):
                self._accounts.save(meters)
        return fresh

    # -- suspense -----------------------------------------------------------------------------------------------------

    def _hold(self, number: int, cause: int, play: Play, booked: dict[str, Line], due: Iterable[Line]) -> list[Line]:
        """Payouts that a floorperson has validated and whose hand is void now are a dispute (ruling `jackpot-void`):
        nothing is reversed by itself. With them the envy bonuses that were paid for that hand. After the paperwork they
        are final."""
        stand = {line.key for line in due if line.outcome is not Outcome.VOID}
        checked = {fact.key for fact in play.inputs if fact.kind == "done" and fact.data.get("by")}
        documented = any(fact.kind == "documented" for fact in play.inputs)
        versions = Counter(key for key, _ in self._accounts.history(number))
        held = [
            line
            for line in booked.values()
            if not line.state and line.key not in stand and f"done:{line.key}:{versions[line.key]}" in checked
        ]
        seats = {line.seat for line in held}
        held += [line for line in booked.values() if not line.state and line.key not in stand and line.envied in seats]
        fresh: list[Line] = []
        for line in held:
            state = FINAL if documented else IN_SUSPENSE
            moves = [] if documented else [Transfer(payee(line), SUSPENSE, line.paid)]
            booked[line.key] = self._accounts.put(number, cause, replace(line, state=state), moves)
            fresh.append(booked[line.key])
        return fresh

    def decided(self, number: int, cause: int, key: str, choice: str) -> list[Line]:
        """`pay`: it was won. `return`: it was not; it goes back to where it came from, and the stake to the player."""
        line = next((it for it in self._accounts.lines(number) if it.key == key and it.state == IN_SUSPENSE), None)
        if line is None:
            raise UsageError(f"{key} is not in suspense.", "Look at it again.")
        if choice == "pay":
            paid = replace(line, state=FINAL)
            return [self._accounts.put(number, cause, paid, [Transfer(SUSPENSE, payee(line), line.paid)])]
        moves = [Transfer(SUSPENSE, line.source, line.paid), Transfer(line.source, HOUSE, line.reset)]
        moves.append(Transfer(TRAY, player(line.seat), line.collected - line.spent))
        moves.append(Transfer(COUPON_BOX, COUPONS, line.spent))
        if line.jackpot:
            self._put_back(line)
        back = void_line(line.seat, line.wager, line.stake, "HOUSE", "decided: not won")
        names = {"hand": line.hand, "bettor": line.bettor, "extra": line.extra, "coupon": line.coupon}
        return [self._accounts.put(number, cause, replace(back, **names, state=FINAL), moves)]

    def _pools(self, play: Play) -> dict[str, Meters]:
        found = {pool: self._accounts.meters(pool) for pool in play.game.pools(play.options)}
        return {pool: meters for pool, meters in found.items() if meters is not None}

    def _took_jackpots_back(self, number: int, cause: int, booked: dict[str, Line], due: Iterable[Line]) -> bool:
        """Put everything back that a pool of meters has paid in this round, if one of its winners is void now: the
        others are paid again as if that hand had not been there (ruling `jackpot-void`)."""
        void = {line.key for line in due if line.outcome is Outcome.VOID}
        jackpots = [line for line in booked.values() if line.jackpot]
        held = {line.source.split("/")[0] for line in jackpots if line.state}  # there a person decides about all
        jackpots = [line for line in jackpots if not line.state]
        pools = {line.source.split("/")[0] for line in jackpots if line.key in void} - held
        for line in jackpots:
            if line.source.split("/")[0] in pools:
                self._reverse(number, cause, booked.pop(line.key), False)
        return bool(pools)

    def _reverse_undue(
        self, number: int, cause: int, booked: Mapping[str, Line], due: Iterable[Line], corrects: bool
    ) -> None:
        """Reverse lines that are not due any more, and book that nothing stands in their place: what a correction takes
        away, and the envy bonus of a void hand."""
        keys = {line.key for line in due}
        for key, line in booked.items():
            if key not in keys and not line.state:
                self._reverse(number, cause, line, corrects)
                self._accounts.book(number, cause, key, NOTHING)

    def _reverse(self, number: int, cause: int, line: Line, corrects: bool) -> None:
        """A jackpot of a void hand goes back into its meter, its seed back to the house (ruling `jackpot-void`)."""
        if line.jackpot and corrects:
            raise UsageError(f"a jackpot was paid, and would not be now: {line}.", "A supervisor decides.")
        if line.jackpot:
            self._put_back(line)
        self._accounts.move(number, cause, [Transfer(it.target, it.source, it.cents) for it in transfers(line)])

    def _put_back(self, line: Line) -> None:
        pool, name = line.source.removeprefix("meter ").split("/")
        meters = self._accounts.meters(pool)
        assert meters is not None
        self._accounts.save(meters.put_back(name, line.paid - line.reset))
