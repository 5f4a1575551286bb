"""What the display says: it fits, it names the warning, and it tells what to do next."""

from firmware.fault import FAULT_JAM_THROAT, FAULT_JOURNAL, FAULT_MISMATCH, FAULT_NAMES
from firmware.games.flow import STATE_COUNT, WAITING_FOR_DECK, WARNING
from firmware.games.pages import page_lines


class Shown:
    """As much of a flow as a page looks at."""

    def __init__(self, state, warning=0):
        self.state = state
        self.warning = warning
        self.hold = 0
        self.door_open = False
        self.door_due = False


def every_page():
    for state in range(STATE_COUNT):
        if state != WARNING:
            yield Shown(state)
    for warning in range(1, len(FAULT_NAMES.split())):
        for door in range(3):
            shown = Shown(WARNING, warning)
            shown.door_open = door == 1
            shown.door_due = door == 2
            yield shown
    held = Shown(WAITING_FOR_DECK)
    held.hold = FAULT_JOURNAL
    yield held


def test_every_page_has_four_lines_of_at_most_twenty_characters():
    for shown in every_page():
        lines = page_lines(shown)
        assert len(lines) == 4
        for line in lines:
            assert len(line) <= 20, line


def test_every_page_says_something_and_every_stop_names_its_warning():
    words = FAULT_NAMES.split()
    for shown in every_page():
        lines = page_lines(shown)
        assert lines[0]
        if shown.state == WARNING:
            assert lines[0] == "STOP: " + words[shown.warning]
            assert lines[1] and lines[2] and lines[3]


def test_a_stop_asks_for_the_door_only_while_it_has_to_be_opened():
    shown = Shown(WARNING, FAULT_JAM_THROAT)
    shown.door_due = True
    assert page_lines(shown)[2:] == ("Open door, clear the", "path, close, ACK")
    shown.door_due = False
    shown.door_open = True
    assert page_lines(shown)[2:] == ("Clear the path, then", "close the door")
    shown.door_open = False
    assert page_lines(shown)[2:] == ("Empty hopper, path,", "then press ACK")
    assert page_lines(Shown(WARNING, FAULT_MISMATCH))[3] == "then press ACK"


def test_a_full_storage_is_shown_where_it_holds_up_the_next_deck():
    shown = Shown(WAITING_FOR_DECK)
    free = page_lines(shown)
    shown.hold = FAULT_JOURNAL
    assert page_lines(shown) != free
    assert "storage" in page_lines(shown)[0]
