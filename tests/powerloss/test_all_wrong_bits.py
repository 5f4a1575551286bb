"""Single wrong bits in the reads of a start, and drawn pairs: tests/unit/journal/test_wrong_bits.py tries less.

The full set tries an eighth of all single bits, another one for each commit; PARTS=8 tries all of them.
"""

import os

import pytest
from draws import seeded
from wrong_bits import KINDS, Used, at_reads, known, none

EIGHTHS = 8
QUARTERS = 4  # of the reads: a case ends in time on a busy machine too
PARTS = int(os.environ.get("PARTS", "1"))
PAIRS = 10000


@pytest.mark.parametrize("quarter", range(QUARTERS))
@pytest.mark.parametrize("part", range(PARTS))
def test_any_single_wrong_bit_in_a_start_changes_nothing(part: int, quarter: int) -> None:
    """One of the eight bits of every byte of every read."""
    part = seeded().sample(range(EIGHTHS), EIGHTHS)[part]
    used = Used("fram")
    for wrong, size in list(enumerate(used.sizes))[quarter::QUARTERS]:
        for at in range(size):
            bit = at * 8 + (at + wrong + part) % 8
            app, _plant, _hal = used.begin(at_reads({wrong: (bit,)}))
            assert known(app) == used.good[0], f"read {wrong}, bit {bit}"


@pytest.mark.parametrize("kind", KINDS)
def test_two_wrong_bits_in_a_start_change_nothing(kind: str) -> None:
    """In one read, in a read and the one that repeats it, or anywhere: the same bit, or another."""
    used = Used(kind)
    draw = seeded()
    for _ in range(PAIRS):
        one = draw.randrange(len(used.sizes) - 1)
        other = draw.choice((one, one + 1, draw.randrange(len(used.sizes))))
        bit = draw.randrange(96 * 8)
        again = draw.choice((bit, draw.randrange(96 * 8)))
        wrong = {one: (bit,), other: (again,)} if one != other else {one: (bit, again)}
        app, plant, hal = used.begin(at_reads(wrong))
        used.bits.flips = none
        assert used.finish(app, plant, hal) == used.good, f"{kind}: {wrong}"
    used.close()
