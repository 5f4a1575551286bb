"""Fault codes, as latched, journalled and sent, and `require` for broken invariants."""

from micropython import const

FAULT_NONE = const(0)
FAULT_MISFEED = const(1)  # roller turned, no card arrived, retries used up
FAULT_JAM_THROAT = const(2)  # a card stopped between hopper and store
FAULT_JAM_EXIT = const(3)  # a card stopped between store and tray
FAULT_DOUBLE_FEED = const(4)  # more than one card where one should be, by length or opacity
FAULT_CARD_LENGTH = const(5)  # a passage too short to be a card: foreign card, or a beam that cannot be trusted
FAULT_MISMATCH = const(6)  # the count is not what the deck must have, or two counts disagree
FAULT_AXIS = const(7)  # the carousel did not arrive in time, or lost its home mark
FAULT_DOOR = const(8)  # the door was opened with cards inside
FAULT_CARDS_INSIDE = const(9)  # cards found inside where the machine had to be empty
FAULT_POWER = const(10)  # power was lost during a job or a round; counts unknown
FAULT_ENTROPY = const(11)  # no healthy randomness, no shuffle
FAULT_JOURNAL = const(12)  # storage failed, or is full of unacknowledged events
FAULT_EDGE_LOST = const(13)  # more beam edges than could be kept: counts unknown
FAULT_STACK = const(14)  # a stack that is not what was asked for
FAULT_EJECTOR = const(15)  # the ejector did not come home
FAULT_INTERNAL = const(16)  # a broken invariant: internal error
FAULT_BEAM = const(17)  # a beam that does not notice when its light goes off: blind, or broken
FAULT_BACK = const(18)  # a card with another back
FAULT_FACE_UP = const(19)  # a card that lies the wrong way up
FAULT_COMPOSITION = const(20)  # the right number of cards, but they do not make whole decks
FAULT_RESET = const(21)  # the firmware stopped, and the watchdog started it again
FAULT_NOISE = const(22)  # an input line changes faster than any card can make it: counts unknown
FAULT_PANEL = const(23)  # buttons and lamps do not answer
FAULT_CONFIG = const(24)  # the machine is not as configured: a figure as measured, and as the config has it

# In code order: the same words on the wire, in the tools and in the manual.
FAULT_NAMES = (
    "none misfeed jam_throat jam_exit double_feed card_length mismatch axis door cards_inside power entropy"
    " journal edge_lost stack ejector internal beam back face_up composition reset noise panel config"
)

# The figures of the board config that a machine can find wrong by itself.
FIGURE_CARD = const(1)
FIGURE_BRAKE = const(2)
FIGURE_SLOT_COUNT = const(3)
FIGURE_SLOT_STEPS = const(4)
FIGURE_SLOT_BEAM = const(5)
FIGURE_NAMES = "none card_um brake_um slot_count slot_steps slot_beam_slots"


class Broken(Exception):
    """An invariant of the firmware does not hold; the only safe answer is motors off and a latched fault."""


class BrokenJournal(Broken):
    """The same, of what has to be recorded: with its own class, so that a handler need not look inside."""


def require(ok: bool, code: int) -> None:
    """Raise Broken(code) unless ok. Not an assert: optimised builds drop asserts."""
    if not ok:
        raise BrokenJournal(code) if code == FAULT_JOURNAL else Broken(code)
