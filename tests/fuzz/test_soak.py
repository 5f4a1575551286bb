"""A slice of `make soak`: random hands, faults and power cuts, every promise checked after each scan."""

import random

from soak import soak


def test_random_hands_break_no_promise() -> None:
    first = random.randrange(1 << 30)
    for seed in range(first, first + 40):
        trouble = soak(seed, lambda _text: None)
        assert not trouble, f"{trouble}; replay: .venv/bin/python tools/soak.py --seed {seed} --runs 1 --verbose"


def test_the_soak_notices_what_it_is_there_for() -> None:
    """Let a stack come up a card short without the firmware noticing: some run of the first few must say so."""
    from firmware.machines import eject

    original = eject._STATES[4]  # pyright: ignore[reportPrivateUsage]

    def one_short(machine: eject.Eject, inp: object, out: object, now_ms: int) -> int:
        if machine.wanted == 5 and machine.count == 4:
            machine.count = 5
        return original(machine, inp, out, now_ms)  # pyright: ignore[reportArgumentType]

    states = eject._STATES  # pyright: ignore[reportPrivateUsage]
    eject._STATES = (*states[:4], one_short, *states[5:])  # pyright: ignore
    try:
        assert any(soak(seed, lambda _text: None) for seed in range(5))
    finally:
        eject._STATES = states  # pyright: ignore
