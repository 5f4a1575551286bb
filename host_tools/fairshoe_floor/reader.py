"""Reader: everything that the read API and the floor page ask for. Two programs implement it.

    fairshoe_floor.gateway.local_reader      over the SQLite store of one pit, with live status from the open ports
    fairshoe_floor.history.central_reader    over PostgreSQL, for the whole floor

So the same routes, documents and page serve one gateway or the whole floor.

Rules for implementations:

- Methods are plain functions that may block: the API calls them in threads, several at a time.
- A device is its number (Welcome.device). An event is identified by (device, log, seq): numbers restart when the
  storage of a device is replaced, and the log is then another one.
- Times are UTC seconds since 1970, of the host that recorded. Unknown is None, never 0 and never an empty guess.
- A reader returns everything it has. Reporting profiles are applied above it, in api/profiles.py.
- A reader never asks a device.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from fairshoe import Fault, StoredEvent
from fairshoe.messages import Meters
from fairshoe_floor.inventory import Entry
from fairshoe_floor.samples import NO_TOTALS, Latched, Link, Sample, Totals

__all__ = ["PAGE_MAX", "Alarm", "Latched", "Link", "Reader", "Reading", "Round", "Sample", "Shoe", "Totals"]

SEVERITIES = ("critical", "major", "minor")  # the most severe first

FRESH_S = 15.0  # a shoe sends a status every second
PAGE_MAX = 1000  # the most that one call returns


@dataclass(frozen=True)
class Shoe:
    """One shoe of the inventory, as it is known now.

    sample    its link, status and meters: live at a gateway, the newest published sample at a central reader; None if
              nothing was heard yet. `sample.heard_at` says how old it is.
    seq       number of the newest event on file, 0 for none; `log` is its log
    quiet_seq the newest event of `log` that is not of a round under way, and has none of one before it
    fresh_s   how old `heard_at` may be while all is well
    """

    entry: Entry
    gateway: str
    sample: Sample | None = None
    log: bytes = b""
    seq: int = 0
    stored_at: float | None = None  # when the newest event was stored
    totals: Totals = NO_TOTALS
    warning: Latched | None = None
    fresh_s: float = FRESH_S
    quiet_seq: int = 0


@dataclass(frozen=True)
class Round:
    """One round by the events on file. `stage` is a value of fairshoe.games.rounds.Stage: dealing, settling, ended or
    void."""

    device: int
    log: bytes
    number: int
    seq_first: int  # of round_started
    seq_last: int  # of the newest event of the round
    began_at: float
    ended_at: float | None
    stage: str
    game: str
    positions: int
    stacks: int | None = None
    dealt: int | None = None
    remainder: int | None = None
    clause: str = ""  # of a void round
    fault: Fault = Fault.NONE


@dataclass(frozen=True)
class Alarm:
    """A rule that holds for a shoe now. `acknowledged_by` is the person who has seen it, in the central record."""

    device: int
    rule: str
    severity: str  # of SEVERITIES
    text: str
    since: float
    acknowledged_by: str | None = None
    id: int | None = None  # in the central record, which alone can note that it was acknowledged
    part: str = ""  # the program that it is about, if it is about none of the shoes


@dataclass(frozen=True)
class Reading:
    """The meters of a device at one time. `quiet`: log and number of the newest event before the round that was under
    way; None if none was."""

    device: int
    at: float
    meters: Meters
    quiet: tuple[bytes, int] | None = None

    @classmethod
    def of_samples(cls, found: Iterable[Sample]) -> list[Reading]:
        return [
            cls(it.device, it.at, it.meters, (it.before.log, it.before.seq) if it.before else None)
            for it in found
            if it.meters is not None
        ]


class Reader(Protocol):
    """See the module. `lasting_s`: so old may be what the API answers of shoes and alarms; 0: it asks each time."""

    lasting_s: float

    def version(self) -> int:
        """A number that is larger after every new event, status, reading or change of a link. Cheap and quick: the
        API asks five times a second and wakes its live clients when it has changed."""
        ...

    def shoes(self) -> Sequence[Shoe]:
        """Every shoe of the inventory, in its order."""
        ...

    def shoe(self, device: int) -> Shoe | None:
        """One of them; None if the inventory does not have it."""
        ...

    def rounds(self, device: int, before: tuple[bytes, int] | None = None, limit: int = 100) -> Sequence[Round]:
        """The newest rounds first; those before this log and seq_first, to page on. The round under way is among
        them."""
        ...

    def events(self, device: int, log: bytes | None, after: int, limit: int = PAGE_MAX) -> Sequence[StoredEvent]:
        """Events of a log after this number, in order; None is the newest log. Fewer than `limit`: there are no more
        now. The first number may be larger than after + 1: retention has deleted the ones between."""
        ...

    def logs(self, device: int) -> Sequence[bytes]:
        """The logs of a device in the order in which it went on with them: the last one is the newest. A log whose
        storage came back moves to the end."""
        ...

    def alarms(self) -> Sequence[Alarm]:
        """Alarms that hold now, of all shoes: the most severe first, then the oldest."""
        ...

    def meters(self, device: int, since: float = 0.0, limit: int = PAGE_MAX) -> Sequence[Reading]:
        """Readings after that time, oldest first, thinned out evenly if there are more than `limit`."""
        ...
