"""The orders that the firmware draws, many times faster: the steps of firmware/deck, with SHA-256 from the C library.

The device tests its noise before every shuffle. That is most of the work, and says nothing about the orders. Here it is
left out; conditioning, both DRBGs and the permutation are as in `Shuffler.draw`, so that an order is the firmware's own
for the same noise. Every part of a run compares some of its decks with those of the firmware's code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256, shake_128
from itertools import chain
from operator import ge, mod
from struct import unpack

from firmware.deck.entropy import CHUNK, SEED_MILLIBITS, SEED_SIZE
from firmware.deck.permutation import DRAW_BYTES

DEVICE = b"fairshoe device 1"
SHUFFLE = b"fairshoe shuffle 1"
_BLANK = bytes(SEED_SIZE)
_FIRST = b"\x01" * SEED_SIZE
_WORDS = f"<{DRAW_BYTES // 2}H"
_XOR_INNER, _XOR_OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))
_PAD_INNER, _PAD_OUTER = (_BLANK.translate(table) for table in (_XOR_INNER, _XOR_OUTER))


def noise(seed: int, index: int, start: int, size: int) -> bytes:
    """What the simulated noise source gives for one shuffle, from byte `start` on."""
    return shake_128(f"fairshoe shuffle-test {seed} {index}".encode()).digest(start + size)[start:]


def fast_order(seed: int, index: int, cards: int, nonce: bytes, millibits: int) -> list[int]:
    """The order of shuffle number `index`: card i of the hopper comes out as order[i]."""
    raw_bytes = (SEED_MILLIBITS + millibits - 1) // millibits
    raw = noise(seed, index, 0, (raw_bytes + CHUNK - 1) // CHUNK * CHUNK)
    key, value = _instantiated(sha256(raw).digest() + nonce + DEVICE)
    requests = _words(*_instantiated(_hmac(key, value) + SHUFFLE))
    order = list(range(cards))
    for i, j in zip(range(cards - 1, 0, -1), _drawn(requests, cards), strict=True):
        order[i], order[j] = order[j], order[i]
    return order


def _drawn(requests: Iterator[tuple[int, ...]], cards: int) -> Iterable[int]:
    """A number below each of cards, cards - 1 .. 2. Words past the last whole multiple are thrown away."""
    bounds, limits = _bounds(cards)
    taken: Sequence[int] = next(requests)
    if len(taken) < len(limits) or any(map(ge, taken, limits)):  # one shuffle of 52 cards in a hundred
        words = chain(taken, chain.from_iterable(requests))
        taken = [next(word for word in words if word < limit) for limit in limits]
    return map(mod, taken, bounds)


@cache
def _bounds(cards: int) -> tuple[range, list[int]]:
    bounds = range(cards, 1, -1)
    return bounds, [65536 - 65536 % bound for bound in bounds]


def _pads(key: bytes) -> tuple[bytes, bytes]:
    """What HMAC puts before the data and before their hash, for a key of 32 bytes."""
    return key.translate(_XOR_INNER) + _PAD_INNER, key.translate(_XOR_OUTER) + _PAD_OUTER


def _hmac(key: bytes, data: bytes) -> bytes:
    """HMAC-SHA-256. By hand: `hmac.digest` takes twice as long for so few bytes."""
    inner, outer = _pads(key)
    return sha256(outer + sha256(inner + data).digest()).digest()


def _instantiated(data: bytes) -> tuple[bytes, bytes]:
    """Key and value of a new HMAC-DRBG."""
    key = _hmac(_BLANK, _FIRST + b"\x00" + data)
    value = _hmac(key, _FIRST)
    key = _hmac(key, value + b"\x01" + data)
    return key, _hmac(key, value)


def _words(key: bytes, value: bytes) -> Iterator[tuple[int, ...]]:
    """16-bit numbers, those of one request at a time. The update behind a request is made only if there is another."""
    while True:
        inner, outer = _pads(key)
        blocks = b""
        for _ in range(DRAW_BYTES // SEED_SIZE):
            value = sha256(outer + sha256(inner + value).digest()).digest()
            blocks += value
        yield unpack(_WORDS, blocks)
        key = _hmac(key, value + b"\x00")
        value = _hmac(key, value)
