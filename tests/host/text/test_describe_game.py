"""Events of a game in plain English: every word of the protocol is described, with the clause and what follows."""

from typing import Any

from fairshoe.games.record_kinds import COMMUNITY
from fairshoe.messages import (
    Answer,
    BettingClosed,
    CardsOdd,
    Consequence,
    CoverAll,
    DeckRefused,
    DeckRemoved,
    Event,
    Fault,
    HeldBack,
    HoleCardRead,
    LockoutConfirmed,
    Need,
    Recorded,
    RoundEnded,
    RoundStarted,
    RoundVoided,
    ShuffleFailed,
    StubDue,
    What,
)
from fairshoe.text.describe import describe_event
from fairshoe.text.describe_game import CONSEQUENCES, NEEDS

UNKNOWN_U8, UNKNOWN_U16 = 0xFF, 0xFFFF
PLACE = (40, 1, 60, 0, 0)  # sequence number, boot, uptime, UTC: none of it is described


def told(kind: type[Event], *values: object, game_round: int = 12, deck: int = 1) -> str:
    made: Any = kind
    return describe_event(made(*PLACE, game_round, deck, *values))


def test_a_void_round_tells_its_number_its_clause_and_what_becomes_of_hands_and_cards() -> None:
    jam = (Fault.JAM_EXIT, "CS-13f", 1, 5, 47, Consequence.ALL_VOID_RESHUFFLE_WITH_DEALT, 0)
    assert told(RoundVoided, *jam) == (
        "round 12 void by rule CS-13f (jam exit): all hands void; cards are pulled and reshuffled with those dealt; "
        "1 stack taken, 5 cards out, 47 inside"
    )
    seen = (Fault.NONE, "B5-12a", 4, 12, 40, Consequence.ALL_VOID_BUT_COMPLETE, 0b101)
    assert told(RoundVoided, *seen).startswith(
        "round 12 void by rule B5-12a: all hands void, but complete hands stand for a bonus: positions 1, 3; 4 "
        "stacks taken"
    )
    lost = (Fault.POWER, "HOUSE", UNKNOWN_U8, UNKNOWN_U16, UNKNOWN_U16, Consequence.ALL_VOID_RESHUFFLE, 0)
    assert told(RoundVoided, *lost) == (
        "round 12 void by house policy (power): all hands void; the cards are shuffled again; "
        "where the cards are is not known"
    )


def test_who_asks_in_vain_is_told_what_is_missing_and_by_which_clause() -> None:
    assert told(HeldBack, Need.STUB_COUNT, "DCP-9d", game_round=0) == "next round refused: stub count due, rule DCP-9d"
    assert told(HeldBack, Need.STUB_COUNT, "DCP-9d") == "end of the round refused: stub count due, rule DCP-9d"
    assert told(HeldBack, Need.CUT, "CS-4c", game_round=0) == "next round refused: cut due, rule CS-4c"
    assert told(HeldBack, Need.SERVICE, "HOUSE") == "refused: the device is out of service, house policy"


def test_every_need_and_every_consequence_has_words() -> None:
    assert [item.name for item in Need if item <= Need.DECISIONS and item.name.lower() not in NEEDS] == []
    assert [item.name for item in Consequence if item.name.lower() not in CONSEQUENCES] == ["UNRECOGNISED"]
    assert told(HeldBack, Need.UNRECOGNISED, "X-1") == "refused: unrecognised, rule X-1"


