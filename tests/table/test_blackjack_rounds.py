"""Double Attack Blackjack at a table: the order of questions, splits and doubles with their stakes, a drawn shoe."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from running_tables import check_books

from fairshoe import Event, StoredEvent, What
from fairshoe.errors import UsageError
from fairshoe.games.double_attack import rebuild
from fairshoe.messages import Answer, CloseBetting, DrawFlagged, EndRound, HoleCardRead, Recorded, RoundEnded
from fairshoe_table.books.books import Books
from fairshoe_table.games.double_attack import round as rounds
from fairshoe_table.games.double_attack.options import DoubleAttackOptions
from fairshoe_table.games.double_attack.settlement import Bettor, Box, Peek, PlayerHand, Round, Stakes, ten_or_ace
from fairshoe_table.play import registry
from fairshoe_table.play.game import Ask, Dealt, Play
from fairshoe_table.play.inputs import Input, wager
from fairshoe_table.play.round import asks
from fairshoe_table.rules.cards import card, cards
from fairshoe_table.rules.ledger import Line, Wager
from fairshoe_table.simulated.demonstration import Running, simulated_table
from fairshoe_table.simulated.stack import StackReport, compare

GAME = "double-attack-blackjack"
OPTIONS = DoubleAttackOptions()
ROOT = Path(__file__).resolve().parents[2]
CHOSEN = ("packs", "hole_card", "reader", "surrender_at_once", "bettors_per_box", "positions")
APPROVED = dict.fromkeys(CHOSEN, "test")


def play(
    answers: str, options: DoubleAttackOptions = OPTIONS, others: tuple[int, ...] = (), **wagers: int
) -> tuple[list[str], list[Line], Books]:
    """Answer every question in turn with a card, a choice or a choice and its cents (`double:300`); `peek:no` is the
    reader, `missed:1` a box that has one card. Gives what was asked, and the lines. `others`: more bettors of box 1."""
    books = Books(":memory:")
    number = books.open_round(GAME)
    amounts = {Wager.INITIAL: 1000, **wagers}
    books.record(number, wager(1, amounts), options)
    for bettor, cents in enumerate(others, 2):
        books.record(number, wager(1, {Wager.INITIAL: cents}, bettor), options)
    books.record(number, Input("closed", "closed", {"round": 1}), options)
    asked: list[str] = []
    for word in answers.split():
        choice, _, more = word.partition(":")
        if choice in ("peek", "missed", "refused"):
            books.record(number, _by_the_shoe(choice, more, len(asked)), options)
            continue
        ask = _next(books, number, options)
        asked.append(f"{ask.kind} {ask.seat}")
        cents = {"cents": int(more)} if more else {}
        data = {"cards": [card(word)], "source": "dealer"} if ask.kind == "cards" else {"choice": choice, **cents}
        books.record(number, ask.answer(**data), options)
    assert asks(books.play(number, options), Dealt(True)) == []
    books.record(number, Input("over", "over"), options)
    check_books(books)
    return asked, books.lines(number), books


def _by_the_shoe(what: str, more: str, seq: int) -> Input:
    if what == "peek":
        return Input(f"peek:{more}", "peek", {"answer": more})
    if what == "refused":
        return Input("refused:1", "refused", {"seat": 1})
    clause = "DAB-15j" if int(more) > 1 else "DAB-15i"
    return Input(f"box missed:1:{more}:{seq}", "box missed", {"seat": 1, "cards": int(more), "clause": clause})


def _next(books: Books, number: int, options: DoubleAttackOptions = OPTIONS) -> Ask:
    return asks(books.play(number, options), Dealt(True))[0]


def nets(lines: list[Line]) -> list[tuple[str, int]]:
    return [(line.wager, line.net) for line in lines]


def test_questions_come_in_the_order_of_the_rules() -> None:
    asked, lines, _ = play("6s attack 9c Kd stand Kc 9h")
    assert asked == ["cards 0", "decide 1", "cards 1", "cards 1", "decide 1", "cards 0", "cards 0"]
    assert nets(lines) == [("initial", 1000), ("double attack", 1000)]


def test_insurance_is_asked_for_against_an_ace_only() -> None:
    asked, lines, _ = play("As no 9c Kd insure stand Kc")
    assert asked.count("decide 1") == 3
    assert nets(lines) == [("insurance", 1250), ("initial", -1000)]


def test_a_split_asks_the_initial_amount_and_plays_the_first_hand_first() -> None:
    _, lines, books = play("6s attack 8c 8d split 3h double Ks 9s stand Kc 9h")
    assert nets(lines) == [("initial", 1000), ("double attack", 1000), ("doubled", 2000), ("split", 1000)]
    assert books.balances()["table-1/seat 1"] == 5000


def test_a_split_may_have_to_match_the_attack_wager_too() -> None:
    """Ruling dab-split-amount, with the option."""
    both = DoubleAttackOptions(split_matches_both=True, approvals={"split_matches_both": "test"})
    _, lines, _ = play("6s attack:400 8c 8d split 3h stand Ks stand Kc 9h", both)
    assert nets(lines) == [("initial", 1000), ("double attack", 400), ("split", 1400)]


@pytest.mark.parametrize(("positions", "hands"), [(7, 3), (6, 4)])
def test_a_pair_is_split_again_up_to_the_hands_of_the_table(positions: int, hands: int) -> None:
    """DAB 10(c). Every eight is followed by another one: the last hand that may not be split has a pair."""
    options = DoubleAttackOptions(positions=positions, approvals={"positions": "test"})
    splits = "split 8h " * (hands - 1)
    rest = "stand " + "Ks stand " * (hands - 1)
    asked, lines, _ = play(f"6s no 8c 8d {splits}{rest} Kc 9h", options)
    assert nets(lines) == [("initial", 1000), *[("split", 1000)] * (hands - 1)]
    assert asked.count("decide 1") == 1 + 2 * hands - 1
    with pytest.raises(UsageError, match="not possible"):
        play(f"6s no 8c 8d {splits}split", options)


def test_split_aces_get_one_card_each() -> None:
    asked, lines, _ = play("6s no Ac Ad split 5h stand Ks Kc 9h")
    assert asked.count("decide 1") == 3  # the attack, the split, and whether the soft 16 is surrendered
    assert nets(lines) == [("initial", 1000), ("split", 1000)]
    for more in ("draw", "double"):
        with pytest.raises(UsageError, match="not possible"):
            play(f"6s no Ac Ad split 5h {more}")


def test_a_bust_of_all_boxes_ends_the_round_without_a_card_for_the_dealer() -> None:
    asked, lines, _ = play("6s no 9c 7d draw Ks")
    assert asked[-1] == "cards 1" and nets(lines) == [("initial", -1000)]


def test_a_bonus_wager_makes_the_dealer_draw_the_third_card() -> None:
    _, lines, _ = play("6s no 9c 7d draw Ks Ks 7h", bonus=300)
    assert nets(lines) == [("initial", -1000), ("bonus", 3000)]


def test_a_surrender_against_a_two_to_nine_is_half_at_once() -> None:
    _, lines, _ = play("6s attack 9c 7d surrender")
    assert nets(lines) == [("initial", -500), ("double attack", -500)]


def test_a_choice_that_the_hand_does_not_have_is_refused() -> None:
    with pytest.raises(UsageError, match="not possible"):
        play("6s no 9c 7d split")


def test_a_doubled_hand_may_be_surrendered_and_takes_no_more_cards() -> None:
    """DAB 8(a): after doubling down as well."""
    _, lines, _ = play("6s no 5c 6d double 2h surrender")
    assert nets(lines) == [("initial", -500), ("doubled", -500)]
    with pytest.raises(UsageError, match="not possible"):
        play("6s no 5c 6d double 2h draw")


def test_smaller_attack_double_and_insurance_wagers_are_taken_and_larger_ones_refused() -> None:
    _, lines, _ = play("As attack:300 5c 6d insure:200 double:700 Kh Ks")
    assert nets(lines) == [("insurance", 500), ("initial", -1000), ("double attack", 0), ("doubled", 0)]
    for answers in ("As attack:1001", "As no 5c 6d insure:501", "6s no 5c 6d double:1001"):
        with pytest.raises(UsageError):
            play(answers)


# --- hole card and reader ----------------------------------------------------------------------

HOLE = DoubleAttackOptions(hole_card=True, approvals={"hole_card": "test"})
READER = DoubleAttackOptions(
    hole_card=True,
    reader=True,
    surrender_at_once=True,
    approvals=dict.fromkeys(("hole_card", "reader", "surrender_at_once"), "test"),
)


def test_a_hole_card_comes_after_the_deal_and_is_turned_over_at_the_end() -> None:
    asked, lines, _ = play("6s no 9c Kd dealt stand Kc 9h", HOLE)
    assert asked == ["cards 0", "decide 1", "cards 1", "cards 1", "decide 0", "decide 1", "cards 0", "cards 0"]
    assert nets(lines) == [("initial", 1000)]


def test_with_a_reader_no_player_decides_before_its_answer() -> None:
    books = Books(":memory:")
    number = books.open_round(GAME)
    books.record(number, wager(1, {Wager.INITIAL: 1000}), READER)
    books.record(number, Input("closed", "closed", {"round": 1}), READER)
    for word in ["Ks", "no", "9c", "7d", "dealt"]:
        ask = _next(books, number, READER)
        data = {"cards": [card(word)], "source": "dealer"} if ask.kind == "cards" else {"choice": word}
        books.record(number, ask.answer(**data), READER)
    assert asks(books.play(number, READER), Dealt(True)) == []  # the reader first
    books.record(number, Input("peek", "peek", {"answer": "no"}), READER)
    assert _next(books, number, READER).choices[0] == "stand"


def test_a_blackjack_in_the_reader_ends_the_round_without_a_card() -> None:
    asked, lines, _ = play("As no 9c 7d dealt insure peek:blackjack Kc", READER)
    assert asked[-1] == "cards 0" and nets(lines) == [("insurance", 1250), ("initial", -1000)]
    assert nets(play("Ks attack Ac Kd dealt peek:blackjack Ad", READER)[1]) == [("initial", 0), ("double attack", 0)]


def test_a_no_of_the_reader_settles_a_blackjack_of_the_player() -> None:
    _, lines, _ = play("Ks attack Ac Kd dealt peek:no", READER)
    assert nets(lines) == [("initial", 1000), ("double attack", 1000)]


def test_surrender_is_settled_at_once_only_after_a_no_of_the_reader() -> None:
    books = play("Ks no 9c 7d dealt peek:no surrender", READER)[2]
    assert books.balances()["table-1/seat 1"] == -500
    _, lines, _ = play("Ks no 9c 7d dealt peek:off surrender Ad", READER)  # by 15(n): it waits, and loses all
    assert nets(lines) == [("initial", -1000)]


def test_a_hole_card_that_contradicts_the_reader_is_refused() -> None:
    """DAB 7(i): after a blackjack that is none the dealer would stand on two cards below 17."""
    for words in ("Ks no 9c Kd dealt peek:no stand Ad", "Ks no 9c 7d dealt peek:blackjack 5d"):
        with pytest.raises(UsageError, match="reader"):
            play(words, READER)


def test_a_reader_that_fails_takes_no_right_away_and_nothing_back() -> None:
    """DAB 15(n): insurance is still offered before it was used; half of a hand that was surrendered then stays."""
    lines = play("As no 9c 7d dealt peek:off insure stand Kd", READER)[1]
    assert nets(lines) == [("insurance", 1250), ("initial", -1000)]
    words = "Ks no 8c 8d dealt peek:no split Kd surrender 3d peek:off stand Ad"
    lines = play(words, READER)[1]
    assert nets(lines) == [("initial", -500), ("split", 0)]
    assert [line.clause for line in lines] == ["DAB 8(a)(1)", "DAB 10(d)"]


def test_a_fault_after_an_answer_of_the_reader_is_heard_once() -> None:
    game = registry.find(GAME)
    fault = HoleCardRead(9, 1, 5, 0, 0, 1, 1, Answer.FAULT, "DAB-15n")
    found: dict[Peek, list[str]] = {}
    for peek in Peek:
        now = replace(game.new(OPTIONS), round=Round((), peek=peek))
        found[peek] = [fact.key for fact in game.hears(now, fault)]
    assert found == {Peek.NONE: ["peek"], Peek.NO: ["peek:off"], Peek.BLACKJACK: [], Peek.OFF: []}


# --- shared boxes ------------------------------------------------------------------------------

SHARED = DoubleAttackOptions(bettors_per_box=3, positions=6, approvals={"bettors_per_box": "test", "positions": "test"})


def by_bettor(lines: list[Line]) -> dict[int, int]:
    found: dict[int, int] = {}
    for line in lines:
        found[line.bettor] = found.get(line.bettor, 0) + line.net
    return found


def test_others_attack_and_double_only_after_the_bettor_who_calls() -> None:
    asked, lines, _ = play("6s attack no attack 5c 6d double no double Kh Kc 9h", SHARED, (2000, 3000))
    assert asked.count("decide 1") == 6
    assert by_bettor(lines) == {1: 4000, 2: 2000, 3: 12_000}
    _, lines, _ = play("6s no 5c 6d draw Kh Kc 9h", SHARED, (2000,))  # no other bettor is asked
    assert by_bettor(lines) == {1: 1000, 2: 2000}


def test_others_cover_both_hands_of_a_split_or_name_one() -> None:
    """First hand 18, second 19, against 18."""
    _, lines, _ = play("6s no 8c 8d split cover second Ks stand Ac stand Kc 2h", SHARED, (2000, 3000))
    assert by_bettor(lines) == {1: 1000, 2: 2000, 3: 3000}
    assert by_bettor(play("6s no 8c 8d split cover first Ks stand Ac stand Kc 2h", SHARED, (2000, 3000))[1])[3] == 0


def test_everyone_insures_alone() -> None:
    _, lines, _ = play("As no 9c Kd no insure stand Kc", SHARED, (2000,))
    assert by_bettor(lines) == {1: -1000, 2: -2000 + 2500}


def test_more_bettors_or_boxes_than_the_table_allows_are_refused() -> None:
    with pytest.raises(UsageError, match="13"):
        play("", OPTIONS, (2000,))
    with pytest.raises(UsageError, match="calls first"):
        books = Books(":memory:")
        books.record(books.open_round(GAME), wager(1, {Wager.INITIAL: 1000}, 2), SHARED)
    two = DoubleAttackOptions(boxes_per_player=2, approvals={"boxes_per_player": "test"})
    for options, boxes in ((OPTIONS, 1), (two, 2)):
        books = Books(":memory:")
        number = books.open_round(GAME)
        for seat in range(1, boxes + 1):
            books.record(number, wager(seat, {Wager.INITIAL: 1000}, player="ann"), options)
        with pytest.raises(UsageError, match="at most"):
            books.record(number, wager(boxes + 1, {Wager.INITIAL: 1000}, player="ann"), options)


# --- missed boxes ------------------------------------------------------------------------------


def test_a_box_without_a_card_is_dead_and_its_bonus_stands() -> None:
    asked, lines, _ = play("6s no missed:0 Kc 7h", bonus=300)
    assert asked == ["cards 0", "decide 1", "cards 0", "cards 0"]
    assert (lines[0].outcome.value, lines[0].clause) == ("void", "DAB-15i")
    assert nets(lines) == [("initial", 0), ("bonus", 3000)]


def test_a_missed_card_is_completed_or_the_hand_is_dead_as_the_player_says() -> None:
    assert nets(play("6s no 9c missed:1 dead")[1]) == [("initial", 0)]
    assert nets(play("6s no 9c missed:1 complete Kd stand Kc 9h")[1]) == [("initial", 1000)]
    assert nets(play("6s no 9c 2d draw missed:2 dead")[1]) == [("initial", 0)]
    assert nets(play("6s no 9c 2d draw missed:2 complete Kd Kc 9h")[1]) == [("initial", 1000)]


MISSES = {
    # Dead: nothing is left to insure, or to double on.
    "As no missed:0": [("initial", 0)],
    "6s no 5c 6d double missed:2 dead": [("initial", 0), ("doubled", 0)],
    # The dealer missed each hand of a split, or one hand twice.
    "6s no 8c 8d split 2s draw missed:2 complete Kh stand 2h draw missed:2 dead Kc 9h": [
        *(("split", 0), ("initial", 1000)),
    ],
    "6s no 9c 2d draw missed:2 complete 2s draw missed:3 complete 5h stand Kc 9h": [("initial", 1000)],
    # No hand waited for a card: one that stood on 13, and one that was played to its end.
    "6s no 9c 4d stand missed:2 Kc 2h": [("initial", -1000)],
    "6s no 8c 8d split 3h stand 2s draw missed:2 dead Kc 2h": [("split", 0), ("initial", -1000)],
    "6s no 8c 8d split 3h stand 2s stand missed:2 Kc 2h": [("initial", -1000), ("split", -1000)],
}


@pytest.mark.parametrize(("words", "expected"), MISSES.items())
def test_a_miss_is_of_a_hand_that_waits_and_may_come_again(words: str, expected: list[tuple[str, int]]) -> None:
    assert nets(play(words)[1]) == expected


def test_no_one_doubles_on_a_dead_hand() -> None:
    assert by_bettor(play("6s no 5c 6d double missed:2 dead", SHARED, (2000,))[1]) == {1: 0, 2: 0}


def test_a_box_that_was_completed_late_in_the_deal_has_its_turn() -> None:
    """DAB 7(e): from the dealer's left."""
    boxes = (Box(seat, (Bettor(1, (Stakes(1000),)),), (PlayerHand(cards("9c")),)) for seat in (1, 2))
    round, turns = Round(tuple(boxes), cards("6s"), late=frozenset({1})), list[str]()
    for face in cards("2d 3d 4d"):
        ask = rounds.next_ask(round, OPTIONS)
        assert ask is not None
        turns.append(f"{ask.kind} {ask.seat}")
        round = rounds.card(round, ask.seat, ask.part, face) if ask.kind == "cards" else round
    assert turns == ["cards 2", "cards 1", "decide 1"]


