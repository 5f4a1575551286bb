"""The command ledger: per lane the last operation number and how it ended.

An operation is recorded as an event when it is accepted and again when it has ended. The marks of the journal repeat
the last one of each lane, so that it survives the recycling of those records; a refused one is in the mark alone.
"""

from struct import pack_into

from micropython import const

from firmware.protocol import ids

_LANE_SIZE = const(14)  # three lanes make 42 bytes: what a mark has room for
NEVER = const(0xFF)  # no operation yet


class Lane:
    """The last operation of one role."""

    def __init__(self) -> None:
        self.op = 0
        self.digest = 0
        self.command = 0
        self.outcome = NEVER
        self.reason = 0
        self.detail = 0

    def copy(self, other: "Lane") -> None:
        self.op = other.op
        self.digest = other.digest
        self.command = other.command
        self.outcome = other.outcome
        self.reason = other.reason
        self.detail = other.detail

    def final(self) -> bool:
        """Whether its outcome can no longer change. In doubt without a count can: the machine has to be emptied
        first."""
        in_doubt = self.outcome == ids.OUTCOME_IN_DOUBT and self.detail == ids.UNKNOWN_U16
        return self.outcome > ids.OUTCOME_RUNNING and self.outcome != NEVER and not in_doubt


class Lanes:
    """Lanes by role; the clear role has one that is never used."""

    def __init__(self) -> None:
        self.by_role = [Lane() for _ in range(ids.LANE_COUNT)]

    def take_over(self, other: "Lanes") -> None:
        for role in range(ids.LANE_COUNT):
            self.by_role[role].copy(other.by_role[role])

    def pack(self, buf: bytearray, at: int) -> None:
        for role in range(1, ids.LANE_COUNT):
            lane = self.by_role[role]
            pack_into("<IHIBBH", buf, at, lane.op, lane.command, lane.digest, lane.outcome, lane.reason, lane.detail)
            at += _LANE_SIZE

    def restore(self, role: int, values: "list[int]") -> None:
        """Take over (op, command, digest, outcome, reason, detail) unless a later one of this role is known."""
        if not 0 < role < ids.LANE_COUNT:
            return
        lane = self.by_role[role]
        op = values[0]
        if op < lane.op or (op == lane.op and (lane.final() or not values[3])):  # acceptance comes first
            return
        lane.op = op
        lane.command = values[1]
        lane.digest = values[2]
        lane.outcome = values[3]
        lane.reason = values[4]
        lane.detail = values[5]
