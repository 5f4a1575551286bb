"""A hole-card reader: two lamps, and an eye that sees a card's face only in the light of one of them.

One lamp shows aces, the other kings, queens and jacks; what is seen in neither light is not told apart. In the dark it
detects only that a card is there: unlit, the reader cannot reveal it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Config
    from hal.sim.chassis import Chassis

# As the firmware numbers its outputs.
READ_ACE = 9
READ_COURT = 10

ACE = 1
JACK = 11


class Reader:
    """One of a table's; the dealer puts the hole card in and takes it out."""

    def __init__(self, plant: "Chassis", config: "Config") -> None:
        self.plant = plant
        self.wired = "read_ace" in config["outputs"] and "read_court" in config["outputs"]
        self.rank = 0  # of the card in it, 1 ace to 13 king; 0: none
        self.ace = 0
        self.court = 0
        self.line_card = plant.lines.index("hole_card")
        self.line_match = plant.lines.index("hole_match")

    def insert(self, rank: int) -> None:
        self.rank = rank
        self._look()
        self.plant.set_line(self.line_card, 1, self.plant.now_us)

    def remove(self) -> None:
        self.rank = 0
        self.plant.set_line(self.line_card, 0, self.plant.now_us)
        self._look()

    def drive(self, outputs: bytearray) -> None:
        if self.wired and len(outputs) > READ_COURT:
            self.light(outputs[READ_ACE], outputs[READ_COURT])

    def light(self, ace: int, court: int) -> None:
        self.ace = ace
        self.court = court
        self._look()

    def _look(self) -> None:
        match = (self.ace and self.rank == ACE) or (self.court and self.rank >= JACK)
        self.plant.set_line(self.line_match, 1 if match else 0, self.plant.now_us)
