"""Simulated FRAM, and power that can be cut before, in the middle of or after any storage operation."""


class PowerCut(Exception):
    """Power is gone. Nothing of the firmware runs after this; only what is in Nv survives."""


class Nv:
    """Bytes that outlive a simulated boot. `cut_at` names the write (from 0) at which power fails."""

    def __init__(self, size: int) -> None:
        self.data = bytearray(size)
        self.writes = 0
        self.cut_at = -1
        self.cut_bytes = 0  # how much of that write still gets through
        self.broken = False  # every write fails, as a dead chip's would

    def read(self, address: int, buf: bytearray) -> bool:
        self._check(address, len(buf))
        buf[:] = self.data[address : address + len(buf)]
        return True

    def prog(self, address: int, buf: bytearray) -> bool:
        if self.broken:
            return False
        size = len(buf)
        self._check(address, size)
        cut = self.writes == self.cut_at
        self.writes += 1
        if cut:
            size = min(size, self.cut_bytes)
        self.data[address : address + size] = buf[:size]
        if cut:
            raise PowerCut()
        return True

    def erase(self, address: int, size: int) -> bool:
        """Nothing has to be got ready."""
        return True

    def power_on(self) -> None:
        """Whatever a chip does then; before every boot."""

    def _check(self, address: int, size: int) -> None:
        # A slice past the end would grow the chip instead.
        if address < 0 or address + size > len(self.data):
            raise IndexError("storage has no such address")
