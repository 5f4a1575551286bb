"""The void matrix of the specification, row by row at the device: what people report or what fails, what becomes void
by which clause, and money that is conserved in every round."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from running_tables import check_books

from fairshoe import CommandResult, Status, Step, What
from fairshoe.games.record_kinds import COMMUNITY, DEALER, Misdealt
from fairshoe_table.play.game import Ask, Play
from fairshoe_table.play.inputs import Input, wager
from fairshoe_table.rules.cards import cards
from fairshoe_table.rules.ledger import Outcome, Wager
from fairshoe_table.simulated.demonstration import Running, simulated_table

DRAWN = "double-attack-blackjack"
Tell = Callable[[Running], CommandResult | None]
ALL, ONE, NOTHING = "all", "one", "nothing"


class Row(NamedTuple):
    """`tell` is tried at every call to people in the round until the device takes it, None is not yet; a row that is
    `refused` never is taken. `before` is done to the machine before the round."""

    name: str
    void: str
    clause: str = ""
    tell: Tell | None = None
    before: Callable[[Running], object] | None = None
    refused: bool = False


def misdeal(position: int, cards: int, odd: int = 1) -> Tell:
    def tell(it: Running) -> CommandResult:
        it.people.odd = odd or it.shoe.current_round.positions + 1
        return it.shoe.records.misdeal(position, cards)

    return tell


def four_of_five(it: Running) -> CommandResult | None:
    """After the last two cards: one of the dealer's is missing, and comes from the stub."""
    final = any(fact.key == "final deal" for fact in it.books.inputs(it.table.number))
    return it.shoe.records.misdeal(DEALER, 4) if final else None


def face_up(cards: int) -> Tell:
    return lambda it: it.shoe.records.face_up(cards)


def hole_card(it: Running) -> CommandResult:
    return it.shoe.records.hole_card_seen()


def in_error(it: Running) -> CommandResult:
    return it.shoe.records.drawn_in_error(1)


def stub(misdealt: Misdealt) -> Tell:
    """Two cards less than there should be."""
    return lambda it: it.shoe.records.stub_counted(max((it.shoe.current_round.cards.released or 0) - 2, 0), misdealt)


def jam(place: str, card: int) -> Callable[[Running], object]:
    """At the exit the next card, so that the machine must be empty before; in the throat one of the next deck."""
    which = {"ppm": 1_000_000} if place == "exit" else {"card": card}
    return lambda it: it.shoe.sim.do("fault", fault="jam", place=place, at_um=60_000, times=1, **which)


def jam_at(card: int) -> Callable[[Running], object]:
    """At the exit this card of the first deal."""
    return lambda it: it.shoe.sim.do("fault", fault="jam", place="exit", at_um=60_000, times=1, card=card)


def late_jam(it: Running) -> CommandResult:
    """When a player has a whole stack; the record only marks the moment."""
    result = it.shoe.records.drawn_in_error(1)
    if result.done:
        jam("exit", 0)(it)
    return result


def short_deck(it: Running) -> None:
    it.people.deck_cards = 51


def taken_away(it: Running) -> None:
    """Out of service while it is empty, and back: decks are inducted again."""
    for out in (True, False):
        assert it.shoe.records.out_of_service(out).done


