"""The table of steps agrees with the firmware: each command may start in its state and presses the button beside it."""

from firmware.games import flow
from firmware.link import commands
from firmware.machines import panel
from firmware.protocol import ids
from rig import steps


def test_every_command_of_the_table_presses_its_button_in_its_state():
    for state, button, command in steps.STEPS:
        starts, press, _, _ = commands._RULES[getattr(ids, "CMD_" + command.upper())]
        assert state in starts, (command, ids.STATE_NAMES.split()[state])
        # A command ends a round wherever a button would mean something else.
        if command == "end_round":
            assert (press, button) == (panel.PRESS_END, "green")
        else:
            assert press == getattr(panel, "PRESS_" + button.upper()), command


def test_every_state_in_which_a_person_acts_has_one_step():
    known = [state for state, _, _ in steps.STEPS]
    assert len(known) == len(set(known))
    # Before these, a deck is put in, a seat is chosen, cards are drawn or lifted, or the door is opened.
    more = {flow.WAITING_FOR_DECK, flow.DECK_READY, flow.DRAW_READY, flow.DRAWING, flow.WARNING}
    assert set(steps.PRESS_ONLY) == set(known) - more
    assert not [state for state in steps.TAKING if state in steps.BUTTONS]
    # The others move by themselves, or wait for cards to be taken out or for a boot.
    names = ids.STATE_NAMES.split()
    waiting = {name for name in names if name.startswith("waiting_for_") or name.endswith("_ready")}
    assert {names[state] for state in known} == waiting | {"deck_held", "drawing", "warning"}
