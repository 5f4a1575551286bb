"""Simulate a bad cable on the host's side of a port, so that the drill works with any device.

Bits flip and bytes get lost in both directions, by chance from a seed. A device and a host that follow the protocol
notice every frame this damages and lose nothing by it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from fairshoe.transport.urls import Port

TO_DEVICE = 5


@dataclass
class Damage:
    """What was done to the bytes of one direction."""

    bytes: int = 0
    flipped: int = 0
    lost: int = 0

    @property
    def total(self) -> int:
        return self.flipped + self.lost


class NoisyPort:
    """A pyserial-like port around another. Quiet until `disturb`, and again after `settle`."""

    def __init__(self, port: Port) -> None:
        self.inner = port
        self._random = random.Random(0)
        self._flip_ppm = 0
        self._lose_ppm = 0
        self.to_host = Damage()
        self.to_device = Damage()

    def disturb(self, seed: int, flip_ppm: int, lose_ppm: int) -> None:
        """From now on so many bytes in a million get a wrong bit, and so many more are lost; on their way to the device
        more often, since a host says so little that nothing might be hit at all."""
        self._random = random.Random(seed)
        self._flip_ppm, self._lose_ppm = flip_ppm, lose_ppm
        self.to_host, self.to_device = Damage(), Damage()

    def settle(self) -> None:
        self._flip_ppm = self._lose_ppm = 0

    @property
    def in_waiting(self) -> int:
        return self.inner.in_waiting

    def read(self, size: int) -> bytes:
        return self._carry(self.inner.read(size), self.to_host, 1)

    def write(self, data: bytes) -> None:
        self.inner.write(self._carry(data, self.to_device, TO_DEVICE))

    def close(self) -> None:
        self.inner.close()

    def _carry(self, data: bytes, damage: Damage, times: int) -> bytes:
        if not self._flip_ppm and not self._lose_ppm:
            return data
        out = bytearray()
        damage.bytes += len(data)
        for byte in data:
            luck = self._random.randrange(1_000_000) / times
            if luck < self._lose_ppm:
                damage.lost += 1
            elif luck < self._lose_ppm + self._flip_ppm:
                damage.flipped += 1
                out.append(byte ^ 1 << self._random.randrange(8))
            else:
                out.append(byte)
        return bytes(out)
