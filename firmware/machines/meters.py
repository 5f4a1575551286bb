"""What maintenance wants to know: how much the machine has done, how often it had to try again, how fast cards come,
and how uneasy each beam is.

Counted while cards move; told, and stored, only between jobs, so that nothing of an order shows in when they change.
"""

from micropython import const

from firmware.fault import FAULT_DOUBLE_FEED, FAULT_JAM_EXIT, FAULT_JAM_THROAT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

# In the order of the fields of the message `meters`; what follows them is in `wear`.
METER_CYCLES = const(0)  # decks shuffled or loaded
METER_CARDS = const(1)
METER_MISFEEDS = const(2)
METER_STALLS = const(3)
METER_JAMS = const(4)
METER_DOUBLE_FEEDS = const(5)
METER_FAULTS = const(6)  # of any kind
METER_FEED_US = const(7)  # mean time from roller on to card at the first beam, lately
METER_FEED_US_NEW = const(8)  # the same, as it was over the first thousand cards
METER_GLITCHES = const(9)  # by beam, from here on: changes that did not last, and tests failed
METER_LINES = const(9)  # the optical inputs among the first of the image, exit and tray included, and arrival, cut
METER_THROAT_US = const(18)  # mean time of a trailing edge from throat A to B, over the last whole deck
METER_COUNT = const(19)

_LINE_OF = b"\x00\x01\x02\x03\x04\x05\x06\x09\x0a"  # hopper throat_a throat_b opacity slot exit tray arrival cut
_JAMS = (FAULT_JAM_THROAT, FAULT_JAM_EXIT)  # made once: in the expression it would be made, and allocated, each time
_NEW_CARDS = const(1000)
_U16_MAX = const(0xFFFF)


class Meters:
    """Over the device's life."""

    def __init__(self) -> None:
        self.values = [0] * METER_COUNT
        self.dirty = False  # something has changed since it was stored
        self._glitches = [0] * METER_LINES  # of this boot, as last added up

    def add(self, meter: int) -> None:
        self.values[meter] += 1
        self.dirty = True

    def fed(self, feed_us: int) -> None:
        """One card came: its time into the mean, weighted one in 64; the mean of a young machine is its reference."""
        values = self.values
        self.add(METER_CARDS)
        if feed_us < 0:
            feed_us = 0  # the beam was blocked before the roller started: a pulse on its line, no card
        if values[METER_FEED_US]:
            feed_us = values[METER_FEED_US] + (feed_us - values[METER_FEED_US]) // 64
        values[METER_FEED_US] = feed_us
        if values[METER_CARDS] <= _NEW_CARDS:
            values[METER_FEED_US_NEW] = feed_us

    def fault(self, fault: int) -> None:
        self._add(METER_FAULTS, 1)
        if fault in _JAMS:
            self._add(METER_JAMS, 1)
        elif fault == FAULT_DOUBLE_FEED:
            self._add(METER_DOUBLE_FEEDS, 1)

    def uneasy(self, line: int) -> None:
        """A beam failed its test."""
        for i in range(METER_LINES):
            if _LINE_OF[i] == line:
                self._add(METER_GLITCHES + i, 1)

    def gather(self, glitches: "array[int]") -> None:
        """Add the glitches of each beam since the last call."""
        for i in range(METER_LINES):
            seen = glitches[_LINE_OF[i]]
            if seen != self._glitches[i]:
                self._add(METER_GLITCHES + i, seen - self._glitches[i])
                self._glitches[i] = seen

    def _add(self, meter: int, times: int) -> None:
        """Add to a meter of sixteen bits; saturates at 65,535."""
        self.values[meter] = min(self.values[meter] + times, _U16_MAX)
        self.dirty = True
