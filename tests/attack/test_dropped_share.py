"""A device that knows the table's nonce, and drops every order it likes less than its own. It may say that the nonce
came late, that none was given, that it did not wait, that something jammed, or lose power: all look like accidents."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from fairshoe import messages
from fairshoe.client import table_share
from fairshoe.client.store import StoredLog
from fairshoe.client.table_share import LOST_MAX, SHIFT_S, TableShare
from fairshoe.errors import DeckNotShared, DeviceSuspect, NonceAltered
from fairshoe.journal.seed_audit import Committed, commitment_of, examine, places_of

CARDS = 8
DEVICE = 0x12345678
SHUFFLES = 4000
SECONDS = 480.0  # from one shuffle to the next: 60 of them in a shift
NO_NONCE = bytes(32)


class Cheat:
    """Wants card 0 in the first half of the deck. Its records are consistent, and its seeds audit well."""

    def __init__(self, share: TableShare, way: str, seed: int = 1) -> None:
        self.share = share
        self.way = way  # how it drops an order
        self.seq = 0
        self.random = random.Random(seed)

    def _event(self, kind: type[messages.Event], *fields: Any) -> messages.Event:
        self.seq += 1
        return kind(self.seq, 1, 0, 0, 0, 0, 1, *fields)

    def shuffle(self) -> Iterator[messages.Event | tuple[int, ...]]:
        """Its events, and at the end the order of the deck if one comes to the table."""
        seed = self.random.randbytes(32)
        alone = places_of(seed, CARDS, b"")
        yield (
            committed := self._event(messages.ShuffleCommitted, commitment_of(seed), 0 if self.way == "no_wait" else 30)
        )
        assert isinstance(committed, messages.ShuffleCommitted)
        nonce = self.share._nonce_of(committed)  # pyright: ignore[reportPrivateUsage]  # the host has sent it
        record = Committed(committed.commitment, messages.Share.GIVEN, nonce)
        shared = places_of(seed, CARDS, record.share_of(DEVICE, committed.seq))
        if self.way == "no_wait":
            yield self._event(messages.DeckVerified, CARDS, CARDS, 0, 0)
            yield alone
        elif shared[0] < CARDS // 2:
            yield self._event(messages.ShuffleNonce, messages.Share.GIVEN, 0, nonce)
            yield self._event(messages.DeckVerified, CARDS, CARDS, 0, 0)
            yield shared
        elif self.way in ("late", "declined"):
            yield self._event(messages.ShuffleNonce, messages.Share[self.way.upper()], 0, NO_NONCE)
            yield self._event(messages.DeckVerified, CARDS, CARDS, 0, 0)
            assert examine(
                seed, Committed(committed.commitment, messages.Share.LATE), CARDS, DEVICE, committed.seq
            ).agrees
            yield alone
        elif self.way == "unrecorded":
            yield self._event(messages.DeckVerified, CARDS, CARDS, 0, 0)
            yield alone
        elif self.way == "aborted":
            yield self._event(messages.ShuffleNonce, messages.Share.ABORTED, 1, NO_NONCE)
        else:
            yield self._event(
                messages.ShuffleNonce, messages.Share.GIVEN, 0, nonce
            )  # it jams, or power fails, behind the drawn order
            if self.way == "failed":
                yield self._event(messages.ShuffleFailed, messages.Fault.JAM_THROAT, "", messages.Consequence(0))
            elif self.way == "refused":
                yield self._event(messages.DeckRefused, CARDS, CARDS - 1, CARDS - 1, "", messages.Consequence(0))
            elif self.way == "removed":
                yield self._event(messages.RemovalStarted)
            elif self.way == "power":
                yield self._event(messages.Booted, 0, 0, 0, "", "")


def table(monkeypatch: pytest.MonkeyPatch) -> tuple[TableShare, list[float]]:
    """A host, and its clock."""
    clock = [1.7e9]
    monkeypatch.setattr(table_share.time, "time", lambda: clock[0])
    share = TableShare(True, secret=bytes(range(32)))
    share.opened(DEVICE)
    return share, clock


WAYS = ["late", "declined", "unrecorded", "no_wait", "aborted", "failed", "refused", "removed", "power"]


def test_a_host_that_plays_every_deck_lets_the_device_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it was before decks were refused: the audit is content with every one of these."""
    share, _clock = table(monkeypatch)
    cheat = Cheat(share, "late")
    orders = [it for _ in range(SHUFFLES) for it in cheat.shuffle() if isinstance(it, tuple)]
    liked = sum(order[0] < CARDS // 2 for order in orders)
    assert len(orders) == SHUFFLES and 0.73 < liked / SHUFFLES < 0.77


@pytest.mark.parametrize("way", WAYS)
def test_whatever_it_says_it_gains_no_more_than_the_bound_and_is_seen(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    share, clock = table(monkeypatch)
    cheat = Cheat(share, way)
    dropped = 0
    for _ in range(SHUFFLES):
        clock[0] += SECONDS
        order: tuple[int, ...] | None = None
        lost = None
        for told in cheat.shuffle():
            if isinstance(told, tuple):
                order = told
            else:
                lost = share.heard(told) or lost
        if lost is None:
            share.check(messages.CloseBetting)
            continue
        dropped += 1
        assert lost.why == way
        if dropped > LOST_MAX:
            break
        if order is not None:
            with pytest.raises(DeckNotShared, match=f"event {lost.seq}"):
                share.check(messages.CloseBetting)
        share.check(messages.Shuffle)
    assert dropped == LOST_MAX + 1, "it could go on"
    for command in (messages.CloseBetting, messages.Shuffle):
        with pytest.raises(DeviceSuspect, match="Remove the device"):
            share.check(command)


def test_an_honest_device_on_a_good_cable_is_never_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    share, clock = table(monkeypatch)
    cheat = Cheat(share, "never")
    liked = 0
    for seed in range(300):
        clock[0] += SECONDS
        cheat.random = random.Random(seed)
        events = [it for it in cheat.shuffle() if isinstance(it, messages.Event)]
        if len(events) == 3:
            assert not any(share.heard(event) for event in events)
            share.check(messages.CloseBetting)
            liked += 1
    assert 100 < liked < 200


def feed(share: TableShare, way: str, seed: int = 0) -> None:
    """A shuffle that is dropped in this way."""
    cheat = Cheat(share, way, seed)
    cheat.seq = seed * 1000
    for _ in range(40):
        lost = [share.heard(it) for it in cheat.shuffle() if isinstance(it, messages.Event)]
        if any(lost):
            return
    raise AssertionError("it never disliked an order")


def test_a_supervisor_accepts_one_deck_by_name_and_it_stays_in_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    share, clock = table(monkeypatch)
    feed(share, "late")
    for name in ("", "  "):
        with pytest.raises(Exception, match="by name"):
            share.accept(name)
    assert share.accept("A. Smith").why == "late"
    share.check(messages.CloseBetting)
    feed(share, "late", 1)
    with pytest.raises(DeckNotShared):
        share.check(messages.CloseBetting)
    assert share.judge.count(clock[0]) == 2
    clock[0] += SHIFT_S
    assert share.judge.count(clock[0]) == 0
    with pytest.raises(DeckNotShared):
        share.check(messages.CloseBetting)


def test_above_the_bound_no_name_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    share, _clock = table(monkeypatch)
    for seed in range(LOST_MAX + 1):
        feed(share, "late", seed)
    with pytest.raises(DeviceSuspect):
        share.accept("A. Smith")


def test_a_deck_from_before_this_program_is_not_known_to_have_a_share(monkeypatch: pytest.MonkeyPatch) -> None:
    share, _clock = table(monkeypatch)
    with pytest.raises(DeckNotShared, match="did not see its shuffle"):
        share.check(messages.CloseBetting)
    assert share.heard(Cheat(share, "")._event(messages.DeckVerified, CARDS, CARDS, 0, 0)) is not None  # pyright: ignore


def test_a_program_that_starts_again_judges_the_deck_inside_by_its_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    share, _clock = table(monkeypatch)
    told: dict[bool, list[tuple[messages.Event, float]]] = {}
    for seed in range(20):
        events = [(it, 0.0) for it in Cheat(share, "late", seed).shuffle() if isinstance(it, messages.Event)]
        nonce = events[1][0]
        assert isinstance(nonce, messages.ShuffleNonce)
        told[nonce.share == messages.Share.GIVEN] = events
    again, other = TableShare(True, secret=bytes(range(32))), TableShare(True, secret=bytes(32))
    for it in (again, other):
        it.opened(DEVICE)
    again.recall(told[True])
    again.check(messages.CloseBetting)
    again.recall(told[False])
    with pytest.raises(DeckNotShared):
        again.check(messages.CloseBetting)
    with pytest.raises(NonceAltered):
        other.recall(told[True])
    again.resume(StoredLog(1, DEVICE, b"another log", 0, 0, 0, 0, 0))
    with pytest.raises(NonceAltered):
        again.recall(told[True])
