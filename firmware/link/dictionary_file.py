"""The dictionary as an open file: texts that only hosts read, and that would take six kilobytes of heap.

A line of the file is a line of the dictionary (firmware/protocol/dictionary.py). The start of each is noted at boot.
"""

from array import array
from hashlib import sha256

from micropython import const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HASH_SIZE = const(8)


class WordFile:
    """`hash` names this version of the dictionary; `count` is how many lines it has."""

    def __init__(self, file: "Any") -> None:
        self._file = file
        digest = sha256()
        starts = [0]
        for line in self._file:
            digest.update(line)
            starts.append(starts[-1] + len(line))
        self._starts = array("H", starts)
        self.count = len(starts) - 1
        self.hash = digest.digest()[:HASH_SIZE]

    def line(self, index: int) -> bytes:
        self._file.seek(self._starts[index])
        return self._file.read(self._starts[index + 1] - self._starts[index] - 1)
