"""The table's share in the order of every shuffle: a fresh nonce, given when the device has committed to its seed; and
what follows from the judgement of what the device made of it (share_judge.py).

A device that knows the nonce may drop the order, if it can make that look like an accident. It cannot be forced to go
on, so what it drops is counted, and a deck that came out of a shuffle without the share is refused. What is left to a
device that cheats is LOST_MAX further tries in a shift, each of them in the count. An end for which a person answers by
name is counted beside them, up to ENDED_MAX.

The verdict follows from the recorded events, the names, and a secret of this host alone: the nonce is an HMAC of the
commitment, so that a program that starts again can judge the deck that is inside. The device must never know that
secret.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import struct
import time
from collections.abc import Collection, Iterable

from fairshoe import messages
from fairshoe.client.share_judge import JUDGED, SHIFT_S, Judge, LostShare
from fairshoe.client.store import Store, StoredLog
from fairshoe.errors import DeckNotShared, DeviceSuspect, UsageError
from fairshoe.link.session import HostSession

NONCE_SIZE = 32
ASK_S = 10.0  # a request that is lost is made again: no message confirms it
RESEND_S = 0.5  # the device waits a few seconds
LOST_MAX = 3  # shuffles in a shift that lost the share by the device's word; with one more the device is to be removed
ENDED_MAX = 6  # of those for which a person answers
ALLOWED = (LOST_MAX, ENDED_MAX)

_PLAYS = (
    messages.CloseBetting,
    messages.ConfirmLockout,
    messages.GiveCard,
    messages.DealCommunity,
)  # commands that need the deck inside


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
    decks without one are refused. `shufflers` are devices that shuffle by the house's word: they load no deck."""

    def __init__(
        self, wanted: bool, store: Store | None = None, secret: bytes = b"", shufflers: Collection[int] = ()
    ) -> None:
        self.wanted = wanted
        self.shufflers = shufflers
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
        self.judge.shuffles = self.judge.shuffles or device in self.shufflers
        self._ask_at = self._again_at = 0.0

    def resume(self, log: StoredLog) -> None:
        """Judge the shuffles of this shift that are on file."""
        self._log = log
        if self._store is not None:
            self.recall(self._store.share_history(log.id, time.time() - SHIFT_S, JUDGED))
            self._look_at_names()

    def recall(self, history: Iterable[tuple[messages.Message, float]]) -> None:
        """Judge these events, each with the UTC second when it was stored, and forget what was known before."""
        self.judge = Judge(self._nonce_of, self._device in self.shufflers)
        if self._store is not None and self._log is not None:
            self.judge.hands.update(self._store.wagered_hands(self._log.id))
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

    def wagered(self, round_number: int, hands: int) -> None:
        """So many hands have wagers in this round of the shoe: so many stacks are due, whatever the device says."""
        seq = self.judge.wagered(round_number, hands, time.time())
        if seq and self._store is not None and self._log is not None:
            self._store.note_hands(self._log.id, seq, hands)

    def check(self, kind: type[messages.Command]) -> None:
        """Raises DeckNotShared for a command that would use a deck without the table's share, and for a shuffle while
        no person has said why the door was opened; DeviceSuspect for any of them at a device which lost too many."""
        if not self.wanted or kind not in (*_PLAYS, messages.Shuffle):
            return
        self._look_at_names()
        for by_person in (False, True):
            count, too_many = self.column(by_person)
            if too_many:
                whose = "for which a person answers" if by_person else "by its own word"
                raise DeviceSuspect(
                    f"device {self._device:08x} had {count} shuffles without the table's share within a shift, "
                    f"{whose}, and {ALLOWED[by_person]} are allowed. The last: {self.judge.lost[-1].text}.",
                    "Remove the device from the table and keep its journal: docs/SHUFFLE.md, the table's share.",
                )
        if kind is messages.Shuffle:
            pending = self.judge.pending
            if pending is not None:
                raise DeckNotShared(
                    f"no person has said who opened the door, and why: {pending.text}.",
                    "Name a person and the cause: end_deck(name, cause). Otherwise it counts as the device's word.",
                )
            return
        against = self.judge.against()
        if against is not None:
            raise DeckNotShared(
                f"the order of this deck may be the device's own choice: {against.text}.",
                "Remove the deck and shuffle it again. A supervisor may accept this one deck: accept_deck(name).",
            )

    def column(self, by_person: bool) -> tuple[int, bool]:
        """How many shares were lost in this shift, by the device's word or with a person who answers, and whether these
        are too many."""
        count = self.judge.count(time.time(), by_person)
        return count, count > ALLOWED[by_person]

    @property
    def text(self) -> str:
        """Both columns of this shift, or why there is none."""
        if not self.wanted:
            return "the table's share is not asked for"
        if self.judge.loaded and not self.judge.shuffles:
            return "this shoe does not shuffle: its decks have no share of the table"
        (lost, _), (ended, _) = self.column(False), self.column(True)
        return (
            f"shuffles of this shift without the table's share: {lost} of {LOST_MAX} by the device's word, "
            f"{ended} of {ENDED_MAX} ended by a person"
        )

    def accept(self, by: str) -> LostShare:
        """A supervisor takes the responsibility for the deck inside. It stays in the count."""
        self._look_at_names()
        against = self.judge.against()
        if not by.strip():
            raise UsageError("a deck is accepted by name.", "Say who accepts it.")
        if against is None:
            raise UsageError("there is nothing against the deck inside.", "Go on.")
        self.check(messages.Shuffle)
        self.judge.accepted.add(against.seq)
        if self._store is not None and self._log is not None:
            self._store.accept_deck(self._log.id, against.seq, by)
        return against

    def end(self, by: str, cause: str) -> int:
        """A person answers for the end of the deck inside, before it comes; or for a door that was opened, before the
        next shuffle. The number of its shuffle."""
        if not by.strip() or not cause.strip():
            raise UsageError("a deck is ended by name, and for a cause.", "Say who ends it, and why.")
        pending = self.judge.pending
        seq = pending.seq if pending is not None else self.judge.open
        if not seq:
            raise UsageError("no deck is inside whose end would count.", "Go on.")
        self.judge.ended[seq] = (by.strip(), cause.strip())
        if self._store is not None and self._log is not None:
            self._store.end_deck(self._log.id, seq, by.strip(), cause.strip())
        return seq

    def _look_at_names(self) -> None:
        """Another program may have accepted a deck meanwhile."""
        if self._store is not None and self._log is not None:
            self.judge.accepted.update(self._store.accepted_decks(self._log.id))
            self.judge.ended.update(self._store.ended_decks(self._log.id))

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
