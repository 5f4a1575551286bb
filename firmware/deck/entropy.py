"""Seeds from raw noise: health-tested as SP 800-90B 4.4 asks, then conditioned by SHA-256.

What a byte of the source is worth comes from the board config, as a policy and never as a measurement (docs/BOARDS.md).
Both cut-offs and the number of raw bytes behind a seed follow from it. A source that gives one bit at a time is tested
bit by bit, as its samples come, although the HAL packs eight of them into a byte (first bit highest).
"""

from hashlib import sha256

from micropython import const

from firmware.digest import wipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Config, Hal

ALPHA_BITS = const(30)  # a source as good as assessed fails a test once in 2**30 samples or windows
SEED_SIZE = const(32)
SEED_MILLIBITS = const(576000)  # assessed entropy behind a seed: twice its 256 bits, and 64 for the conditioning
START_UP_BYTES = const(1024)  # 90B asks for 1,024 samples: these are 1,024, or 8,192 of one bit
WINDOW_BITS = const(1024)  # 90B 4.4.2: the window of a binary source, and of any other
WINDOW_BYTES = const(512)
CHUNK = const(64)
SLICE = const(256)  # bytes a call: reading and testing them takes some 50 ms on an RP2040, and the watchdog waits 500
ONE_BIT = ("rp2040_rosc",)

# Of a nibble: how many zeros it begins with, how many it ends with, how many ones it has.
_LEAD = b"\x04\x03\x02\x02\x01\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00"
_TAIL = b"\x04\x00\x01\x00\x02\x00\x01\x00\x03\x00\x01\x00\x02\x00\x01\x00"
_ONES = b"\x00\x01\x01\x02\x01\x02\x02\x03\x01\x02\x02\x03\x02\x03\x03\x04"


