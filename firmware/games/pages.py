"""What the dealer reads, by state and warning: four lines of twenty characters that always say what to do next."""

from firmware.fault import FAULT_NAMES, FAULT_STACK
from firmware.games.flow import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow

# In the order of the state constants in flow.py.
_PAGES = (
    ("Starting", "", "Please wait", ""),
    ("Checking that the", "machine is empty", "", "Please wait"),
    ("Ready for a deck", "", "Insert deck, then", "press GREEN"),
    ("Preparing", "", "", "Please wait"),
    ("Shuffling", "", "", "Please wait"),
    ("Deck verified", "SEAT: positions", "Press CLOSE when", "betting is closed"),
    ("Betting closed", "", "Confirm progressive", "lock-out: LOCK"),
    ("Dealing a stack", "", "", "Please wait"),
    ("Stack ready", "", "Take the stack", ""),
    ("All stacks dealt", "", "Press GREEN to", "release the rest"),
    ("Releasing the rest", "", "", "Please wait"),
    ("Remainder in tray", "", "Take the remainder", ""),
    ("Settle the round", "", "Press GREEN when", "the round is over"),
    ("", "", "", ""),  # stopped: by warning, below
    ("Removing all cards", "", "", "Please wait"),
    ("Cards in tray", "Take them off the", "table; do not play", "with this deck"),
    ("Deck verified", "", "Press GREEN to", "hand out the deck"),
    ("Shoe ready", "", "Press CLOSE when", "betting is closed"),
    ("Draw cards", "", "Press GREEN when", "the round is over"),
    ("Shoe is finished", "", "Take out the rest", "of the cards"),
)


# What happened, in the order of the fault codes; docs/FAULTS.md says more.
_WHAT = (
    "",
    "Cards do not feed",
    "Card stuck at intake",
    "Card stuck at exit",
    "Two cards at once",
    "Not a card's length",
    "Wrong card count",
    "Store is out of step",
    "Door was opened",
    "Cards left inside",
    "Power was lost",
    "No good randomness",
    "Storage bad or full",
    "Beam signals lost",
    "Stack is not right",
    "Ejector is stuck",
    "Firmware fault",
    "A beam is blind",
    "Card of another deck",
    "Card lies face up",
    "Deck not complete",
    "Firmware restarted",
)
_HOLD = ("Please wait: storage", "is full of reports", "Check the link to", "the table system")
_TRAY = ("Tray is not empty", "", "Take out what lies", "there")


def page_lines(flow: "Flow") -> "tuple[str, str, str, str]":
    if flow.state != WARNING:
        if flow.hold:
            return _TRAY if flow.hold == FAULT_STACK else _HOLD
        return _PAGES[flow.state]
    first, then = "Empty hopper, path,", "then press ACK"
    if flow.door_open:
        first, then = "Clear the path, then", "close the door"
    elif flow.door_due:
        first, then = "Open door, clear the", "path, close, ACK"
    return "STOP: " + FAULT_NAMES.split()[flow.warning], _WHAT[flow.warning], first, then
