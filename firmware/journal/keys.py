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
        wipe(self._pair.buf)
        if self._pair.torn and self._pair.generation % 2 == 0:
            self._overwrite_torn()
        self.settle()

    def generation(self) -> int:
        return (self._pair.generation + 1) // 2

    def store(self, key: "bytes | bytearray") -> bool:
        """Install or replace the key. Once the first write is good it is in force, because the next boot would find
        it; before the next change the one before must be overwritten. link/service.py decides who may do so."""
        done = self.settle() and self._write(key)
        if done:
            self.key = bytes(key)
            self.settle()
        return done

    def settle(self) -> bool:
        """Overwrite the key before this one, if that is still there: power was lost half way, or storage failed."""
        return self._pair.generation % 2 == 0 or (self.key != b"" and self._write(self.key))

    def _overwrite_torn(self) -> None:
        """Power was lost over the first write of a change: part of a key that was never in force lies there. The one in
        force belongs there under the generation before, as in any settled pair; where none is, zeros."""
        pair = self._pair
        generation = pair.generation
        if generation:
            pair.generation = generation - 2
            self._write(self.key)
            pair.generation = generation
        else:
            pair.storage.nv_prog((KEY_CELL + 1) * CELL_SIZE, pair.buf)

    def _write(self, key: "bytes | bytearray") -> bool:
        pair = self._pair
        pair.buf[BODY_AT : BODY_AT + KEY_SIZE] = key  # between zeros
        done = pair.save()
        wipe(pair.buf)
        return done
