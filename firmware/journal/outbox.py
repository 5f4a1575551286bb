"""Events that happened and are not yet durable: posted by the machines' logic, recorded when no card moves."""

from micropython import const

from firmware.fault import FAULT_JOURNAL, require

OUTBOX_MAX = const(24)
OUTBOX_SPARE = const(12)  # kept free for the events of a stop: optional events use only the rest
VALUES_MAX = const(7)


class Entry:
    """One posted event. Values and text are copied references; nothing is allocated when it is filled."""

    def __init__(self) -> None:
        self.message = 0
        self.uptime_s = 0
        self.uptime_ms = 0
        self.round = 0
        self.deck = 0
        self.values = [0] * VALUES_MAX
        self.text = b""


class Outbox:
    """A bounded queue; also knows the time, round and deck that an event posted now belongs to."""

    def __init__(self) -> None:
        self.entries = [Entry() for _ in range(OUTBOX_MAX)]
        self.first = 0
        self.count = 0
        self.uptime_s = 0
        self.uptime_ms = 0
        self.round = 0
        self.deck = 0

    def carry(self) -> None:
        """Whole seconds of the uptime, which the app carries forward: apart from the rest both are small integers for
        34 years."""
        while self.uptime_ms >= 1000:
            self.uptime_ms -= 1000
            self.uptime_s += 1

    def post(
        self,
        message: int,
        a: int = 0,
        b: int = 0,
        c: int = 0,
        d: int = 0,
        text: bytes = b"",
        e: int = 0,
        f: int = 0,
        g: int = 0,
    ) -> None:
        """Queue an event. A full outbox is a broken invariant: losing an event silently is not an option."""
        require(self.count < OUTBOX_MAX, FAULT_JOURNAL)
        entry = self.entries[(self.first + self.count) % OUTBOX_MAX]
        entry.message = message
        entry.uptime_s = self.uptime_s
        entry.uptime_ms = self.uptime_ms
        entry.round = self.round
        entry.deck = self.deck
        values = entry.values
        values[0] = a
        values[1] = b
        values[2] = c
        values[3] = d
        values[4] = e
        values[5] = f
        values[6] = g
        entry.text = text
        self.count += 1

    def add(self, d: int, e: int) -> None:
        """Two more values of the event posted last: a call of `post` with them would not fit on the stack."""
        values = self.entries[(self.first + self.count - 1) % OUTBOX_MAX].values
        values[3] = d
        values[4] = e

    def roomy(self) -> bool:
        """Whether something that can wait may be posted."""
        return self.count < OUTBOX_MAX - OUTBOX_SPARE

    def head(self) -> Entry:
        return self.entries[self.first]

    def drop_head(self) -> None:
        self.first = (self.first + 1) % OUTBOX_MAX
        self.count -= 1
