"""The USB serial port as the service link. No prompt is there while the firmware runs: bytes in, bytes out."""

import pyb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class VcpPort:
    """The verbs of a UART that the link uses. None of them waits."""

    def __init__(self) -> None:
        self._vcp: "Any" = pyb.USB_VCP()
        # Otherwise what the host does not read is overwritten by what comes after it (CTS), and what comes faster than
        # it is read is dropped (RTS).
        self._vcp.init(flow=pyb.USB_VCP.CTS | pyb.USB_VCP.RTS)

    def any(self) -> int:
        return 1 if self._vcp.any() else 0

    def readinto(self, buf: bytearray, size: int) -> int:
        """As many bytes as are there; size is the caller's guess, and too small."""
        return self._vcp.readinto(buf) or 0

    def write(self, buf: memoryview, start: int, size: int) -> int:
        return self._vcp.write(buf, start, size) or 0
