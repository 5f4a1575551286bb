"""Games by name, as their files have them, and as a device reads them: numbers in place of words.

Used by every VM, and by the tools that flash a device.
"""

import json

from firmware.games.profile import DEALINGS, KINDS, RULE_HOUSE, find_profile, set_up_bits
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Sequence

    from firmware.games.profile import Profile

    Game = str | dict[str, Any]  # a name, a whole game, or changes to the house game

# Beside this package, wherever that is: a checkout, an installed wheel, a simulated device's file system.
_HERE = "rig/games.py"
FOLDER = (__file__[: -len(_HERE)] if __file__.endswith(_HERE) else "") + "game_profiles"

# What a rule may be about, in the order of the RULE_ numbers of firmware/games/profile.py.
_RULES = (
    "shuffle_fault deal_fault count face_up face_ups misdeal misdeal_dealer dealer_short stub_misdealt stub_wrong"
    " exposure stub_count closing closing_again lockout induction cut two_decks no_activity removal dispute"
    " winner_hold drawn_in_error drawn_seen provenance fold final_deal cover_all ten tens burn burn_missed hole_card"
    " reader_wrong reader_fault short_shoe cut_card box_missed dealer_card approval rack rack_wrong"
    " hit_missed pat_hand refused surrender insurance release plan delivered delivered_burned let_out"
)
RULES = _RULES.split()
# Lists of words become bits.
MODES = ["shoe", "manual", "hand"]
SOURCES = ["none", "machine", "supplier", "hand"]  # ids.FROM_
CUTTERS = ["none", "dealer", "player", "floorperson"]  # b of the record cut
INDUCTION = ["none", "inspected", "verified", "shown", "washed", "mixing_seen", "tens_removed"]  # ids.REC_
WINDOWS = [
    "idle",
    "ready",
    "closed",
    "dealing",
    "wagers",
    "green",
    "rest",
    "settling",
    "drawing",
    "spent",
]  # CTX_ of games/records.py
# EXTRA_ of games/profile.py
EXTRAS = ["community", "reader", "tens_out", "burns", "settled_first", "first_closes", "passes"]
LISTS = {
    "stub_exempt": MODES,
    "sources": SOURCES,
    "cut_after": SOURCES,
    "cut_by": CUTTERS,
    "induction": INDUCTION,
    "exposure": WINDOWS,
    "extras": EXTRAS,
}
# What a row of set_ups.json may name, in the order of the bits of a set-up.
CHOICES = (("mechanism", KINDS), ("dealing", DEALINGS), ("decks", (1, 2)), ("cover_all", (False, True)))
_PEOPLE = ("$schema", "about")  # what no device reads


def load_profile(game: "Game") -> "Profile":
    return find_profile(game_data(game))


def game_data(game: "Game") -> "Game":
    """What a device reads: of a game that has a file, of one given as a whole, or of the house's own."""
    if isinstance(game, dict):
        return device_game(game) if isinstance(game.get("rules"), dict) else game
    if game == "house":
        return game
    return device_game(_read(game))


def _read(game: str) -> "dict[str, Any]":
    try:
        return _load(game)
    except OSError:
        raise ValueError("unknown game %s" % game) from None


def _load(name: str) -> "dict[str, Any]":
    with open("%s/%s.json" % (FOLDER, name)) as file:
        return json.load(file)


def device_game(game: "dict[str, Any]") -> "dict[str, Any]":
    """Numbers in place of words; ValueError for an unknown word."""
    made: "dict[str, Any]" = {}
    for key in game:
        value = game[key]
        if key in LISTS:
            made[key] = sum([1 << _index(LISTS[key], word, key) for word in value])
        elif key == "rules":
            made[key] = _rules(value)
        elif key in MODES:
            made[key] = [[_index(RULES, name, key), value[name]] for name in value]
        elif key == "pages":
            states = ids.STATE_NAMES.split()
            made[key] = {str(_index(states, name, key)): value[name] for name in value}
        elif key not in _PEOPLE:
            made[key] = value
    made["set_ups"] = set_up_rows(game["code"], "refused")
    return made


def set_up_rows(code: str, verdict: str) -> "list[tuple[int, str, str]]":
    """The rows of set_ups.json that call set-ups of a game lawful, or refuse them: their bits, the clause, and why."""
    found: "list[tuple[int, str, str]]" = []
    for row in _load("set_ups")["rows"]:
        for clause in row.get(verdict, ()):
            if clause.startswith(code + "-"):
                found.append((covered_bits(row), clause, row.get("why", "")))
    return found


def lawful_ways(code: str) -> "dict[str, list[str]]":
    """By mechanism, the ways of dealing that the rules allow, each with its clause."""
    rows = set_up_rows(code, "lawful")
    found: "dict[str, list[str]]" = {}
    for kind in KINDS:
        found[kind] = []
        for dealing in DEALINGS:
            bits = set_up_bits(kind, dealing, 1, False)
            found[kind] += ["%s (%s)" % (dealing, clause) for covered, clause, _why in rows if not bits & ~covered]
    return found


def covered_bits(row: "dict[str, Any]") -> int:
    """The set-ups that a row is about, as bits: set_up_bits of firmware/games/profile.py."""
    bits, place = 0, 0
    for name, choices in CHOICES:
        for choice in row.get(name, choices):
            bits |= 1 << place + _index(choices, choice, name)
        place += len(choices)
    return bits


def _rules(rules: "dict[str, Any]") -> "list[Any]":
    words = ids.CONSEQUENCE_NAMES.split()
    made: "list[Any]" = [0] * RULE_HOUSE
    for name in rules:
        rule = rules[name]
        clause, consequence = (rule, "none") if isinstance(rule, str) else rule
        made[_index(RULES, name, "rules")] = [clause, _index(words, consequence, name)]
    return made


def _index(words: "Sequence[object]", word: object, key: str) -> int:
    if word not in words:
        raise ValueError("%s: no %s; known: %s" % (key, word, ", ".join([str(known) for known in words])))
    return words.index(word)
