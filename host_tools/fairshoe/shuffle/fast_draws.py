"""The decks that the firmware draws, ten times faster: the steps of firmware/deck, with HMAC from the C library.

The device tests its noise before every shuffle. That is most of the work, and says nothing about the orders. Here it is
left out; conditioning, both DRBGs and the permutation are as in `Shuffler.draw`, so that a deck is the firmware's own
for the same noise. Every part of a run compares some of its decks with those of the firmware's code.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256, shake_128
from hmac import digest
from struct import unpack

from firmware.deck.entropy import CHUNK, SEED_MILLIBITS, SEED_SIZE
from firmware.deck.permutation import DRAW_BYTES

DEVICE = b"fairshoe device 1"
SHUFFLE = b"fairshoe shuffle 1"
_BLANK = bytes(SEED_SIZE)
_FIRST = b"\x01" * SEED_SIZE
_WORDS = f"<{DRAW_BYTES // 2}H"


def noise(seed: int, index: int, read: int, size: int) -> bytes:
    """What the simulated noise source gives at its n-th read for one shuffle."""
    return shake_128(f"fairshoe shuffle-test {seed} {index} {read}".encode()).digest(size)


def fast_deck(seed: int, index: int, cards: int, nonce: bytes, millibits: int) -> list[int]:
    """The deck that shuffle number `index` deals, cards numbered as the hopper feeds them."""
    raw = sha256()
    for read in range(1, _chunks(millibits) + 1):
        raw.update(noise(seed, index, read, CHUNK))
    key, value = _instantiated(raw.digest() + nonce + DEVICE)
    words = _words(*_instantiated(digest(key, value, "sha256") + SHUFFLE))
    order = list(range(cards))
    for i in range(cards - 1, 0, -1):
        limit = 65536 - 65536 % (i + 1)
        word = next(words)
        while word >= limit:
            word = next(words)
        j = word % (i + 1)
        order[i], order[j] = order[j], order[i]
    deck = [0] * cards
    for card, place in enumerate(order):
        deck[place] = card
    return deck


def _chunks(millibits: int) -> int:
    """How often the device reads its source for a seed."""
    raw_bytes = (SEED_MILLIBITS + millibits - 1) // millibits
    return (raw_bytes + CHUNK - 1) // CHUNK


def _instantiated(data: bytes) -> tuple[bytes, bytes]:
    """Key and value of a new HMAC-DRBG."""
    key = digest(_BLANK, _FIRST + b"\x00" + data, "sha256")
    value = digest(key, _FIRST, "sha256")
    key = digest(key, value + b"\x01" + data, "sha256")
    return key, digest(key, value, "sha256")


def _words(key: bytes, value: bytes) -> Iterator[int]:
    """16-bit numbers, DRAW_BYTES a request. The update behind a request is made only if there is another."""
    while True:
        blocks: list[bytes] = []
        for _ in range(DRAW_BYTES // SEED_SIZE):
            value = digest(key, value, "sha256")
            blocks.append(value)
        yield from unpack(_WORDS, b"".join(blocks))
        key = digest(key, value + b"\x00", "sha256")
        value = digest(key, value, "sha256")
