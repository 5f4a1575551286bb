"""How much a test that draws what it tries draws: little in the gate, more in the full set.

Such a test has the mark `drawn`: it runs in both sets, as it does not try the same twice.
"""

import os


def amount(gate: int, full: int) -> int:
    """A number of draws for each of the two sets."""
    return full if os.environ.get("FULL") else gate
