"""The facts of a table: what outlives a round and a power cut, as small numbers in one row of bytes.

Nothing writes them but `note`, which reads events as they are recorded; so facts and journal cannot disagree. After a
boot the events that are newer than the stored row are noted again. What a power cut does to each is decided here too:
a deck loses the status of being shuffled, everything else stays.
"""

from micropython import const

from firmware.fault import FAULT_FACE_UP
from firmware.games.profile import TAIL_HANDED, TAIL_HOUSE
from firmware.games.shoe_facts import ANSWER, shoe_note
from firmware.protocol import ids

BOOKS_SIZE = const(52)

# Of the table.
ROUNDS = const(0)  # since the last stub count
TURN = const(1)  # the deck that comes next, 1 or 2; 0 means 1
SERVICE = const(2)  # 1: taken out of service
PLAYED = const(3)  # cards have left the shoe
READER_OFF = const(4)
APPROVAL = const(5)  # what an approved alternative allows: APPROVED_... bits
TENS = const(7)  # of the set in the shoe; a table with tens to remove has one set
# Of the round: all zero when one starts.
ROUND_FIRST = const(8)
TAIL = const(8)  # every card of the round is out, and the dealer has not ended it: TAIL_... of profile.py
TAIL_DECK = const(9)
STACKS = const(10)
DEALT = const(11)
REST = const(12)
SHORT = const(13)  # while a card is due: the stack out of which one was rejected; rest out: not 0 if one comes from it
EXTRA = const(14)  # cards due to the dealer's hand or in place of a rejected one
BY_HAND = const(15)  # cards that left the rest by hand, with a sign: less than none where a dealt hand was short
SECONDS = const(16)  # positions with a second wager, or with a void hand if they are in NOT_IN too, two bytes
NOT_IN = const(18)  # and those that take no part any more, folded or void, two bytes
FINAL = const(20)  # positions in the final deal that are not void since, and one; 0: not frozen yet
COUNTED = const(21)  # 1: the stub was counted
STUB = const(22)  # and had so many cards, two bytes
ACCEPTED = const(24)  # progressive wagers, and one; 0: not reported
COLLECTED = const(25)
DUE = const(26)  # 1: this round's stub has to be counted
OPEN = const(27)  # 1: neither ended nor void
ROUND_END = const(28)
# Of each deck.
DECK_FIRST = const(28)
DECK_CELLS = const(6)
INDUCTED = const(0)  # a bit for each step that was recorded, by its record number
SOURCE = const(1)  # who brought it into order: ids.FROM_...
CUT_MADE = const(2)
MACHINE_COUNTED = const(3)  # shuffled and counted by this device, and not played since
HELD = const(4)  # bits: HELD_...
SINCE = const(5)  # rounds since its stub was last counted
FACE_UPS = const(6)  # cards that lay face up since it was shuffled

# Of the first and the second deck. Before decks had a tally each the first of these was the one of both.
_FACE_UPS_AT = b"\x06\x2f"
POSITIONS = const(42)  # of the last round, as set when it began
RACK = const(41)  # 1: rack and rest of the last shoe have to be counted
RACK_UNKNOWN = const(2)  # in RACK: on every table, since the machine stopped and its count is unknown
COMMITTED = const(44)  # 1: a commitment waits for the table's nonce, or for its end
ABORTED = const(45)  # shuffles that ended while it did, two bytes
CLOSED_AGAIN = const(48)  # 1: betting of the last round was closed a second time
DECIDED = const(49)  # 1: a fold or a second wager of it is on record
WITHDRAWN = const(50)  # positions that are out because they took their second wager back, two bytes
REMOVED = const(40)  # tens taken out of the set, since it was loaded as a whole