def test_a_player_who_refuses_a_card_gets_no_more_cards() -> None:
    """DAB 15(f): the hand takes no further card, and the dealer plays on."""
    asked, lines, _ = play("6s no 9c 2d draw refused:1 Kc 9h")
    assert asked[-2:] == ["cards 0", "cards 0"] and nets(lines) == [("initial", 1000)]
    for words in ("6s refused:1", "6s no 9c refused:1", "6s no 9c 2d stand refused:1"):
        with pytest.raises(UsageError, match="15\\(f\\)"):
            play(words)


# --- at the shoe -------------------------------------------------------------------------------


def test_rounds_at_a_drawn_shoe_whose_count_agrees(tmp_path: Path) -> None:
    """Several boxes, shared ones too; the device knows whose every card is."""
    with simulated_table(tmp_path, GAME, seed=4, options=replace(SHARED, packs=8, approvals=APPROVED)) as it:
        for _ in range(3):
            it.table.play_round()
            assert it.shoe.current_round.cards.inside == len(it.people.pile)
            assert flags(it) == [] and hands_known(it)
        check_books(it.books)


def test_rounds_with_a_hole_card(tmp_path: Path) -> None:
    with simulated_table(tmp_path, GAME, seed=5, options=replace(HOLE, packs=8, approvals=APPROVED)) as it:
        for _ in range(3):
            it.table.play_round()
            assert it.shoe.current_round.cards.inside == len(it.people.pile) and flags(it) == []
        check_books(it.books)


