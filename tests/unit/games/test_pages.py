"""What the display says: it fits, it names the warning, and it tells what to do next."""

from firmware import fault
from firmware.games import flow, profile
from firmware.games.by_hand import HandRounds
from firmware.games.cover_all import CoverAll
from firmware.games.door import Door
from firmware.games.pages import page_lines
from firmware.games.table_facts import DECK_CELLS, DECK_FIRST, EXTRA, HELD, HELD_NEW, HELD_OFF, TableFacts
from firmware.image import IN_THROAT_A, INPUTS, sensor_of
from firmware.protocol import ids
from rig.games import load_profile

GAMES = (
    "house",
    "double-down-stud",
    "boston-5-stud",
    "caribbean-stud",
    "double-attack-blackjack",
    "double-cross-poker",
)


class Shown:
    """As much of a flow as a page looks at."""

    def __init__(self, state, warning=0, game="house"):
        self.state = state
        self.warning = warning
        self.sensor = 0
        self.hold = 0
        self.need = 0
        self.door = Door()
        self.profile = load_profile(game)
        self.facts = TableFacts(self.profile)
        self.round_open = True
        self.tail = False
        self.outbox = self
        self.machine = self.feed = self
        self.face_ups = 0
        self.round = 1
        self.play = None
        self.cover = CoverAll()
        self.by_hand = None


def every_page():
    for game in GAMES:
        for state in range(flow.STATE_COUNT):
            if state != flow.WARNING:
                yield Shown(state, 0, game)
    for need in range(1, ids.NEED_BURN):  # the others are those of a shoe that is drawn by hand
        shown = Shown(flow.WAITING_FOR_DECK)
        shown.need = need
        yield shown
    for shown in (Shown(flow.WAITING_FOR_GREEN), Shown(flow.WAITING_FOR_DECK), Shown(flow.WAITING_FOR_GREEN)):
        shown.round_open = shown.facts.row[EXTRA] == 1
        shown.tail = shown.state == flow.WAITING_FOR_DECK
        yield shown
    unplayed = Shown(flow.WAITING_FOR_GREEN)
    unplayed.round_open = False
    unplayed.round = 0
    yield unplayed
    face_up = Shown(flow.STACK_OFFERED)
    face_up.face_ups = 1
    yield face_up
    extra = Shown(flow.WAITING_FOR_GREEN)
    extra.facts.row[EXTRA] = 1
    yield extra
    for game in GAMES[:5]:
        for state in (flow.WAITING_FOR_DECK, flow.WAITING_FOR_ROUND_END, flow.DECK_HELD, flow.SHUFFLING):
            for tail in range(1, 5):
                shown = Shown(state, 0, game)
                shown.by_hand = HandRounds()
                shown.tail = tail
                yield shown
    for held in (HELD_OFF, HELD_NEW):
        for need in (0, ids.NEED_INDUCTION):
            for recorded in (False, True):
                leaves = Shown(flow.WAITING_FOR_DECK)
                leaves.need = need
                leaves.profile.decks = 2
                leaves.profile.recorded = recorded
                leaves.facts.row[DECK_FIRST + HELD] = leaves.facts.row[DECK_FIRST + DECK_CELLS + HELD] = held
                yield leaves
    for hands in range(1, 10):
        for page in range(4):
            shown = Shown(flow.WAITING_FOR_ROUND_END, 0, "caribbean-stud")
            shown.tail = True
            shown.cover.hands = hands
            shown.cover.leaf = page
            yield shown
    for warning in range(1, len(fault.FAULT_NAMES.split())):
        for door in range(3):
            shown = Shown(flow.WARNING, warning)
            shown.door.is_open = door == 1
            shown.door.due = door == 2
            yield shown
    for sensor in range(1, len(INPUTS) + 1):
        for warning in (fault.FAULT_EDGE_LOST, fault.FAULT_NOISE):
            shown = Shown(flow.WARNING, warning)
            shown.sensor = sensor
            yield shown
    held = Shown(flow.WAITING_FOR_DECK)
    held.hold = fault.FAULT_JOURNAL
    yield held


def test_every_page_has_four_lines_of_at_most_twenty_characters():
    for shown in every_page():
        lines = page_lines(shown)
        assert len(lines) == 4
        for line in lines:
            assert len(line) <= 20, line


def test_every_page_says_something_and_every_stop_names_its_warning():
    words = fault.FAULT_NAMES.split()
    for shown in every_page():
        lines = page_lines(shown)
        assert lines[0]
        if shown.state == flow.WARNING:
            assert lines[0] == "STOP: " + words[shown.warning]
            assert lines[1] and lines[2] and lines[3]


