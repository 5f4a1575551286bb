"""Statuses for tests: everything zero but what is given."""

from dataclasses import fields

from fairshoe.messages import Fault, Need, State, Status


def a_status(
    state: State = State.SHUFFLING, warning: Fault = Fault.NONE, need: Need = Need.NONE, **values: int
) -> Status:
    zeros = {field.name: 0 for field in fields(Status)[2:] if field.name != "need"}
    return Status(state, warning, need=need, **(zeros | values))
