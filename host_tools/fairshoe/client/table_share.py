"""The table's share in the order of every shuffle: a fresh nonce, given when the device has committed to its seed; and
the judgement of what the device made of it.

The device knows the nonce before a card moves. If it may drop an order that it dislikes (record the
nonce as late, declare a jam, lose power), it chooses the best of several. It cannot be forced to go on, so every
shuffle that did not end with the table's nonce recorded and the deck verified is counted, and a deck that came out of
one is refused. What is left to a device that cheats is LOST_MAX further tries in a shift, each of them in the count.

The verdict follows from the recorded events and a secret of this host alone: the nonce is an HMAC of the commitment, so
that a program that starts again can judge the deck that is inside. The device must never know that secret.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import struct
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fairshoe import messages
from fairshoe.client.store import Store, StoredLog
from fairshoe.errors import DeckNotShared, DeviceSuspect, NonceAltered, UsageError
from fairshoe.link.session import HostSession

NONCE_SIZE = 32
ASK_S = 10.0  # a request that is lost is made again: no message confirms it
RESEND_S = 0.5  # the device waits a few seconds
SHIFT_S = 8 * 3600.0
LOST_MAX = 3  # shuffles in a shift without the table's share; with one more the device is to be removed

JUDGED = (
    messages.ShuffleCommitted,
    messages.ShuffleNonce,
    messages.DeckVerified,
    messages.DeckLoaded,
    messages.ShuffleFailed,
    messages.DeckRefused,
    messages.RemovalStarted,
    messages.Booted,
)
_PLAYS = (
    messages.CloseBetting,
    messages.ConfirmLockout,
    messages.GiveCard,
    messages.DealCommunity,
)  # commands that need the deck inside
_ENDS: dict[type[messages.Event], str] = {
    messages.ShuffleCommitted: "dropped",
    messages.ShuffleFailed: "failed",
    messages.DeckRefused: "refused",
    messages.RemovalStarted: "removed",
    messages.Booted: "power",
}
_WORDS = {
    "late": "the device recorded no nonce in time",
    "declined": "the device recorded that the table gave none",
    "no_wait": "the device did not wait for the table's nonce",
    "unrecorded": "no record says what became of the table's nonce",
    "unseen": "this program did not see its shuffle",
    "aborted": "the shuffle ended before its order was drawn",
    "failed": "the shuffle failed",
    "refused": "the device refused the deck",
    "removed": "the deck was removed",
    "power": "the device restarted",
    "dropped": "another shuffle began",
}


@dataclass(frozen=True)
class LostShare:
    """A shuffle that did not end with the table's nonce recorded and the deck verified. `seq` is the number of its
    commitment (of deck_verified if that was not seen, 0 if neither was), `at` the UTC second when this was known."""

    seq: int
    deck: int
    why: str
    at: float

    @property
    def text(self) -> str:
        return f"deck {self.deck}, shuffle of event {self.seq}: {_WORDS[self.why]}"


@dataclass
class _Open:
    """A shuffle between its commitment and its end."""

    seq: int
    nonce: bytes
    why: str  # why its order has no share; empty: it has


class Judge:
    """Follows the events of one log, stored or live, in order."""

    def __init__(self, nonce_of: Callable[[messages.ShuffleCommitted], bytes]) -> None:
        self.lost: list[LostShare] = []
        self.accepted: set[int] = set()  # decks that a supervisor accepted, by the number of their shuffle
        self._nonce_of = nonce_of
        self._open: _Open | None = None
        self._decks: dict[int, LostShare | None] = {}  # None: nothing against it
        self._inside = 0

    def feed(self, event: messages.Event, at: float) -> LostShare | None:
        """What this event shows to be lost. Raises NonceAltered if another nonce is recorded than was given."""
        if isinstance(event, messages.ShuffleNonce):
            return self._note_nonce(event, at)
        if isinstance(event, messages.DeckVerified):
            shuffle, self._open = self._open or _Open(event.seq, b"", "unseen"), None
            lost = self._lose(shuffle, event.deck, shuffle.why, at) if shuffle.why else None
            self._decks[event.deck], self._inside = lost, event.deck
            return lost
        if isinstance(event, messages.DeckLoaded):  # shuffled elsewhere
            self._decks[event.deck], self._inside = None, event.deck
            return None
        lost = None
        why = _ENDS.get(type(event))
        if why is not None and self._open is not None:
            lost = self._lose(self._open, event.deck, why, at)
            self._open = None
        if isinstance(event, messages.ShuffleCommitted):
            self._open = _Open(event.seq, self._nonce_of(event), "unrecorded" if event.wait_ds else "no_wait")
        return lost

    def against(self) -> LostShare | None:
        """What speaks against the deck inside."""
        found = self._decks.get(self._inside, LostShare(0, self._inside, "unseen", 0.0))
        return found if found is not None and found.seq not in self.accepted else None

    def count(self, now: float) -> int:
        """Of the shift that ends now."""
        return sum(now - it.at < SHIFT_S for it in self.lost)

    def _note_nonce(self, event: messages.ShuffleNonce, at: float) -> LostShare | None:
        shuffle = self._open
        if shuffle is None:
            return None
        if event.share == messages.Share.ABORTED:
            self._open = None
            return self._lose(shuffle, event.deck, "aborted", at)
        if event.share != messages.Share.GIVEN:
            shuffle.why = "declined" if event.share == messages.Share.DECLINED else "late"
        elif event.nonce != shuffle.nonce:
            raise NonceAltered(
                f"the shuffle of event {shuffle.seq} was given nonce {shuffle.nonce.hex()}, and its record says "
                f"{event.nonce.hex()}.",
                "Take the device out of service, and see whether another host has the table's key.",
            )
        else:
            shuffle.why = ""
        return None

    def _lose(self, shuffle: _Open, deck: int, why: str, at: float) -> LostShare:
        self.lost.append(LostShare(shuffle.seq, deck, why, at))
        return self.lost[-1]


def recall(store: Store, device: int | None = None) -> tuple[TableShare, StoredLog]:
    """The shuffles of this shift in the store of a program that gives nonces, judged again."""
    devices = {log.device: log for log in store.logs(device)}  # the newest log of each
    if len(devices) != 1:
        known = ", ".join(f"{it:08x}" for it in devices) or "none"
        raise UsageError(f"{store.path} has events of these devices: {known}.", "Name one that it has with --device.")
    (log,) = devices.values()
    share = TableShare(True, store)
    share.opened(log.device)
    share.resume(log)
    return share, log


class TableShare:
    """Does nothing unless `wanted`: then the device waits for nonces in sessions of the roles table and service, and
    decks without one are refused."""

    def __init__(self, wanted: bool, store: Store | None = None, secret: bytes = b"") -> None:
        self.wanted = wanted
        self._store = store if wanted else None
        self._secret = secret or (self._store.share_secret() if self._store else secrets.token_bytes(NONCE_SIZE))
        self._device = 0
        self._log: StoredLog | None = None
        self.judge = Judge(self._nonce_of)
        self._answer: messages.Nonce | None = None  # until the device has recorded what became of it
        self._ask_at = 0.0
        self._again_at = 0.0

    def opened(self, device: int) -> None:
        """A session has begun, and the device has forgotten the request of the last one."""
        self._device = device
        self._ask_at = self._again_at = 0.0

    def resume(self, log: StoredLog) -> None:
        """Judge the shuffles of this shift that are on file."""
        self._log = log
        if self._store is not None:
            self.recall(self._store.share_history(log.id, time.time() - SHIFT_S, JUDGED))

    def recall(self, history: Iterable[tuple[messages.Message, float]]) -> None:
        """Judge these events, each with the UTC second when it was stored, and forget what was known before."""
        self.judge = Judge(self._nonce_of)
        for event, at in history:
            if isinstance(event, messages.Event):
                self.judge.feed(event, at)

    def heard(self, event: messages.Event) -> LostShare | None:
        """Answer a commitment, and judge the shuffle that this event ends."""
        if isinstance(event, messages.ShuffleCommitted) and event.wait_ds:
            self._answer = messages.Nonce(messages.Share.GIVEN, event.seq, self._nonce_of(event))
            self._again_at = 0.0
        elif isinstance(event, messages.ShuffleNonce):
            self._answer = None
        return self.judge.feed(event, time.time())

    def check(self, kind: type[messages.Command]) -> None:
        """Raises DeckNotShared for a command that would use a deck without the table's share, and DeviceSuspect for
        any that would use a device which lost too many."""
        if not self.wanted or kind not in (*_PLAYS, messages.Shuffle):
            return
        count = self.judge.count(time.time())
        if count > LOST_MAX:
            raise DeviceSuspect(
                f"device {self._device:08x} had {count} shuffles without the table's share within 8 hours, and "
                f"{LOST_MAX} are allowed. The last: {self.judge.lost[-1].text}.",
                "Remove the device from the table and keep its journal: docs/AUDIT.md, the table's share.",
            )
        against = self._against() if kind in _PLAYS else None
        if against is not None:
            raise DeckNotShared(
                f"the order of this deck may be the device's own choice: {against.text}.",
                "Remove the deck and shuffle it again. A supervisor may accept this one deck: accept_deck(name).",
            )

    def accept(self, by: str) -> LostShare:
        """A supervisor takes the responsibility for the deck inside. It stays in the count."""
        against = self._against()
        if not by.strip():
            raise UsageError("a deck is accepted by name.", "Say who accepts it.")
        if against is None:
            raise UsageError("there is nothing against the deck inside.", "Go on.")
        self.check(messages.Shuffle)
        self.judge.accepted.add(against.seq)
        if self._store is not None and self._log is not None:
            self._store.accept_deck(self._log.id, against.seq, by)
        return against

    def _against(self) -> LostShare | None:
        """What speaks against the deck inside; another program may have accepted it meanwhile."""
        if self.judge.against() is not None and self._store is not None and self._log is not None:
            self.judge.accepted.update(self._store.accepted_decks(self._log.id))
        return self.judge.against()

    def due(self) -> float:
        """When `tick` has something to send next, if nonces are wanted."""
        return self._ask_at if self._answer is None else min(self._ask_at, self._again_at)

    def tick(self, session: HostSession, now: float) -> None:
        if not self.wanted:
            return
        if now >= self._ask_at:
            self._ask_at = now + ASK_S
            session.send(messages.Nonce(messages.Share.ASKED, 0, bytes(NONCE_SIZE)))
        if self._answer is not None and now >= self._again_at:
            self._again_at = now + RESEND_S
            session.send(self._answer)

    def _nonce_of(self, event: messages.ShuffleCommitted) -> bytes:
        """Another for every commitment, and the same when it is asked for again."""
        log = self._log.identity if self._log else b""
        text = b"fairshoe nonce 1" + log + struct.pack("<II", self._device, event.seq) + event.commitment
        return hmac.digest(self._secret, text, hashlib.sha256)
