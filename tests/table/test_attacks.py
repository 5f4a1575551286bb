"""Attempts to book money that is not there: strange amounts, old pages, voids in mid-payment, kills."""

from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from draws import amount
from running_tables import FULL, check_books, check_replayed, end, start_meters
from sitting import bet, sitting

from fairshoe.errors import FairshoeError, UsageError
from fairshoe.games.record_kinds import COMMUNITY
from fairshoe.messages import EndRound, Release
from fairshoe_table.books.books import Books
from fairshoe_table.games.boston5 import BostonOptions
from fairshoe_table.games.caribbean.options import CaribbeanOptions
from fairshoe_table.games.double_attack.options import DoubleAttackOptions
from fairshoe_table.games.double_down import DoubleDownOptions
from fairshoe_table.play.game import Dealt
from fairshoe_table.play.inputs import Input, wager
from fairshoe_table.play.options import Options
from fairshoe_table.play.round import asks
from fairshoe_table.rules.cards import card, cards
from fairshoe_table.rules.ledger import Wager
from fairshoe_table.rules.meters import new_meters
from fairshoe_table.rules.pay_tables import pay_table
from fairshoe_table.simulated.sitting import Sitting

CARIBBEAN, BOSTON, DRAWN = "caribbean-stud", "boston-5-stud", "double-attack-blackjack"
ROYAL, OTHER_ROYAL = "Ac,Kc,Qc,Jc,Tc", "Ad,Kd,Qd,Jd,Td"
NO_GAME = "Qh,9s,8d,4c,3h"
BONUS = Wager.BONUS


def fact(books: Books, game: str, options: Options, seats: dict[int, dict[str, int]], words: str) -> int:
    """A round with these wagers, as far as these answers bring it: choices, and cards joined with commas."""
    number = books.open_round(game)
    for seat, amounts in seats.items():
        books.record(number, wager(seat, amounts), options)
    books.record(number, Input("closed", "closed", {"round": 1}), options)
    if game == CARIBBEAN and "," in words:  # the first card of the dealer's five is the up-card
        words = f"{next(it for it in words.split() if ',' in it).split(',')[0]} {words}"
    answer(books, number, options, words)
    return number


def answer(books: Books, number: int, options: Options, words: str) -> None:
    for word in words.split():
        ask = asks(books.play(number, options), Dealt(True, 2, True))[0]
        if ask.kind == "cards":
            data: dict[str, Any] = {"cards": list(cards(word.replace(",", " "))), "source": "dealer"}
        else:
            data = {"shown": True} if ask.kind == "expose" else {"choice": word}
        books.record(number, ask.answer(**data), options)


def two_royals(books: Books) -> int:
    seat = {Wager.ANTE: 1000, Wager.PROGRESSIVE: 100}
    return fact(books, CARIBBEAN, FULL, {1: seat, 4: seat}, f"raise raise {NO_GAME} {ROYAL} {OTHER_ROYAL}")


def meter(books: Books) -> int:
    found = books.meters("progressive")
    assert found is not None
    return found.by_name["main"].cents


VOID = Input("void", "void", {"clause": "CS-7g2", "kept": []})


def test_a_void_after_two_royals_takes_jackpots_seeds_and_envy_back(books: Books) -> None:
    before = {**books.balances()}
    number = two_royals(books)
    paid = [line.paid for line in books.lines(number) if line.source.startswith("meter")]
    assert len(paid) == 2 and paid[1] == 1_000_000
    books.record(number, VOID, FULL)
    books.record(number, Input("over", "over"), FULL)
    shared = {"table-1/house": -142, "table-1/meter progressive/main": 142}  # ruling void-side: the meter was displayed
    wanted = {name: cents + shared.get(name, 0) for name, cents in before.items()}
    assert {name: cents for name, cents in books.balances().items() if cents} == wanted
    assert meter(books) == 1_000_142 and {line.outcome.value for line in books.lines(number)} == {"void"}
    check_replayed(books, FULL)


def test_a_hand_that_becomes_void_gives_no_envy_and_returns_its_jackpot(books: Books) -> None:
    number = two_royals(books)
    books.record(number, Input("void hand:4", "void hand", {"seat": 4, "clause": "CS-13d"}), FULL)
    lines = books.lines(number)
    assert [line for line in lines if line.extra] == []  # envy for the void hand, and of its player
    # The other royal flush is the only one now: it gets the whole meter, as it was displayed.
    assert [(line.seat, line.paid, line.reset) for line in lines if line.jackpot] == [(1, 1_000_142, 1_000_000)]
    assert meter(books) == 1_000_000
    check_replayed(books, FULL)


