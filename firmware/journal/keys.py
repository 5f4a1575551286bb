"""Where the device key lives: two cells that take turns, which nothing but the session code reads.

The key's generation counts installations: seals name it, so that a verifier knows which key to use.
"""

from firmware.digest import wipe
from firmware.journal.cells import BODY_AT, CELL_SIZE, KEY_CELL, MAGIC_KEY, Pair
from firmware.protocol.session import KEY_SIZE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Storage


class Keys:
    """`key` is empty if none was ever installed."""

    def __init__(self, storage: "Storage") -> None:
        self._pair = Pair(storage, KEY_CELL, MAGIC_KEY, bytearray(CELL_SIZE))
        found = self._pair.load()
        self.key = bytes(self._pair.buf[BODY_AT : BODY_AT + KEY_SIZE]) if found else b""
        if found and self._pair.generation % 2:
            self._pair.save()  # power was lost half way: the key before this one must not stay behind
        wipe(self._pair.buf)

    def generation(self) -> int:
        return (self._pair.generation + 1) // 2

    def store(self, key: "bytes | bytearray") -> bool:
        """Install or replace the key; the old one is overwritten too. link/service.py decides who may do so."""
        buf = self._pair.buf
        done = True
        for _ in range(2):
            wipe(buf)
            buf[BODY_AT : BODY_AT + KEY_SIZE] = key
            done = done and self._pair.save()
        wipe(buf)
        if done:
            self.key = bytes(key)
        return done
