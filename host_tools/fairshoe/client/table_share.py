"""The table's share in the order of every shuffle: a fresh nonce, given when the device has committed to its seed."""

from __future__ import annotations

import secrets

from fairshoe.errors import NonceAltered
from fairshoe.link.session import HostSession
from fairshoe.messages import Event, Nonce, Share, ShuffleCommitted, ShuffleNonce

NONCE_SIZE = 32
ASK_S = 10.0  # a request that is lost is made again: no message confirms it
RESEND_S = 0.5  # the device waits a few seconds


class TableShare:
    """Does nothing unless `wanted`: then the device waits for nonces in sessions of the roles table and service."""

    def __init__(self, wanted: bool) -> None:
        self.wanted = wanted
        self._answer: Nonce | None = None  # until the device has recorded what became of it
        self._ask_at = 0.0
        self._again_at = 0.0

    def opened(self) -> None:
        """A session has begun, and the device has forgotten the request of the last one."""
        self._ask_at = self._again_at = 0.0

    def heard(self, event: Event) -> None:
        """Answer a commitment. Raises NonceAltered if the device records another nonce than it was given."""
        if isinstance(event, ShuffleCommitted) and self.wanted and event.wait_ds:
            self._answer = Nonce(Share.GIVEN, event.seq, secrets.token_bytes(NONCE_SIZE))
            self._again_at = 0.0
        elif isinstance(event, ShuffleNonce):
            answer, self._answer = self._answer, None
            if answer is not None and event.share == Share.GIVEN and event.nonce != answer.nonce:
                raise NonceAltered(
                    f"the shuffle of event {answer.seq} was given nonce {answer.nonce.hex()}, and its record says "
                    f"{event.nonce.hex()}.",
                    "Take the device out of service, and see whether another host has the table's key.",
                )

    def due(self) -> float:
        """When `tick` has something to send next, if nonces are wanted."""
        return self._ask_at if self._answer is None else min(self._ask_at, self._again_at)

    def tick(self, session: HostSession, now: float) -> None:
        if not self.wanted:
            return
        if now >= self._ask_at:
            self._ask_at = now + ASK_S
            session.send(Nonce(Share.ASKED, 0, bytes(NONCE_SIZE)))
        if self._answer is not None and now >= self._again_at:
            self._again_at = now + RESEND_S
            session.send(self._answer)
