"""Rounds under commands, in process: every mechanism, whatever stops one, and nothing taken from the table's host."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fairshoe.client.shoe import Shoe
from fairshoe.client.store import Store
from fairshoe.errors import NoAnswer, UsageError
from fairshoe.keys import role_key, write_key
from fairshoe.messages import CloseBetting, Event, Role, Shuffle, State
from fairshoe.operate.driver import Driver, Interrupted, NotDone
from fairshoe.operate.round_procedure import DEALT, Procedure, RoundReport, check_can_deal

KEY = bytes(range(32))


class Patient:
    """Confirms everything, a while after it was asked; remembers what was said."""

    def __init__(self, driver: Driver, looks: int = 12) -> None:
        self.driver = driver
        self.looks = looks
        self.told: list[str] = []
        self.asked: list[str] = []

    def tell(self, text: str) -> None:
        self.told.append(text)

    def confirm(self, text: str, still: Callable[[], bool]) -> bool:
        self.asked.append(text)
        return all(still() for _ in range(self.looks))

    def number(self, text: str) -> int:
        self.asked.append(text)
        return 2


@contextmanager
def driven(tmp_path: Path, board: str = "pico-carousel", words: str = "", dealer: str = "hands") -> Generator[Driver]:
    key = tmp_path / "dev.key"
    if not key.exists():
        write_key(key, "device", KEY)
    url = f"sim://{board}?seed=5&dealer={dealer}&key={key}{words}"
    with Shoe.open(url, role_key(KEY, Role.TABLE), Store(tmp_path / "store.db"), answer_s=20) as shoe:
        yield Driver(shoe)


def play(tmp_path: Path, board: str = "pico-carousel", words: str = "") -> tuple[RoundReport, Patient]:
    with driven(tmp_path, board, words) as driver:
        person = Patient(driver)
        return Procedure(driver, person, 2).run(), person


def test_a_round_goes_from_the_deck_in_the_hand_to_its_report(tmp_path: Path) -> None:
    report, person = play(tmp_path)
    assert report.good and report.view.game == "CS" and report.view.positions == 2
    assert report.stacks == [(1, 5), (2, 5), (3, 5)]
    assert report.view.end is not None and report.view.end.remainder == 37
    assert report.lines()[0] == "round 1 of CS, 2 positions" and report.lines()[-1] == "  ended"
    assert report.facts()["dealt"] == 15
    assert person.told.count("take the rest out of the tray") == 1
    assert [text.split(" (")[0] for text in person.asked] == [
        "shuffle the deck in the hopper",
        "when betting is over, close it",
        "lock out the progressive wagers and confirm it",
        "release the rest",
        "settle the round, then end it",
    ]


@pytest.mark.parametrize("board", ["pico-shelves", "pico-shoe", "pico-draw"])
def test_every_mechanism_is_walked_through(tmp_path: Path, board: str) -> None:
    report, _person = play(tmp_path, board)
    assert report.good
    assert (report.handed_out == 384) == (board == "pico-shelves")


def test_a_game_that_closes_betting_twice_is_asked_twice(tmp_path: Path) -> None:
    report, person = play(tmp_path, words="&game=boston-5-stud")
    assert report.good
    closings = [text for text in person.asked if "(CLOSE)" in text]
    assert len(closings) == 1 + ("second wagers" in " ".join(person.asked))


def test_a_jam_voids_the_round_and_the_report_says_by_which_rule(tmp_path: Path) -> None:
    report, _person = play(tmp_path, words="&faults=jam:exit:7:40000")
    assert not report.good and report.view.void is not None
    assert "VOID by rule CS-13f" in report.lines()[-1]
    assert report.facts()["void"] == {"clause": "CS-13f", "warning": "jam_exit"}


def test_a_short_deck_stops_it_with_the_next_step(tmp_path: Path) -> None:
    with driven(tmp_path, words="&faults=jam:throat:12:60000") as driver, pytest.raises(NotDone) as caught:
        Procedure(driver, Patient(driver), 2).run()
    assert "a card stopped between hopper and store" in caught.value.what
    assert "Open the door" in caught.value.advice and caught.value.exit_code == 1


def test_nothing_is_acknowledged_and_every_event_is_told_once(tmp_path: Path) -> None:
    with driven(tmp_path) as driver:
        told: list[Event] = []
        driver.on_event = told.append
        Procedure(driver, Patient(driver), 1).run()
        numbers = [event.seq for event in told]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert driver.shoe.status is not None and driver.shoe.status.events_waiting >= numbers[-1]


def test_dealing_ends_when_all_have_their_cards_and_a_round_can_be_joined_there(tmp_path: Path) -> None:
    with driven(tmp_path) as driver:
        dealt = Procedure(driver, Patient(driver), 1).run(until=DEALT)
        assert dealt.stacks == [(1, 5), (2, 5)] and dealt.view.end is None
        again = Driver(driver.shoe)
        report = Procedure(again, Patient(again)).run()
        assert report.stacks == dealt.stacks and report.view.end is not None


def test_positions_are_asked_for_where_nobody_said_how_many(tmp_path: Path) -> None:
    with driven(tmp_path) as driver:
        person = Patient(driver)
        report = Procedure(driver, person).run(until=DEALT)
        assert "how many positions play?" in person.asked and report.view.positions == 2


def test_a_button_that_is_faster_than_the_question_goes_on_by_itself(tmp_path: Path) -> None:
    with driven(tmp_path, dealer="auto") as driver:
        person = Patient(driver, looks=10**6)  # never confirms anything: the dealer presses all buttons
        report = Procedure(driver, person, 2).run()
        assert report.good


def test_what_is_refused_is_told_with_the_next_step(tmp_path: Path) -> None:
    with driven(tmp_path, dealer="none") as driver:
        status = driver.begin()
        while status.state != State.WAITING_FOR_DECK:
            status = driver.fresh()
        why = driver.why("shuffle", driver.give(Shuffle))
        assert "deck first" in why.what and "Insert the deck" in why.advice
        why = driver.why("close_betting", driver.give(CloseBetting))
        assert "not while waiting for deck" in why.what and "fairshoe status" in why.advice
        with pytest.raises(UsageError, match="cannot deal now: waiting for deck"):
            check_can_deal(driver.shoe.status)


def test_what_a_rule_holds_back_is_told_with_how_to_tell_the_shoe(tmp_path: Path) -> None:
    with driven(tmp_path, words="&table=records%3Dtrue") as driver, pytest.raises(NotDone) as caught:
        Procedure(driver, Patient(driver), 1).run()
    assert "the shoe waits: induction due" in caught.value.what
    assert "record inspected 1" in caught.value.advice


def test_ctrl_c_in_the_middle_of_a_command_says_how_to_ask_about_it_and_the_next_run_says_so_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with driven(tmp_path) as driver:
        driver.begin()
        for _ in range(12):
            driver.fresh()

        def interrupt(_status: object) -> None:
            raise KeyboardInterrupt

        driver.on_status = interrupt
        with pytest.raises(Interrupted) as caught:
            driver.give(Shuffle)
        assert "shuffle (operation 1) was sent" in caught.value.what and caught.value.exit_code == 130
        assert "fairshoe command sim://" in caught.value.advice and caught.value.advice.endswith("--resume")
        with pytest.raises(UsageError, match="outcome of shuffle"):
            Driver(driver.shoe).begin()
        unfinished = driver.shoe.unfinished()
        assert unfinished is not None
        again = Driver(driver.shoe)
        assert again.follow(driver.shoe.resume(unfinished)).done


def test_a_command_that_is_never_answered_ends_and_is_remembered(tmp_path: Path) -> None:
    with driven(tmp_path) as driver:
        driver.begin()
        driver.timeout_s = 0.0
        with pytest.raises(NoAnswer, match=r"shuffle \(operation 1\) was sent, and its outcome is not known"):
            driver.give(Shuffle)
        assert driver.shoe.unfinished() is not None
