"""The carousel's slots: what lies in them, which one is at the mouth, and what its beam sees at rest."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.sim.body import Body
    from hal.sim.chassis import Chassis


class Carousel:
    """A slot is made for one card; a double feed that goes in together lies in it together."""

    def __init__(self, plant: "Chassis", count: int, beam_slots: int) -> None:
        self.plant = plant
        self.beam_slots = beam_slots
        self.slots: "list[list[int]]" = [[] for _ in range(count)]
        self.strays = bytearray(count)  # 1: the card went in while the slot at the mouth was unknown

    def admits(self, body: "Body") -> bool:
        """Two cards in one slot break the machine, unless the firmware could not know that this slot is at the mouth,
        or that it was when the other one came: a slip back makes up for a slip forth."""
        plant = self.plant
        axis = plant.axis
        if axis.moving:
            if not (plant.lied[plant.line_a] or plant.lied[plant.line_b]):
                plant.crashes += 1
            return False
        if not axis.fits():
            return False
        if self.slots[axis.slot]:
            if axis.is_astray() or self.strays[axis.slot]:
                return False
            if not plant.lied[plant.line_slot]:
                plant.crashes += 1
        return True

    def store(self, cards: "list[int]", now_us: int) -> None:
        axis = self.plant.axis
        self.slots[axis.slot].extend(cards)
        self.strays[axis.slot] = 1 if axis.is_astray() else 0

    def unstore(self) -> "list[int]":
        """Take what is in the slot at the mouth."""
        plant = self.plant
        if plant.axis.moving:
            plant.crashes += 1
        cards = self.slots[plant.axis.slot]
        self.slots[plant.axis.slot] = []
        self.strays[plant.axis.slot] = 0
        return cards

    def slot_level(self) -> int:
        """The slot beam at rest: it looks between two slots, unless the carousel stands crooked."""
        axis = self.plant.axis
        slot = axis.under_beam()
        return 1 if slot >= 0 and self.slots[slot] else 0
