"""Simulated storage that outlives the simulation: every write goes on to another storage as well."""

from hal.sim.nv import Nv

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Storage

GRAIN = 32  # cells of the storage behind: records of 64 and of 96 bytes are whole numbers of them


class PersistentNv(Nv):
    """An Nv that begins with what `storage` holds. A write that is cut is kept as far as it came."""

    def __init__(self, size: int, storage: "Storage") -> None:
        super().__init__(size)
        self._storage = storage
        self._grain = bytearray(GRAIN)
        for address in range(0, size, GRAIN):
            if not storage.nv_read(address, self._grain):
                raise OSError("storage cannot be read at %d" % address)
            self.data[address : address + GRAIN] = self._grain

    def prog(self, address: int, buf: bytearray) -> bool:
        done = False
        try:
            done = super().prog(address, buf)
        finally:
            kept = self._keep(address, len(buf))
        return done and kept

    def _keep(self, address: int, size: int) -> bool:
        first = address // GRAIN * GRAIN
        for at in range(first, min(address + size, len(self.data)), GRAIN):
            self._grain[:] = self.data[at : at + GRAIN]
            if not self._storage.nv_prog(at, self._grain):
                return False
        return self._storage.nv_sync()
