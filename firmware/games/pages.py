"""What the dealer reads, by state and warning: four lines of twenty characters that always say what to do next."""

from micropython import const

from firmware.fault import FAULT_NAMES, FAULT_NOISE, FAULT_STACK
from firmware.games.flow import (
    STACK_OFFERED,
    WAITING_FOR_DECK,
    WAITING_FOR_GREEN,
    WAITING_FOR_WAGERS,
    WARNING,
)
from firmware.games.hands import undecided
from firmware.games.profile import EXTRA_SETTLED_FIRST
from firmware.games.table_facts import EXTRA, HELD, HELD_NEW, HELD_OFF
from firmware.image import INPUTS
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.games.profile import Page

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
    ("More wagers", "", "Press CLOSE when", "betting is closed"),
)

# What is missing, in the order of the needs; those of a shoe that is drawn by hand are in drawn/pages.py.
_NEEDS = (
    ("", "", "", ""),
    ("Out of service", "", "Take it off the", "table, or call floor"),
    ("Deck is on hold", "Do not shuffle it", "Wait until the", "dispute is over"),
    ("Deck not inducted", "", "Inspect, verify,", "show and wash it"),
    ("Who shuffled this", "deck?", "Tell the table", "system"),
    ("Cut the deck", "", "Then tell the table", "system"),
    ("Count the stub", "Right: press LOCK", "Wrong: press ACK", ""),
    ("Round is not over", "", "Press GREEN when", "it is"),
    ("Progressive chips", "and wagers differ", "Count the chips and", "tell the system"),
)


# What happened, in the order of the fault codes; docs/FAULTS.md says more.
_WHAT = (
    "",
    "Cards do not feed",
    "Card stuck at intake",
    "Card stuck at exit",
    "Two cards at once",
    "Wrong card length",
    "Wrong card count",
    "Store lost position",
    "Door was opened",
    "Cards left inside",
    "Power was lost",
    "Random test failed",
    "Storage bad or full",
    "Beam signals lost",
    "Stack is not right",
    "Ejector is stuck",
    "Firmware fault",
    "Beam sensor fault",
    "Card of another deck",
    "Card lies face up",
    "Deck not complete",
    "Firmware restarted",
    "Noise on a sensor",
    "Panel not connected",
    "Not as configured",
)
_NAME_MAX = const(11)  # characters of a sensor's name beside "Noise on "


def page_lines(flow: "Flow") -> "Page":
    if flow.state != WARNING:
        if flow.hold:
            if flow.hold == FAULT_STACK:
                return ("Tray is not empty", "", "Empty the tray", "")
            return ("Please wait: storage", "is full of reports", "Check the link to", "the table system")
        return _play(flow)
    first, then = "Empty hopper, path,", "then press ACK"
    if flow.door.is_open:
        first, then = "Clear the path, then", "close the door"
    elif flow.door.due:
        first, then = "Open door, clear the", "path, close, ACK"
    what = _WHAT[flow.warning]
    if flow.sensor:
        what = ("Noise on " if flow.warning == FAULT_NOISE else "Lost at ") + INPUTS[flow.sensor - 1][:_NAME_MAX]
    if flow.need:
        what, _gap, first, then = _NEEDS[flow.need]
    return "STOP: " + FAULT_NAMES.split()[flow.warning], what, first, then


def _play(flow: "Flow") -> "Page":
    """The page of a state in play: the game's own text, or the usual one."""
    state = flow.state
    if flow.play is not None:
        page = flow.play.page(flow)
        if page is not None:
            return page
    if flow.need and flow.need != ids.NEED_CARD:
        return _needed(flow)
    if flow.tail and flow.by_hand is not None:
        page = flow.by_hand.page(flow)
        if page is not None:
            return page
    if flow.cover is not None:
        page = flow.cover.page(flow)
        if page is not None:
            return page
    if state == WAITING_FOR_GREEN and not flow.round_open:
        if flow.outbox.round:
            return ("Round is void", "", "Press GREEN to take", "out the rest")
        return ("Deck is not to be", "played", "Press GREEN to take", "out all cards")
    if state == STACK_OFFERED and not flow.round_open:
        return "Round is void", "Cards lie face up", "Take the stack", ""
    if state == STACK_OFFERED and flow.machine.feed.face_ups:
        return "A card lies face up", "Put it into the rack", "Take the stack", ""
    if state == WAITING_FOR_DECK:
        page = _next_deck(flow)
        if page is not None:
            return page
    state = flow.shown if flow.tail else state
    page = flow.profile.pages.get(state, _PAGES[state])
    if state == WAITING_FOR_GREEN and flow.profile.extras & EXTRA_SETTLED_FIRST and flow.profile.decks > 1:
        return "Rest comes out for", "the other deck, and", "joins the last hand.", "Press GREEN"
    if flow.facts.row[EXTRA] and state in (WAITING_FOR_GREEN, WAITING_FOR_WAGERS):
        return "One card more is due", "Press LOCK to get it", "Play goes on after", "that card"
    return page


def _needed(flow: "Flow") -> "Page":
    """The page of a need that a rule requires first."""
    need = flow.need
    if need == ids.NEED_HOUSE_DECISION:
        if flow.profile.recorded:
            return "Machine has stopped", "in a round. House", "decision: tell the", "table system"
        return "House decides about", "the round", "LOCK: it goes on", "CLOSE: it is void"
    if need == ids.NEED_DECISIONS and undecided(flow):
        return "Fold or raise of all", "is not on record", "Tell the table", "system"
    if need == ids.NEED_DECISIONS and not flow.tail:
        return flow.profile.pages.get(WAITING_FOR_GREEN, _PAGES[WAITING_FOR_GREEN])
    later = need == ids.NEED_COUNT and flow.profile.recorded and flow.facts.stub_reported_later()
    if later or need == ids.NEED_DECISIONS:
        return "Final deal is not", "on record", "Tell the table", "system"
    page = _NEEDS[need]
    if need != ids.NEED_INDUCTION or not flow.facts.deck(flow.facts.turn(), HELD) & HELD_OFF:
        return page
    if flow.profile.recorded:
        return page[0], "Take it off; new one", page[2], page[3]
    return ("Take this deck off", "the table. New one", "inducted: open door,", "close it, press ACK")


def _next_deck(flow: "Flow") -> "Page | None":
    """Which deck comes next, if only one may."""
    facts = flow.facts
    turn = facts.turn()
    first, then = "Insert deck, then", "press GREEN"
    if facts.deck(turn, HELD) & HELD_NEW:
        return "Ready for a new deck", "Not the one before", first, then
    if flow.profile.decks > 1 and facts.deck(3 - turn, HELD) & HELD_OFF:
        return "Take deck %d off the" % (3 - turn), "table. Deck %d next:" % turn, first, then
    return ("Deck %d next, or" % turn, "GREEN: round over", first, then) if flow.tail else None