def test_a_stop_asks_for_the_door_only_while_it_has_to_be_opened():
    shown = Shown(flow.WARNING, fault.FAULT_JAM_THROAT)
    shown.door.due = True
    assert page_lines(shown)[2:] == ("Open door, clear the", "path, close, ACK")
    shown.door.due = False
    shown.door.is_open = True
    assert page_lines(shown)[2:] == ("Clear the path, then", "close the door")
    shown.door.is_open = False
    assert page_lines(shown)[2:] == ("Empty hopper, path,", "then press ACK")
    assert page_lines(Shown(flow.WARNING, fault.FAULT_MISMATCH))[3] == "then press ACK"


def test_a_stop_by_noise_or_lost_edges_names_the_sensor_where_it_is_known():
    shown = Shown(flow.WARNING, fault.FAULT_NOISE)
    assert page_lines(shown)[1] == "Noise on a sensor"
    shown.sensor = sensor_of(IN_THROAT_A)
    assert page_lines(shown)[:2] == ("STOP: noise", "Noise on throat_a")
    shown.warning = fault.FAULT_EDGE_LOST
    assert page_lines(shown)[:2] == ("STOP: edge_lost", "Lost at throat_a")
    shown.sensor = 0
    assert page_lines(shown)[1] == "Beam signals lost"


def test_a_round_dealt_by_hand_is_shown_unless_cards_move_or_the_next_deck_is_asked_for():
    for state, tail, first in (
        (flow.WAITING_FOR_ROUND_END, profile.TAIL_SETTLING, "Deal the cards,"),
        (flow.WAITING_FOR_DECK, profile.TAIL_SETTLING, "Deck 1 next, or"),
        (flow.WAITING_FOR_DECK, profile.TAIL_HANDED, "Deck is out"),
        (flow.SHUFFLING, profile.TAIL_LOCKOUT, "Betting closed"),
        (flow.DECK_HELD, profile.TAIL_WAGERS, "More wagers"),
        (flow.RELEASING, profile.TAIL_HANDED, "Releasing the rest"),
    ):
        shown = Shown(state)
        shown.by_hand = HandRounds()
        shown.tail, shown.shown = tail, state
        assert page_lines(shown)[0] == first, (state, tail)


def test_a_stack_with_a_card_face_up_says_what_becomes_of_it():
    for round_open, face_ups, first in (
        (True, 0, "Stack ready"),
        (True, 1, "A card lies face up"),
        (False, 2, "Round is void"),
    ):
        shown = Shown(flow.STACK_OFFERED)
        shown.round_open, shown.face_ups = round_open, face_ups
        assert page_lines(shown)[0] == first


def test_a_full_storage_is_shown_where_it_holds_up_the_next_deck():
    shown = Shown(flow.WAITING_FOR_DECK)
    free = page_lines(shown)
    shown.hold = fault.FAULT_JOURNAL
    assert page_lines(shown) != free
    assert "storage" in page_lines(shown)[0]


def test_every_page_of_every_game_tells_what_to_do_next():
    """An instruction is a verb that a person can follow, or a request to wait."""
    verbs = ("Press", "press", "Take", "Insert", "wait", "Confirm", "Draw", "Settle", "clear", "close", "Open", "Empty")
    verbs += ("Inspect", "Tell", "tell", "Count", "Check", "Enter", "GREEN", "LOCK", "Wait", "Close", "First card")
    for shown in every_page():
        text = " ".join(page_lines(shown))
        assert [verb for verb in verbs if verb in text], text


def test_cover_all_shows_every_row_of_its_column_and_no_column_for_a_number_without_one():
    rules = {
        2: (500, 200, 60, 40, 35, 25, 9),
        3: (300, 125, 40, 30, 20, 17, 6),
        4: (250, 100, 30, 20, 15, 10, 5),
        5: (200, 90, 20, 15, 10, 8, 4),
        6: (150, 80, 17, 12, 9, 7, 3),
        7: (125, 70, 15, 9, 7, 5, 3),
        8: (100, 40, 7, 6, 5, 4, 3),
    }
    names = ("Royal Flush", "Straight Flush", "4 of a Kind", "Full House", "Flush", "Straight", "3 of a Kind")
    shown = Shown(flow.WAITING_FOR_ROUND_END, 0, "caribbean-stud")
    shown.tail = True
    for hands in range(1, 10):
        shown.cover.hands = hands
        rows = []
        for page in range(4):
            shown.cover.leaf = page
            assert page_lines(shown)[0] == "Cover All: %d hands" % hands
            rows += [line for line in page_lines(shown)[1:3] if line]
        if hands in rules:
            assert rows == ["%s %d:1" % (names[i], rules[hands][i]) for i in range(7)]
        else:
            assert rows == ["no Cover All table"] * 4
