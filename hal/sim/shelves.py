"""The elevator's shelves, the pusher that empties one into the tray, and the lift from the tray back to the hopper."""

from hal.sim.body import FAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Config
    from hal.sim.body import Body
    from hal.sim.chassis import Chassis
    from hal.sim.faults import Faults
    from hal.sim.tray import Tray


class Shelves:
    """Sink of the throat, and owner of pusher and lift."""

    def __init__(self, plant: "Chassis", faults: "Faults", tray: "Tray", mech: "Config") -> None:
        self.plant = plant
        self.faults = faults
        self.tray = tray
        self.cards_max = mech["shelf_cards_max"]
        self.stroke_us = mech["ejector_us"]
        self.lift_us = mech["lift_us"]
        self.slots: "list[list[int]]" = [[] for _ in range(mech["shelf_count"])]
        self.pushing = False
        self.lifting = False
        self.drop_us = FAR  # the pusher is all the way out
        self.home_us = FAR  # the pusher is back
        self.up_us = FAR  # the lift is at the hopper
        self.due_us = FAR

    def admits(self, body: "Body") -> bool:
        plant = self.plant
        axis = plant.axis
        if axis.moving:
            if not (plant.lied[plant.line_a] or plant.lied[plant.line_b]):
                plant.crashes += 1
            return False
        return axis.fits() and len(self.slots[axis.slot]) + len(body.cards) <= self.cards_max

    def store(self, cards: "list[int]", now_us: int) -> None:
        self.slots[self.plant.axis.slot].extend(cards)
        self.plant.look()

    def slot_level(self) -> int:
        axis = self.plant.axis
        return 1 if axis.fits() and self.slots[axis.slot] else 0

    def mouth_blocked(self) -> bool:
        return self.plant.truth[self.plant.line_ejector] != 0

    def drive(self, ejector: bool, outfeed: bool, now_us: int) -> None:
        plant = self.plant
        if ejector != self.pushing and not self.faults.blocks_ejector():
            self.pushing = ejector
            if ejector:
                if plant.axis.moving:
                    plant.crashes += 1
                self.home_us = FAR
                self.drop_us = now_us + self.stroke_us
                plant.set_line(plant.line_ejector, 1, now_us)
            else:
                self.drop_us = FAR
                self.home_us = now_us + self.stroke_us
        if outfeed != self.lifting:
            self.lifting = outfeed
            self.up_us = now_us + self.lift_us if outfeed else FAR
        self._schedule()

    def fire(self, now_us: int) -> None:
        plant = self.plant
        if self.drop_us <= now_us:
            self.drop_us = FAR
            slot = self.slots[plant.axis.slot]
            if slot and plant.axis.fits():
                self.slots[plant.axis.slot] = []
                plant.look()
                self.tray.store(slot, now_us)
        if self.home_us <= now_us:
            if self.faults.blocks_ejector():
                self.home_us = now_us + self.stroke_us  # the spring keeps pulling
            else:
                self.home_us = FAR
                plant.set_line(plant.line_ejector, 0, now_us)
        if self.up_us <= now_us:
            self.up_us = FAR
            self._lift_tray(now_us)
        self._schedule()

    def _lift_tray(self, now_us: int) -> None:
        """The lift is at the hopper with what lay in the tray."""
        plant = self.plant
        cards = self.tray.take(-1, now_us)
        if cards:
            plant.loads += 1
            plant.hopper.extend(cards)
            plant.set_line(plant.line_hopper, 1, now_us)

    def _schedule(self) -> None:
        self.due_us = min(self.drop_us, self.home_us, self.up_us)
