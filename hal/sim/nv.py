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
        for i in range(len(buf)):
            buf[i] = self.data[address + i]
        return True

    def prog(self, address: int, buf: bytearray) -> bool:
        if self.broken:
            return False
        size = len(buf)
        cut = self.writes == self.cut_at
        self.writes += 1
        if cut:
            size = min(size, self.cut_bytes)
        for i in range(size):
            self.data[address + i] = buf[i]
        if cut:
            raise PowerCut()
        return True
