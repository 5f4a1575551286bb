"""Host tools for fairshoe card shoes: typed events from a port, commands that act once, a simulated shoe.

    from fairshoe import Shoe

    with Shoe.open("sim://pico-carousel") as shoe:       # or /dev/ttyACM0, COM7, tcp://host:port
        for event in shoe.events():
            print(event)

Messages, with every event and command, are in fairshoe.messages; docs/INTEGRATE.md begins at the beginning.
"""

import importlib
from typing import TYPE_CHECKING, Any

from fairshoe import _device

__version__ = "0.2.0"

# Before anything else of the package is imported: its modules build on the device's own.
_device.load()

if TYPE_CHECKING:
    from fairshoe.client.async_shoe import AsyncShoe
    from fairshoe.client.command_queue import CommandResult, Pending
    from fairshoe.client.fleet import Fleet, FromShoe
    from fairshoe.client.notices import (
        EventsElsewhere,
        LinkBack,
        LinkLost,
        LogStarted,
        Notice,
        NotStored,
        ShareLost,
        ShoeFailed,
        ShoeOpened,
        ShoeRemoved,
    )
    from fairshoe.client.operation_numbers import Unfinished
    from fairshoe.client.round_play import Hooks
    from fairshoe.client.shoe import Shoe
    from fairshoe.client.store import Store, StoredEvent, StoredLog
    from fairshoe.errors import (
        DeviceHalted,
        FairshoeError,
        HelloRefused,
        NoAnswer,
        PortBusy,
        PortError,
        PortLost,
        QueueFull,
        StorageReplaced,
        StoreError,
        UsageError,
        WrongDevice,
        WrongKey,
    )
    from fairshoe.games.rounds import RoundView
    from fairshoe.messages import Command, Event, Fault, Message, Need, Outcome, Reason, Role, State, Status, What
    from fairshoe.text.advice import Step, next_step

__all__ = [
    "AsyncShoe",
    "Command",
    "CommandResult",
    "DeviceHalted",
    "Event",
    "EventsElsewhere",
    "FairshoeError",
    "Fault",
    "Fleet",
    "FromShoe",
    "HelloRefused",
    "Hooks",
    "LinkBack",
    "LinkLost",
    "LogStarted",
    "Message",
    "Need",
    "NoAnswer",
    "NotStored",
    "Notice",
    "Outcome",
    "Pending",
    "PortBusy",
    "PortError",
    "PortLost",
    "QueueFull",
    "Reason",
    "Role",
    "RoundView",
    "ShareLost",
    "Shoe",
    "ShoeFailed",
    "ShoeOpened",
    "ShoeRemoved",
    "State",
    "Status",
    "Step",
    "StorageReplaced",
    "Store",
    "StoreError",
    "StoredEvent",
    "StoredLog",
    "Unfinished",
    "UsageError",
    "What",
    "WrongDevice",
    "WrongKey",
    "__version__",
    "next_step",
]


# Each module is loaded at first use: a program pays for what it uses, and the command line can take an interrupt
# while most of it is still to be loaded.
_MODULES = {
    "client.async_shoe": "AsyncShoe",
    "client.command_queue": "CommandResult Pending",
    "errors": "DeviceHalted FairshoeError HelloRefused NoAnswer PortBusy PortError PortLost QueueFull StorageReplaced "
    "StoreError UsageError WrongDevice WrongKey",
    "client.operation_numbers": "Unfinished",
    "client.round_play": "Hooks",
    "games.rounds": "RoundView",
    "messages": "Command Event Fault Message Need Outcome Reason Role State Status What",
    "client.fleet": "Fleet FromShoe",
    "client.notices": "EventsElsewhere LinkBack LinkLost LogStarted NotStored Notice ShareLost ShoeFailed ShoeOpened "
    "ShoeRemoved",
    "client.shoe": "Shoe",
    "client.store": "Store StoredEvent StoredLog",
    "text.advice": "Step next_step",
}
_WHERE = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    place = _WHERE.get(name)
    if place is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(f"fairshoe.{place}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
