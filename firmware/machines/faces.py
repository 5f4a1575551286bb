"""Faces, where cards are recognised: each is tallied and forgotten, and in the end the tally must be whole decks."""

from micropython import const

from firmware.image import SUIT_FACES, TEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.image import Inputs

DECK_FACES = const(52)


class Faces:
    """How often each face was seen, 1 .. 52; 0 counts unreadable ones. No order is kept."""

    def __init__(self, recognises: bool) -> None:
        self.tally = bytearray(DECK_FACES + 1 if recognises else 0)
        self.tens_out = False  # decks of this game have none
        self.seen = 0  # cards read so far, as last looked at

    def begin(self, inp: "Inputs") -> None:
        self.seen = inp.card_codes
        for i in range(len(self.tally)):
            self.tally[i] = 0

    def note(self, inp: "Inputs") -> None:
        """One card has passed. Read twice or not at all is unreadable."""
        read = inp.card_codes == self.seen + 1
        self.seen = inp.card_codes
        face = inp.card_code if read and inp.card_code <= DECK_FACES else 0
        self.tally[face] = min(self.tally[face] + 1, 255)

    def whole(self, cards: int) -> bool:
        """Whether they make whole decks; true where nothing recognises. The tally is wiped."""
        whole = True
        faces = DECK_FACES - DECK_FACES // SUIT_FACES if self.tens_out else DECK_FACES
        for i in range(len(self.tally)):
            out = not i or (self.tens_out and i % SUIT_FACES == TEN)
            if self.tally[i] != (0 if out else cards // faces):
                whole = False
            self.tally[i] = 0
        return whole or cards % faces != 0