DEALER_DONE = const(16)  # in place of a position: the dealer's hand was completed, which happens once
HELD_DISPUTE = const(1)
HELD_WINNER = const(2)
HELD_OFF = const(4)  # a rule has ordered the deck off the table, and no new one was confirmed
HELD_LOOKED = const(8)  # the door was opened since
HELD_GONE = const(32)  # it left the table of two decks, which goes on with the other one
HELD_NEW = const(16)  # the machine has refused and put out the deck: the display asks for a new one
APPROVED_MARKER = const(1)  # the cut card somewhere else, or none
APPROVED_NO_BURN = const(2)
U8_MAX = const(255)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.profile import Profile


class TableFacts:
    """Sole writer of the row: note."""

    def __init__(self, profile: "Profile") -> None:
        self.profile = profile
        self.row = bytearray(BOOKS_SIZE)
        self.dirty = False
        self.once = True  # a deck is played once and then shuffled; a shoe drawn by hand lasts for many rounds

    def deck(self, deck: int, cell: int) -> int:
        return self.row[_place(deck, cell)]

    def word(self, cell: int) -> int:
        return self.row[cell] | self.row[cell + 1] << 8

    def inducted(self, deck: int) -> bool:
        return not self.profile.induction & ~self.deck(deck, INDUCTED)

    def cut_due(self, deck: int) -> bool:
        return bool(self.profile.cut_after >> self.deck(deck, SOURCE) & 1) and not self.deck(deck, CUT_MADE)

    def turn(self) -> int:  # the deck that is to be taken in
        if self.profile.decks == 1:
            return 1
        deck = self.row[TURN] or 1
        return 3 - deck if self.deck(deck, HELD) & HELD_GONE else deck

    def alone(self, deck: int) -> bool:
        """Whether this is the only deck at the table: of two, since the other one has left it."""
        return self.profile.decks == 1 or self.deck(3 - deck, HELD) & HELD_GONE != 0

    def stub(self) -> int:
        """Cards the stub must have once all cards of the round are out; not known before the final deal is frozen."""
        row = self.row
        if not row[TAIL] or (self.profile.final_each and not row[FINAL]) or row[REST] == U8_MAX:
            return ids.UNKNOWN_U16
        return max(0, row[REST] - signed(row[BY_HAND]))  # a deck that gave out left too little for a final deal

    def stub_reported_later(self) -> bool:
        """Whether the final deal is still to be recorded. After a deal by hand to unknown positions none can be."""
        row = self.row
        return row[TAIL] not in (0, TAIL_HANDED) and self.stub() == ids.UNKNOWN_U16 and row[REST] != U8_MAX

    def seconds(self) -> int:  # positions whose second wager stands
        return self.word(SECONDS) & ~self.word(NOT_IN)

    def in_final(self, seat: int) -> bool:
        """Whether this hand has cards of the final deal: the dealer's, and those that were not folded."""
        final, standing = self.row[FINAL], self.seconds() or ~self.word(NOT_IN)
        return final > 1 and standing >> seat - 1 & 1 != 0 if seat else final > 0

    # -- the one writer --------------------------------------------------------------------------------------------

    def note(self, message: int, values: "list[int]", deck: int, round_number: int) -> None:
        """An event is on record: integer fields in table order, and the deck and round it is about."""
        row = self.row
        self.dirty = True
        if message == ids.EV_RECORDED:
            self._recorded(values[0], values[1], values[2], values[3], deck)
        elif message == ids.EV_ROUND_STARTED:
            for i in range(ROUND_FIRST, ROUND_END):
                row[i] = 0
            row[TAIL_DECK], row[POSITIONS] = deck, values[0]
            row[CLOSED_AGAIN] = row[DECIDED] = row[WITHDRAWN] = row[WITHDRAWN + 1] = 0
            row[OPEN] = row[PLAYED] = 1
            row[TURN] = 3 - (deck or 1) if self.profile.decks > 1 else 0  # however this round comes out
            if self.profile.mode:
                self._closed(values[0])
        elif message == ids.EV_STACK_TAKEN:
            self._add(DEALT, values[1])
            if values[0] > row[STACKS]:
                row[STACKS] = values[0]
            elif row[EXTRA]:
                row[EXTRA] -= 1
        elif message == ids.EV_STUB_DUE:
            row[DUE] = 1
        elif message == ids.EV_LOCKOUT_CONFIRMED or message == ids.EV_BETTING_CLOSED:
            row[CLOSED_AGAIN] = 1 if message == ids.EV_BETTING_CLOSED else 0
            if row[TAIL]:
                row[TAIL] = self.profile.phase_after(row[TAIL])
        elif message == ids.EV_CARDS_ODD:
            row[PLAYED] = 1
            if values[0] == FAULT_FACE_UP:
                self._face_up(values[1], deck or 1)
            else:
                row[TENS] = values[1]
                row[REMOVED] += 1
        elif message in (ids.EV_ROUND_ENDED, ids.EV_ROUND_VOIDED):
            self._round_over(deck)
        else:
            self._deck_event(message, values, deck, round_number)

    def _face_up(self, found: int, deck: int) -> None:
        if self.row[TAIL] and deck == self.row[TAIL_DECK]:
            self._shift(BY_HAND, found - self.deck(deck, FACE_UPS))  # from a manual shoe, in a round
        self._set(deck, FACE_UPS, found)
        self.row[PLAYED] = 1  # it has left the shoe: the others are not in the order of the shuffle any more

    def _deck_event(self, message: int, values: "list[int]", deck: int, round_number: int) -> None:
        row = self.row
        if message == ids.EV_REMAINDER_TAKEN:
            self._taken_out(values[0], deck, round_number)
        elif message == ids.EV_HELD_BACK and values[0] == ids.NEED_HOUSE_DECISION and row[OPEN]:
            row[TAIL], row[REST] = TAIL_HOUSE, U8_MAX
        elif message == ids.EV_DECK_VERIFIED:
            self._set(deck, SOURCE, ids.FROM_MACHINE)
            self._set(deck, MACHINE_COUNTED, 1)
        elif message == ids.EV_DECK_REFUSED:
            self._forget(deck, HELD_NEW)
        elif message == ids.EV_DOOR_OPENED:
            for one in (1, 2):
                if self.deck(one, HELD) & HELD_OFF:
                    self._set(one, HELD, self.deck(one, HELD) | HELD_LOOKED)
        elif message in (ids.EV_SHUFFLE_STARTED, ids.EV_SHUFFLE_FAILED, ids.EV_REMOVAL_STARTED):
            if self.profile.decks == 1 or row[TAIL_DECK] == deck:
                self._untold(True)
            self._unshuffle(deck)
            if not self.once:
                self._shoe_over(deck)
        elif message == ids.EV_SHUFFLE_COMMITTED:
            row[COMMITTED] = min(values[0], 1)
        elif message == ids.EV_SHUFFLE_NONCE:
            row[COMMITTED] = 0
            self._set_word(ABORTED, values[1])
        elif message == ids.EV_HOLE_CARD_READ and values[0] != ids.ANSWER_FAULT:
            row[ANSWER] |= values[0]
        elif message == ids.EV_BOOTED:
            self._unshuffle(1)
            self._unshuffle(2)
        loaded = message == ids.EV_POWER_LOST and (row[PLAYED] or values[0] == ids.EV_DECK_LOADED)
        if not self.once and (loaded or row[TAIL] == TAIL_HOUSE):
            row[RACK] = RACK_UNKNOWN
        if message in (ids.EV_SHUFFLE_STARTED, ids.EV_DECK_LOADED):
            row[TENS] = 0
            self._set(deck, FACE_UPS, 0)
            self._set(deck, HELD, self.deck(deck, HELD) & ~HELD_NEW)
        if message == ids.EV_DECK_LOADED and values[1] != ids.LOADED_RACK:
            row[PLAYED] = row[REMOVED] = 0

    def _taken_out(self, cards: int, deck: int, round_number: int) -> None:
        """The rest of a deck was taken, or a deck as a whole."""
        row, profile = self.row, self.profile
        if row[TAIL] and round_number:
            return  # the stub, out of a manual shoe: what it must have follows from the plan
        if not round_number and self.once and not self.deck(deck or 1, SOURCE):
            return  # not to be dealt any more, and so neither played nor has it had its turn
        if profile.decks > 1 and deck and self.once:
            row[TURN] = 3 - deck
        if self.handed(deck, round_number):
            self._untold(True)
            for i in range(ROUND_FIRST, ROUND_END):
                row[i] = 0
            row[TAIL], row[TAIL_DECK] = TAIL_HANDED, deck
            return
        row[REST] = min(cards, U8_MAX)
        # What follows is dealt from it by hand: a card that is due and did not come before, and the community's.
        self._shift(BY_HAND, row[EXTRA] + (0 if profile.final_each else profile.final_fixed))
        row[SHORT], row[EXTRA] = row[EXTRA], 0
        row[TAIL] = row[OPEN]
        if not round_number and self.once:
            self._round_over(deck)  # handed out whole, and dealt by other means
        elif not self.once:
            self._shoe_over(deck)

    def handed(self, deck: int, round_number: int) -> bool:
        """Whether a deck that was taken out whole is dealt by hand: it is still as the machine has shuffled it."""
        return self.profile.mode != 0 and self.once and not round_number and self.deck(deck or 1, SOURCE) != 0

    def _untold(self, played: bool) -> None:
        """The deck that was handed out comes back without any record of its round: it counts as played. One that is not
        dealt does not, and has not had its turn."""
        row = self.row
        if row[TAIL] == TAIL_HANDED:
            if played:
                self._round_over(row[TAIL_DECK])
            else:
                row[TAIL], row[TURN] = 0, row[TAIL_DECK]

    def _closed(self, positions: int) -> None:
        """Betting on a deck that was handed out is closed: what its plan takes off the deck is as if dealt, and what
        follows is dealt from the rest. Nothing is known of that where positions were not told."""
        row, profile = self.row, self.profile
        row[TAIL] = profile.phase_after(TAIL_HANDED)
        row[REST] = U8_MAX
        row[BY_HAND] = self.deck(row[TAIL_DECK] or 1, FACE_UPS)  # found before, in cards that were drawn too early
        if positions:
            row[STACKS] = positions + 1
            row[DEALT] = positions * profile.stack_cards + profile.last_cards
            row[REST] = profile.deck_cards - row[DEALT]
            row[BY_HAND] += 0 if profile.final_each else profile.final_fixed

    def _round_over(self, deck: int) -> None:
        row, counted = self.row, self.row[COUNTED]
        row[TAIL] = row[OPEN] = 0
        row[ROUNDS] = 0 if counted else min(row[ROUNDS] + 1, U8_MAX)
        self._set(deck, SINCE, 0 if counted else min(self.deck(deck, SINCE) + 1, U8_MAX))
        if self.once or self.profile.one_round:
            self._unshuffle(deck)
            self._set(deck, FACE_UPS, 0)

    def _shoe_over(self, deck: int) -> None:
        """The rest was taken out. Cards that were not drawn are still in the order of the shuffle."""
        row = self.row
        if row[PLAYED]:
            row[PLAYED], row[RACK] = 0, row[RACK] or 1
            self._unshuffle(deck)

    def _recorded(self, what: int, a: int, b: int, consequence: int, deck: int) -> None:
        row, deck = self.row, deck or 1
        if what != ids.REC_DEALER_CHANGE or not row[TAIL]:  # by hand no shoe counts his burn
            shoe_note(row, what, a, b)
        if what in (ids.REC_INSPECTED, ids.REC_VERIFIED, ids.REC_SHOWN, ids.REC_WASHED, ids.REC_TENS_REMOVED):
            self._set(a, INDUCTED, self.deck(a, INDUCTED) | 1 << what)
            if what == ids.REC_WASHED:  # the last step: a new deck is in place of one that was ordered off
                self._set(a, HELD, self.deck(a, HELD) & ~(HELD_OFF | HELD_LOOKED | HELD_GONE))
        elif what == ids.REC_MIXING_SEEN:
            self._set(a, INDUCTED, self.deck(a, INDUCTED) & ~(1 << ids.REC_WASHED))
        elif what == ids.REC_PROVENANCE:
            self._unshuffle(a)
            self._set(a, SOURCE, b)
        elif what == ids.REC_CUT:
            self._set(deck, CUT_MADE, 1)
        elif what == ids.REC_RESHUFFLE:
            self._unshuffle(deck)
        elif what == ids.REC_DECK_REMOVED:
            held = self.deck(a, HELD) & ~HELD_NEW
            if b == ids.REMOVED_ALONE:
                held = held & ~(HELD_OFF | HELD_LOOKED) | HELD_GONE
            self._forget(a, 0 if b == ids.REMOVED_REPLACED else held)
            row[RACK] = row[REMOVED] = 0
        elif what in (ids.REC_NO_ACTIVITY, ids.REC_OUT_OF_SERVICE):
            self._idle(what, a, consequence)
        elif what in (ids.REC_DISPUTE, ids.REC_WINNER_HOLD):
            held, bit = self.deck(a, HELD), HELD_DISPUTE if what == ids.REC_DISPUTE else HELD_WINNER
            self._set(a, HELD, held | bit if b else held & ~bit)
        elif what == ids.REC_HOLE_CARD_SEEN:
            self._untold(False)  # before a round has begun: of that deck none does
            self._unshuffle(deck)
        else:
            self._of_the_round(what, a, b, consequence, deck)
        if consequence == ids.ALL_VOID_REMOVE_DECK:
            self._set(deck, INDUCTED, 0)
            self._set(deck, HELD, self.deck(deck, HELD) & ~HELD_LOOKED | HELD_OFF)

    def _of_the_round(self, what: int, a: int, b: int, consequence: int, deck: int) -> None:
        row = self.row
        if what == ids.REC_STUB_COUNTED:
            self._counted(a, consequence, deck)
        elif what == ids.REC_PROGRESSIVE:
            row[ACCEPTED], row[COLLECTED] = min(a, U8_MAX - 1) + 1, min(b, U8_MAX - 1) + 1
        elif what in (ids.REC_FOLD, ids.REC_SECOND_WAGER):
            row[DECIDED] = 1
            if b:
                self._set_word(SECONDS, self.word(SECONDS) | 1 << (a - 1))
            else:
                bit = 1 << (a - 1)  # a second wager that is withdrawn is a fold, and may be reported as one too
                self._set_word(WITHDRAWN, self.word(WITHDRAWN) & ~bit | (bit if what != ids.REC_FOLD else 0))
                self._leaves(a)
        elif what == ids.REC_MISDEAL:
            self._misdealt(a, b, consequence)
        elif what == ids.REC_FINAL_DEAL:
            row[FINAL] = a + 1
            self._shift(BY_HAND, self.profile.final_each * a + self.profile.final_fixed)
        elif what == ids.REC_FACE_UP:
            self._add(_place(deck, FACE_UPS), a)
            row[PLAYED] = 1
        elif what == ids.REC_TEN_FOUND:
            self._add(TENS, a)
            self._add(REMOVED, a)
        elif what == ids.REC_BURNED:
            row[PLAYED] |= min(a, 1)
        elif what == ids.REC_READER_OFF:
            row[READER_OFF] = 1 - a
        elif what == ids.REC_APPROVAL:
            row[APPROVAL] = b & U8_MAX
        elif what == ids.REC_HOUSE_DECISION and a == ids.HOUSE_GOES_ON:
            row[TAIL], row[STACKS] = self.profile.phase_open(row[CLOSED_AGAIN]), row[POSITIONS] and row[POSITIONS] + 1
        if consequence in (ids.COMPLETE_HAND, ids.REJECT_CARD):
            self._shift(BY_HAND if row[TAIL] else EXTRA, 1)  # from the device while it holds cards, or from the rest
            row[SHORT] = max(row[STACKS], 1) if what == ids.REC_FACE_UP else row[TAIL]  # found in the one taken last

    def _counted(self, cards: int, consequence: int, deck: int) -> None:
        row = self.row
        if self.profile.decks == 1:
            self._untold(True)
        between = row[TAIL] in (0, TAIL_HANDED)  # of two decks the one that comes next, while the other is out
        if not between or not row[TAIL]:
            row[COUNTED] = 1
            self._set_word(STUB, cards)
        if between:  # the whole deck: overdue, and made up for between two rounds
            row[ROUNDS], row[RACK] = 0, row[RACK] if consequence else 0
            self._set(deck, SINCE, 0)

    def _leaves(self, position: int, void: bool = False) -> None:  # it takes no part in the round any more
        bit = 1 << (position - 1)
        self._set_word(NOT_IN, self.word(NOT_IN) | bit)
        self._set_word(SECONDS, self.word(SECONDS) & ~bit | (bit if void else 0))

    def _misdealt(self, seat: int, cards: int, consequence: int) -> None:
        """A hand has another number of cards than it should. Hands and stub together are the whole deck: what a hand
        has less is in the stub, also if the device has counted the cards into the hand."""
        profile, final = self.profile, self.in_final(seat)
        if consequence == ids.COMPLETE_HAND:
            self._leaves(DEALER_DONE)
        elif consequence == ids.ONE_VOID and 0 < seat < DEALER_DONE:
            self._leaves(seat, True)
            self.row[FINAL] -= final
        cards -= profile.stack_cards if seat else profile.last_cards
        if final:
            cards -= profile.final_each if seat else profile.final_fixed
        self._shift(BY_HAND, cards)

    def _idle(self, what: int, a: int, consequence: int) -> None:
        self._untold(False)
        if what == ids.REC_OUT_OF_SERVICE:
            self.row[SERVICE] = a
        for deck in (1, 2):
            self._unshuffle(deck)
            again = what == ids.REC_OUT_OF_SERVICE or consequence == ids.INDUCT_AGAIN
            self._set(deck, INDUCTED, 0 if again else self.deck(deck, INDUCTED) & ~(1 << ids.REC_WASHED))

    def _forget(self, deck: int, held: int) -> None:
        """A deck left the table: the next one starts from the beginning, and keeps the holds."""
        for cell in range(DECK_CELLS):
            self._set(deck, cell, 0)
        self._set(deck, HELD, held)

    def _unshuffle(self, deck: int) -> None:
        self._set(deck, SOURCE, 0)
        self._set(deck, CUT_MADE, 0)
        self._set(deck, MACHINE_COUNTED, 0)

    def _set(self, deck: int, cell: int, value: int) -> None:
        if deck:
            self.row[_place(deck, cell)] = value

    def _add(self, cell: int, count: int) -> None:
        self.row[cell] = max(0, min(self.row[cell] + count, U8_MAX))

    def _shift(self, cell: int, count: int) -> None:  # of a cell with a sign
        self.row[cell] = (self.row[cell] + count) & U8_MAX

    def _set_word(self, cell: int, value: int) -> None:
        self.row[cell], self.row[cell + 1] = value & 0xFF, value >> 8


def signed(value: int) -> int:
    return (value ^ 128) - 128


def _place(deck: int, cell: int) -> int:
    return _FACE_UPS_AT[deck - 1] if cell == FACE_UPS else DECK_FIRST + (deck - 1) * DECK_CELLS + cell