SHUFFLER = Row("shuffler jam: reshuffle", NOTHING, before=jam("throat", 20))
SHORT = Row("wrong deck count: another deck", NOTHING, before=short_deck)
FACE = Row("one face-up card: next card", NOTHING, tell=face_up(1))
ERROR = Row("card drawn in error: next card", NOTHING, tell=in_error)
AWAY = Row("device removed", NOTHING, before=taken_away)
MATRIX = {
    "double-down-stud": [
        Row("player wrong count", ALL, "DDS-11d", misdeal(1, 2)),
        Row("community wrong", ALL, "DDS-11d", misdeal(COMMUNITY, 5)),
        FACE,
        Row("more than one face-up", ALL, "DDS-11b", face_up(2)),
        SHUFFLER,
        Row("shoe jam", ALL, "HOUSE", before=jam("exit", 0)),
        Row("hole card exposed", ALL, "DDS-11a", hole_card),
        SHORT,
        ERROR,
    ],
    "boston-5-stud": [
        Row("player wrong count", ONE, "B5-12d", misdeal(1, 4)),
        Row("found by the stub, misdealt", ALL, "B5-7f2", stub(Misdealt.YES)),
        Row("dealer has four of five: one more", NOTHING, tell=four_of_five),
        Row("dealer wrong", ALL, "B5-12d", misdeal(DEALER, 5)),
        FACE,
        Row("more than one face-up", ALL, "B5-12b", face_up(2)),
        SHUFFLER,
        AWAY,
        Row("shoe jam before the first three cards", ALL, "HOUSE", before=jam("exit", 0)),
        Row("shoe jam after them", ALL, "B5-12f", late_jam),
        Row("dealer card exposed", ALL, "B5-12a", hole_card),
        SHORT,
        ERROR,
        Row("wrong stub", ALL, "B5-7f2", stub(Misdealt.NO)),
    ],
    "caribbean-stud": [
        Row("player wrong count", ONE, "CS-13d", misdeal(1, 6)),
        Row("found by the stub, misdealt", ALL, "CS-7g2", stub(Misdealt.YES)),
        Row("dealer has four: one more", NOTHING, tell=misdeal(DEALER, 4, odd=0)),
        Row("dealer wrong", ALL, "CS-13d", misdeal(DEALER, 6)),
        FACE,
        Row("more than one face-up", ALL, "CS-13b", face_up(2)),
        SHUFFLER,
        AWAY,
        Row("dealer card exposed after No more bets", NOTHING, tell=hole_card, refused=True),
        Row("shoe jam", ALL, "CS-13f", before=jam("exit", 0)),
        SHORT,
        ERROR,
        Row("wrong stub", ALL, "CS-7g2", stub(Misdealt.NO)),
    ],
    "double-cross-poker": [
        Row("player wrong count", ALL, "DCP-12c", misdeal(1, 3)),
        Row("community wrong", ALL, "DCP-12c", misdeal(COMMUNITY, 4)),
        Row("dealer wrong", ALL, "DCP-7e2", misdeal(DEALER, 3)),
        Row("dealer wrong, found by the stub", ALL, "DCP-7e2", stub(Misdealt.YES)),
        FACE,
        Row("more than one face-up", ALL, "DCP-12a", face_up(2)),
        SHUFFLER,
        AWAY,
        Row("no clause for an exposed card", NOTHING, tell=hole_card, refused=True),
        Row("shoe jam", ALL, "DCP-12e", before=jam("exit", 0)),
        SHORT,
        ERROR,
        Row("wrong stub", ALL, "DCP-7e2", stub(Misdealt.NO)),
    ],
}


# --- Double Attack Blackjack: what a hand has drawn goes with the record ------------------------


def drawn(it: Running, cards: int) -> list[int]:
    """Cards that have left the shoe and are not given to a person."""
    return [it.people.draw() for _ in range(cards)]


def dab_face_up(cards: int, what: What = What.FACE_UP) -> Tell:
    def tell(it: Running) -> CommandResult:
        drawn(it, cards)
        return it.shoe.records.put(what, cards)

    return tell


def dab_in_error(seen: bool) -> Tell:
    """It is used as the next card."""

    def tell(it: Running) -> CommandResult:
        it.people.held += drawn(it, 1)
        return it.shoe.records.drawn_in_error(1, seen)

    return tell


def dab_burned(why: int) -> Tell:
    """A card that no hand can use; 3: on a pat hand, 4: refused."""

    def tell(it: Running) -> CommandResult:
        drawn(it, 1)
        return it.shoe.records.put(What.BURNED, 1, why)

    return tell


def box_missed(cards: int) -> Tell:
    return lambda it: it.shoe.records.put(What.BOX_MISSED, 1, cards)


DAB = [
    Row("box without a card is dead", ONE, "DAB-15i", box_missed(0)),
    Row("box with one card: completed", NOTHING, tell=box_missed(1)),
    Row("a hit was missed: completed", NOTHING, tell=box_missed(2)),
    Row("no first card for the dealer", ALL, "DAB-15e", misdeal(DEALER, 0)),
    Row("one face-up card: next card", NOTHING, tell=dab_face_up(1)),
    Row("more than one face-up", ALL, "DAB-15b", dab_face_up(2)),
    Row("a ten is taken out", NOTHING, tell=dab_face_up(1, What.TEN_FOUND)),
    Row("a second ten", ALL, "DAB-15c", dab_face_up(1, What.TEN_FOUND)),
    Row("drawn in error, unseen", NOTHING, tell=dab_in_error(False)),
    Row("drawn in error, seen", NOTHING, tell=dab_in_error(True)),
    Row("drawn on a pat hand: burned", NOTHING, tell=dab_burned(3)),
    Row("refused, and of no use: burned", NOTHING, tell=dab_burned(4)),
    Row("no clause for a dealer's card that is seen", NOTHING, tell=hole_card, refused=True),
]
# At which question each is reported: dealt cards must be there, or must not.
DAB_AT = {"box without a card is dead": "0.0", "box with one card: completed": "0.1"}


