"""The plan of `make fleet-chaos`: each fault has its turn, alone or beside all others."""

from __future__ import annotations

import itertools
import random

import pytest
from floor import chaos

NAMES = sorted({fault.name for fault in chaos.faults()})


@pytest.mark.parametrize("name", ["", *NAMES])
def test_every_fault_has_its_turn(name: str) -> None:
    known = [fault for fault in chaos.faults() if name in ("", fault.name)]
    struck = itertools.chain.from_iterable(chaos.plan(random.Random(7), known))
    for _pack in range(3):
        first = list(itertools.islice(struck, len(known)))
        assert {(it.name, it.part) for it in first} == {(it.name, it.part) for it in known}
