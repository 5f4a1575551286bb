"""Double Attack Blackjack, the dealer's view: every page of the shoe fits, and says what to do next."""

from dab_tables import Shoe, dealt
from game_tables import DONE

from firmware.games.drawn import pages as drawn_pages
from firmware.games.flow import DRAW_READY
from firmware.protocol import ids


def constants():
    """Every page that is written down."""
    for name in dir(drawn_pages):
        page = getattr(drawn_pages, name)
        if isinstance(page, tuple) and len(page) == 4 and isinstance(page[0], str):
            yield page
    for page in drawn_pages._NOTICES:
        yield page


def test_every_page_of_the_shoe_has_four_lines_of_at_most_twenty_characters():
    pages = list(constants())
    assert len(pages) > 15
    for page in pages:
        assert len(page) == 4
        for line in page:
            assert len(line) <= 20, page
        assert page[2] or page[3], page


def test_the_display_follows_a_round():
    shoe = Shoe(cards=384, table={"records": True})
    seen = []

    def look():
        shoe.stage.run(600)
        for line in shoe.display:
            assert len(line) <= 20, line
        seen.append(shoe.display[0])

    look()
    shoe.induct(ids.FROM_HAND)
    look()
    assert shoe.record("cut", 100, 1) == DONE
    look()
    shoe.load(cut_at=12)
    look()
    shoe.draw().boxes(3)
    shoe.play(("", 100, "press", "seat"))
    look()
    assert shoe.display[1] == "Boxes: 4"
    shoe.draw()
    look()
    shoe.draw(8)
    look()
    assert shoe.record("dealer_card") == DONE
    look()
    shoe.draw(3).green()
    look()
    shoe.lift()
    look()
    assert shoe.display[1] == "the rest: 384 cards"
    assert seen == [
        "Deck not inducted",
        "Cut the deck",
        "Ready for a shoe",
        "Burn a card",
        "Shoe ready",
        "Double Attack wagers",
        "Players' cards",
        "Dealer's Card",
        "Shoe is finished",
        "Count the rack, with",
    ]


def test_a_house_game_on_a_draw_shoe_keeps_its_own_pages():
    from tables import set_up

    stage = set_up("draw", 10)
    stage.run(500)
    assert stage.rig.hal.lines[0] == "Ready for a deck"
    stage.rig.plant.load(list(range(10)))
    stage.play([("", 300, "press", "green"), ("deck_loaded", 300, "wait", 0)])
    assert stage.rig.app.flow.state == DRAW_READY
    assert list(stage.rig.hal.lines) == ["Shoe ready", "", "Press CLOSE when", "betting is closed"]


def test_a_rack_is_asked_for_with_its_number():
    shoe = dealt(2, cards=6)
    assert shoe.record("short_shoe", 1) == DONE
    assert shoe.display[1] == "Shuffle and cut the"