def test_a_record_tells_its_numbers_in_words_and_what_follows() -> None:
    cut = told(Recorded, What.CUT, 26, 1, "CS-4c", Consequence.NONE)
    assert cut == "recorded: cut: 26 cards, dealer; by rule CS-4c"
    assert told(Recorded, What.MISDEAL, 2, 4, "B5-12d", Consequence.ONE_VOID) == (
        "recorded: misdeal: position 2, 4 cards; by rule B5-12d: that hand alone is void"
    )
    assert told(Recorded, What.MISDEAL, COMMUNITY, 6, "DCP-12c", Consequence.ALL_VOID_RESHUFFLE).startswith(
        "recorded: misdeal: community, 6 cards; by rule DCP-12c: all hands void"
    )
    assert told(Recorded, What.FACE_UP, 1, 0, "DDS-11b", Consequence.REJECT_CARD) == (
        "recorded: face up: 1 card; by rule DDS-11b: the card goes to the rack and the next one takes its place"
    )
    assert told(Recorded, What.STUB_COUNTED, UNKNOWN_U16, 0, "CS-7g2", Consequence.ALL_VOID_REMOVE_DECK) == (
        "recorded: stub counted: cards not reported, not misdealt; by rule CS-7g2: all hands void; "
        "the deck is removed from the table"
    )
    dispute = told(Recorded, What.DISPUTE, 1, 0, "CS-10d", Consequence.NONE)
    assert dispute == "recorded: dispute: deck 1, over; by rule CS-10d"


def test_the_steps_of_a_round() -> None:
    assert told(RoundStarted, "DDS", 0) == "round started: DDS, positions not set"
    assert told(RoundStarted, "DDS", 1) == "round started: DDS, 1 position"
    assert told(BettingClosed, 2, "DDS-8e") == "betting closed for the second time, rule DDS-8e"
    assert told(LockoutConfirmed, 3, 3, "CS-9c") == "lock-out confirmed, rule CS-9c: 3 wagers, 3 chips"
    assert told(LockoutConfirmed, UNKNOWN_U16, UNKNOWN_U16, "CS-9c").endswith("wagers and chips not reported")
    due = told(StubDue, 5, "CS-9f")
    assert due == ("stub count due at the end of this round, rule CS-9f: it is round 5 without one")
    assert told(CoverAll, 4, 4, "CS-12e") == "Cover All, rule CS-12e: 4 hands, the column for 4 is shown"
    assert told(CoverAll, 9, 0, "CS-12e").endswith("9 hands, there is no column for that number")
    assert told(RoundEnded, 5, 15, 37, 31, 31) == (
        "round ended: 5 stacks, 15 cards dealt, remainder 37, stub 31, counted 31"
    )
    unknown = told(RoundEnded, 2, 6, 46, UNKNOWN_U16, UNKNOWN_U16)
    assert unknown == "round ended: 2 stacks, 6 cards dealt, remainder 46"


def test_what_is_wrong_with_a_deck() -> None:
    assert told(DeckRefused, 52, 51, 51, "CS-9g", Consequence.REMOVE_DECK) == (
        "deck refused by rule CS-9g: 51 cards counted, 52 expected; the deck is removed from the table"
    )
    assert ", 52 at the second count;" in told(DeckRefused, 52, 53, 52, "CS-9g", Consequence.REMOVE_DECK)
    assert told(ShuffleFailed, Fault.JAM_THROAT, "B5-12e", Consequence.RESHUFFLE) == (
        "shuffle failed (jam throat), rule B5-12e: it does not count as a shuffle; the cards are shuffled again"
    )
    assert told(DeckRemoved, 51, "CS-9g", Consequence.REMOVE_DECK) == (
        "deck put out: 51 cards, rule CS-9g: the deck is removed from the table"
    )
    assert told(DeckRemoved, 0, "HOUSE", Consequence.NONE) == "deck put out: no cards left inside, house policy"
    assert told(DeckRemoved, UNKNOWN_U16, "HOUSE", Consequence.NONE) == "deck put out: cards not counted, house policy"
    assert told(CardsOdd, Fault.FACE_UP, 1, "DAB-15b", Consequence.REJECT_CARD).startswith(
        "face up, number 1 of this deck, rule DAB-15b: the card goes to the rack"
    )
    assert told(HoleCardRead, Answer.NO_BLACKJACK, "DAB-7i") == "hole-card reader, rule DAB-7i: no blackjack"
