"""What the facts of a table keep of the dealer and the boxes, in a round from a shoe of many rounds.

A power cut ends the shoe and not the round: the house may let it go on by hand, and what was on record holds there too.
These games have neither second wagers nor a progressive, so this lies in the cells of those.
"""

from micropython import const

from firmware.protocol import ids

BOXES = const(16)  # four bits for each box: the hands that it has surrendered, and MISSED
MISSED = const(8)  # it did not get both cards of the deal
DEAD = const(15)  # nor any of them, or it was let out: it takes no part in the round
UP_CARD = const(24)
ANSWER = const(25)  # of the reader; CALLED, INSURED, BURNS
READ = const(3)  # the bits of the answer
CALLED = const(4)  # a bit: the dealer's second card was called
INSURED = const(8)  # a bit: insurance is closed
BURNS = const(16)  # a bit: a new dealer has to burn a card; also between rounds

BURN_DEALER = const(2)  # why a card is burned, as the record says it


def shoe_note(row: bytearray, what: int, a: int, b: int) -> None:
    """Something is on record, of this kind or another."""
    if what == ids.REC_UP_CARD:
        if row[UP_CARD] != a:
            row[ANSWER] &= ~INSURED
        row[UP_CARD] = a
    elif what == ids.REC_INSURANCE_CLOSED:
        row[ANSWER] |= INSURED
    elif what == ids.REC_DEALER_CARD:
        row[ANSWER] |= CALLED
    elif what == ids.REC_SURRENDER:
        row[BOXES + (a >> 1)] += 1 << (a & 1) * 4
    elif what == ids.REC_BOX_MISSED and b < 2:
        row[BOXES + (a >> 1)] |= (MISSED if b else DEAD) << (a & 1) * 4
    elif what == ids.REC_LET_OUT:
        row[BOXES + (a >> 1)] |= DEAD << (a & 1) * 4
    elif what == ids.REC_DEALER_CHANGE:
        row[ANSWER] |= BURNS
    elif what == ids.REC_BURNED and (b == BURN_DEALER or not (a or b)):
        row[ANSWER] &= ~BURNS


def box_surrendered(row: bytearray, box: int) -> int:
    """Hands; of a dead box more than any box may have."""
    return _box(row, box) & ~MISSED


def box_short(row: bytearray, box: int) -> bool:
    """Whether it got one of the two cards of the deal."""
    return MISSED <= _box(row, box) < DEAD


def box_waits(row: bytearray, box: int, has: int) -> bool:
    """Whether a box that has so many cards may have missed one: in the deal only once, and no box that is dead or has
    surrendered a hand; a hit only if the dealer has no blackjack, after which no card is dealt."""
    known = _box(row, box)
    return known != DEAD and (not known if has < 2 else row[ANSWER] & READ != ids.ANSWER_BLACKJACK)


def _box(row: bytearray, box: int) -> int:
    return row[BOXES + (box >> 1)] >> (box & 1) * 4 & 15
