"""The output tray: what lies in it, bottom to top, its beam, and cards that are slow to come to rest."""

from hal.sim.body import FAR
from hal.sim.chassis import FOREIGN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.sim.body import Body
    from hal.sim.chassis import Chassis
    from hal.sim.faults import Faults


class Tray:
    """Sink of a shoe's throat, of a carousel's outlet and of the pusher of shelves."""

    def __init__(self, plant: "Chassis", faults: "Faults") -> None:
        self.plant = plant
        self.faults = faults
        self.cards = plant.tray
        self.landed = 0  # for faults that name a card
        self.late: "list[tuple[int, list[int]]]" = []
        self.due_us = FAR
        self.filled_us = -1  # when a card last fell where none lay

    def admits(self, body: "Body") -> bool:
        return True

    def store(self, cards: "list[int]", now_us: int) -> None:
        if self.faults.entries:
            late_us = self.faults.late_us(self.landed, cards[0])
            if late_us:
                self.late.append((now_us + late_us, cards))
                self.landed += 1
                self._schedule()
                return
        self.landed += 1
        self.put(cards, now_us)

    def put(self, cards: "list[int]", now_us: int) -> None:
        if not self.cards:
            self.filled_us = now_us
        self.cards.extend(cards)
        if cards:
            self.plant.set_line(self.plant.line_tray, 1, now_us)

    def put_in(self, cards: "list[int]", now_us: int) -> None:
        """A hand puts cards where only the machine should."""
        self.plant.put_in += len(cards)
        self.put(cards, now_us)

    def litter(self, count: int, now_us: int) -> None:
        """So many foreign cards."""
        self.put_in([FOREIGN + i for i in range(count)], now_us)

    def take(self, count: int, now_us: int) -> "list[int]":
        """The dealer's hand takes so many from the top, or everything (-1)."""
        kept = 0 if count < 0 else max(0, len(self.cards) - count)
        cards = self.cards[kept:]
        del self.cards[kept:]
        if not kept:
            self.plant.set_line(self.plant.line_tray, 0, now_us)
        return cards

    def clear(self, now_us: int) -> "list[int]":
        """Everything, also what has not quite landed."""
        cards: "list[int]" = []
        for _due_us, late in self.late:
            cards += late
        self.late = []
        self._schedule()
        return cards + self.take(-1, now_us)

    def fire(self, now_us: int) -> None:
        for entry in list(self.late):
            if entry[0] <= now_us:
                self.late.remove(entry)
                self.put(entry[1], now_us)
        self._schedule()

    def late_count(self) -> int:
        count = 0
        for _due_us, cards in self.late:
            count += len(cards)
        return count

    def _schedule(self) -> None:
        self.due_us = FAR
        for due_us, _cards in self.late:
            self.due_us = min(self.due_us, due_us)
