"""Plays a job and a jam on a machine of each kind, with a keyed host, and prints every byte of the link."""

import json
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
PLAYED = (
    ("carousel", stories.round_of(1)),
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
        stage = Stage(config, game, 7, bytes(range(32)), ROLE_TABLE)
        stage.play(stories.start() + steps)
        print(kind, "us", stage.rig.plant.now_us, "scans", stage.rig.scans, "events", " ".join(stage.names()))
        print("bytes", hexlify(bytes(stage.transcript)).decode())


main()
