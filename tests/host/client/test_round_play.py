"""`shoe.play()`: rounds by one call. The example of a table system plays all games with it."""

import asyncio
import contextlib
from functools import partial
from pathlib import Path
from typing import NoReturn

import pytest
from tcp_shoe import TcpShoe

from fairshoe import AsyncShoe, Command, CommandResult, Hooks, RoundView, Shoe, Status, Step, Store, UsageError, What
from fairshoe.messages import CommandAccepted, EndRound, RoundEnded, Shuffle

HANDS = "sim://pico-carousel?dealer=hands&mode=table&game=double-down-stud"


def test_a_round_is_played_by_one_call_and_the_hooks_are_asked(key_file: Path) -> None:
    asked: list[type[Command]] = []
    told: list[type[Command]] = []

    def allow(command: type[Command], _status: Status) -> bool:
        asked.append(command)
        return asked.count(command) > 1  # not at the first time

    def tell(command: type[Command], result: CommandResult) -> None:
        assert result.done
        told.append(command)

    with Shoe.open(f"{HANDS}&key={key_file}", key_file) as shoe:
        ended: list[int] = []
        shoe.on(RoundEnded, lambda event: ended.append(event.round))
        views = shoe.play(Hooks(3, allow=allow, told=tell), rounds=2)
    assert [(view.number, view.positions, view.void) for view in views] == [(1, 3, None), (2, 3, None)]
    assert ended == [1, 2]
    assert told.count(Shuffle) == told.count(EndRound) == 2
    assert asked[:2] == [Shuffle, Shuffle]
    assert all(asked.count(command) == told.count(command) + 1 for command in (Shuffle, EndRound))


def test_a_record_that_the_program_does_not_know_is_left_to_a_person(key_file: Path) -> None:
    calls: list[str] = []

    def call(step: Step) -> None:
        calls.append(step.text)
        shoe.close()

    with Shoe.open(f"{HANDS}&key={key_file}&table=records=true", key_file) as shoe:
        assert shoe.play(Hooks(2, person=call)) == []
    assert len(calls) == 1 and "inspected" in calls[0]


def test_a_record_is_told_with_the_numbers_of_the_program(key_file: Path) -> None:
    asked: list[What] = []

    def numbers(what: What, step: Step, _view: RoundView) -> tuple[int, int]:
        asked.append(what)
        return step.deck, 0

    with Shoe.open(f"{HANDS}&key={key_file}&table=records=true", key_file) as shoe:
        (view,) = shoe.play(Hooks(2, numbers))
    assert view.end is not None
    assert asked == [What.INSPECTED, What.VERIFIED, What.SHOWN, What.WASHED]


async def test_a_loop_plays_as_well_and_a_cancelled_round_goes_on_with_the_next_call(key_file: Path) -> None:
    async with AsyncShoe.open(f"{HANDS}&key={key_file}", key_file) as shoe:
        playing = asyncio.create_task(shoe.play(Hooks(2)))
        while shoe.status is None or not shoe.open_round:
            assert not playing.done()
            await asyncio.sleep(0)
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        (view,) = await shoe.play(Hooks(2))
        assert (view.number, view.positions, view.void) == (1, 2, None)


@pytest.mark.parametrize(
    ("mode", "key", "hooks", "rounds", "why"),
    [
        ("report_only", True, Hooks(2), 1, "only reports: its link takes no commands"),
        ("table", False, Hooks(2), 1, "the role .* gives no commands"),
        ("table", True, Hooks(0), 1, "0 positions cannot play"),
        ("table", True, Hooks(17), 1, "17 positions cannot play"),
        ("table", True, Hooks(2), 0, "0 rounds cannot be played"),
    ],
)
def test_what_cannot_be_played_is_refused_in_words(
    key_file: Path, mode: str, key: bool, hooks: Hooks, rounds: int, why: str
) -> None:
    url = f"sim://pico-carousel?dealer=hands&mode={mode}&key={key_file}"
    with Shoe.open(url, key_file if key else None) as shoe, pytest.raises(UsageError, match=why):
        shoe.play(hooks, rounds)
    assert shoe.pending is None


def test_play_goes_on_wherever_its_program_was_ended(
    tmp_path: Path, key_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program ends at each command that it gives, and is started again; the shoe lives on."""
    endings: list[str] = []

    class Ended(Exception):
        pass

    def ending_command(shoe: Shoe, kind: type[Command], **arguments: int) -> NoReturn:
        pending = shoe.start(kind, **arguments)
        endings.append(f"{pending.op} {kind.NAME}")
        raise Ended

    store = tmp_path / "table.db"
    views: list[RoundView] = []
    with TcpShoe(f"&dealer=hands&key={key_file}") as server:
        while not views:
            with Shoe.open(server.url, key=key_file, store=store, answer_s=60) as shoe, contextlib.suppress(Ended):
                if len(endings) < 6:
                    monkeypatch.setattr(shoe, "command", partial(ending_command, shoe))
                views = shoe.play(Hooks(3))
    names = ["shuffle", "set_positions", "close_betting", "confirm_lockout", "release", "end_round"]
    assert [name.partition(" ")[2] for name in endings] == names
    assert views[0].number == 1 and views[0].end is not None and views[0].end.dealt == 20
    with Store(store) as stored:
        seqs = [it.seq for it in stored.events()]
        accepted = [it.event.op for it in stored.events() if isinstance(it.event, CommandAccepted)]
    assert seqs == list(range(1, len(seqs) + 1))
    assert accepted == [1, 2, 3, 4, 5, 6]


def test_play_decides_again_only_by_a_status_that_came_after_the_outcome(
    key_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[int] = []
    with Shoe.open(f"sim://pico-carousel?dealer=hands&key={key_file}", key=key_file) as shoe:
        status_after = shoe.status_after

        def watched(result: CommandResult) -> Status:
            waited.append(result.op)
            status = status_after(result)
            assert status is shoe.status
            return status

        monkeypatch.setattr(shoe, "status_after", watched)
        shoe.play(Hooks(3))
    assert waited == [1, 2, 3, 4, 5, 6]
