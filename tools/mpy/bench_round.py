"""Plays rounds of the slice for a while and prints `simulated_ms wall_ms rounds`; runs on either VM."""

import json
import sys
import time

from rig import stories
from rig.story import Stage


def clock_ms():
    return time.ticks_ms() if hasattr(time, "ticks_ms") else time.perf_counter_ns() // 1000000


def main():
    wanted_ms = int(sys.argv[1])
    with open("board_configs/pico-carousel.json") as file:
        config = json.load(file)
    simulated_ms = 0
    rounds = 0
    start = clock_ms()
    while clock_ms() - start < wanted_ms:
        stage = Stage(config, "caribbean-stud", rounds)
        stage.play(stories.start() + stories.round_of(3))
        assert stage.names()[-1] == "round_ended"
        simulated_ms += stage.rig.plant.now_us // 1000
        rounds += 1
    print(simulated_ms, clock_ms() - start, rounds)


main()