class Entropy:
    """One source and the state of its tests. A failure stays until a start-up test has been passed again."""

    def __init__(self, hal: "Hal", config: "Config") -> None:
        worth = config["millibits_per_byte"]
        self.hal = hal
        self.one_bit = config["source"] in ONE_BIT
        unit = 8000 if self.one_bit else 1000  # a sample has worth / unit bits
        self.seed_bytes = (SEED_MILLIBITS + worth - 1) // worth
        self.run_max = repetition_cutoff(worth, unit)
        self.byte_run_max = repetition_cutoff(worth, 1000)
        self.share_max = proportion_cutoff(worth, unit, WINDOW_BITS if self.one_bit else WINDOW_BYTES)
        self.chunk = bytearray(CHUNK)
        self.failed = True  # nothing has been tested yet
        self.owed = False  # a failure not reported yet: the next seed request is refused
        self.conditioner: "sha256 | None" = None
        self.left = 0  # bytes that the seed still needs
        self.pool: bytes  # of the last start-up test: makes nonces of a link hard to guess
        self._restart()

    def start_up(self) -> bool:
        """Test fresh samples; no seed is made of them, only the pool. Whether the source may be used."""
        self._restart()
        self.failed = False
        self.conditioner = sha256()
        good = self._take(START_UP_BYTES)
        self.pool = self.conditioner.digest()
        self.conditioner = None
        return good

    def gather(self) -> bool:
        """Take a slice of the noise for the next seed; after a failure, the start-up test. Whether that is all: either
        there is a seed now, or there is none to be had."""
        if self.owed:
            self.owed = False
            return True
        if self.failed:
            return not self.start_up()
        if self.conditioner is None:
            self.conditioner = sha256()
            self.left = self.seed_bytes
        if self.left > 0 and not self._take(min(self.left, SLICE)):
            self.conditioner = None
            return True
        self.left -= SLICE
        return self.left <= 0

    def seed_into(self, out: bytearray) -> bool:
        """Fill out with 32 conditioned bytes of what was gathered; False, and nothing in it, if that is not enough."""
        if self.conditioner is None or self.left > 0:
            return False
        out[:] = self.conditioner.digest()
        self.conditioner = None
        return True

    def _restart(self) -> None:
        self.last = 0
        self.run = 0
        self.byte_last = -1
        self.byte_run = 0
        self.first = 0
        self.share = 0
        self.position = 0  # in the window, in bytes

    def _take(self, size: int) -> bool:
        """Read and test `size` bytes, rounded up to chunks, into the conditioner if there is one."""
        chunk = self.chunk
        for _ in range((size + CHUNK - 1) // CHUNK):
            good = self.hal.entropy_into(chunk)
            if not (self._test_bits(chunk) if self.one_bit else self._test_bytes(chunk)) or not good:
                self.failed = True
            if self.conditioner is not None:
                self.conditioner.update(chunk)
        wipe(chunk)
        return not self.failed

    def _test_bytes(self, chunk: bytearray) -> bool:
        run, share, position = self.run, self.share, self.position
        good = True
        for byte in chunk:
            if byte != self.last:
                self.last = byte
                run = 0
            run += 1
            if position == 0:
                self.first = byte
                share = 0
            share += byte == self.first
            position = (position + 1) % WINDOW_BYTES
            if run >= self.run_max or share >= self.share_max:
                good = False
        self.run, self.share, self.position = run, share, position
        return good

    def _test_bits(self, chunk: bytearray) -> bool:
        """Eight samples at once: a run of run_max, which is more than 30, cannot lie inside a byte. Bytes are tested
        for repetition too: a source stuck in a pattern of eight bits has short runs and even shares."""
        run, share, position = self.run, self.share, self.position
        good = True
        for byte in chunk:
            if byte != self.byte_last:
                self.byte_last = byte
                self.byte_run = 0
            self.byte_run += 1
            turned = byte ^ self.last  # zeros where the run goes on
            if turned < 0x80:  # at least one sample goes on
                run += 8 if turned == 0 else _LEAD[turned >> 4] if turned > 15 else 4 + _LEAD[turned]
                if run >= self.run_max:
                    good = False
            if turned:
                self.last = last = 0xFF if byte & 1 else 0
                turned = byte ^ last
                run = _TAIL[turned & 15] if turned & 15 else 4 + _TAIL[turned >> 4]
            if position == 0:
                self.first = byte & 0x80
                share = 0
            ones = _ONES[byte >> 4] + _ONES[byte & 15]
            share += ones if self.first else 8 - ones
            position = (position + 1) % (WINDOW_BITS // 8)
            if share >= self.share_max or self.byte_run >= self.byte_run_max:
                good = False
        self.run, self.share, self.position = run, share, position
        return good


def repetition_cutoff(worth: int, unit: int) -> int:
    """90B 4.4.1: this many equal samples in a row are a failure. A sample has worth / unit bits."""
    return 1 + (ALPHA_BITS * unit + worth - 1) // worth


def proportion_cutoff(worth: int, unit: int, window: int) -> int:
    """90B 4.4.2: this many samples of a window like its first are a failure.

    The first is like itself, so the binomial distribution is that of the others: n = window - 1, p = 2**-H. With
    r = (1 - p) / p = 2**H - 1, P(all but j are alike) is C(n, j) * r**j / 2**(H * n): the sum over j is compared with
    2**(H * n - 30), in whole numbers of 2**-30. Never above the window, or the test could not fail.
    """
    others = window - 1
    excess = worth * others - ALPHA_BITS * unit
    if excess < 0:
        return window
    limit = int(2 ** (excess % unit / unit) * (1 << 30)) << excess // unit
    ratio = int((2 ** (worth / unit) - 1) * (1 << 30))
    term = total = 1 << 30
    j = 0
    while total <= limit:  # bounded: the sum over all j is 2**(H * n)
        j += 1
        term = term * (window - j) * ratio // (j << 30)
        total += term
    return window - j + 1
