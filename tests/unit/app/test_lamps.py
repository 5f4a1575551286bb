"""Lamps: green where the dealer acts, amber while cards move, red under a warning, one at a time."""

from support import GAME, board

from firmware.image import OUT_LAMP_GREEN, OUT_LAMP_RED
from firmware.protocol import ids
from rig import stories
from rig.story import Stage

OFF = (0, 0, 0)
GREEN = (1, 0, 0)
AMBER = (0, 1, 0)
RED = (0, 0, 1)


def lamps_by_state(*stories_played):
    """Every combination of lamps that each state has shown after a scan."""
    names = ids.STATE_NAMES.split()
    stage = Stage(board(), GAME, 7)
    app = stage.rig.app
    scan = app.scan
    found = {}

    def watch(now_ms):
        wake_ms = scan(now_ms)
        found.setdefault(names[app.flow.state], set()).add(tuple(app.out.level[OUT_LAMP_GREEN : OUT_LAMP_RED + 1]))
        return wake_ms

    app.scan = watch
    for story in stories_played:
        stage.play(story)
    stage.run(500)
    return found


def test_the_lamps_of_a_round_say_whose_turn_it_is():
    assert lamps_by_state(stories.start(), stories.round_of(2)) == {
        "starting": {OFF},
        "proving_empty": {OFF},
        "waiting_for_deck": {OFF},
        "preparing": {OFF},
        "shuffling": {AMBER},
        "deck_ready": {GREEN},
        "waiting_for_lockout": {GREEN},
        "dispensing": {AMBER, GREEN},  # green with the last card, before the stack is on record
        "stack_offered": {GREEN},
        "waiting_for_green": {GREEN},
        "releasing": {AMBER, GREEN},
        "remainder_offered": {GREEN},
        "waiting_for_round_end": {GREEN},
    }


def test_a_deck_that_is_refused_lights_the_red_lamp_alone():
    found = lamps_by_state(stories.start(), stories.refuse_deck(51))
    assert found["warning"] == {RED}