@pytest.fixture
def board_with_reader(tmp_path: Path) -> str:
    data = json.loads((ROOT / "board_configs" / "pico-draw.json").read_text(encoding="utf-8"))
    data["inputs"].update({"hole_card": 7, "hole_match": 8})
    data["outputs"].update({"read_ace": 20, "read_court": 21})
    path = tmp_path / "pico-draw-reader.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return str(path)


def test_rounds_with_a_reader_that_is_asked_for_every_ace_and_ten(tmp_path: Path, board_with_reader: str) -> None:
    options = replace(READER, packs=8, approvals=APPROVED)
    with simulated_table(tmp_path, GAME, seed=6, options=options, board=board_with_reader) as it:
        asked = 0
        for _ in range(8):
            number = it.table.play_round()
            round = it.books.play(number, options).round
            assert isinstance(round, Round)
            assert (round.peek is not Peek.NONE) == ten_or_ace(round.dealer[0])
            asked += round.peek is not Peek.NONE
            assert it.shoe.current_round.cards.inside == len(it.people.pile) and flags(it) == []
        assert asked > 0
        check_books(it.books)


def test_a_hole_card_in_the_reader_without_need_changes_nothing(tmp_path: Path, board_with_reader: str) -> None:
    """DAB 15(m)(2): against a two to nine the device gives no answer, and play goes on."""
    options = replace(READER, packs=8, approvals=APPROVED)
    with simulated_table(tmp_path, GAME, seed=6, options=options, board=board_with_reader) as it:
        answer, needless, number = it.people.answer, 0, 0

        def peeks(play: Play, ask: Ask) -> Input:
            nonlocal needless
            assert isinstance(play.round, Round)
            if (
                play.round.hole
                and len(play.round.dealer) == 1
                and not needless
                and not ten_or_ace(play.round.dealer[0])
            ):
                needless = play.round.dealer[0]
                it.shoe.sim.act("peek", "5")
                it.shoe.sim.sleep(1.0)
                it.shoe.sim.act("peek_end", "")
            return answer(play, ask)

        it.people.answer = peeks
        while not needless:
            number = it.table.play_round()
        read = [stored.event for stored in events(it, HoleCardRead)][-1]
        assert isinstance(read, HoleCardRead) and (read.answer.name, read.clause) == ("NONE", "DAB-15m")
        round = it.books.play(number, options).round
        assert isinstance(round, Round) and round.peek is Peek.NONE and round.void is None
        check_books(it.books)