def run(it: Running, row: Row) -> tuple[int, list[CommandResult]]:
    results: list[CommandResult] = []
    answer, hand = it.people.answer, it.people.hand

    def try_it(part: str) -> None:
        if row.tell is None or any(result.done for result in results) or not it.shoe.open_round:
            return
        if it.table.game != DRAWN or _fits(row, part):
            result = row.tell(it)
            results.extend([] if result is None else [result])

    def answers(play: Play, ask: Ask) -> Input:
        try_it(f"{ask.kind} {ask.part}" if ask.seat else "")
        return answer(play, ask)

    def hands(step: Step, status: Status) -> None:
        hand(step, status)
        try_it("")

    if row.before is not None:
        row.before(it)
    it.people.answer, it.people.hand = answers, hands
    try:
        return it.table.play_round(), results
    finally:
        it.people.answer, it.people.hand = answer, hand


def _fits(row: Row, part: str) -> bool:
    """Boxes are missed in the deal; all else happens when the cards of the deal are out."""
    at = DAB_AT.get(row.name)
    if at is not None:
        return part == f"cards {at}"
    return part.startswith("decide 0.") or part.startswith("cards 0.2")


def check(it: Running, row: Row, number: int, results: list[CommandResult]) -> None:
    lines = it.books.lines(number)
    seats = it.books.play(number, it.table.options).seats
    clauses = {line.clause for line in lines if line.outcome is Outcome.VOID}
    voided = {line.seat for line in lines if line.outcome is Outcome.VOID}
    assert voided == {ALL: set(seats), ONE: set(seats[:1]), NOTHING: set()}[row.void], row.name
    assert clauses <= {row.clause} and (row.void == NOTHING or clauses), row.name
    void = it.shoe.current_round.void
    assert (void.clause if void is not None else "") == (row.clause if row.void == ALL else ""), row.name
    if row.void == ALL:
        assert sum(line.net for line in lines if line.outcome is Outcome.VOID) == 0
    if row.tell is not None:
        assert any(result.done for result in results) is not row.refused, (row.name, results)
    check_books(it.books)


@pytest.mark.parametrize("game", MATRIX)
def test_each_row_of_the_void_matrix(tmp_path: Path, game: str) -> None:
    with simulated_table(tmp_path, game, seed=9) as it:
        for row in MATRIX[game]:
            number, results = run(it, row)
            check(it, row, number, results)
        assert it.books.replay(it.table.options) == []


def test_each_row_of_double_attack_blackjack(tmp_path: Path) -> None:
    with simulated_table(tmp_path, DRAWN, seed=9, seats=2) as it:
        for row in DAB:
            while True:  # a player with a blackjack is asked nothing, so that some rounds give no occasion
                number, results = run(it, row)
                if results:
                    break
            check(it, row, number, results)
        assert it.books.replay(it.table.options) == []


def test_a_three_card_hand_that_qualifies_stands_in_a_void_round(tmp_path: Path) -> None:
    """B5 12(f): trips, a pair and nothing at seats 1 to 3; the jam in the second stack leaves seat 1 with a whole hand.
    Of 12(a) see test_attacks."""
    row = Row("shoe jam in the second stack", ALL, "B5-12f", before=jam_at(5))
    amounts = {Wager.ANTE: 1000, Wager.FIRST: 2000, Wager.BONUS: 300}
    faces = {1: "9c 9d 9s", 2: "8c 8d 3h", 3: "Kc Ad 2h"}
    with simulated_table(tmp_path, "boston-5-stud", seed=9) as it:
        it.people.players.wagers = lambda play: [wager(seat, amounts) for seat in faces]
        it.people.faces = lambda play, ask: cards(faces[ask.seat])
        number, results = run(it, row)
        check(it, row, number, results)
        lines = it.books.lines(number)
        assert {(line.seat, line.net) for line in lines if line.wager == Wager.BONUS} == {(1, 7500), (2, 0), (3, 0)}
        assert sum(line.net for line in lines) == 7500
        assert it.books.replay(it.table.options) == []


def test_a_wrong_rack_is_counted_again_before_the_next_shoe(tmp_path: Path) -> None:
    """DAB 7(j): no wager is on the table then."""
    counts = iter((383, 384))
    with simulated_table(tmp_path, DRAWN, seed=7, board="pico-draw?table=records=true") as it:
        it.people.cut_at = 4
        it.people.count = lambda: next(counts)
        it.table.play_round()
        it.table.play_round()
        assert next(counts, None) is None
        check_books(it.books)
