"""Whether anything that crossed the link tells an order or the seed it came from."""

from firmware.games.flow import SHUFFLING
from firmware.journal.cells import CELL_SIZE, HELD_CELL
from firmware.journal.seeds import SEED_AT, SEED_END
from rig.card_locations import Finding

HELD_AT = HELD_CELL * CELL_SIZE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.app import App
    from rig.story import Stage

RUN = 6  # so many places in a row are no coincidence
SEED_PART = 8
KEPT_MAX = 8  # orders of one run that are looked for


class Leaks:
    """Remembers every order and seed while it exists, and every frame that the host got."""

    def __init__(self, stage: "Stage") -> None:
        self.stage = stage
        self.orders: "list[list[int]]" = []
        self.seeds: "list[bytes]" = []
        stage.peer.frames = []

    def look(self, app: "App") -> None:
        """A shuffle has just begun: its order is in memory, its seed in storage."""
        flow = app.flow
        if flow.state != SHUFFLING or len(self.orders) >= KEPT_MAX or not any(app.order):
            return
        order = [app.order[i] for i in range(flow.profile.deck_cards)]
        if self.orders and self.orders[-1] == order:
            return
        self.orders.append(order)
        self.seeds.append(bytes(self.stage.rig.nv.data[HELD_AT + SEED_AT : HELD_AT + SEED_END]))

    def check(self) -> None:
        frames = self.stage.peer.frames or []
        told = b"\xff\xff".join(frames)
        for seed in self.seeds:
            for at in range(len(seed) - SEED_PART):
                part = seed[at : at + SEED_PART]
                if any(part) and told.find(part) >= 0:
                    raise Finding("leak: part of a seed crossed the link")
        for order in self.orders:
            for at in range(len(order) - RUN):
                run = order[at : at + RUN]
                wide = bytearray()
                for place in run:
                    wide.extend(bytes([place & 0xFF, place >> 8]))
                narrow = bytes([place & 0xFF for place in run])
                if told.find(bytes(wide)) >= 0 or told.find(narrow) >= 0:
                    raise Finding("leak: part of an order crossed the link")
