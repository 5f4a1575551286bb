"""Host tools for fairshoe card shoes: typed events from a port, commands that act once, a simulated shoe.

    from fairshoe import Shoe

    with Shoe.open("sim://pico-carousel") as shoe:       # or /dev/ttyACM0, COM7, tcp://host:port
        for event in shoe.events():
            print(event)

Messages, with every event and command, are in fairshoe.messages; docs/INTEGRATE.md begins at the beginning.
"""

from typing import TYPE_CHECKING, Any

from fairshoe import _device

__version__ = "0.1.0"

# Before anything else of the package is imported: its modules build on the device's own.
_device.load()

from fairshoe.core import CommandResult, Pending  # noqa: E402
from fairshoe.errors import (  # noqa: E402
    DeviceHalted,
    FairshoeError,
    HelloRefused,
    NoAnswer,
    PortBusy,
    PortError,
    PortLost,
    StorageReplaced,
    StoreError,
    UsageError,
    WrongDevice,
    WrongKey,
)
from fairshoe.lanes import Unfinished  # noqa: E402
from fairshoe.messages import Command, Event, Fault, Message, Outcome, Reason, Role, State, Status  # noqa: E402
from fairshoe.notices import EventsElsewhere, LinkBack, LinkLost, LogStarted, Notice  # noqa: E402
from fairshoe.shoe import Shoe  # noqa: E402
from fairshoe.store import Store, StoredEvent, StoredLog  # noqa: E402

if TYPE_CHECKING:
    from fairshoe.aio import AsyncShoe

__all__ = [
    "AsyncShoe",
    "Command",
    "CommandResult",
    "DeviceHalted",
    "Event",
    "EventsElsewhere",
    "FairshoeError",
    "Fault",
    "HelloRefused",
    "LinkBack",
    "LinkLost",
    "LogStarted",
    "Message",
    "NoAnswer",
    "Notice",
    "Outcome",
    "Pending",
    "PortBusy",
    "PortError",
    "PortLost",
    "Reason",
    "Role",
    "Shoe",
    "State",
    "Status",
    "StorageReplaced",
    "Store",
    "StoreError",
    "StoredEvent",
    "StoredLog",
    "Unfinished",
    "UsageError",
    "WrongDevice",
    "WrongKey",
]


def __getattr__(name: str) -> Any:
    # asyncio takes as long to load as all the rest: only who wants it pays for it.
    if name == "AsyncShoe":
        from fairshoe.aio import AsyncShoe

        return AsyncShoe
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
