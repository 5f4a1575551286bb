"""One order after the other, each from a seed of its own: what makes a shuffle provable afterwards.

A DRBG lives as long as the device is on and takes fresh entropy before every shuffle. It gives a 32-byte seed; the
order comes from a second DRBG that knows nothing but that seed, and the share that the table may have in it. So an
auditor who gets the seed later can draw the order again, and the commitment, published before a card moves, shows that
it is the same seed. docs/SHUFFLE.md has the whole of it; the texts below are part of it and change only together with
their number.
"""

from hashlib import sha256
from struct import pack

from firmware.deck.drbg import Drbg
from firmware.deck.entropy import SEED_SIZE, Entropy
from firmware.deck.permutation import permutation_fill
from firmware.digest import wipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from hal.api import Config, Hal

_DEVICE = b"fairshoe device 1"
_SHUFFLE = b"fairshoe shuffle 1"
_SHARED = b"fairshoe shuffle 2"  # with a share of the table
_COMMITMENT = b"fairshoe seed 1"


class Shuffler:
    """`seed` and `commitment` are those of the last draw; the seed is there until forget(). `share` is what the table
    adds to the next draw: its nonce and the identity of the shuffle, or nothing."""

    def __init__(self, hal: "Hal", config: "Config", boot: int) -> None:
        self.entropy = Entropy(hal, config["entropy"])
        self.entropy.owed = not self.entropy.start_up()
        # Never the same twice, which is all that 90A asks of a nonce that is not random.
        self.nonce = pack("<II", hal.unique_id(), boot)
        self.drbg: "Drbg | None" = None
        self.seed = bytearray(SEED_SIZE)
        self.commitment = b""
        self.committed = False  # the seed is drawn, its order is not
        self.share = b""

    def commit(self) -> bool:
        """Draw a seed, once entropy.gather() is through. False: no healthy entropy, and nothing was drawn."""
        fresh = bytearray(SEED_SIZE)
        if not self.entropy.seed_into(fresh):
            return False
        if self.drbg is None:
            self.drbg = Drbg(fresh, self.nonce, _DEVICE)
        else:
            self.drbg.reseed(fresh)
        wipe(fresh)
        seed = self.drbg.generate(SEED_SIZE)
        self.seed[:] = seed
        wipe(seed)
        commitment = sha256(_COMMITMENT)
        commitment.update(self.seed)  # not joined before: the copy could not be overwritten
        self.commitment = commitment.digest()
        self.committed = True
        return True

    def draw(self, order: "array[int]", count: int) -> bool:
        """Fill order[:count] from the seed committed to, or from a new one. False as for commit."""
        if not self.committed and not self.commit():
            return False
        self.committed = False
        shuffle = Drbg(self.seed, self.share, _SHARED if self.share else _SHUFFLE)
        permutation_fill(order, count, shuffle)
        shuffle.wipe()
        return True

    def forget(self) -> None:
        """Wipe the seed: it is stored for the auditor, or no longer needed."""
        wipe(self.seed)
        self.committed = False
        self.share = b""