DEALERS_ROYAL = "Ah,Kh,Qh,Jh,Th"
DEALERS_STRAIGHT = "Kh,Qh,Jh,Th,9h"
ALONE = {Wager.ANTE: 1000, Wager.FIVE_CARD_DEALER: 100}
THREE_HANDS = "9s,8d,4c,3h,2c 9c,8s,4d,3c,2d"  # of seats 4 and 2; seat 1 is the last


@pytest.mark.parametrize("order", list(permutations((1, 2, 4))), ids=str)
@pytest.mark.parametrize(("dealer", "percent"), [(DEALERS_ROYAL, 100), (DEALERS_STRAIGHT, 10)])
@pytest.mark.parametrize("early", [False, True])
def test_a_jackpot_on_the_dealers_hand_is_divided_whichever_hands_are_void(
    books: Books, dealer: str, percent: int, order: tuple[int, ...], early: bool
) -> None:
    """CS 11(e)(2), 13(d): that wager is on no hand of a player. Void before the settlement or after it, it is alike."""
    hands = "" if early else f"{THREE_HANDS} 9d,8h,4s,3d,2s"
    number = fact(books, CARIBBEAN, FULL, dict.fromkeys((1, 2, 4), ALONE), f"raise raise raise {dealer} {hands}")
    for seat in order:
        void = {"seat": seat, "clause": "CS-13d"}
        books.record(number, Input(f"void hand:{seat}", "void hand", void), FULL)
    shown = 1_000_000 + 7123 * 3 // 100
    shares = {line.seat: line.paid for line in books.lines(number) if line.jackpot}
    assert set(shares) == {1, 2, 4} and sum(shares.values()) == -(-shown * percent // 100)
    assert max(shares.values()) - min(shares.values()) <= 1
    assert {line.wager for line in books.lines(number) if line.outcome.value == "void"} == {Wager.ANTE, Wager.BET}
    end(books, number, FULL)


FAMILIES = (
    *(ROYAL, OTHER_ROYAL, "9h,8h,7h,6h,5h", "9s,8s,7s,6s,5s"),
    *("2c,2d,2h,2s,3c", "4c,4d,4h,3d,3h", "Kh,Ks,7c,5c,9d"),
)
SIDES = {
    **{Wager.BONUS: 300, Wager.PROGRESSIVE: 100, Wager.FIVE_CARD: 100},
    **{Wager.FIVE_CARD_DEALER: 100, Wager.COVER_ALL: 200},
}


@pytest.mark.parametrize("seed", range(amount(12, 120)))
def test_a_hand_that_is_void_after_the_settlement_leaves_what_one_void_before_it_does(seed: int) -> None:
    """For every line of every seat: a Cover All wager, for example, is not paid for a void hand (ruling
    cs-void-hand)."""
    rng = Random(seed)
    dealer, *hands = rng.sample(FAMILIES, rng.randint(2, 5))
    seats = {
        seat: {Wager.ANTE: 1000, **{it: cents for it, cents in SIDES.items() if rng.random() < 0.6}}
        for seat, _ in enumerate(hands, 1)
    }
    void = rng.sample(sorted(seats), rng.randint(1, len(seats)))

    def lines(before: list[int], after: list[int]) -> dict[str, tuple[object, ...]]:
        with Books(":memory:") as books:
            start_meters(books)
            number = fact(books, CARIBBEAN, FULL, seats, dealer.split(",")[0])
            for seat in before:
                books.record(number, _void_hand(seat), FULL)
            live = [seat for seat in seats if seat not in before]
            faces = [dealer, *(hands[seat - 1] for seat in reversed(live))]
            answer(books, number, FULL, " ".join(["raise"] * len(live) + faces))
            for seat in after:
                books.record(number, _void_hand(seat), FULL)
            end(books, number, FULL)
            # What a void hand has contributed stays in the meter: a jackpot may be some cents more.
            return {
                it.key: (it.outcome, it.stake, it.paid // 1000)
                for it in books.lines(number)
                if (it.stake or it.paid) and not (it.wager == Wager.BET and it.seat in void)
            }

    assert lines([], void) == lines(void, [])


def _void_hand(seat: int) -> Input:
    return Input(f"void hand:{seat}", "void hand", {"seat": seat, "clause": "CS-13d"})


def test_a_payout_that_is_decided_about_in_a_later_round_is_replayed_then(books: Books) -> None:
    number = two_royals(books)
    key = next(line.key for line in books.lines(number) if line.seat == 4 and line.jackpot)
    done = Input(f"done:{key}:1", "done", {"checked": ["x"], "by": "J. Doe"})
    for it in (done, _void_hand(4), Input("over", "over")):
        books.record(number, it, FULL)
    later = two_royals(books)
    books.decide_suspense("return", FULL, "J. Doe", "seen on video")
    books.record(later, Input("over", "over"), FULL)
    check_replayed(books, FULL)


# --- payouts that were validated ---------------------------------------------------------------

STAGES = ("booked", "validated", "documented")
CAUSES = {"round": VOID, "hand": Input("void hand:4", "void hand", {"seat": 4, "clause": "CS-13d"})}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("cause", CAUSES)
@pytest.mark.parametrize("choice", ["pay", "return"])
@pytest.mark.parametrize("late", [False, True])
def test_a_validated_jackpot_of_a_void_hand_is_decided_by_a_person(
    books: Books, stage: str, cause: str, choice: str, late: bool
) -> None:
    """Ruling jackpot-void, for the first of two royal flushes: before its validation it was not won; after it the
    amount is in suspense, with the envy bonus for that hand, and the meter goes on from its reset; after the paperwork
    it is final. A decision comes in the round, or after it."""
    number = two_royals(books)
    key = next(line.key for line in books.lines(number) if line.seat == 4 and line.jackpot)
    paid, went_on = {line.key: line.paid for line in books.lines(number) if line.jackpot}, meter(books)
    if stage != "booked":
        books.record(number, Input(f"done:{key}:1", "done", {"checked": ["x"], "by": "J. Doe"}), FULL)
    if stage == "documented":
        books.record(number, Input("documented", "documented"), FULL)
    books.record(number, CAUSES[cause], FULL)
    lines = {line.key: line for line in books.lines(number)}
    assert books.audit() == []
    if stage == "booked":
        assert books.in_suspense() == [] and lines[key].outcome.value == "void" and meter(books) >= went_on
        return
    assert lines[key].paid == paid[key] == 1_000_142
    if stage == "documented":
        assert lines[key].state == "final" and books.in_suspense() == []
        return
    held = [line for _, line in books.in_suspense()]
    assert {line.key for line in held} == {key, "1/0/0/progressive/envy 4"}
    assert books.balances()["table-1/suspense"] == sum(line.paid for line in held) == paid[key] + 100_000
    others = [line for line in lines.values() if line.seat == 4 and line.key != key]
    assert {line.outcome.value for line in others if line.stake} == {"void"}  # every other line of the hand
    if late:
        books.record(number, Input("over", "over"), FULL)
    before = meter(books)
    assert before >= went_on
    with pytest.raises(UsageError, match="no name"):
        books.decide_suspense(choice, FULL, "J. Doe", " ")
    books.decide_suspense(choice, FULL, "J. Doe", "seen on video")
    assert books.in_suspense() == [] and books.balances()["table-1/suspense"] == 0
    final = {line.key: line for line in books.lines(number)}
    assert (final[key].paid, meter(books) - before) == ((paid[key], 0) if choice == "pay" else (0, 142))
    if not late:
        end(books, number, FULL)


@pytest.mark.parametrize("void", [1, 4])
def test_other_meters_of_the_pool_are_paid_again_as_they_were_displayed(tmp_path: Path, void: int) -> None:
    """A royal flush takes the mega meter and a straight flush the major one (PTMGLML02)."""
    table = pay_table("PTMGLML02")
    options = CaribbeanOptions(progressive_pays=table, approvals={"progressive_pays": "test"})
    with Books(tmp_path / "books.db") as books:
        books.start_meters(new_meters(table, {"mega": 3000, "major": 3000, "minor": 1000}, {}))
        seat = {Wager.ANTE: 1000, Wager.PROGRESSIVE: 100}
        words = f"raise raise {NO_GAME} {ROYAL} Kd,Qd,Jd,Td,9d"
        number = fact(books, CARIBBEAN, options, {1: seat, 4: seat}, words)
        paid = {line.seat: line.paid for line in books.lines(number) if line.jackpot}
        assert paid == {4: 1_000_060, 1: 100_060}
        books.record(number, Input("void hand", "void hand", {"seat": void, "clause": "CS-13d"}), options)
        other = 5 - void
        assert [(line.seat, line.paid) for line in books.lines(number) if line.jackpot] == [(other, paid[other])]
        end(books, number, options)


def test_a_straight_flush_that_is_a_royal_flush_is_not_corrected_silently(books: Books) -> None:
    seat = {Wager.ANTE: 1000, Wager.PROGRESSIVE: 100}
    number = fact(books, CARIBBEAN, FULL, {1: seat}, f"raise {NO_GAME} Kc,Qc,Jc,Tc,9c")
    with pytest.raises(UsageError, match="jackpot"):
        books.correct(number, "cards:1:", cards("Kc Qc Jc Tc Ac"), FULL, "dealer", "J. Doe")


@pytest.mark.parametrize(
    ("game", "amounts"),
    [
        (CARIBBEAN, {Wager.ANTE: 1000, Wager.BONUS: -500}),
        (CARIBBEAN, {Wager.ANTE: 1000, Wager.COVER_ALL: -500}),
        (CARIBBEAN, {Wager.ANTE: 1000, Wager.FIVE_CARD: -100, Wager.FIVE_CARD_DEALER: 100}),
        (CARIBBEAN, {Wager.ANTE: 1000, Wager.BET: 2000}),
        (BOSTON, {Wager.ANTE: 1000, Wager.FIRST: 2000, Wager.SECOND: 2000}),
        (BOSTON, {Wager.ANTE: 1000, Wager.FIRST: 2000, Wager.BONUS: 10**20}),
        ("double-down-stud", {Wager.ORIGINAL: 1000, Wager.DOUBLE_DOWN: 1000}),
        (DRAWN, {Wager.INITIAL: 1000, Wager.BONUS: -100}),
    ],
)
def test_wagers_that_no_player_can_make_before_the_deal_are_refused(
    books: Books, game: str, amounts: dict[str, int]
) -> None:
    options: dict[str, Options] = {
        CARIBBEAN: FULL,
        BOSTON: BostonOptions(),
        DRAWN: DoubleAttackOptions(),
        "double-down-stud": DoubleDownOptions(),
    }
    with pytest.raises(UsageError):
        books.record(books.open_round(game), wager(1, amounts), options[game])


@pytest.mark.parametrize(
    ("game", "options", "seat"),
    [
        ("double-down-stud", DoubleDownOptions(), 0),
        ("double-down-stud", DoubleDownOptions(), COMMUNITY),
        (DRAWN, DoubleAttackOptions(), 8),
        (DRAWN, DoubleAttackOptions(positions=6), 7),
    ],
)
def test_a_wager_where_no_seat_is_is_refused(books: Books, game: str, options: Options, seat: int) -> None:
    """The dealer's and the community's numbers are no seats; Double Attack Blackjack has 6 or 7 boxes (DAB 10(c))."""
    amounts = {Wager.INITIAL if game == DRAWN else Wager.ORIGINAL: 1000}
    number = books.open_round(game)
    with pytest.raises(UsageError, match=str(seat)):
        books.record(number, wager(seat, amounts), options)
    books.record(number, wager(6, amounts), options)


def test_the_bonus_of_exposed_cards_does_not_depend_on_how_five_are_entered(books: Books) -> None:
    options = BostonOptions()
    seat = {Wager.ANTE: 1000, Wager.FIRST: 2000, Wager.BONUS: 500}
    number = fact(books, BOSTON, options, {1: seat}, "shown 2c,2d,9h raise dealt Ah,Kd,9c,4s,2h 9h,5s,Jd,2c,2d")
    books.correct(number, "cards:0:", cards("Ah Kd 9c 4s 3h"), options, "dealer", "J. Doe")
    assert [line.net for line in books.lines(number) if line.wager == Wager.BONUS] == [500]
    # The pair was exposed, whichever its suits are; then it was none, and at last trips, entered in another order.
    for right, net in (("9h 5s Jd 2c 2h", 500), ("9h 5s Jd 2c Qh", -500), ("9d 9h 9s 5s Jd", 12_500)):
        books.correct(number, "cards:1:five", cards(right), options, "dealer", "J. Doe")
        assert [line.net for line in books.lines(number) if line.wager == Wager.BONUS] == [net], right
    check_replayed(books, options)


def test_five_cards_hold_the_three_that_were_exposed(books: Books) -> None:
    """A bonus that was paid on three aces is not of a hand that has none."""
    options = BostonOptions()
    seat = {Wager.ANTE: 1000, Wager.FIRST: 2000, Wager.BONUS: 500}
    number = fact(books, BOSTON, options, {1: seat}, "shown Ac,Ad,As raise dealt Ah,Kd,9c,4s,2h")
    with pytest.raises(UsageError, match="was exposed"):
        answer(books, number, options, "9h,5s,Jd,Ac,Ad")
    books.correct(number, "cards:1:three", cards("Ac Ad 9h"), options, "dealer", "J. Doe")
    answer(books, number, options, "9h,5s,Jd,Ac,Ad")
    assert [line.net for line in books.lines(number) if line.wager == Wager.BONUS] == [500]
    check_replayed(books, options)


def test_a_card_that_is_not_in_the_set_is_refused(books: Books) -> None:
    options = DoubleAttackOptions()
    number = fact(books, DRAWN, options, {1: {Wager.INITIAL: 1000}}, "6s no 9c 7d draw Ks")
    for wrong in (card("Ts"), 52, -1):
        with pytest.raises(UsageError, match="set"):
            books.correct(number, "cards:1:0.2.1", [wrong], options, "dealer", "J. Doe")


def test_envy_is_for_one_and_five_dollars_only() -> None:
    approvals = {"progressive_pays": "x", "progressive_wager": "x"}
    for cents, good in ((100, True), (500, True), (250, False)):
        options = CaribbeanOptions(progressive_pays=FULL.progressive_pays, progressive_wager=cents, approvals=approvals)
        if good:
            options.check()
        else:
            with pytest.raises(UsageError, match="envy"):
                options.check()


# --- the page's API ----------------------------------------------------------------------------


def refused(it: Sitting, **tap: Any) -> str:
    with pytest.raises(FairshoeError) as error:
        it.tap(**tap)
    return error.value.what


def test_amounts_that_are_not_whole_cents_are_refused_and_the_desk_goes_on(tmp_path: Path) -> None:
    with sitting(tmp_path, BOSTON) as it:
        it.bets()
        for cents in (-100, 1000.5, float("inf"), float("nan"), True, "1000", None, 10**25, [1000]):
            refused(it, do="wager", seat=2, wager="ante", cents=cents)
        refused(it, do="wager", seat=2, wager="second", cents=1000)
        refused(it, do="wager", seat=2.5, wager="ante", cents=1000)
        assert it.values["seats"][1]["wagers"] == {}
        it.wager(2, ante=1000)
        it.close()
        ask = it.next()["ask"]
        refused(it, do="choose", key=ask["key"], choice="raise", cents=500)  # all in for less: there is no such wager
        it.finish()
        check_books(it.desk.books)


def test_an_old_page_changes_nothing_in_the_next_round(tmp_path: Path) -> None:
    with sitting(tmp_path, "double-down-stud") as it:
        bet(it, 2, original=1000)
        ask = it.next()["ask"]
        assert "closed already" in refused(it, do="close")  # a second tap does not close betting a second time
        old = {"round": it.values["round"], "lines_of": it.values["lines_of"]}
        number = it.finish()
        assert it.said.count("No more bets") == 2  # DDS 8(a), 8(e)
        bet(it, 2, original=1000)
        it.next()
        assert it.values["ask"]["key"] == ask["key"] and it.desk.number == number + 1
        before = it.desk.books.inputs(it.desk.number)
        line = it.desk.books.lines(number)[0].key
        for tap in (
            {"do": "card", "key": ask["key"], "card": 5},
            {"do": "answer", "key": ask["key"]},
            {"do": "done", "line": f"done:{line}:1"},
            {"do": "correct", "of": ask["key"], "cards": [5], "by": "J. Doe"},
            {"do": "irregularity", "name": "face_up", "cards": 2},
            {"do": "go", "command": "close_betting"},
            {"do": "again"},
        ):
            assert "another round" in refused(it, **tap, **old)
        assert it.desk.books.inputs(it.desk.number) == before


# --- buttons of the shoe, and payouts that a floorperson validates ----------------------------------


def pressed(it: Sitting, button: str) -> None:
    it.desk.shoe.sim.act("press", button)
    it.desk.shoe.sim.sleep(1.0)


def test_wagers_count_also_when_betting_is_closed_at_the_shoe(tmp_path: Path) -> None:
    with sitting(tmp_path, "double-down-stud") as it:
        it.bets()
        it.wager(2, original=1000)
        it.wager(5, original=2000)
        it.until(lambda _: it.desk.shoe.status is not None and it.desk.shoe.status.positions == 2)
        pressed(it, "close")
        it.until(lambda values: not values["open"])
        number = it.finish()
        assert sum(line.stake for line in it.desk.books.lines(number) if line.wager == Wager.ORIGINAL) == 3000
        check_books(it.desk.books)


def test_a_round_that_the_shoe_ends_too_early_is_settled_or_declared_void(tmp_path: Path) -> None:
    with sitting(tmp_path, CARIBBEAN) as it:
        for settled in (True, False):
            bet(it, 2, ante=1000)
            it.next()
            number = it.desk.number
            it.until(lambda _: it.desk.step is not None and it.desk.step.command is Release)
            pressed(it, "green")
            it.until(lambda _: it.desk.step is not None and it.desk.step.command is EndRound)
            pressed(it, "green")
            it.until(lambda values: values["house"]["text"])
            assert it.values["ask"]["text"].startswith("expose your up-card")
            assert "before it was settled" in str(it.values["calls"])
            if not settled:
                it.tap(do="house", choice="void", by="J. Doe", reason="the cards were mixed")
            while it.desk.number == number or it.desk.open_lines():
                it.go_on()
            outcomes = {line.outcome.value for line in it.desk.books.lines(number)}
            assert ("void" in outcomes) is not settled and outcomes
        check_replayed(it.desk.books, it.desk.options)


def entered(it: Sitting, text: str) -> None:
    key = it.next()["ask"]["key"]
    for word in text.replace(",", " ").split():
        it.tap(do="card", card=card(word), key=key)
    it.tap(do="enter", key=key)


def test_progressive_chips_are_counted_and_a_jackpot_is_validated_before_it_is_paid(tmp_path: Path) -> None:
    with sitting(tmp_path, CARIBBEAN) as it:
        it.bets()
        for seat in (1, 2, 4):
            it.wager(seat, ante=1000, progressive=100)
        it.close()
        text = it.next()["ask"]["text"]
        assert "count them before the container" in text and "a coupon counts as a chip" in text
        for count in (4, 2):
            it.tap(do="count", key=it.values["ask"]["key"], count=count)
            it.until(lambda values, count=count: values["ask"] and f"you counted {count}" in values["ask"]["text"])
        calls = [call["text"] for call in it.values["calls"]]
        assert ["3 progressive" in text for text in calls] == [True, True] and "and 4 chips" in calls[0]
        assert it.desk.shoe.current_round.taken == ()  # no card before they agree (CS 7(c))
        it.tap(do="irregularity", name="not accepted", seat=2)
        assert it.next()["now"]["do"].startswith("give progressive $1 back to seat 2")
        while not it.next()["ask"]:
            it.go_on()  # the line, and the rest of the deck
        assert it.values["ask"]["key"] == "cards:0:up" and it.values["now"]["clause"] == "CS-9h"
        entered(it, NO_GAME[:2])
        assert it.next()["ask"]["seat"] == 1
        refused(it, do="irregularity", name="not accepted", seat=4)
        for _ in range(3):
            it.tap(do="choose", key=it.next()["ask"]["key"], choice="raise")
        for text in (NO_GAME[3:], ROYAL, "2c,3d,5h,7s,8c", OTHER_ROYAL):
            entered(it, text)
        while "progressive" not in it.next()["now"]["do"]:
            it.go_on()
        line, checks = it.values["now"]["action"]["line"], it.values["now"]["action"]["checks"]
        assert len(checks) == 2 and "light of seat 4" in checks[1]
        assert "not checked" in refused(it, do="done", line=line)
        assert "not checked" in refused(it, do="done", line=line, checked=checks[:1], by="J. Doe")
        assert "validated" in refused(it, do="done", line=line, checked=checks, by=" ")
        it.tap(do="done", line=line, checked=checks, by="J. Doe")
        number = it.desk.number
        # In the middle of the payment the stub turns out wrong: the jackpot that was validated is in suspense, the
        # other one was not won.
        assert "recorded" in it.tap(do="irregularity", name="stub", cards=20)
        it.until(lambda values: values["void"] == "CS-7g2")
        assert "back in its meter" in str(it.values["calls"])
        texts = [line["text"] for line in it.values["lines"]]
        assert [text for text in texts if text.startswith("void: take")] == [
            "void: take $10 back from seat 4 (ante: give ante $10 back to seat 4 (void hand))"
        ]
        assert len([text for text in texts if "$10,001.50 of progressive of seat 4 is in suspense" in text]) == 1
        assert "not done" in refused(it, do="close")
        assert it.values["house"]["text"].startswith(f"In suspense since round {number}: progressive of seat 4")
        while it.desk.open_lines():
            it.go_on()
        assert it.next()["ask"]["text"] == "take deck 1 off the table, and bring another one"
        it.go_on()
        it.bets()
        fact = [one.data for one in it.desk.books.inputs(number) if one.key == line]
        assert [data["by"] for data in fact] == ["J. Doe"]
        assert [choice for choice, _ in it.values["house"]["choices"]] == ["pay", "return", "end-deck"]
        it.tap(do="house", choice="pay", by="J. Doe", reason="the stub was miscounted")
        assert it.desk.books.in_suspense() == [] and it.values["house"]["text"] == ""
        paid = [line for line in it.desk.books.lines(number) if line.jackpot]
        assert [(line.seat, line.paid, line.state) for line in paid] == [(4, 1_000_150, "final")]
        check_replayed(it.desk.books)


def test_a_second_wager_is_withdrawn_until_the_last_cards(tmp_path: Path) -> None:
    with sitting(tmp_path, BOSTON) as it:
        it.bets()
        it.wager(2, ante=1000)
        it.wager(3, ante=1000)
        it.close()
        refused(it, do="irregularity", name="withdrawn", seat=2)
        for _ in range(2):
            it.tap(do="choose", key=it.next()["ask"]["key"], choice="raise")
        it.tap(do="irregularity", name="withdrawn", seat=2)
        while not (it.next()["ask"] and it.values["ask"]["kind"] == "confirm"):
            it.go_on()
        assert it.values["ask"]["text"] == "deal two more cards to seat 3 and to yourself"
        it.go_on()
        assert "no second wager" in refused(it, do="irregularity", name="withdrawn", seat=3)
        number = it.finish()
        lines = [(line.wager, line.net, line.clause) for line in it.desk.books.lines(number) if line.seat == 2]
        assert lines == [("ante", -1000, "B5 10(b)"), ("first", -2000, "B5 10(b)"), ("second", 0, "B5 10(c)")]
        check_replayed(it.desk.books, it.desk.options)


def test_three_card_hands_are_shown_after_a_void_and_those_that_qualify_are_paid(tmp_path: Path) -> None:
    """B5 12(a): one bonus was settled before. Of the others trips are paid; nothing, or not shown, is returned."""
    with sitting(tmp_path, BOSTON) as it:
        it.bets()
        for seat in (1, 2, 3, 4):
            it.wager(seat, ante=1000, bonus=500)
        it.wager(5, ante=1000)  # is not asked
        it.close()
        it.tap(do="choose", key=it.next()["ask"]["key"], choice=False)  # seat 1 shows nothing, and loses
        number = it.desk.number
        it.tap(do="irregularity", name="exposed")
        it.until(lambda values: values["void"] == "B5-12a")
        for seat, text in ((2, "9c,9d,9s"), (3, ""), (4, "Kc,Ad,2h")):
            ask = it.until(lambda values: values["ask"])["ask"]
            assert ask["seat"] == seat and "the round is void (B5-12a)" in ask["text"] and it.desk.number == number
            it.tap(do="choose", key=ask["key"], choice=bool(text))
            if text:
                entered(it, text)
        it.until(lambda values: values["round"] != number)
        bonus = {
            line.seat: (line.outcome.value, line.net) for line in it.desk.books.lines(number) if line.wager == BONUS
        }
        assert bonus == {1: ("lose", -500), 2: ("win", 12_500), 3: ("void", 0), 4: ("void", 0)}
        check_replayed(it.desk.books, it.desk.options)
