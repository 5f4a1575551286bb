"""Errors that are put into the firmware's functions to see that a contract finds them."""

from __future__ import annotations

from firmware import ticks
from firmware.journal.cells import RECORD_CELL
from firmware.journal.store import Journal
from firmware.protocol import cobs

TICKS = 1 << 30


def _difference_without_turns(end: int, start: int) -> int:
    return end - start


def _difference_of_half_a_turn(end: int, start: int) -> int:
    found = (end - start) % TICKS
    return found - TICKS if found > TICKS // 2 else found


def _sum_without_turns(start: int, delta: int) -> int:
    return start + delta


def _cell_of_a_smaller_ring(self: Journal, seq: int) -> int:
    return RECORD_CELL + seq % max(1, self.capacity - 1)


def _decoded_without_a_look_at_the_end(buf: bytearray, size: int) -> int:
    at = out = 0
    while at < size:
        code = buf[at]
        if code == 0:
            return -1
        for step in range(1, code):
            buf[out] = buf[at + step]
            out += 1
        at += code
    return out


# By name: the contract that must find it, and what is replaced by what.
PLANTED = {
    "a difference knows no turns": ("difference_of_ticks", ticks, "ticks_diff", _difference_without_turns),
    "a difference of half a turn is positive": ("difference_of_ticks", ticks, "ticks_diff", _difference_of_half_a_turn),
    "a sum knows no turns": ("sum_of_ticks", ticks, "ticks_add", _sum_without_turns),
    "two events share a cell": ("places_in_the_ring", Journal, "_cell", _cell_of_a_smaller_ring),
    "a frame is read beyond its end": ("any_bytes", cobs, "cobs_decode", _decoded_without_a_look_at_the_end),
}


def plant(name: str) -> None:
    if name:
        _contract, owner, attribute, wrong = PLANTED[name]
        setattr(owner, attribute, wrong)
