"""Books: an input and what follows are one transaction, nothing is booked twice, voids conserve money."""

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from running_tables import FULL, check_books, check_replayed, options_of, start_meters

from fairshoe.errors import UsageError
from fairshoe.games.jackpot_links import TableFacts
from fairshoe.games.record_kinds import COMMUNITY, DEALER
from fairshoe_table.books.books import Books
from fairshoe_table.games.boston5 import BostonOptions
from fairshoe_table.games.double_cross import DoubleCrossOptions
from fairshoe_table.games.double_down import DoubleDownOptions
from fairshoe_table.play.game import Dealt
from fairshoe_table.play.inputs import Input, wager
from fairshoe_table.play.options import Options
from fairshoe_table.play.round import asks
from fairshoe_table.rules.cards import cards
from fairshoe_table.rules.ledger import Line, Wager
from fairshoe_table.rules.meters import FIVE_CARD, PROGRESSIVE, Meters, new_meters
from fairshoe_table.rules.pay_tables import pay_table

CS = "caribbean-stud"
CLOSED = Input("closed", "closed", {"round": 1})
OVER = Input("over", "over")
ALL_OUT = Dealt(True, 2, True)


def shown(seat: int, text: str, part: str = "") -> Input:
    return Input(
        f"cards:{seat}:{part}", "cards", {"seat": seat, "part": part, "cards": cards(text), "source": "dealer"}
    )


def decide(seat: int, choice: str) -> Input:
    return Input(f"decide:{seat}:", "decide", {"seat": seat, "choice": choice})


def void(clause: str, *kept: int) -> Input:
    return Input("void", "void", {"clause": clause, "kept": list(kept)})


# A round of each game: what a dealer enters.
ROUNDS: dict[str, list[Input]] = {
    CS: [
        wager(1, {Wager.ANTE: 1000, Wager.BONUS: 300, Wager.PROGRESSIVE: 100, Wager.FIVE_CARD: 100}),
        wager(4, {Wager.ANTE: 2000, Wager.PROGRESSIVE: 100, Wager.COVER_ALL: 200, Wager.FIVE_CARD_DEALER: 100}),
        CLOSED,
        shown(DEALER, "Ah", "up"),
        decide(1, "fold"),
        decide(4, "raise"),
        shown(1, "9h 8h 7h 6h 5h"),
        shown(DEALER, "Ah Kc 9d 4c 3d"),
        shown(4, "As Ks Qs Js Ts"),
    ],
    "boston-5-stud": [
        wager(2, {Wager.ANTE: 1000, Wager.FIRST: 2000, Wager.BONUS: 300}),
        wager(3, {Wager.ANTE: 1000, Wager.FIRST: 2000}),
        CLOSED,
        Input("expose:2:", "expose", {"seat": 2, "shown": True}),
        shown(2, "9c 9d 9s", "three"),
        decide(2, "raise"),
        decide(3, "fold"),
        Input("confirm:0:final", "confirm", {"seat": 0, "part": "final", "choice": "dealt"}),
        shown(DEALER, "Ah Kc Jd 4c 3d"),
        shown(2, "9c 9d 9s 2c 3h", "five"),
    ],
    "double-cross-poker": [
        wager(2, {Wager.ANTE: 1000, Wager.BONUS: 300}),
        wager(3, {Wager.ANTE: 1000}),
        CLOSED,
        shown(COMMUNITY, "Qc 9c", "open"),
        Input("expose:2:", "expose", {"seat": 2, "shown": True}),
        shown(2, "Qd Qh"),
        decide(2, "vertical"),
        decide(3, "fold"),
        shown(COMMUNITY, "4h 5s 8d", "rest"),
        shown(DEALER, "2h 3s"),
    ],
    "double-down-stud": [
        wager(2, {Wager.ORIGINAL: 1000}),
        wager(3, {Wager.ORIGINAL: 3000}),
        CLOSED,
        shown(2, "9h"),
        shown(3, "Kd"),
        shown(COMMUNITY, "9c 4h 2s", "up"),
        decide(2, "double"),
        decide(3, "stand"),
        shown(COMMUNITY, "9d", "hole"),
    ],
}
NETS = {
    # seat 4: ante, bet at 100 to 1, the meter, Cover All 300 to 1; seat 1: envy, and 10 % by the five-card bonus
    CS: {1: -1000 - 300 - 100 + 100_000 - 100 + 100_015, 4: 2000 + 400_000 - 100 + 1_000_142 + 60_000 - 100},
    "boston-5-stud": {2: 7500 + 2000 + 2000 + 4000, 3: -3000},
    "double-cross-poker": {2: 9000 + 1000 + 3000 + 3000, 3: -1000},
    "double-down-stud": {2: 6000, 3: 0},
}


