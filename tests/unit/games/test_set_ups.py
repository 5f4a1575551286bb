"""Every set-up of a table boots, or is refused with the clause in words: game, mechanism, dealing, decks, Cover All."""

from support import board, refusal

from firmware.games.profile import DEALINGS, KINDS, set_up_bits
from rig.games import load_profile, set_up_rows
from rig.story import Stage

GAMES = {
    "double-down-stud": "DDS",
    "boston-5-stud": "B5",
    "caribbean-stud": "CS",
    "double-cross-poker": "DCP",
    "double-attack-blackjack": "DAB",
}


def table_of(kind, **table):
    config = board(kind, inputs={"back": {"pin": 28}})
    config["link"]["mode"] = "table"
    config["table"] = table
    return config


def set_ups(game):
    """Every set-up of a game: its bits, and a board config with it."""
    for kind in KINDS:
        for dealing in DEALINGS:
            for decks in (1, 2):
                for cover_all in (False, True)[: 2 if game == "caribbean-stud" else 1]:
                    table = {"dealing": dealing, "decks": decks}
                    if cover_all:
                        table["cover_all"] = "with_dealer"
                    # Of a draw shoe, which is one of them, the default means a manual shoe.
                    told = "manual" if (kind, dealing) == ("draw", "shoe") else dealing
                    yield set_up_bits(kind, told, decks, cover_all), table_of(kind, **table)


def boot(config, game):
    load_profile(game).at_table(config)
    Stage(config, game, 3)


def test_every_set_up_is_named_by_the_table_and_boots_or_is_refused_with_its_clause_in_words():
    for game, code in GAMES.items():
        lawful, refused = set_up_rows(code, "lawful"), set_up_rows(code, "refused")
        for bits, config in set_ups(game):
            reasons = [(clause, why) for covered, clause, why in refused if not bits & ~covered]
            allowed = [clause for covered, clause, _why in lawful if not bits & ~covered]
            said = refusal(ValueError, boot, config, game)
            if reasons:
                clause, why = reasons[0]
                assert said == "%s: %s (%s)" % (game, why, clause), (said, config["table"])
            else:
                assert said == "" and allowed, (said, game, config["mechanism"]["kind"], config["table"])


def test_every_row_of_the_table_decides_some_set_up():
    for game, code in GAMES.items():
        refused, left = set_up_rows(code, "refused"), [bits for bits, _config in set_ups(game)]
        for covered, clause, _why in refused:
            decided = [bits for bits in left if not bits & ~covered]
            assert decided, clause
            left = [bits for bits in left if bits not in decided]
        for covered, clause, _why in set_up_rows(code, "lawful"):
            assert [bits for bits in left if not bits & ~covered], clause


def test_what_was_called_good_and_is_not():
    for kind, game, table, clause in (
        ("draw", "double-attack-blackjack", {"decks": 2}, "DAB-2a"),
        ("shoe", "boston-5-stud", {"dealing": "hand"}, "B5-12g"),
        ("shoe", "double-cross-poker", {"dealing": "manual"}, "DCP-12f"),
        ("carousel", "caribbean-stud", {"dealing": "hand", "cover_all": "with_dealer"}, "CS-12d"),
        ("carousel", "caribbean-stud", {"dealing": "manual", "cover_all": "with_dealer"}, "CS-12d"),
        ("draw", "caribbean-stud", {"cover_all": "with_dealer"}, "CS-12d"),
        ("shoe", "caribbean-stud", {"cover_all": "with_dealer"}, "CS-12e"),
        ("shelves", "boston-5-stud", {}, "B5-9f"),
        ("shelves", "caribbean-stud", {}, "CS-9g"),
    ):
        assert refusal(ValueError, boot, table_of(kind, **table), game).endswith("(%s)" % clause), (kind, game)


def test_shelves_with_an_automated_shoe_beside_them_take_its_exemption_and_no_other():
    for dealing, mode in (("beside", 0), ("manual", 1), ("hand", 2)):
        profile = load_profile("boston-5-stud").at_table(table_of("shelves", dealing=dealing))
        assert (profile.mode, profile.stub_exempt >> profile.mode & 1) == (mode, 1 if dealing == "beside" else 0)
