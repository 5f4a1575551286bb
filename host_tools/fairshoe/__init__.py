"""Host tools for fairshoe card shoes: typed events from a serial port, a simulated shoe, and the command line.

    from fairshoe import Shoe

    with Shoe.open("/dev/ttyACM0") as shoe:
        for event in shoe.events():
            print(event)
"""

from fairshoe import _device

__version__ = "0.1.0"

# Before anything else of the package is imported: its modules build on the device's own.
_device.load()

from fairshoe.errors import FairshoeError  # noqa: E402
from fairshoe.messages import Event, Fault, Message, State, Status  # noqa: E402
from fairshoe.shoe import Shoe  # noqa: E402

__all__ = ["Event", "FairshoeError", "Fault", "Message", "Shoe", "State", "Status"]
