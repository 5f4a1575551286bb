"""How much a test that draws what it tries draws: little in the gate, more in the full set.

Such a test has the mark `drawn`: it runs in both sets, as it does not try the same twice.
"""

import os
import random


def amount(gate: int, full: int) -> int:
    """A number of draws for each of the two sets."""
    return full if os.environ.get("FULL") else gate


def seeded() -> random.Random:
    """A source of draws whose seed is printed, and so shown where the test fails."""
    seed = random.randrange(1 << 32)
    print(f"replay with random.Random({seed})")
    return random.Random(seed)