def test_the_people_count_the_rack_where_the_table_keeps_records(tmp_path: Path) -> None:
    """Until the cut card has come and the next shoe is in play."""
    with simulated_table(tmp_path, GAME, seed=7, board="pico-draw?table=records=true") as it:
        it.people.cut_at = 4
        it.table.play_round()
        first = it.shoe.current_round
        it.people.cut_at = 288
        it.table.play_round()
        records = [stored.event for stored in events(it, Recorded)]
        counted = [one for one in records if isinstance(one, Recorded) and one.what is What.STUB_COUNTED]
        assert [(one.a, one.consequence.name) for one in counted] == [(384, "NONE")]
        assert it.shoe.current_round.number == first.number + 1
        check_books(it.books)


def test_a_shoe_that_runs_out_is_completed_from_the_rack_in_the_round(tmp_path: Path) -> None:
    """DAB 15(h): the rack is counted, shuffled, cut and put in, its first card burned, and the round goes on."""
    with simulated_table(tmp_path, GAME, seed=8) as it:
        it.people.cut_at = 384
        it.table.play_round()
        first = it.shoe.current_round.number
        it.shoe.command(CloseBetting)
        while len(it.people.pile) > 3:  # a round that this table does not play
            it.shoe.sim.act("draw", "150")
            it.shoe.sim.sleep(0.5)
            it.people.drawn.append(it.people.pile.pop(0))
        it.shoe.command(EndRound)
        for message in it.shoe.messages():
            if isinstance(message, RoundEnded) and message.round == first + 1:
                it.shoe.acknowledge()
                break
        number = it.table.play_round()
        fact = [stored.event for stored in events(it, Recorded)]
        short = [one for one in fact if isinstance(one, Recorded) and one.what is What.SHORT_SHOE]
        assert [(one.clause, one.consequence.name) for one in short] == [("DAB-15h", "RESHUFFLE")]
        assert short[0].a == 381  # all cards but the three of this round
        assert "count:0:short.1" in {one.key for one in it.books.inputs(number)}
        report = StackReport()
        compare(it, report)
        assert [text for text in report.wrong if not text.startswith(f"round {first + 1} of the shoe")] == []
        assert it.books.shoe_rounds()[first + 2].how == "ended"
        assert all(f"round={first + 1}," in flag for flag in flags(it))
        it.table.play_round()  # with a new shoe
        check_books(it.books)


