"""A bad cable: bit errors, lost and stuck bytes, truncation, repetition, delay, pieces of an old connection."""

from hal.sim.body import FAR

_MASK = 0xFFFFFFFF
PPM = 1000000


class Noise:
    """One direction. Rates are parts per million; one seed gives one history of accidents."""

    def __init__(self, seed: int, bit_ppm: int = 0, lose_ppm: int = 0, piece_ppm: int = 0, delay_ms: int = 0) -> None:
        self.state = seed * 2654435761 & _MASK or 1
        self.bit_ppm = bit_ppm  # per bit: inverted
        self.lose_ppm = lose_ppm  # per byte: lost
        self.piece_ppm = piece_ppm  # per piece: truncated, repeated, held back, or a byte stuck for a while
        self.delay_us = delay_ms * 1000  # per piece: from one end to the other
        self.under_way: "list[tuple[int, bytearray]]" = []  # when it arrives, and what
        self.held = b""
        self.damaged = 0

    def send(self, data: "bytes | bytearray", now_us: int) -> bytearray:
        """Put a piece into the cable. Returns what is at the other end now; take what comes later with `arrive`."""
        out = self.carry(data)
        if not self.delay_us or not out:
            return out
        self.under_way.append((now_us + self.delay_us, out))
        return bytearray()

    def arrive(self, now_us: int) -> bytearray:
        """The next piece that has arrived by now; empty if there is none."""
        return self.under_way.pop(0)[1] if self.due_us() <= now_us else bytearray()

    def due_us(self) -> int:
        """When the next piece arrives."""
        return self.under_way[0][0] if self.under_way else FAR

    def carry(self, data: "bytes | bytearray") -> bytearray:
        """What arrives of a piece."""
        out = bytearray(data)
        if self.piece_ppm and self._draw() % PPM < self.piece_ppm:
            out = self._mishandle(out)
        if self.bit_ppm:
            # Eight bits a byte; two errors in one byte are rare enough to be left out.
            for i in range(len(out)):
                if self._draw() % PPM < self.bit_ppm * 8:
                    out[i] ^= 1 << self._draw() % 8
                    self.damaged += 1
        if self.lose_ppm:
            kept = bytearray()
            for byte in out:
                if self._draw() % PPM >= self.lose_ppm:
                    kept.append(byte)
                else:
                    self.damaged += 1
            out = kept
        return out

    def reconnect(self) -> bytearray:
        """The cable was pulled and plugged in again: what was held back somewhere comes out now."""
        late = self.carry(self.held)
        self.held = b""
        return late

    def _mishandle(self, data: bytearray) -> bytearray:
        self.damaged += 1
        kind = self._draw() % 4
        at = self._draw() % (len(data) + 1)
        if kind == 0:
            return data[:at]
        if kind == 1:
            return data + data
        if kind == 2:
            self.held = self.held + bytes(data)
            return bytearray()
        return data[:at] + bytearray([self._draw() & 0xFF] * (self._draw() % 300)) + data[at:]

    def _draw(self) -> int:
        """Xorshift: small, and the same on every VM."""
        x = self.state
        x ^= x << 13 & _MASK
        x ^= x >> 17
        x ^= x << 5 & _MASK
        self.state = x
        return x
