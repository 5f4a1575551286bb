"""What each state of the procedure waits for: which button a person presses, and which command a table system sends.

One table for the operator of the rig and for the power cuts, which play on both VMs and see the firmware's state. Who
sees a status only, as the bench and the programs of a table, asks fairshoe.text.advice.next_step.
"""

from firmware.games import flow as states

# State, button, command. A state without a button waits for cards; one without a command waits for a person.
STEPS = (
    (states.WAITING_FOR_DECK, "green", "shuffle"),
    (states.DECK_READY, "close", "close_betting"),
    (states.DRAW_READY, "close", "close_betting"),
    (states.WAITING_FOR_LOCKOUT, "lock", "confirm_lockout"),
    (states.WAITING_FOR_WAGERS, "close", "close_betting"),
    (states.WAITING_FOR_GREEN, "green", "release"),
    (states.DECK_HELD, "green", "release"),
    (states.WAITING_FOR_ROUND_END, "green", "end_round"),
    (states.DRAWING, "green", "end_round"),
    (states.WARNING, "ack", "acknowledge_warning"),
)
BUTTONS = {state: button for state, button, _ in STEPS}
COMMANDS = {state: command for state, _, command in STEPS}
# Cards lie in the tray, and the machine goes on when they are taken.
TAKING = (states.STACK_OFFERED, states.REMAINDER_OFFERED, states.REMOVED_OFFERED)
# In these a button is all it takes: no deck has to be put in, no wager placed and no card drawn first.
PRESS_ONLY = (
    states.WAITING_FOR_LOCKOUT,
    states.WAITING_FOR_GREEN,
    states.WAITING_FOR_WAGERS,
    states.WAITING_FOR_ROUND_END,
    states.DECK_HELD,
)