def tell(books: Books, game: str, inputs: list[Input]) -> tuple[int, list[Line]]:
    number = books.open_round(game)
    return number, [line for fact in inputs for line in books.record(number, fact, options_of(game))]


@pytest.mark.parametrize("game", ROUNDS)
def test_a_round_is_settled_to_the_last_cent(books: Books, game: str) -> None:
    number, _ = tell(books, game, [*ROUNDS[game], OVER])
    net = dict.fromkeys(NETS[game], 0)
    for line in books.lines(number):
        net[line.seat] += line.net
    assert net == NETS[game]
    check_books(books)
    assert books.rounds_over() == 1
    assert asks(books.play(number, options_of(game)), ALL_OUT) == []


class Flow(NamedTuple):
    """Wagers by seat, answers in turn (cards joined with commas), what must be asked, how many of these questions may
    come before the rest of the deck is out and bets are closed again, and the net of each seat."""

    wagers: dict[int, dict[str, int]]
    answers: str
    asked: str
    early: int
    nets: dict[int, int]


_B5_SEAT = {Wager.ANTE: 1000, Wager.FIRST: 2000}
_DCP_SEAT = {Wager.ANTE: 1000, Wager.BONUS: 300}
FLOWS = {
    # DDS 8(c) to (e), 9(a): a card each, the middle, doubling from the left, the hole card last.
    "double-down-stud": Flow(
        {seat: {Wager.ORIGINAL: 1000} for seat in (2, 3, 5)},
        "9h Kd 2c 9c,4h,2s double stand stand 9d",
        "cards 2, cards 3, cards 5, cards 255, decide 2, decide 3, decide 5, cards 255",
        7,
        {2: 6000, 3: 0, 5: 2000},
    ),
    # B5 10(a) to (f): every bonus before the first decision, the dealer's hand, then hands from the far right.
    "boston-5-stud": Flow(
        {2: {**_B5_SEAT, Wager.BONUS: 300}, 3: _B5_SEAT, 5: {**_B5_SEAT, Wager.BONUS: 300}},
        "shown kept 9c,9d,9s raise fold raise dealt Ah,Kc,Jd,4c,3d As,Qd,Js,5c,2d 9c,9d,9s,2c,3h",
        "expose 2, expose 5, cards 2, decide 2, decide 3, decide 5, confirm 0, cards 0, cards 5, cards 2",
        6,
        {2: 7500 + 2000 + 2000 + 4000, 3: -3000, 5: -300 - 5000},
    ),
    # B5 10(d)(2): the dealer gets two more cards although all have folded.
    "boston-5-stud, all fold": Flow(
        {2: _B5_SEAT, 3: _B5_SEAT},
        "fold fold dealt Ah,Kc,Jd,4c,3d",
        "decide 2, decide 3, confirm 0, cards 0",
        2,
        {2: -3000, 3: -3000},
    ),
    # CS 10(b), (c): decisions from the left, a folded hand whose bonus lives, the dealer, hands from the far right.
    CS: Flow(
        {2: {Wager.ANTE: 1000}, 3: {Wager.ANTE: 1000, Wager.FIVE_CARD: 100}, 5: {Wager.ANTE: 1000}},
        "Ah raise fold raise Ad,Jd,9d,5d,2d Ah,Kc,9c,4c,3d As,Qh,Js,5c,2s 8h,8c,Th,6c,4d",
        "cards 0, decide 2, decide 3, decide 5, cards 3, cards 0, cards 5, cards 2",
        0,
        {2: 1000 + 2000, 3: -1000 + 4900, 5: -3000},
    ),
    # DCP 10(a) to (f): top and right are open, three-card wagers, decisions from the left; the rest is left, middle,
    # nearest. Seat 2 needs the middle five on the column, seat 5 the right nine on the row.
    "double-cross-poker": Flow(
        {2: _DCP_SEAT, 3: {Wager.ANTE: 1000}, 5: _DCP_SEAT},
        "Qc,9c shown shown 5c,5d 9d,9h vertical vertical horizontal 4h,5s,8d 2h,3s Kd,Jh",
        "cards 255, expose 2, expose 5, cards 2, cards 5, decide 2, decide 3, decide 5, cards 255, cards 0, cards 3",
        0,
        {2: 300 + 1000 + 6000, 3: 1000 + 2000, 5: 300 + 1000 + 6000},
    ),
}


