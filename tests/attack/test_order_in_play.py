"""Read the storage chip of a device whose deck is in play: neither seed nor order is there, under either policy."""

from array import array
from typing import Any

import pytest
from support import GAME, board

from firmware.protocol import ids
from rig import stories
from rig.story import Stage

KEY = bytes(range(32))
PART = 8  # bytes of a secret that are no coincidence


class Chip:
    """Looks at the whole storage after every write while a deck is in play."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.secrets: list[bytes] = []
        self.looked = 0
        self.writes = -1
        shuffler: Any = stage.rig.app.shuffler
        draw = shuffler.draw

        def drawn(order: "array[int]", count: int) -> bool:
            done = draw(order, count)
            wide = b"".join(place.to_bytes(2, "little") for place in order[:count])
            self.secrets = [bytes(shuffler.seed), bytes(place & 0xFF for place in order[:count]), wide]
            return done

        shuffler.draw = drawn
        stage.listen = self.look

    def look(self) -> None:
        flow: Any = self.stage.rig.app.flow
        if not self.secrets or (not flow.ledger.inside() and not flow.round_open):
            return
        if self.stage.rig.nv.writes == self.writes:
            return
        self.writes = self.stage.rig.nv.writes
        image = bytes(self.stage.rig.nv.data)
        self.looked += 1
        for secret in self.secrets:
            for at in range(len(secret) - PART):
                assert image.find(secret[at : at + PART]) < 0, (flow.state, "part of the order or its seed")


@pytest.mark.parametrize("seeds", ["erase", "disclose", None])
def test_an_opened_case_does_not_tell_the_order_of_the_deck_in_play(seeds: str | None) -> None:
    config = board()
    if seeds is not None:
        config["audit"] = {"seeds": seeds}
    stage = Stage(config, GAME, 7, KEY, ids.ROLE_RECORDER)
    chip = Chip(stage)
    stage.play(stories.start() + stories.round_of(1))
    assert chip.looked > 10, chip.looked
    assert stage.names()[-2:] == ["round_ended", "sealed"]
