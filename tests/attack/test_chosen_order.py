"""Choose the order of the cards, as the table that sees the commitment or as the device that sees the nonce."""

import random
import secrets
from array import array
from collections import Counter
from collections.abc import Callable

import pytest
from support import board

from fairshoe.client.table_share import TableShare
from fairshoe.errors import NonceAltered
from fairshoe.journal.seed_audit import Committed, commitment_of, examine, places_of
from fairshoe.messages import Event, Share, ShuffleCommitted, ShuffleNonce
from firmware.deck.shuffler import Shuffler
from firmware.image import INPUTS
from hal.sim.nv import Nv
from hal.sim.plant import Plant
from hal.sim.port import SimHal

CARDS = 4  # 24 orders
ORDERS = 24
SHUFFLES = 2400
DEVICE = 0x12345678
SEQ = 100


def orders(choose: Callable[[bytes, int], bytes], seed: int) -> Counter[tuple[int, ...]]:
    """How often each order comes up if the table chooses its nonce by the commitment and the shuffle's number."""
    shuffler = Shuffler(SimHal(Plant(board(), INPUTS, seed), Nv(9600)), board(), 1)
    seeds = random.Random(seed)  # the shuffler's own take simulated noise, and time
    found: Counter[tuple[int, ...]] = Counter()
    for seq in range(SHUFFLES):
        shuffler.seed[:] = seeds.randbytes(32)
        shuffler.committed = True
        commitment = commitment_of(bytes(shuffler.seed))
        record = Committed(commitment, Share.GIVEN, choose(commitment, seq))
        shuffler.share = record.share_of(DEVICE, seq)
        order = array("H", [0] * CARDS)
        assert shuffler.draw(order, CARDS)
        assert examine(bytes(shuffler.seed), record, CARDS, DEVICE, seq).places == tuple(order)
        found[tuple(order)] += 1
        shuffler.forget()
    return found


def best_guess(commitment: bytes, seq: int) -> bytes:
    """A table that tries nonces until card 0 would come out first, were the commitment the seed: all that it knows."""
    for attempt in range(64):
        nonce = bytes([attempt]) * 32
        if places_of(commitment, CARDS, Committed(b"", Share.GIVEN, nonce).share_of(DEVICE, seq))[0] == 0:
            return nonce
    return bytes(32)


def constant(commitment: bytes, seq: int) -> bytes:
    return bytes(32)


@pytest.mark.parametrize("choose", [best_guess, constant])
def test_a_table_that_sees_the_commitment_cannot_pick_the_order(choose: Callable[[bytes, int], bytes]) -> None:
    found = orders(choose, 5)
    expected = SHUFFLES / ORDERS
    chi_square = sum((found[order] - expected) ** 2 / expected for order in found)
    assert len(found) == ORDERS
    assert chi_square < 49.7, "23 degrees of freedom: one honest run in a thousand; the seed of this run is fixed"
    first = sum(count for order, count in found.items() if order[0] == 0)
    assert abs(first - SHUFFLES / 4) < 3.3 * (SHUFFLES * 3 / 16) ** 0.5


def test_a_device_cannot_change_its_seed_after_it_saw_the_nonce() -> None:
    seed, nonce = secrets.token_bytes(32), secrets.token_bytes(32)
    record = Committed(commitment_of(seed), Share.GIVEN, nonce)
    wanted = (3, 2, 1, 0)
    for _ in range(10000):
        other = secrets.token_bytes(32)
        if places_of(other, CARDS, record.share_of(DEVICE, SEQ)) == wanted:
            break
    else:
        raise AssertionError("no seed that gives the order")
    assert examine(other, record, CARDS, DEVICE, SEQ).places == wanted
    assert not examine(other, record, CARDS, DEVICE, SEQ).agrees, "it is not the seed of the commitment"
    assert examine(seed, record, CARDS, DEVICE, SEQ).agrees


def event(kind: type[Event], seq: int, *fields: object) -> Event:
    return kind(seq, 1, 0, 0, 0, 0, 1, *fields)  # pyright: ignore[reportCallIssue]


def test_a_device_cannot_put_another_nonce_in_place_of_the_table_s() -> None:
    """It would have to record it, and the table compares."""
    share = TableShare(True)
    share.heard(event(ShuffleCommitted, SEQ, bytes(32), 30))
    with pytest.raises(NonceAltered, match="event 100 was given nonce"):
        share.heard(event(ShuffleNonce, SEQ + 1, Share.GIVEN, 0, secrets.token_bytes(32)))


def test_an_order_depends_on_the_nonce_and_on_which_shuffle_it_is() -> None:
    seed, nonce = bytes(range(32)), bytes(range(32, 64))
    given = Committed(commitment_of(seed), Share.GIVEN, nonce)
    other = Committed(commitment_of(seed), Share.GIVEN, bytes(32))
    drawn = {
        examine(seed, given, 52, DEVICE, SEQ).places,
        examine(seed, other, 52, DEVICE, SEQ).places,
        examine(seed, given, 52, DEVICE, SEQ + 1).places,
        examine(seed, given, 52, DEVICE + 1, SEQ).places,
        examine(seed, Committed(given.commitment, Share.LATE, bytes(32)), 52, DEVICE, SEQ).places,
    }
    assert len(drawn) == 5
