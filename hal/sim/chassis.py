"""What the parts of a simulated machine share: the clock, the lines, where the cards lie, and what each card is.

A part is built on a Chassis and knows no other part but those that it is given. Cards are numbers: below 1000 of the
deck, above foreign objects. Piles are lists, bottom to top.
"""

from hal.sim.truth import Truth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Protocol

    from hal.api import Config
    from hal.sim.truth import Figures

    class AnyAxis(Protocol):
        """What is asked of a carousel's or elevator's axis. `slot` is the place at the mouth."""

        home_at: int

        @property
        def slot(self) -> int: ...
        @property
        def moving(self) -> bool: ...
        @property
        def early(self) -> int: ...
        def fits(self) -> bool: ...
        def is_astray(self) -> bool: ...
        def under_beam(self) -> int: ...
        def slot_of(self, place: int) -> int: ...
        def state(self) -> int: ...
        def move(self, places: int, now_us: int) -> None: ...
        def home(self, now_us: int) -> None: ...
        def step_by(self, steps: int, pace: int, now_us: int) -> None: ...
        def halt(self, now_us: int) -> None: ...


FOREIGN = 1000  # the first number that is no card
CUT_CARD = 9999  # an object in the pile, no card

TRAIT_BACK = 1  # not the back this deck must have
TRAIT_FACE = 2  # lies face up
TRAIT_FOREIGN = 4  # no card of any deck
TRAIT_CUT = 8  # the cut card


class Chassis:
    """State that several parts read or write, and three requests to the machine as a whole, which Plant implements."""

    axis: "AnyAxis"
    set_line: "Callable[[int, int, int], None]"  # sets the true level of a line: line, level, now_us

    def __init__(self, config: "Config", lines: "tuple[str, ...]", seed: int, truth: "Figures | None") -> None:
        self.true = Truth(config, truth, lines)
        mech = self.true.mech
        self.kind = mech["kind"]
        self.seed = seed
        self.now_us = 0
        self.lines = lines
        self._name_lines(lines)
        self.level = bytearray(len(lines))  # levels of the lines
        self.truth = bytearray(len(lines))  # true levels
        self.lied = bytearray(len(lines))  # a fault has been on this line: what it caused is not the firmware's
        self.edges: "list[tuple[int, int, int]]" = []
        self.changed = False
        self.watch_slot = False
        self.stop_line = -1  # blocked, it carries out the stop order
        self.recognition = bool(config.get("sensors", {}).get("recognition", False))
        self.card_code = self.card_codes = 0
        self.crashes = 0
        self.card_um = mech["card_um"]
        self.exit_um = mech["exit_um"] if self.kind in ("carousel", "shoe") else 0  # the others have none
        self.traits: "dict[int, tuple[int, int]]" = {}  # cards that are not like the others: length, traits
        self.hopper: "list[int]" = []
        self.tray: "list[int]" = []
        self.lost: "list[int]" = []  # under a rail, where no beam looks
        self.slots: "list[list[int]]" = []
        self.loads = 0
        self.put_in = 0  # cards ever put into the machine
        self.handed_out = 0

    def _name_lines(self, lines: "tuple[str, ...]") -> None:
        self.line_hopper = lines.index("hopper")
        self.line_a = lines.index("throat_a")
        self.line_b = lines.index("throat_b")
        self.line_opacity = lines.index("opacity")
        self.line_slot = lines.index("slot")
        self.line_exit = lines.index("exit")
        self.line_tray = lines.index("tray")
        self.line_ejector = lines.index("ejector")
        self.line_door = lines.index("door")
        self.line_arrival = lines.index("arrival")
        self.line_cut = lines.index("cut")
        self.line_back = lines.index("back")
        self.line_face = lines.index("face")

    # -- requests to the machine -----------------------------------------------------------------------------------

    def apply(self) -> None:
        """Give the parts what the outputs say, as far as the motors still work."""
        raise NotImplementedError

    def look(self) -> None:
        """Show the slot beam what it sees at rest."""
        raise NotImplementedError

    def stop_blocked(self, now_us: int) -> None:
        """The line that the stop order names has become blocked."""
        raise NotImplementedError

    # -- cards -----------------------------------------------------------------------------------------------------

    def trait_of(self, card: int) -> "tuple[int, int]":
        """Length and traits."""
        if card == CUT_CARD:
            return self.card_um, TRAIT_CUT
        return self.traits.get(card, (self.card_um, TRAIT_FOREIGN if card >= FOREIGN else 0))

    def mark_card(self, card: int, length_um: int, traits: int) -> None:
        """Make one card different; length 0 leaves its length."""
        old_um, old = self.trait_of(card)
        self.traits[card] = (length_um or old_um, old | traits)

    def read_card(self, card: int) -> None:
        """The recognition sensor at throat A has read a face, or nothing it knows."""
        foreign = self.trait_of(card)[1] & (TRAIT_FOREIGN | TRAIT_CUT)
        self.card_code = 0 if foreign else card % 52 + 1
        self.card_codes += 1
        self.changed = True

    def hand_out(self, cards: "list[int]") -> None:
        self.handed_out += count_cards(cards)


def count_cards(cards: "list[int]") -> int:
    return len(cards) - cards.count(CUT_CARD)
