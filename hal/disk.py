"""Cells in a file, for hosts and benches: what a simulated shoe remembers from one run to the next.

The file is the storage byte for byte, nothing else, so its size tells whether it is the right one. A write goes through
to the medium where the platform can do that; whether it tears when the host loses power is the host's business.
"""

import os

CELL = 96


class Disk:
    """Opened, or made with zeros in it; one that is not of this size is refused and left alone."""

    def __init__(self, path: str, size: int, cell: int = CELL) -> None:
        self._size = size
        self._cell = cell
        try:
            os.stat(path)
        except OSError:
            with open(path, "wb") as file:
                file.write(bytes(size))
        self._file = open(path, "r+b")
        found = self._file.seek(0, 2)
        if found != size:
            self._file.close()
            raise ValueError("%s has %d bytes, and this storage %d" % (path, found, size))

    def nv_read(self, address: int, buf: bytearray) -> bool:
        if address < 0 or address % self._cell or len(buf) % self._cell or address + len(buf) > self._size:
            return False
        try:
            self._file.seek(address)
            return self._file.readinto(buf) == len(buf)
        except OSError:
            return False

    def nv_prog(self, address: int, buf: bytearray) -> bool:
        if address < 0 or address % self._cell or len(buf) != self._cell or address + len(buf) > self._size:
            return False
        try:
            self._file.seek(address)
            return self._file.write(buf) == len(buf)
        except OSError:
            return False

    def nv_erase(self, address: int, size: int) -> bool:
        return True

    def nv_sync(self) -> bool:
        try:
            self._file.flush()
            if hasattr(os, "fsync"):  # MicroPython has none
                os.fsync(self._file.fileno())
        except OSError:
            return False
        return True

    def fileno(self) -> int:
        """For callers that lock it, where files can be locked."""
        return self._file.fileno()

    def close(self) -> None:
        self._file.close()
