"""Commands of one shoe wait their turn, up to a bound; each gets its number when the one before has its outcome."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from fairshoe import AsyncShoe, Command, QueueFull, Shoe, Store
from fairshoe.client.command_queue import QUEUE_MAX, CommandQueue, Pending
from fairshoe.client.operation_numbers import MemoryNumbers, Unfinished
from fairshoe.errors import NoAnswer, StorageReplaced, StoreError, UsageError
from fairshoe.messages import (
    CloseBetting,
    EmptyProved,
    Mode,
    Outcome,
    Reason,
    Release,
    Result,
    Role,
    SetPositions,
    Shuffle,
    State,
    Welcome,
)


@pytest.fixture
def shoe(key_file: Path) -> Iterator[Shoe]:
    """One that shuffles on command, with a deck in its hopper."""
    with Shoe.open(f"sim://?dealer=none&key={key_file}", key_file) as shoe:
        shoe.run(until=EmptyProved)
        shoe.sim.act("load", "52")
        shoe.sim.sleep(1)
        yield shoe


def test_commands_act_one_after_the_other_in_the_order_they_were_given(shoe: Shoe) -> None:
    given = [shoe.start(Shuffle), shoe.start(SetPositions, positions=2), shoe.start(CloseBetting)]
    assert [pending.op for pending in given] == [1, 0, 0]
    assert shoe.pending is given[0]
    results = [shoe.wait(pending) for pending in reversed(given)]
    assert [result.op for result in results] == [3, 2, 1]
    assert all(result.done for result in results)
    assert shoe.pending is None and shoe.unfinished() is None


async def test_tasks_may_command_one_shoe_at_the_same_time(key_file: Path) -> None:
    async with AsyncShoe.open(f"sim://?dealer=none&key={key_file}", key_file) as shoe:
        await shoe.run(until=EmptyProved)
        shoe.sim.act("load", "52")
        await shoe.run(timeout_s=1)
        wanted = [shoe.command(SetPositions, positions=number) for number in range(1, 5)]
        results = await asyncio.gather(shoe.command(Shuffle), *wanted)
        assert [(result.op, result.done) for result in results] == [(op, True) for op in range(1, 6)]
        assert (await shoe.status_after(results[-1])).positions == 4


def test_the_queue_has_a_bound_and_says_so(shoe: Shoe) -> None:
    given = [shoe.start(Shuffle), *(shoe.start(SetPositions, positions=3) for _ in range(QUEUE_MAX))]
    with pytest.raises(QueueFull, match=rf"{QUEUE_MAX} commands wait for the outcome of shuffle \(operation 1\)"):
        shoe.start(Release)
    assert shoe.wait(given[-1]).op == QUEUE_MAX + 1
    assert shoe.command(CloseBetting).done


def test_a_command_that_waits_its_turn_is_not_sent_once_the_program_gave_up(shoe: Shoe) -> None:
    first = shoe.start(Shuffle)
    with pytest.raises(NoAnswer, match=r"close_betting was not sent within 3 s: .* outcome of shuffle \(operation 1\)"):
        shoe.command(CloseBetting, timeout_s=3)
    assert shoe.wait(first).done
    assert shoe.command(SetPositions, positions=2).op == 2
    assert shoe.status_after(shoe.command(SetPositions, positions=3)).state == State.DECK_READY


async def test_a_cancelled_command_that_waits_its_turn_is_never_sent(key_file: Path) -> None:
    async with AsyncShoe.open(f"sim://?dealer=none&key={key_file}", key_file) as shoe:
        await shoe.run(until=EmptyProved)
        shoe.sim.act("load", "52")
        await shoe.run(timeout_s=1)
        first = shoe.start(Shuffle)
        task = asyncio.create_task(shoe.command(CloseBetting))
        await shoe.run(timeout_s=1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert (await shoe.wait(first)).done
        assert (await shoe.command(SetPositions, positions=2)).op == 2


def test_asking_about_the_command_under_way_gives_that_command(shoe: Shoe) -> None:
    first = shoe.start(Shuffle)
    waiting = shoe.start(SetPositions, positions=2)
    unfinished = shoe.unfinished()
    assert unfinished is not None
    assert shoe.resume(unfinished) is first
    with pytest.raises(UsageError, match="is being sent"):
        shoe.resume(replace(unfinished, command="set_positions", arguments={"positions": 5}))
    assert shoe.wait(waiting).op == 2 and first.result is not None and first.result.done


def test_a_command_left_by_an_earlier_run_is_asked_about_before_any_other(tmp_path: Path, key_file: Path) -> None:
    url = f"sim://?dealer=none&key={key_file}&storage={tmp_path / 'shoe.nv'}"
    with Store(tmp_path / "store.db") as store:
        with Shoe.open(url, key_file, store=store) as shoe:
            shoe.run(until=EmptyProved)
            shoe.start(SetPositions, positions=4)
            shoe.start(CloseBetting)  # waits its turn, and is gone with the program
        with Shoe.open(url, key_file, store=store) as shoe:
            with pytest.raises(UsageError, match=r"set_positions \(operation 1\) is not known yet"):
                shoe.start(Release)
            left = shoe.unfinished()
            assert left is not None
            assert shoe.wait(shoe.resume(left)).op == 1
            shoe.run(until=EmptyProved)
            assert shoe.command(SetPositions, positions=2).op == 2


class FullDisk(MemoryNumbers):
    """Numbers that cannot be stored from the second on."""

    def begin(self, device: int, role: int, op_last: int, command: str, arguments: Mapping[str, int]) -> int:
        if (device, role) in self._lanes:
            raise StoreError("no space is left.", "Free some.")
        return super().begin(device, role, op_last, command, arguments)


def test_a_command_whose_number_cannot_be_stored_is_not_sent_and_the_program_that_waits_hears_it(
    key_file: Path,
) -> None:
    with Shoe.open(f"sim://?dealer=none&key={key_file}", key_file, FullDisk()) as shoe:
        shoe.run(until=EmptyProved)
        given = [shoe.start(SetPositions, positions=number) for number in (1, 2, 3)]
        assert shoe.wait(given[0]).op == 1
        for pending in given[1:]:
            with pytest.raises(StoreError, match="no space"):
                shoe.wait(pending)
        assert shoe.pending is None


@pytest.mark.parametrize(("kind", "outcome"), [(Release, Outcome.REJECTED), (Shuffle, Outcome.DONE)])
def test_a_status_newer_than_an_outcome_shows_what_the_command_did(
    shoe: Shoe, kind: type[Command], outcome: Outcome
) -> None:
    before = shoe.status
    result = shoe.command(kind)
    assert result.outcome == outcome
    after = shoe.status_after(result)
    assert after is not before
    assert after.state == (State.DECK_READY if result.done else State.WAITING_FOR_DECK)
    assert shoe.status_after(result) is after, "it is there already: no second wait"


def test_no_status_after_an_outcome_is_an_error(shoe: Shoe) -> None:
    result = shoe.command(SetPositions, positions=2)
    shoe.sim.act("cut")
    with pytest.raises(NoAnswer, match="no status for 2 s after command 1"):
        shoe.status_after(result, timeout_s=2)


WELCOME = Welcome(1, Role.TABLE, bytes(16), bytes(16), 5, 1, Mode.TABLE, 1, bytes(8), "x", "CS", 1, 0, 0)


def ended_while_the_log_is_unknown() -> tuple[CommandQueue, Pending]:
    """A command has its outcome, and is asked about again in a session whose log is not known yet."""
    queue = CommandQueue(MemoryNumbers())
    first = queue.start(WELCOME, Shuffle, {})
    queue.settle(WELCOME, Result(first.op, Shuffle.ID, Outcome.DONE, Reason.NONE, 0), 0)
    queue.held = True
    return queue, queue.resume(Unfinished(first.op, Shuffle.NAME, {}))


def test_a_finished_command_is_asked_about_again_at_the_same_storage() -> None:
    queue, again = ended_while_the_log_is_unknown()
    queue.release(WELCOME, replaced=False)
    assert queue.current is again and again.error is None


def test_a_command_is_not_asked_about_at_another_storage_and_does_not_hold_up_the_next() -> None:
    queue, again = ended_while_the_log_is_unknown()
    queue.release(WELCOME, replaced=True)
    assert queue.current is None and isinstance(again.error, StorageReplaced)
    assert queue.start(WELCOME, Release, {}).op == again.op + 1
