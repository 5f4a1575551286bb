"""Checks that the link never reveals an order or its seed, and storage never the seed in play."""

from firmware.games.flow import SHUFFLING
from rig.card_locations import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

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
        self.app: "App | None" = None
        stage.peer.frames = []

    def look(self, app: "App") -> None:
        """At every change of state. When a shuffle has just begun its order is in memory."""
        flow = app.flow
        if app is not self.app:
            self.app = app
            self._hook(app)
        if flow.state != SHUFFLING or len(self.orders) >= KEPT_MAX or not any(app.order):
            return
        order = [app.order[i] for i in range(flow.profile.deck_cards)]
        if self.orders and self.orders[-1] == order:
            return
        self.orders.append(order)
        if self.seeds and bytes(self.stage.rig.nv.data).find(self.seeds[-1][:SEED_PART]) >= 0:
            raise Finding("leak: the seed of the deck in play is in storage")

    def _hook(self, app: "App") -> None:
        """Keep every seed that is drawn: the device forgets most of them at once."""
        if app.shuffler is None:
            return
        draw = app.shuffler.draw

        def drawn(order: "array[int]", count: int) -> bool:
            done = draw(order, count)
            if done:
                self.seeds.append(bytes(app.shuffler.seed))
            return done

        app.shuffler.draw = drawn

    def check(self) -> None:
        frames = self.stage.peer.frames or []
        sent = b"\xff\xff".join(frames)
        for seed in self.seeds:
            for at in range(len(seed) - SEED_PART):
                part = seed[at : at + SEED_PART]
                if any(part) and sent.find(part) >= 0:
                    raise Finding("leak: part of a seed crossed the link")
        for order in self.orders:
            for at in range(len(order) - RUN):
                run = order[at : at + RUN]
                wide = bytearray()
                for place in run:
                    wide.extend(bytes([place & 0xFF, place >> 8]))
                narrow = bytes([place & 0xFF for place in run])
                if sent.find(bytes(wide)) >= 0 or sent.find(narrow) >= 0:
                    raise Finding("leak: part of an order crossed the link")
