"""A display tells nothing of the order: in a shuffle its page changes when that begins and when its result is shown.

A display gets its pages at a fixed pace from the moment a page changes (hal/board/lcd.py), so that this moment is all
that it could tell.
"""

from support import SLOW, check_stage
from tables import small_board
from test_timing import KEY, start

from firmware.games.flow import SHUFFLING
from firmware.protocol import ids
from rig.story import Stage

ORDERS = 2 if SLOW else 5


def pages_of_a_shuffle(kind, number, meanwhile=None):
    """The order, and every page from the start of a deck to its result, with its instant; the state that it is of."""
    config = small_board(kind)
    config["link"]["mode"] = "table"
    stage = Stage(config, {"deck_cards": 10}, 7, KEY, ids.ROLE_TABLE)
    stage.until("empty_proved", 20000)
    pages = []
    flow, hal = stage.rig.app.flow, stage.rig.hal
    show = hal.show

    def noted(lines):
        pages.append((stage.rig.plant.now_us, flow.state, lines))
        show(lines)

    hal.show = noted
    order = start(stage, 10, number)
    while flow.state != SHUFFLING:
        stage.run(1)
    steps = 0
    while flow.state == SHUFFLING:
        if meanwhile:
            meanwhile(stage, steps)
        stage.run(50)
        steps += 1
    stage.until("deck_verified", 90000, then_ms=1000)
    check_stage(stage)
    assert steps > 100
    return tuple(order), pages


def same_pages(kind, meanwhile=None):
    runs = [pages_of_a_shuffle(kind, number, meanwhile) for number in range(ORDERS)]
    assert len({order for order, _pages in runs}) == ORDERS
    for _order, pages in runs:
        assert pages == runs[0][1]
    within = [lines for _us, state, lines in runs[0][1] if state == SHUFFLING]
    assert len(within) == 1 and within[0][0] == "Shuffling"
    assert runs[0][1][-1][2][0] == "Deck verified"


def test_a_page_changes_when_a_shuffle_begins_and_when_its_result_is_told():
    for kind in ("carousel", "shelves"):
        same_pages(kind)


def fidget(stage, step):
    """A dealer who presses whatever there is, and a host that asks for whatever comes to its mind."""
    plant = stage.rig.plant
    buttons = [at for at in range(len(plant.lines)) if plant.lines[at].startswith("button_")]
    plant.press(buttons[step % len(buttons)])
    if step % 7 == 3:
        stage._to_device(stage.peer.command(step, ids.CMD_CONFIRM_LOCKOUT))


def test_neither_buttons_nor_commands_change_the_page_in_a_shuffle():
    for kind in ("carousel", "shelves"):
        same_pages(kind, fidget)