@pytest.mark.parametrize("name", FLOWS)
def test_people_are_asked_in_the_order_of_the_rules(books: Books, name: str) -> None:
    flow, game = FLOWS[name], name.split(",")[0]
    options = options_of(game)
    number, _ = tell(books, game, [*(wager(seat, it) for seat, it in flow.wagers.items()), CLOSED])
    assert asks(books.play(number, options), Dealt()) == []  # no question before the cards of the deal are out
    asked: list[str] = []
    for word in flow.answers.split():
        ask = asks(books.play(number, options), ALL_OUT)[0]
        assert (ask in asks(books.play(number, options), Dealt(True, 1))) == (len(asked) < flow.early)
        asked.append(f"{ask.kind} {ask.seat}")
        data: dict[str, object] = {"shown": word == "shown"} if ask.kind == "expose" else {"choice": word}
        if ask.kind == "cards":
            data = {"cards": list(cards(word.replace(",", " "))), "source": "dealer"}
        books.record(number, ask.answer(**data), options)
    assert ", ".join(asked) == flow.asked and asks(books.play(number, options), ALL_OUT) == []
    books.record(number, OVER, options)
    nets = dict.fromkeys(flow.nets, 0)
    for line in books.lines(number):
        nets[line.seat] += line.net
    assert nets == flow.nets
    check_books(books)


@pytest.mark.parametrize(
    ("game", "options", "good", "wrong"),
    [
        ("double-down-stud", DoubleDownOptions(), (2,), 3),
        ("double-down-stud", DoubleDownOptions(two_areas=True), (2, 3), 4),
        ("double-down-stud", DoubleDownOptions(two_areas=True), (2,), 4),  # not adjacent
        ("boston-5-stud", BostonOptions(), (2,), 3),
        (CS, FULL, (2,), 3),
        ("double-cross-poker", DoubleCrossOptions(), (2,), 3),
    ],
)
def test_a_player_has_one_hand_or_two_adjacent_areas(
    books: Books, game: str, options: Options, good: tuple[int, ...], wrong: int
) -> None:
    """DDS 6(c), CS 6(e), ruling one-hand. The next player may have that seat."""
    amounts = next(iter(FLOWS[game].wagers.values()))
    number = books.open_round(game)
    for seat in good:
        books.record(number, wager(seat, amounts, player="ann"), options)
    with pytest.raises(UsageError, match="ann"):
        books.record(number, wager(wrong, amounts, player="ann"), options)
    books.record(number, wager(wrong, amounts, player="bob"), options)


@pytest.mark.parametrize("game", ROUNDS)
def test_telling_everything_again_books_nothing(books: Books, game: str) -> None:
    number, first = tell(books, game, ROUNDS[game])
    before = books.balances()
    _, again = tell(books, game, [fact for fact in ROUNDS[game] for _ in range(2)])
    assert first and again == [] and books.balances() == before
    assert books.open_round(game) == number


