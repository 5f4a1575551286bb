"""Whole rounds through every real port: firmware, port, fake chip, simulated machine, a dealer's hands, a host."""

from drivers import Pico2Driver, Rp2Driver, read_board
from promises import REST
from table import Table

from rig.operator import good_round, waits_for_deck

# Small decks: what a port has to do for a card it has to do for every card.
GAMES = {
    "carousel": {"deck_cards": 5, "stack_cards": 2, "positions_max": 1},
    "shelves": {"deck_cards": 5},
    "shoe": {"deck_cards": 8, "stack_cards": 3, "positions_max": 1},
    "draw": {"deck_cards": 8},
}
# And small machines: the slower VM takes its time for every step.
SMALLER = {"carousel": {"slot_count": 12, "slot_beam_slots": 3}, "shelves": {"shelf_count": 6}}


def play(driver, kind, **figures):
    config = read_board(driver.family + "-" + kind)
    config["mechanism"]["bounce_us"] = 300
    config["mechanism"].update(dict(SMALLER.get(kind, {}), **figures))
    board = driver(config, 7)
    table = Table(board, GAMES[kind])
    for _ in range(40):  # a door opened before the proof of emptiness gives a warning
        table.run(200)
        if waits_for_deck(table):
            break
    good_round(table)
    assert board.plant.crashes == 0, "the firmware broke the machine"
    assert table.peer.gaps == 0 and table.peer.altered == 0
    table.rig.app.flow.ledger.check()
    inp = table.rig.app.inp
    table.run(1500)
    assert inp.axis == REST and not inp.edge_lost, (inp.axis, inp.edge_lost)
    assert board.fed() == table.scans and board.world.watchdog_ms == 500
    names = [event.name for event in table.peer.events]
    assert "warning_latched" not in names
    if "display" in config:
        assert board.world.lcd.screen() == tuple("%-20s" % line for line in board.hal.lines)
    print(driver.name, kind, table.scans, "scans", board.plant.now_us // 1000, "ms:", " ".join(names))
    return table


def test_a_round_of_a_shoe_on_a_pico():
    play(Rp2Driver, "shoe")


def test_a_round_of_a_draw_shoe_on_a_pico():
    play(Rp2Driver, "draw")


def test_a_round_of_a_carousel_on_a_pico():
    play(Rp2Driver, "carousel")


def test_a_round_of_a_carousel_with_another_home_mark_and_outfeed():
    for figures in ({"home_steps": 45, "outfeed_um_per_ms": 2400}, {"home_steps": 63, "outfeed_um_per_ms": 600}):
        play(Rp2Driver, "carousel", **figures)


def test_a_deck_through_shelves_on_a_pico():
    play(Rp2Driver, "shelves")


def test_a_deck_through_shelves_with_a_higher_home_mark():
    play(Rp2Driver, "shelves", home_steps=150)


def test_a_round_of_a_draw_shoe_on_a_pico_2():
    play(Pico2Driver, "draw")
