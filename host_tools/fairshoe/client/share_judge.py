"""What the events of a device say about the table's share: which decks have it, and which orders were dropped.

The device knows an order from the moment when it has the nonce, and can drop it until the last card that the round
takes from it is out: after a first stack that it dislikes a jam is worth as much as before it. A list of ends that lose
a share would have holes, so there is one end that keeps it (`_taken`), and every other one counts. A device that leaves
out the event of an end is found at its next deck.

A round uses up its deck: one that begins with a deck of which no shuffle was seen counts as well. How many hands are
dealt is the device's word, too, unless the table says how many have wagers (`wagered`).

An end is the device's own word. A person answers for an end by name, beforehand: then it has a column of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fairshoe import messages
from fairshoe.errors import NonceAltered

SHIFT_S = 8 * 3600.0
SHIFT_SHUFFLES = 60  # a shift has at least so many for the bounds: a clock that was set ahead does not empty a column

_WORDS = {
    "late": "the device recorded no nonce in time",
    "declined": "the device recorded that the table gave none",
    "no_wait": "the device did not wait for the table's nonce",
    "unrecorded": "no record says what became of the table's nonce",
    "unseen": "this program did not see its shuffle",
    "loaded": "the device says that it was loaded, and this device shuffles",
    "aborted": "the shuffle ended before its order was drawn",
    "failed": "the shuffle failed",
    "refused": "the device refused the deck",
    "removed": "the deck was removed",
    "power": "the device restarted",
    "dropped": "another deck or round began",
    "door": "the door was opened",
    "warning": "the device gave a warning",
    "face_up": "the device reported a card that lay face up, and dealt another in its place",
    "ended": "its round ended before all of its cards were out",
    "unplayed": "it was released without a round",
    "short": "the rest was taken before all stacks and cards were out",
}
_ENDS: dict[type[messages.Event], str] = {
    messages.ShuffleStarted: "dropped",
    messages.ShuffleCommitted: "dropped",
    messages.DeckLoaded: "dropped",
    messages.ShuffleFailed: "failed",
    messages.DeckRefused: "refused",
    messages.RemovalStarted: "removed",
    messages.DeckRemoved: "removed",
    messages.EmptyProved: "removed",
    messages.WarningLatched: "warning",
    messages.DoorOpened: "door",
    messages.Booted: "power",
    messages.PowerLost: "power",
}
JUDGED = (
    *_ENDS,
    messages.ShuffleNonce,
    messages.DeckVerified,
    messages.RoundStarted,
    messages.StackTaken,
    messages.RemainderTaken,
    messages.RoundEnded,
    messages.RoundVoided,
    messages.CardsOdd,
    messages.Recorded,
)
DECKS = 2  # that a table has at most
SHUFFLES = (messages.ShuffleStarted, messages.ShuffleCommitted, messages.DeckVerified)  # what shows that a device does
INSIDE = (messages.ShuffleCommitted, messages.DeckVerified, messages.DeckLoaded)  # the deck is in the machine again
HOUSE_GAME = "HOUSE"  # whose deal may be programmed: the number of its stacks does not follow from the positions


@dataclass(frozen=True)
class LostShare:
    """A shuffle whose order did not come to the table as the table's nonce made it. `seq` is the number of its
    commitment (of deck_verified or deck_loaded if that was not seen, 0 if neither was), `at` the UTC second when this
    was known, `nth` how many shuffles had been seen then."""

    seq: int
    deck: int
    why: str
    at: float
    nth: int = 0

    @property
    def text(self) -> str:
        return f"deck {self.deck}, shuffle of event {self.seq}: {_WORDS[self.why]}"


@dataclass
class _Shuffle:
    """The newest shuffle. `over`: its share is kept or lost."""

    seq: int
    deck: int
    nonce: bytes = b""
    waits: bool = False
    why: str = ""  # why its order has no share; empty: it has
    over: bool = False
    kept: bool = False
    record: messages.ShuffleNonce | None = None  # the first of its commitment; no other one counts
    verified: bool = False
    cards: int = 0  # still in the device, once the deck is verified
    round: int = 0
    positions: int = 0
    stacks: int = 0


class Judge:
    """Follows the events of one log, stored or live, in order. `shuffles`: it is known from elsewhere that the device
    does. `ended` has the shuffles for whose end a person answers, by number: name and cause."""

    def __init__(self, nonce_of: Callable[[messages.ShuffleCommitted], bytes], shuffles: bool = False) -> None:
        self.hands: dict[int, int] = {}  # with wagers, by the number of the shuffle, where the device said less
        self.lost: list[LostShare] = []
        self.accepted: set[int] = set()  # decks that a supervisor accepted, by the number of their shuffle
        self.ended: dict[int, tuple[str, str]] = {}
        self.shuffles = shuffles
        self.loaded = False  # the newest deck was
        self.count_seen = 0  # commitments
        self._nonce_of = nonce_of
        self._shuffle: _Shuffle | None = None
        self._decks: dict[int, LostShare | None] = {}  # None: nothing against it
        self._used: set[int] = set()  # decks with which a round has begun since they were shuffled
        self._round = 0  # that is under way
        self._round_seq = 0  # the event with which the newest one began
        self._inside = 0
        self._handed = 0  # the deck that was handed out as a whole, until its round is over
        self._out: dict[int, _Shuffle] = {}  # handed out, and no round has begun with it yet
        self._unplayed: list[_Shuffle] = []  # handed out and back, at a device with which no round was played so far
        self._plays = False  # rounds are played with this device
        self._deals = False  # and dealt by it
        self._seq = 0

    def feed(self, event: messages.Event, at: float) -> LostShare | None:
        """What this event shows to be lost. Raises NonceAltered if another nonce is recorded than was given, or more
        than one."""
        if isinstance(event, messages.ShuffleNonce):
            self._seq = max(self._seq, event.seq)
            return self._note_nonce(event, at)
        if event.seq <= self._seq:
            return None  # sent again
        self._seq = event.seq
        before = len(self.lost)
        why = _ENDS.get(type(event)) or self._end_of_round(event)
        if isinstance(event, messages.WarningLatched) and event.warning == messages.Fault.DOOR:
            why = "door"
        if why:
            self._lose(why, at)
        self._deck(event, at)
        return self.lost[-1] if len(self.lost) > before else None

    def against(self) -> LostShare | None:
        """What speaks against the deck that the next round is dealt from; in a round, of that one."""
        found = self._unseen if self.used_up and not self._round else self._decks.get(self._next, self._unseen)
        return found if found is not None and found.seq not in self.accepted else None

    @property
    def used_up(self) -> bool:
        """Whether a round has begun with the newest deck. One that is loaded may last for many rounds."""
        return self.shuffles and self._next in self._used

    @property
    def _next(self) -> int:
        return self._handed or self._inside

    @property
    def _unseen(self) -> LostShare:
        """A deck of which no shuffle was seen. A person who accepts it does so for one round."""
        return LostShare(self._round_seq if self.shuffles or self._deals else 0, self._next, "unseen", 0.0)

    def count(self, now: float, by_person: bool = False) -> int:
        """Of the shift that ends now: by the device's word, or those for which a person answers."""
        return sum((it.seq in self.ended) is by_person for it in self.recent(now))

    def recent(self, now: float) -> list[LostShare]:
        """Those of this shift."""
        return [it for it in self.lost if abs(now - it.at) < SHIFT_S or self.count_seen - it.nth < SHIFT_SHUFFLES]

    @property
    def pending(self) -> LostShare | None:
        """The share that was lost by a door, until a person names the cause or another shuffle begins."""
        if not self.lost or self._shuffle is None:
            return None
        last = self.lost[-1]
        waits = last.why == "door" and last.seq not in self.ended
        return last if waits and last.seq == self._shuffle.seq else None

    @property
    def open(self) -> int:
        """The number of the shuffle whose share can still be lost; 0: there is none."""
        return self._shuffle.seq if self._shuffle is not None and not self._shuffle.over else 0

    def wagered(self, round_number: int, hands: int, at: float) -> int:
        """So many hands have wagers in the round that is dealt now. The number of its shuffle if the device said that
        it deals to fewer; else 0. The last cards may be out already."""
        shuffle = self._shuffle
        if shuffle is None or shuffle.round != round_number or shuffle.positions >= hands:
            return 0
        self.hands[shuffle.seq] = hands
        if shuffle.kept and not self._all_dealt(shuffle):
            shuffle.over = shuffle.kept = False
            self._lose("short", at)
        return shuffle.seq

    # -- the deck ----------------------------------------------------------------------------------------------------

    def _deck(self, event: messages.Event, at: float) -> None:
        """What becomes of the deck."""
        self.shuffles = self.shuffles or isinstance(event, SHUFFLES)
        if isinstance(event, INSIDE):
            self._back(event.deck, at)
        match event:
            case messages.ShuffleCommitted():
                self.loaded = False
                self.count_seen += 1
                nonce, waits = self._nonce_of(event), event.wait_ds > 0
                self._shuffle = _Shuffle(event.seq, event.deck, nonce, waits, "unrecorded" if waits else "no_wait")
            case messages.DeckVerified():
                self._verified(event, at)
            case messages.DeckLoaded():
                self.loaded = True
                self._enters(event.deck)
                if self.shuffles:
                    self._shuffle = _Shuffle(event.seq, event.deck)
                    self._refuse("loaded", at)
            case messages.RoundStarted():
                self._begin(event, at)
            case messages.StackTaken():
                self._deals = True
                self._played(at)
                self._stack(event)
            case messages.RemainderTaken():
                self._taken(event, at)
            case messages.RoundEnded() | messages.RoundVoided():
                self._round = 0
                if event.deck == self._handed:
                    self._handed = 0
            case _:
                pass

    def _enters(self, deck: int) -> None:
        self._inside, self._decks[deck] = deck, None
        self._used.discard(deck)

    def _begin(self, event: messages.RoundStarted, at: float) -> None:
        """Of a table's decks one was shuffled before the first event here, and the other one may have been."""
        early = self.count_seen <= 1 and event.deck <= DECKS and event.deck not in self._used
        seen = early or (event.deck in self._decks and event.deck not in self._used)
        if not seen and (self.shuffles or (self._deals and not self.loaded)):
            self.lost.append(LostShare(event.seq, event.deck, "unseen", at, self.count_seen))
        self._used.add(event.deck)
        self._round, self._round_seq = event.round, event.seq
        if self._out.pop(event.deck, None) is not None:
            self._played(at)
        shuffle = self._shuffle
        if shuffle is not None and shuffle.verified and not shuffle.over and event.deck == shuffle.deck:
            shuffle.round = event.round
            # There is a player's stack at least, and the last one. A house game may deal any number of them.
            shuffle.positions = max(event.positions, 1) if event.game != HOUSE_GAME else 0

    def _verified(self, event: messages.DeckVerified, at: float) -> None:
        shuffle = self._shuffle
        if shuffle is None or shuffle.over or shuffle.verified or shuffle.deck != event.deck:
            self._lose("dropped", at)
            shuffle = self._shuffle = _Shuffle(event.seq, event.deck, why="unseen")
        shuffle.verified, shuffle.cards = True, event.counted
        self._enters(event.deck)
        if shuffle.why:
            self._refuse(shuffle.why, at)

    def _stack(self, event: messages.StackTaken) -> None:
        shuffle = self._shuffle
        if shuffle is not None and shuffle.round and event.round == shuffle.round:
            shuffle.cards -= event.cards
            shuffle.stacks += event.stack == shuffle.stacks + 1

    def _taken(self, event: messages.RemainderTaken, at: float) -> None:
        """The rest of a deck, or a whole one, was taken: the only end that keeps a share."""
        shuffle = self._shuffle
        if not event.round and not self._deals:
            self._handed = event.deck
        if shuffle is None or shuffle.over:
            return
        whole = shuffle.verified and event.counted == shuffle.cards and event.deck == shuffle.deck
        if not whole or not self._all_dealt(shuffle) or event.round != shuffle.round:
            self._lose("short", at)
        elif not shuffle.round:
            self._out[shuffle.deck] = shuffle
            if len(self._out) > DECKS:
                self._back(next(iter(self._out)), at)
        shuffle.kept = not shuffle.over
        shuffle.over = True

    def _all_dealt(self, shuffle: _Shuffle) -> bool:
        return not shuffle.round or shuffle.stacks > max(shuffle.positions, self.hands.get(shuffle.seq, 0))

    def _back(self, deck: int, at: float) -> None:
        """A deck that was handed out is shuffled again. If rounds are played with this device, it was dropped unless
        one has begun with it; a device that serves another table hands decks out without any round."""
        shuffle = self._out.pop(deck, None)
        if shuffle is not None:
            self._unplayed.append(shuffle)
            if self._plays:
                self._played(at)

    def _played(self, at: float) -> None:
        self._plays = True
        self.lost += [LostShare(it.seq, it.deck, "unplayed", at, self.count_seen) for it in self._unplayed]
        self._unplayed.clear()

    def _end_of_round(self, event: messages.Event) -> str:
        """Why this event about a round ends the deck before all of its cards are out; empty: it does not."""
        shuffle = self._shuffle
        if shuffle is None or shuffle.over or event.deck != shuffle.deck:
            return ""
        match event:
            case messages.RoundStarted() if shuffle.round:
                return "dropped"
            case messages.RoundEnded() | messages.RoundVoided() if event.round == shuffle.round:
                return "ended"
            case messages.CardsOdd(warning=messages.Fault.FACE_UP):
                return "face_up"
            case messages.Recorded(what=messages.What.NO_ACTIVITY):
                return "unplayed"
            case _:
                return ""

    # -- the nonce ---------------------------------------------------------------------------------------------------

    def _note_nonce(self, event: messages.ShuffleNonce, at: float) -> LostShare | None:
        """The first record of a commitment binds: a second one would choose between two orders."""
        shuffle = self._shuffle
        if shuffle is None or event == shuffle.record:
            return None  # of a shuffle before the first that was seen; or sent again
        if shuffle.record is not None or not shuffle.waits or shuffle.verified:
            raise NonceAltered(
                f"the shuffle of event {shuffle.seq} has a record of the table's nonce that it may not have: event "
                f"{event.seq}.",
                "Take the device out of service, and keep its journal.",
            )
        shuffle.record = event
        if event.share == messages.Share.ABORTED:
            return self._lose("aborted", at)
        if event.share != messages.Share.GIVEN:
            shuffle.why = "declined" if event.share == messages.Share.DECLINED else "late"
        elif event.nonce != shuffle.nonce:
            raise NonceAltered(
                f"the shuffle of event {shuffle.seq} was given nonce {shuffle.nonce.hex()}, and its record says "
                f"{event.nonce.hex()}.",
                "Take the device out of service, and see whether another host has the table's key.",
            )
        else:
            shuffle.why = ""
        return None

    # -- what is lost ------------------------------------------------------------------------------------------------

    def _lose(self, why: str, at: float) -> LostShare | None:
        """The share of the newest shuffle, if it was neither kept nor lost before."""
        shuffle = self._shuffle
        if shuffle is None or shuffle.over:
            return None
        shuffle.over = True
        lost = LostShare(shuffle.seq, shuffle.deck, why, at, self.count_seen)
        self.lost.append(lost)
        if shuffle.verified and not shuffle.round:
            self._decks[shuffle.deck] = lost  # a round that has begun goes on: the house or a rule decides about it
        return lost

    def _refuse(self, why: str, at: float) -> None:
        """A deck that is inside has no share."""
        assert self._shuffle is not None
        self._decks[self._shuffle.deck] = self._lose(why, at)
