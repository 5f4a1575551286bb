"""Plays a job and a fault on a machine of each kind, with a keyed host, for the seed that is given, and prints every
byte of link and storage."""

import json
import sys
from binascii import hexlify

from firmware.protocol.ids import ROLE_TABLE
from rig import stories
from rig.story import Stage

JAM = [("", 0, "jam", "throat:5:60000")]
DRAWN = (
    [("", 500, "load", 52), ("", 300, "press", "green"), ("deck_loaded", 1000, "press", "close")]
    + [("", 600, "draw", 150)] * 4
    + [("", 1500, "press", "green"), ("round_ended", 500, "wait", 0)]
)
POWER_CUT = [("stack_started", 300, "cut", 0), ("", 2000, "boot", 0)] + stories.clear_by_hand()
PLAYED = (
    ("carousel", [("", 0, "misfeed", "20:2")] + stories.refuse_deck(51) + stories.round_of(1)),
    ("carousel", stories.shuffle(52) + stories.deal(3)[:-2] + POWER_CUT),
    ("carousel", JAM + stories.shuffle(52) + stories.clear_by_hand()),
    ("shelves", stories.shuffle(52) + stories.hand_out()),
    ("shelves", JAM + stories.shuffle(52) + stories.clear_by_hand()),
    ("shoe", stories.play_shoe(2)),
    ("draw", DRAWN),
    ("draw", DRAWN[:3] + [("", 500, "draw", 8000)] + stories.clear_by_hand()),
)


def main():
    for kind, steps in PLAYED:
        with open("board_configs/pico-" + kind + ".json") as file:
            config = json.load(file)
        config["link"]["mode"] = "table"
        game = "caribbean-stud" if kind == "carousel" else "house"
        stage = Stage(config, game, int(sys.argv[1]), bytes(range(32)), ROLE_TABLE)
        stage.play(stories.start() + steps)
        print(kind, "us", stage.rig.plant.now_us, "scans", stage.rig.scans, "events", " ".join(stage.names()))
        print("bytes", hexlify(bytes(stage.transcript)).decode(), hexlify(bytes(stage.rig.nv.data[:4096])).decode())


main()
