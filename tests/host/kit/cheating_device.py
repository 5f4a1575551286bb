"""A device that says whatever it likes about its decks, in events with consistent numbers, and the host that judges."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from fairshoe import messages
from fairshoe.client import table_share
from fairshoe.client.table_share import TableShare
from fairshoe.journal.seed_audit import Committed, commitment_of, places_of

CARDS = 8
POSITIONS = 2
DEVICE = 0x12345678
NO_NONCE = bytes(32)
NOTHING = messages.Consequence(0)
Events = Iterator[messages.Event]


class Device:
    """Makes events with consistent numbers. POSITIONS of two cards, two for the dealer, two are left."""

    def __init__(self, share: TableShare, seed: int = 1) -> None:
        self.share = share
        self.seq = 0
        self.round = 0
        self.deck = 1
        self.seed = b""
        self.random = random.Random(seed)

    def event(self, kind: type[messages.Event], *fields: Any, of_round: bool = False) -> Any:
        self.seq += 1
        return kind(self.seq, 1, 0, 0, 0, self.round if of_round else 0, self.deck, *fields)

    def commit(self, wait_ds: int = 30) -> messages.ShuffleCommitted:
        self.seed = self.random.randbytes(32)
        return self.event(messages.ShuffleCommitted, commitment_of(self.seed), wait_ds)

    def nonce(self, committed: messages.ShuffleCommitted) -> bytes:
        """What the host has sent."""
        return self.share._nonce_of(committed)  # pyright: ignore[reportPrivateUsage]

    def order(self, committed: messages.ShuffleCommitted) -> tuple[int, ...]:
        record = Committed(committed.commitment, messages.Share.GIVEN, self.nonce(committed))
        return places_of(self.seed, CARDS, record.share_of(DEVICE, committed.seq))

    def given(self, committed: messages.ShuffleCommitted) -> messages.ShuffleNonce:
        return self.event(messages.ShuffleNonce, messages.Share.GIVEN, 0, self.nonce(committed))

    def without(self, share: messages.Share) -> messages.ShuffleNonce:
        return self.event(messages.ShuffleNonce, share, 0, NO_NONCE)

    def verified(self) -> messages.DeckVerified:
        return self.event(messages.DeckVerified, CARDS, CARDS, 0, 0)

    def started(self, positions: int = POSITIONS) -> messages.RoundStarted:
        self.round += 1
        return self.event(messages.RoundStarted, "CS", positions, of_round=True)

    def stack(self, number: int, cards: int = 2) -> messages.StackTaken:
        return self.event(messages.StackTaken, number, cards, of_round=True)

    def rest(self, cards: int = 2, of_round: bool = True) -> messages.RemainderTaken:
        return self.event(messages.RemainderTaken, cards, of_round=of_round)

    def ended(self) -> messages.RoundEnded:
        return self.event(messages.RoundEnded, 3, 6, 2, 2, 2, of_round=True)

    def voided(self) -> messages.RoundVoided:
        fault = messages.Fault.JAM_EXIT
        return self.event(messages.RoundVoided, fault, "CS-13f", 1, 2, 6, NOTHING, 0, of_round=True)

    def warning(self, fault: messages.Fault = messages.Fault.JAM_EXIT) -> messages.WarningLatched:
        return self.event(messages.WarningLatched, fault, CARDS, 0, 0, 0)

    def played(self) -> Events:
        yield self.started()
        yield from (self.stack(number) for number in (1, 2, 3))
        yield self.rest()
        yield self.ended()

    def shuffled(self) -> Events:
        """With the table's share."""
        yield (committed := self.commit())
        yield self.given(committed)
        yield self.verified()

    def honest(self, committed: messages.ShuffleCommitted) -> Events:
        yield self.given(committed)
        yield self.verified()
        self.share.check(messages.CloseBetting)
        yield from self.played()


def fewer_hands(device: Device, positions: int, game: str = "CS") -> Events:
    """It says that it deals to fewer hands than have wagers, or a game with a plan of its own."""
    yield replace(device.started(positions), game=game)
    yield from (device.stack(number) for number in range(1, positions + 2))
    yield device.rest(CARDS - 2 * (positions + 1))
    yield device.ended()


def table(monkeypatch: pytest.MonkeyPatch) -> tuple[TableShare, list[float]]:
    """A host, and its clock."""
    clock = [1.7e9]
    monkeypatch.setattr(table_share.time, "time", lambda: clock[0])
    share = TableShare(True, secret=bytes(range(32)))
    share.opened(DEVICE)
    return share, clock
