"""Plays stories for the seeds given as arguments and prints everything observable, on whichever VM runs it."""

import json
import sys
from binascii import hexlify

from rig import stories
from rig.story import Stage

STORIES = (
    ("round", stories.round_of(3)),
    ("open", stories.shuffle(52) + stories.deal(0) + [("stack_offered", 700, "press", "green")] + stories.finish()[1:]),
    ("short deck", stories.refuse_deck(51) + stories.round_of(1)),
    ("long deck", stories.refuse_deck(53)),
    ("misfeed", [("", 0, "misfeed", "20:2")] + stories.round_of(1)),
    ("throat jam", [("", 0, "jam", "throat:10:60000")] + stories.shuffle(52) + stories.clear_by_hand()),
    (
        "exit jam",
        [("", 0, "jam", "exit:7:40000")] + stories.shuffle(52) + stories.deal(3)[:-3] + stories.clear_by_hand(),
    ),
    (
        "power cut",
        stories.shuffle(52)
        + stories.deal(3)[:-2]
        + [("stack_started", 300, "cut", 0), ("", 2000, "boot", 0)]
        + stories.clear_by_hand(),
    ),
)


def main():
    with open("board_configs/pico-carousel.json") as file:
        config = json.load(file)
    for seed in [int(word) for word in sys.argv[1:]]:
        for name, steps in STORIES:
            stage = Stage(config, "caribbean-stud", seed)
            stage.play(stories.start() + steps)
            print("seed", seed, name, "us", stage.rig.plant.now_us, "scans", stage.rig.scans)
            print("events", " ".join(stage.names()))
            print("cards", stage.taken)
            print("bytes", hexlify(bytes(stage.transcript)).decode())
            print("storage", hexlify(bytes(stage.rig.nv.data[:4096])).decode())


main()
