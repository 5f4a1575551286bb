"""Names in the stream: subjects, headers and the settings of the streams.

    fairshoe.events.DEVICE.LOG       events of one log, in order, each once; the truth of the stream
    fairshoe.refill.DEVICE.LOG       events that the central record lacks and the stream no longer takes in order
    fairshoe.committed.DEVICE.LOG    which numbers the central record has on disk; only the newest message is kept
    fairshoe.samples.DEVICE          status and meters of a shoe at one time; only the newest is kept
    fairshoe.gateways.GATEWAY        a publisher and its gateway are alive, and claim their name; the newest
    fairshoe.journals.GATEWAY        exports of journals that a gateway has pulled, in a stream of their own

DEVICE is the number of the device in eight hexadecimal digits, LOG the identity of its log in hexadecimal, GATEWAY the
first eight digits of the SHA-256 of the gateway's name: a name may have dots and blanks.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

DEFAULT = "fairshoe"
FIRST = "Fairshoe-First"  # headers: numbers of the first and the last event of a message
LAST = "Fairshoe-Last"
LEFT = "Fairshoe-Left"  # header: the device goes on with another log, so this one is not its newest
EXPECTED = "Nats-Expected-Last-Subject-Sequence"
FLOOR = "floor"  # the central consumer among the names of accounts and inboxes
AGE_S = 14 * 86400.0  # how long the stream keeps events; the outboxes and PostgreSQL keep them longer


@dataclass(frozen=True)
class Names:
    """The subjects of one installation. Two installations on one broker need two names."""

    stream: str = DEFAULT

    @property
    def latest(self) -> str:
        """The stream that keeps the newest message of each subject: positions and samples."""
        return f"{self.stream}-latest"

    def events(self, device: int, log: bytes) -> str:
        return f"{self.stream}.events.{place(device, log)}"

    def refill(self, device: int, log: bytes) -> str:
        return f"{self.stream}.refill.{place(device, log)}"

    def committed(self, device: int, log: bytes) -> str:
        return f"{self.stream}.committed.{place(device, log)}"

    def samples(self, device: int) -> str:
        return f"{self.stream}.samples.{device:08x}"

    @property
    def journals(self) -> str:
        """The stream of exports: they are large, and must not displace events."""
        return f"{self.stream}-journals"

    def exports(self, gateway: str) -> str:
        return f"{self.stream}.journals.{_token(gateway)}"

    def gateways(self, gateway: str) -> str:
        return f"{self.stream}.gateways.{_token(gateway)}"

    def inbox(self, gateway: str) -> str:
        """Where answers to a publisher come; to the central consumer: FLOOR."""
        return _token(gateway)

    @property
    def probe(self) -> str:
        """What the central consumer writes to learn whether the broker stores."""
        return f"{self.stream}.committed.probe"

    @property
    def subjects(self) -> list[str]:
        return [f"{self.stream}.events.>", f"{self.stream}.refill.>"]

    @property
    def latest_subjects(self) -> list[str]:
        return [f"{self.stream}.{word}.>" for word in ("committed", "samples", "gateways")]


def _token(gateway: str) -> str:
    return hashlib.sha256(gateway.encode()).hexdigest()[:8]


def place(device: int, log: bytes) -> str:
    return f"{device:08x}.{log.hex()}"
