"""What the facts of a table keep of the dealer and the boxes, in a round from a shoe of many rounds.

A power cut ends the shoe and not the round: the house may let it go on by hand, and what was on record holds there too.
These games have neither second wagers nor a progressive, so this lies in the cells of those.
"""

from micropython import const

from firmware.protocol import ids

SURRENDERS = const(16)  # hands that each box has surrendered, four bits for each
UP_CARD = const(24)
ANSWER = const(25)  # of the reader; and CALLED
CALLED = const(4)  # a bit: the dealer's second card was called


def shoe_note(row: bytearray, what: int, a: int) -> None:
    """Something is on record, of this kind or another."""
    if what == ids.REC_UP_CARD:
        row[UP_CARD] = a
    elif what == ids.REC_DEALER_CARD:
        row[ANSWER] |= CALLED
    elif what == ids.REC_SURRENDER:
        row[SURRENDERS + (a >> 1)] += 1 << (a & 1) * 4


def surrendered(row: bytearray, box: int) -> int:
    return row[SURRENDERS + (box >> 1)] >> (box & 1) * 4 & 15
