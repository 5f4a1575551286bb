"""What each state waits for, with the types of the library: the table that both VMs play by (rig/steps.py)."""

from __future__ import annotations

from fairshoe import messages
from fairshoe.messages import Command, State
from rig import steps

_TYPES = {kind.NAME: kind for kind in messages.ALL if issubclass(kind, Command)}

BUTTONS = {State(state): button for state, button in steps.BUTTONS.items()}
COMMANDS: dict[State, type[Command]] = {State(state): _TYPES[name] for state, name in steps.COMMANDS.items()}
TAKING = tuple(State(state) for state in steps.TAKING)
PRESS_ONLY = tuple(State(state) for state in steps.PRESS_ONLY)
door_first = steps.door_first
