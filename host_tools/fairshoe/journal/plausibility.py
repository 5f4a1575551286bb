"""Check that the events of a journal make sense: boots, clocks, decks, rounds, and what a power cut interrupted."""

from __future__ import annotations

from collections.abc import Iterator, Set

from fairshoe import messages
from fairshoe.games.profiles import deck_sizes
from fairshoe.journal.export import Export
from firmware.protocol.ids import EV_DECK_LOADED, INTENTS, OUTCOMES


class Story:
    """What is known so far, record by record."""

    def __init__(self, capacity: int, whole: bool = False) -> None:
        self.capacity = capacity  # records a device looks back over when it boots
        self.boot = 0
        self.uptime = (0, 0)
        self.offset_s = 0  # UTC minus uptime; 0: not set yet
        self.motion = 0  # the newest intent or outcome
        self.motion_seq = 0
        self.round = 0  # the one that is open
        self.round_seq = 0
        self.cards_out = False  # of that round
        self.by_hand = False  # that round is dealt by hand, and outlived a power cut
        self.round_last = 0
        # A file that begins in the middle does not tell whether a round was open then; nor does one with a hole in it.
        self.round_known = whole
        self.motion_known = whole
        self.expected: dict[int, int] = {}  # cards of the last shuffle, by deck
        self.verified: dict[int, int] = {}
        self.waiting: int | None = 0 if whole else None  # the commitment that waits for a nonce; None: unknown
        self.owed: tuple[int | None, int | None] | None = None  # what power_lost must report; None: unknown

    def note(self, event: messages.Event) -> Iterator[str]:
        yield from self._boot(event)
        yield from self._clock(event)
        yield from self._motion(event)
        yield from self._deck(event)
        yield from self._nonce(event)
        yield from self._round(event)

    def _boot(self, event: messages.Event) -> Iterator[str]:
        if isinstance(event, messages.Booted):
            if self.boot and event.boot != self.boot + 1:
                yield f"boot {event.boot} comes after boot {self.boot}"
            self._look_back(event.seq)
            self.boot = event.boot
            self.uptime = (0, 0)
            self.offset_s = 0
        elif not self.boot:
            self.boot = event.boot  # the file begins in the middle of it
            self.offset_s = event.utc_s - event.uptime_s if event.utc_s else 0
        elif event.boot != self.boot:
            yield f"it is of boot {event.boot}, and boot {self.boot} had not ended"
            self.boot = event.boot
        if (event.uptime_s, event.uptime_ms) < self.uptime:
            yield f"its uptime {event.uptime_s}.{event.uptime_ms:03d} s is less than that of the record before"
        self.uptime = (event.uptime_s, event.uptime_ms)

    def _look_back(self, seq: int) -> None:
        """As the device does: what was under way, as far as its storage reaches."""
        reach = seq - self.capacity
        during = self.motion if self.motion in INTENTS and self.motion_seq >= reach else 0
        is_open = 1 if self.round and self.round_seq >= reach and not self.cards_out else 0
        if during or is_open:
            # A loaded deck without a started stack may lie in a manual shoe, where power cuts no round short.
            open_known = self.round_known and not (is_open and during == EV_DECK_LOADED) and not self.by_hand
            self.owed = (during if self.motion_known else None, is_open if open_known else None)
        else:
            self.owed = None

    def _clock(self, event: messages.Event) -> Iterator[str]:
        offset_s = event.utc_s - event.uptime_s if event.utc_s else 0
        if offset_s != self.offset_s and not isinstance(event, messages.ClockSet):
            yield "its clock differs from the record before, and was not set"
        self.offset_s = offset_s

    def _motion(self, event: messages.Event) -> Iterator[str]:
        if isinstance(event, messages.PowerLost):
            facts = (event.during, event.round_open)
            if any(owed not in (None, said) for owed, said in zip(self.owed or (), facts, strict=False)):
                yield "it does not say what was going on when the last boot ended"
            self.owed = None
        elif self.owed is not None and (event.ID in INTENTS or isinstance(event, messages.RoundStarted)):
            yield "something was going on when the last boot ended, and no power_lost says so"
            self.owed = None
        by_rule = isinstance(event, messages.RoundVoided) and not event.warning  # that ends nothing of the machine
        if event.ID in INTENTS or (event.ID in OUTCOMES and not by_rule):
            self.motion_known = True
            self.motion = event.ID
            self.motion_seq = event.seq

    def _deck(self, event: messages.Event) -> Iterator[str]:
        """A deck is verified only if both counts are what the shuffle expected, and that is what the game has."""
        if isinstance(event, messages.ShuffleStarted):
            self.expected[event.deck] = event.expected
            self.verified.pop(event.deck, None)
        elif isinstance(event, messages.DeckVerified):
            expected = self.expected.get(event.deck, event.counted)
            if not event.counted == event.swept == expected:
                yield f"it verifies {event.counted} cards, {event.swept} of them swept, where {expected} were expected"
            self.verified[event.deck] = event.counted
        elif isinstance(event, messages.RoundStarted):
            cards = self.verified.get(event.deck)
            sizes = deck_sizes().get(event.game)
            if cards is not None and sizes is not None and cards not in sizes:
                wanted = " or ".join(map(str, sorted(sizes)))
                yield f"a round of {event.game} begins with {cards} verified cards, and the game has {wanted}"

    def _nonce(self, event: messages.Event) -> Iterator[str]:
        """A commitment that waits for the table's nonce is followed by the record of what became of it, before a card
        moves; a shuffle that ended in between is recorded as aborted before the next."""
        if isinstance(event, messages.ShuffleNonce):
            if self.waiting == 0:
                yield "it tells of a nonce, and no commitment waited for one"
            self.waiting = 0
        elif isinstance(event, (messages.ShuffleCommitted, messages.DeckVerified, messages.DeckRefused)):
            if self.waiting:
                yield f"the commitment {self.waiting} waited for a nonce, and no shuffle_nonce says what became of it"
            self.waiting = event.seq if isinstance(event, messages.ShuffleCommitted) and event.wait_ds else 0

    def _round(self, event: messages.Event) -> Iterator[str]:
        if isinstance(event, messages.RoundStarted):
            if self.round:
                yield f"round {event.round} begins while round {self.round} is open"
            if event.round <= self.round_last:
                yield f"round {event.round} begins after round {self.round_last}"
            self.round = event.round
            self.round_known = True
            self.cards_out = self.by_hand = False
            self.round_seq = event.seq
            self.round_last = event.round
        elif isinstance(event, (messages.RoundEnded, messages.RoundVoided)):
            self.round = 0
            self.round_known = True
            self.by_hand = False
        elif isinstance(event, messages.RemainderTaken) or (
            isinstance(event, messages.PowerLost) and (not event.round_open or event.during == EV_DECK_LOADED)
        ):
            self.cards_out = True  # from here on there is nothing left that could be cut short
            self.by_hand = isinstance(event, messages.PowerLost)
        elif isinstance(event, messages.HeldBack) and event.need == messages.Need.HOUSE_DECISION:
            self.cards_out = True  # the machine stopped, and the round is held beside it until the house decides


def check_sense(export: Export, broken: Set[int]) -> Iterator[tuple[int, str]]:
    """Numbers of records that make no sense after those before them, with the reason.

    `broken` are the places of records that are not the device's, or do not follow the one before: nothing follows from
    what stands before such a place."""
    capacity = max((attestation.last - attestation.first + 1 for attestation in export.attested), default=0)
    if all(attestation.first == 1 for attestation in export.attested):
        capacity = export.last  # the ring has never been full
    story = Story(capacity, whole=bool(export.records) and export.records[0].seq == 1)
    for index, record in enumerate(export.records):
        if index in broken:
            story = Story(capacity)
            continue
        event = record.event()
        if event is not None:
            for what in story.note(event):
                yield record.seq, what
