"""What the dealer reads, by state: four lines of twenty characters that always say what to do next."""

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
    ("STOPPED - see code", "Open door, clear the", "path, close door,", "press ACK"),
    ("Removing all cards", "", "", "Please wait"),
    ("Cards in tray", "Take them off the", "table; do not play", "with this deck"),
    ("Deck verified", "", "Press GREEN to", "hand out the deck"),
    ("Shoe ready", "", "Press CLOSE when", "betting is closed"),
    ("Draw cards", "", "Press GREEN when", "the round is over"),
    ("Shoe is finished", "", "Take out the rest", "of the cards"),
)


def page_lines(flow: "Flow") -> "tuple[str, str, str, str]":
    return _PAGES[flow.state]
