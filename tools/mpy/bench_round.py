"""Plays one round again and again for a while and prints `simulated_us best_us mean_us rounds`; runs on either VM.

The work is the same every time, so the fastest round is the one that other programs disturbed least.
"""

import json
import sys
import time

from rig import stories
from rig.story import Stage


def clock_us():
    """Processor time, which other programs do not use up; the MicroPython VM has none, and takes the wall's."""
    return time.ticks_us() if hasattr(time, "ticks_us") else time.process_time_ns() // 1000


def since_us(start_us):
    return time.ticks_diff(time.ticks_us(), start_us) if hasattr(time, "ticks_diff") else clock_us() - start_us


def main():
    wanted_us = int(sys.argv[1]) * 1000
    with open("board_configs/pico-carousel.json") as file:
        config = json.load(file)
    steps = stories.start() + stories.round_of(3)
    spent = []
    while sum(spent) < wanted_us:
        start_us = clock_us()
        stage = Stage(config, "caribbean-stud", 1)
        stage.play(steps)
        spent.append(since_us(start_us))
        assert stage.names()[-1] == "round_ended"
    print(stage.rig.plant.now_us, min(spent), sum(spent) // len(spent), len(spent))


main()
