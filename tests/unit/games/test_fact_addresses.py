"""Cells of the row, of a deck and of a shoe are three index spaces in one row: no two facts of a game share a byte."""

from test_table_facts import LAYOUT, new

from firmware.games import shoe_facts, table_facts
from firmware.games.profile import EXTRA_FIRST_CLOSES
from firmware.games.table_facts import BOOKS_SIZE, FACE_UPS

_WORDS = ("SECONDS", "NOT_IN", "STUB", "ABORTED", "WITHDRAWN")
GAMES = ("boston-5-stud", "caribbean-stud", "double-attack-blackjack", "double-cross-poker", "double-down-stud")


def addresses_of(facts):
    """Where in the row each fact of a game lies, byte by byte: of the table and the round, of decks, and of a shoe."""
    profile = facts.profile
    found = [(name, cell) for cell, name in enumerate(LAYOUT.split()) if name not in ("-", "FACE_UPS")]
    found += [(name + " of the second byte", getattr(table_facts, name) + 1) for name in _WORDS]
    for deck in (1, 2):
        found += [("cell %d of deck %d" % (cell, deck), table_facts._place(deck, cell)) for cell in range(FACE_UPS + 1)]
    if profile.extras & EXTRA_FIRST_CLOSES:
        # A shoe of many rounds: what it knows of dealer and boxes is where other games have wagers.
        assert not profile.lockout and profile.closings == 1 and not profile.final_each
        found = [fact for fact in found if fact[0].split()[0] not in ("SECONDS", "NOT_IN", "ACCEPTED", "COLLECTED")]
        found += [("box %d" % box, shoe_facts.BOXES + (box >> 1)) for box in range(0, profile.positions_max + 1, 2)]
        found += [("UP_CARD", shoe_facts.UP_CARD), ("ANSWER", shoe_facts.ANSWER)]
    return found


def test_no_two_facts_of_a_game_have_one_address():
    for game in GAMES:
        names = {}
        for name, at in addresses_of(new(game)):
            assert 0 <= at < BOOKS_SIZE and at not in names, (game, name, names.get(at))
            names[at] = name


def test_every_fact_of_a_deck_is_read_where_it_was_written_and_nowhere_else():
    for deck in (1, 2):
        for cell in range(FACE_UPS + 1):
            facts = new()
            facts._set(deck, cell, 7)
            assert [at for at in range(BOOKS_SIZE) if facts.row[at]] == [table_facts._place(deck, cell)]
            for other in (1, 2):
                found = [facts.deck(other, each) for each in range(FACE_UPS + 1)]
                assert found == [7 if (other, each) == (deck, cell) else 0 for each in range(FACE_UPS + 1)]