def test_late_entry_is_barred_until_a_reshuffle(tmp_path: Path) -> None:
    """DAB 5(h): a box without a wager in the round before waits for the next shuffle."""
    options = DoubleAttackOptions(packs=8, late_entry_barred=True, approvals={**APPROVED, "late_entry_barred": "test"})
    with simulated_table(tmp_path, GAME, seed=9, options=options) as it:
        seats = [1, 3]
        it.people.players.wagers = lambda play: [wager(seat, {Wager.INITIAL: 1000}) for seat in seats]  # pyright: ignore
        it.table.play_round()  # everyone may enter after the first shuffle
        seats[:] = [1, 2]
        with pytest.raises(UsageError, match="5\\(h\\)"):
            it.table.play_round()
        it.people.cut_at = 1
        seats[:] = [1]
        assert it.shoe.status is not None
        it.shoe.records.put(What.RESHUFFLE, 2)
        seats[:] = [1, 2]
        it.table.play_round()
        check_books(it.books)


def events(it: Running, *kinds: type[Event]) -> list[StoredEvent]:
    assert it.shoe.store is not None
    return list(it.shoe.store.events(kinds=list(kinds) or None))


def flags(it: Running) -> list[str]:
    """Cards that the device found out of order."""
    return [str(stored.event) for stored in events(it, DrawFlagged)]


def hands_known(it: Running) -> bool:
    """Whether the device's events alone say whose every card was, as the books do."""
    number = it.books.rounds_over()
    last = it.shoe.current_round.number
    fact = [one for stored in events(it) if isinstance(one := stored.event, Event) and one.round == last]
    hands = rebuild(fact)
    play = it.books.play(number, it.table.options)
    assert isinstance(play.round, Round)
    booked = {place: sum(len(hand.cards) for hand in box.hands) for place, box in enumerate(play.round.boxes, 1)}
    return hands.unknown == [] and {box: len(cards) for box, cards in hands.cards.items() if box} == booked
