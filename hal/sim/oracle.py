"""The oracle of tests: where every card really is, and which motor works against a card that does not move."""

from hal.sim.chassis import count_cards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.sim.plant import Plant


class CardCounts:
    """Numbers of cards; their sum is what was ever put into the machine."""

    def __init__(self, plant: "Plant") -> None:
        self.hopper = count_cards(plant.hopper)
        self.path = plant.output_tray.late_count()
        for track in plant.tracks:
            for body in track.bodies:
                self.path += count_cards(body.cards)
        self.store = sum([len(slot) for slot in plant.slots])
        self.tray = len(plant.tray)
        self.lost = len(plant.lost)  # under a rail
        self.out = plant.handed_out

    def total(self) -> int:
        return self.hopper + self.path + self.store + self.tray + self.lost + self.out


def is_moving(plant: "Plant") -> bool:
    """Any card, or the axis."""
    for track in plant.tracks:
        for body in track.bodies:
            if body.moving:
                return True
    return plant.axis.moving


def stopped_us(plant: "Plant", output: int) -> int:
    """For how long the motor with this number has been running against a card that does not move; 0 if it is not."""
    if not plant.outputs[output]:
        return 0
    since_us = plant.on_us[output]
    longest = 0
    for track in plant.tracks:
        longest = max(longest, track.stopped_us(output, since_us))
    return longest