@pytest.mark.parametrize("game", ROUNDS)
def test_a_failed_write_leaves_neither_input_nor_line(books: Books, game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = ROUNDS[game]
    number, _ = tell(books, game, inputs[:-1])
    before, lines = books.balances(), books.lines(number)

    def full(*_arguments: object) -> list[Line]:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(books._settling, "settle", full)  # pyright: ignore[reportPrivateUsage]
        with pytest.raises(sqlite3.OperationalError):
            books.record(number, inputs[-1], options_of(game))
    assert books.balances() == before and books.lines(number) == lines
    tell(books, game, [inputs[-1], OVER])
    check_books(books)


@pytest.mark.parametrize("game", ROUNDS)
def test_a_void_at_any_stage_returns_every_wager(tmp_path: Path, game: str) -> None:
    """Up to the last input: then the round is settled, and no void comes any more."""
    for stage in range(2, len(ROUNDS[game])):
        with Books(tmp_path / f"{stage}.db") as books:
            start_meters(books)
            meters = books.meters(PROGRESSIVE), books.meters(FIVE_CARD)
            number, _ = tell(books, game, [*ROUNDS[game][:stage], void("XX-1"), OVER])
            check_books(books)
            bonus = sum(line.net for line in books.lines(number) if line.wager == Wager.BONUS and line.seat == 2)
            kept = bonus if game == "boston-5-stud" else 0  # ruling b5-void-bonus: settled before the void
            assert sum(line.net for line in books.lines(number)) == kept
            begun = game == CS and shown(DEALER, "Ah Kc 9d 4c 3d") in ROUNDS[game][:stage]
            after = (books.meters(PROGRESSIVE), books.meters(FIVE_CARD))
            assert (after != meters) is begun  # ruling void-side
            assert books.balances().get("table-1/tray", 0) == -kept


def test_a_void_hand_touches_no_meter_before_settlement_and_lowers_none_after_it(books: Books) -> None:
    before = books.meters(PROGRESSIVE)
    one = Input("void hand:1", "void hand", {"seat": 1, "clause": "CS-13d"})
    other = Input("void hand:4", "void hand", {"seat": 4, "clause": "CS-13d"})
    number, _ = tell(books, CS, [*ROUNDS[CS][:5], one, other, ROUNDS[CS][7], OVER])
    assert books.meters(PROGRESSIVE) == before
    beside = {Wager.FIVE_CARD_DEALER: -100, Wager.COVER_ALL: -200}  # of seat 4: they are on no void hand (CS 13(d))
    assert {line.wager: line.net for line in books.lines(number) if line.net} == beside
    number, _ = tell(books, CS, ROUNDS[CS][:7])
    assert books.meters(PROGRESSIVE) == before  # decisions are no settlement
    books.record(number, ROUNDS[CS][7], FULL)
    shown_to_players = books.meters(PROGRESSIVE)
    assert before is not None and shown_to_players is not None
    assert shown_to_players.by_name["main"].cents > before.by_name["main"].cents
    house = books.balances()["table-1/house"]
    tell(books, CS, [one, other, OVER])
    assert books.meters(PROGRESSIVE) == shown_to_players
    assert books.balances()["table-1/house"] < house  # it makes up for the tray
    assert {line.wager: line.net for line in books.lines(number) if line.net} == beside
    check_books(books)


@pytest.mark.parametrize("order", [(1, 4), (4, 1)])
@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("choice", ["", "pay", "return"])
def test_two_void_hands_are_made_up_for_but_for_the_payout_in_suspense(
    books: Books, order: tuple[int, int], later: bool, choice: str
) -> None:
    """Seat 4 has a validated jackpot: only the progressive wager of seat 1 is returned, until a supervisor decides."""
    options = replace(FULL, make_up="later", approvals={**FULL.approvals, "make_up": "x"}) if later else FULL
    options.check()
    number = books.open_round(CS)
    for fact in ROUNDS[CS]:
        books.record(number, fact, options)
    key = next(line.key for line in books.lines(number) if line.seat == 4 and line.jackpot)
    books.record(number, Input(f"done:{key}:1", "done", {"checked": ["x"], "by": "J. Doe"}), options)
    house, meter = books.balances()["table-1/house"], books.meters(PROGRESSIVE)
    for seat in order:
        fact = {"seat": seat, "clause": "CS-13d"}
        books.record(number, Input(f"void hand:{seat}", "void hand", fact), options)
    if choice:
        books.decide_suspense(choice, options, "J. Doe", "seen on video")
    returned = 200 if choice == "return" else 100
    after = books.meters(PROGRESSIVE)
    assert meter is not None and after is not None
    back = 142 if choice == "return" else 0  # the jackpot is in its meter again, and the seed is not
    assert after.by_name["main"].cents - meter.by_name["main"].cents == back
    assert after.by_name["main"].owed == (returned if later else 0)
    reset = 1_000_000 if choice == "return" else 0  # the seed goes back to the house
    made_up = 0 if later else 71 + 71 + (71 if returned == 200 else 0)  # the five-card wager of seat 1 too
    assert house - books.balances()["table-1/house"] == made_up - reset
    books.record(number, OVER, options)
    check_replayed(books, options)
    jackpot_round(books)
    check_books(books)


def test_a_folded_hand_that_counts_for_cover_all_is_asked_for_and_paid(books: Books) -> None:
    """Ruling cover-folded, with the option: seat 1 folds a straight flush, and seat 4 is paid for it."""
    counts = replace(FULL, cover_all_counts_folded=True, approvals={**FULL.approvals, "cover_all_counts_folded": "x"})
    number = books.open_round(CS)
    wagers = [wager(1, {Wager.ANTE: 1000}), wager(4, {Wager.ANTE: 1000, Wager.COVER_ALL: 200}), CLOSED]
    for fact in (*wagers, shown(DEALER, "Ah", "up"), decide(1, "fold"), decide(4, "raise")):
        books.record(number, fact, counts)
    assert [ask.seat for ask in asks(books.play(number, counts), ALL_OUT)] == [1, DEALER, 4]
    for fact in (shown(1, "9h 8h 7h 6h 5h"), shown(DEALER, "Ah Kc 9d 4c 3d"), shown(4, "2s 2d Qs Js Ts"), OVER):
        books.record(number, fact, counts)
    assert [line.paid for line in books.lines(number) if line.wager == Wager.COVER_ALL] == [200 * 125]
    check_books(books)


def test_a_round_cannot_be_over_while_wagers_lie_on_the_layout(books: Books) -> None:
    number, _ = tell(books, CS, ROUNDS[CS][:6])
    with pytest.raises(UsageError, match="layout"):
        books.record(number, OVER, FULL)
    assert books.rounds_over() == 0


def test_the_same_key_with_other_content_is_refused(books: Books) -> None:
    number, _ = tell(books, CS, ROUNDS[CS][:5])
    assert books.record(number, decide(1, "fold"), FULL) == []  # told again
    for other in (decide(1, "raise"), replace(decide(1, "fold"), kind="expose"), wager(1, {Wager.ANTE: 5000})):
        with pytest.raises(UsageError, match="other content"):
            books.record(number, other, FULL)


def test_a_table_name_is_no_pattern(tmp_path: Path) -> None:
    """The wagers of table axb lie on its own layout when a round of a_b is over."""
    with Books(tmp_path / "two.db", "axb") as other, Books(tmp_path / "two.db", "a_b") as one:
        tell(other, "double-down-stud", [wager(1, {Wager.ORIGINAL: 1000})])
        tell(one, "double-down-stud", [*ROUNDS["double-down-stud"], OVER])
        assert one.rounds_over() == 1 and other.rounds_over() == 0


def test_one_face_cannot_be_entered_twice(books: Books) -> None:
    number, _ = tell(books, CS, ROUNDS[CS][:8])
    with pytest.raises(UsageError, match="Ah of dealer is entered again for seat 4"):
        books.record(number, shown(4, "Ah Ks Qs Js Ts"), FULL)
    twice = {"seat": 4, "part": "", "cards": [51, 47, 43, 39, 51], "source": "x"}
    with pytest.raises(UsageError, match="As of seat 4 is entered again for seat 4"):
        books.record(number, replace(shown(4, "As"), data=twice), FULL)
    assert books.play(number, FULL).round.hands[1].cards == ()


def test_wagers_after_closing_and_of_strange_kinds_are_refused(books: Books) -> None:
    number, _ = tell(books, CS, ROUNDS[CS][:3])
    with pytest.raises(UsageError, match="closed"):
        books.record(number, wager(5, {Wager.ANTE: 1000}), FULL)
    with pytest.raises(UsageError, match="not what this round asks"):
        books.record(number, decide(5, "raise"), FULL)
    with pytest.raises(UsageError, match="open"):
        books.open_round("boston-5-stud")
    with Books(":memory:") as other:
        round_number = other.open_round(CS)
        with pytest.raises(UsageError, match="insurance is not offered"):
            other.record(round_number, wager(1, {Wager.ANTE: 1000, Wager.INSURANCE: 5}), FULL)


# --- meters ------------------------------------------------------------------------------------


def jackpot_round(books: Books, ante: int = 1000) -> None:
    """Seat 1 has a royal flush with a progressive wager."""
    inputs = [
        wager(1, {Wager.ANTE: ante, Wager.PROGRESSIVE: 100}),
        CLOSED,
        shown(DEALER, "Ah", "up"),
        decide(1, "raise"),
        shown(DEALER, "Ah Kc 9d 4c 3d"),
        shown(1, "As Ks Qs Js Ts"),
        OVER,
    ]
    tell(books, CS, inputs)


def test_linked_tables_share_one_meter_and_each_its_own_tray(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    facts = TableFacts(CS, "CS", 1, 52, "PTMGL01", 100)
    with Books(path, "table-1", "link") as one, Books(path, "table-2", "link") as two:
        for books in (one, two):
            books.join_link(facts)
            start_meters(books)
        jackpot_round(one)
        left = two.meters(PROGRESSIVE)
        assert left is not None and left.by_name["main"].cents == 1_000_000  # reset for both
        jackpot_round(two)
        assert one.meters(PROGRESSIVE) == two.meters(PROGRESSIVE)
        check_books(one)
        assert one.balances()["table-1/seat 1"] == 1000 + 200_000 - 100 + 1_000_071
        assert one.balances()["table-2/seat 1"] == one.balances()["table-1/seat 1"]


def test_tables_that_differ_in_pay_table_wager_or_decks_may_not_link(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    facts = TableFacts(CS, "CS", 1, 52, "PTMGL01", 100)
    with Books(path, "table-1", "link") as books:
        books.join_link(facts)
    for wrong in (
        replace(facts, pay_table="PTMGL02"),
        replace(facts, wager_cents=500),
        replace(facts, decks=2),
        replace(facts, pay_table=""),
    ):
        with Books(path, "table-2", "link") as other, pytest.raises(UsageError, match="12"):
            other.join_link(wrong)
    with Books(path, "table-3", "link") as other:
        other.join_link(replace(facts, game="boston-5-stud", code="B5"))  # another title may


def test_seeds_go_in_once_and_meters_survive_the_program(tmp_path: Path) -> None:
    for _ in range(2):
        with Books(tmp_path / "books.db") as books:
            start_meters(books)
            check_books(books)
    with Books(tmp_path / "books.db") as books:
        jackpot_round(books)
        kept = books.meters(PROGRESSIVE)
    with Books(tmp_path / "books.db") as books:
        assert books.meters(PROGRESSIVE) == kept
        assert books.balances()["table-1/house"] == -3_000_000  # two seeds, and one after the jackpot


def test_what_a_rate_leaves_below_a_cent_is_carried() -> None:
    meters = new_meters(pay_table("CS-11d-A"), {"main": 7123}, {"main": 500})
    for _ in range(100):
        meters, _moves = meters.contribute(100)
    assert meters.by_name["main"].cents == 500 + 7123
    meters = meters.owe(10_050)
    for _ in range(101):
        meters, _moves = meters.contribute(100)
    main = meters.by_name["main"]  # of the last one half has contributed
    assert (main.cents, main.carry, main.owed) == (500 + 7123 + 35, 6150, 0)


@pytest.mark.parametrize(
    ("table", "rates", "seeds"),
    [
        ("CS-11d-A", {"main": 6999}, {"main": 5}),
        ("CS-11d-A", {"main": 10_001}, {"main": 5}),
        ("CS-11d-A", {"main": 7000}, {}),
        ("CS-11e", {"main": 7000}, {"main": 999_999}),
        ("CS-11e", {"main": 0}, {"main": 1_000_000}),
        ("CS-11e", {"main": 10_001}, {"main": 1_000_000}),
        ("PTMGLML02", {"main": 7000}, {}),
        ("PTMGLML02", {"mega": 8000, "major": 1000, "minor": -1}, {}),
        ("PTMGLML02", {"mega": 3000, "major": 3000, "minor": 999}, {}),
    ],
)
def test_rates_and_seeds_outside_the_rules_are_refused(
    table: str, rates: dict[str, int], seeds: dict[str, int]
) -> None:
    with pytest.raises(UsageError):
        new_meters(pay_table(table), rates, seeds, pool=FIVE_CARD if table == "CS-11e" else PROGRESSIVE)


def test_the_five_card_meter_has_the_rate_of_the_submission() -> None:
    """CS 11(e)(4) prints no least rate; the 70 % are of 11(d)(5)."""
    meters = new_meters(pay_table("CS-11e"), {"main": 5000}, {"main": 1_000_000}, pool=FIVE_CARD)
    assert meters.contribute(100)[0].by_name["main"].cents == 1_000_050


def test_seeds_of_linked_tables_scale_with_the_wager() -> None:
    meters: Meters = new_meters(pay_table("PTMGLML02"), {"mega": 3000, "major": 3000, "minor": 1000}, {}, 500)
    assert {name: meter.cents for name, meter in meters.by_name.items()} == {
        "mega": 5_000_000,
        "major": 500_000,
        "minor": 125_000,
    }


def test_an_audit_notices_money_that_was_made(books: Books, tmp_path: Path) -> None:
    jackpot_round(books)
    books.close()
    with sqlite3.connect(tmp_path / "books.db") as db:
        db.execute("UPDATE accounts SET cents = cents + 1 WHERE name = 'table-1/tray'")
        db.execute("UPDATE meters SET cents = cents - 1")
    with Books(tmp_path / "books.db") as again:
        found = " ".join(again.audit())
        assert "together" in found and "table-1/tray" in found and "meter table-1/progressive/main" in found
