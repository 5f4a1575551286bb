"""What a program does with a shoe at the wrong moment, or with the wrong words: an error, and nothing is lost."""

import asyncio
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from fairshoe import AsyncShoe, Shoe, Store
from fairshoe.client.notices import LinkLost
from fairshoe.client.operation_numbers import Unfinished
from fairshoe.errors import NoAnswer, UsageError
from fairshoe.messages import DeckVerified, EmptyProved, Event, EventAck, RoundEnded, SetPositions, Shuffle

KEY = bytes(range(32))


# --- a closed shoe ------------------------------------------------------------------------------


def test_a_command_of_a_closed_shoe_gets_no_number_and_never_acts(tmp_path: Path, key_file: Path) -> None:
    url = f"sim://?dealer=none&key={key_file}&storage={tmp_path / 'shoe.nv'}"
    with Store(tmp_path / "store.db") as store:
        with Shoe.open(url, key_file, store=store) as shoe:
            shoe.run(until=EmptyProved)
        for late in (
            lambda: shoe.command(Shuffle),
            lambda: shoe.start(Shuffle),
            lambda: shoe.resume(Unfinished(1, "shuffle", {})),
        ):
            with pytest.raises(UsageError, match="is closed"):
                late()
        with Shoe.open(url, key_file, store=store) as shoe:
            assert shoe.unfinished() is None
            assert shoe.command(Shuffle).op == 1


async def test_a_command_of_a_closed_async_shoe_gets_no_number(tmp_path: Path, key_file: Path) -> None:
    url = f"sim://?dealer=none&key={key_file}"
    with Store(tmp_path / "store.db") as store:
        async with AsyncShoe.open(url, key_file, store=store) as shoe:
            await shoe.run(until=EmptyProved)
            closing = asyncio.create_task(shoe.close())
            await asyncio.sleep(0)
            with pytest.raises(UsageError, match="is closed"):
                shoe.start(Shuffle)
            await closing
        with pytest.raises(UsageError, match="is closed"):
            shoe.start(Shuffle)
        with pytest.raises(UsageError, match="is closed"):
            shoe.resume(Unfinished(1, "shuffle", {}))
        assert shoe.unfinished() is None


# --- one loop at a time -------------------------------------------------------------------------


def test_a_loop_inside_a_loop_or_a_function_is_refused_and_the_first_goes_on() -> None:
    with Shoe.open("sim://?seed=3") as shoe:
        refused: list[str] = []
        seen: list[int] = []

        def nested(event: Event) -> None:
            for inner in (lambda: shoe.run(timeout_s=1), lambda: next(shoe.events()), lambda: next(shoe.messages())):
                with pytest.raises(UsageError, match="another loop over sim://") as caught:
                    inner()
                refused.append(caught.value.advice)

        shoe.on(EmptyProved, nested)
        shoe.on(Event, lambda event: seen.append(event.seq))
        last = shoe.run(until=DeckVerified).seq
        assert len(refused) == 3 and "break" in refused[0]
        for event in shoe.events():
            if event.seq == last + 1:
                nested(event)
            if event.seq == last + 4:
                break
        assert len(refused) == 6
        assert seen == list(range(1, last + 5))
        assert shoe.run(until=Event).seq == last + 4  # left in hand, so it is redelivered


def test_two_iterators_do_not_take_each_others_events() -> None:
    with Shoe.open("sim://?seed=3") as shoe:
        first, second = shoe.events(), shoe.events()
        assert next(first).seq == 1
        with pytest.raises(UsageError, match="another loop"):
            next(second)
        assert next(first).seq == 2
        del first
        assert [event.seq for event in islice(shoe.events(), 2)] == [2, 3]


def test_commands_may_be_given_inside_a_loop_and_inside_a_function(key_file: Path) -> None:
    with Shoe.open(f"sim://?dealer=none&key={key_file}", key_file) as shoe:
        results: list[int] = []
        shoe.on(EmptyProved, lambda event: results.append(shoe.command(SetPositions, positions=2).op))
        for event in shoe.events():
            if isinstance(event, EmptyProved):
                results.append(shoe.command(SetPositions, positions=3).op)
                break
        assert results == [1, 2]


@pytest.mark.parametrize("stored", ["", "own", "given"])
@pytest.mark.parametrize("how", ["run", "until", "events"])
def test_closing_in_a_function_ends_the_loop_and_the_event_comes_again(tmp_path: Path, stored: str, how: str) -> None:
    url = f"sim://?seed=3&storage={tmp_path / 'shoe.nv'}"
    with Store(tmp_path / "store.db") as given:
        store = {"": None, "own": tmp_path / "store.db", "given": given}[stored]
        shoe = Shoe.open(url, store=store)
        shoe.on(EmptyProved, lambda event: shoe.close())
        if how == "run":
            assert shoe.run() is None
        elif how == "until":
            assert shoe.run(until=RoundEnded) is None
        else:
            assert [event.seq for event in shoe.events()] == [1]
        with pytest.raises(UsageError, match="is closed"):
            shoe.run()
        with Shoe.open(url, store=store) as shoe:
            assert isinstance(next(shoe.events()), EmptyProved)


def test_closing_in_a_loop_or_over_a_notice_ends_the_loop(tmp_path: Path) -> None:
    with Shoe.open("sim://?seed=3", store=tmp_path / "store.db") as shoe:
        seen: list[int] = []
        for event in shoe.events():
            seen.append(event.seq)
            if event.seq == 2:
                shoe.close()
        assert seen == [1, 2]
    with Shoe.open("sim://?seed=4", store=tmp_path / "store.db") as shoe:
        shoe.on(LinkLost, lambda notice: shoe.close())
        shoe.run(until=EmptyProved)
        shoe.sim.unplug(3)
        assert shoe.run(until=RoundEnded) is None


async def test_two_tasks_that_listen_do_not_acknowledge_each_others_events() -> None:
    async with AsyncShoe.open("sim://?seed=3") as shoe:
        seen: list[int] = []

        async def listen() -> None:
            async for event in shoe.events():
                seen.append(event.seq)
                await asyncio.sleep(0.005)
                if event.seq == 6:
                    break

        first = asyncio.create_task(listen())
        while not seen:
            await asyncio.sleep(0.001)
        for _ in range(3):
            for other in (listen, shoe.run):
                with pytest.raises(UsageError, match="another loop"):
                    await other()
            await asyncio.sleep(0.004)
        await first
        assert seen == [1, 2, 3, 4, 5, 6]
        assert (await shoe.run(until=Event)).seq == 6


async def test_a_listener_that_is_kept_after_its_task_failed_is_in_nobodys_way() -> None:
    async with AsyncShoe.open("sim://?seed=3") as shoe:
        feed = shoe.events()

        async def fail() -> None:
            async for event in feed:
                if event.seq == 2:
                    raise RuntimeError("not this one")

        failed = asyncio.create_task(fail())
        await asyncio.wait([failed])
        assert isinstance(failed.exception(), RuntimeError)
        assert (await shoe.run(until=Event)).seq == 2
        assert (await anext(feed)).seq == 3  # what it had in hand is done with, by another
        with pytest.raises(UsageError, match="another loop"):
            await shoe.run()
        await feed.aclose()
        assert (await shoe.run(until=Event)).seq == 3


@pytest.mark.parametrize("how", ["run", "events", "body"])
async def test_closing_an_async_shoe_in_a_function_ends_the_loop(tmp_path: Path, how: str) -> None:
    shoe = await AsyncShoe.open("sim://?seed=3", store=tmp_path / "store.db")

    async def close(event: Event) -> None:
        await shoe.close()

    if how != "body":
        shoe.on(EmptyProved, close)
    if how == "run":
        assert await shoe.run(until=RoundEnded) is None
        return
    seen: list[int] = []
    async for event in shoe.events():
        seen.append(event.seq)
        if event.seq == 2:
            await shoe.close()
    assert seen == ([1] if how == "events" else [1, 2])


# --- wrong words --------------------------------------------------------------------------------

WRONG: list[tuple[str, Any]] = [
    ("url", Path("/dev/ttyACM0")),
    ("key", 5),
    ("store", 5),
    ("operations", "table.db"),
    ("after_seq", "5"),
    ("after_seq", -1),
    ("device", "510001"),
    ("answer_s", "4"),
    ("answer_s", float("nan")),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_shoe_is_not_opened_with_what_cannot_be(name: str, value: Any) -> None:
    arguments: dict[str, Any] = {"url": "sim://", name: value}
    with pytest.raises(UsageError, match=f"{name} cannot be ") as caught:
        Shoe.open(**arguments)
    assert caught.value.advice.startswith("Give ")
    with pytest.raises(UsageError, match=f"{name} cannot be "):
        asyncio.run(AsyncShoe.open(**arguments))


def test_wrong_words_to_an_open_shoe_are_told_and_use_up_no_number(tmp_path: Path, key_file: Path) -> None:
    url: Any = f"sim://?dealer=none&key={key_file}"
    with Shoe.open(url, key_file, store=tmp_path / "store.db") as shoe:
        wrong: Any = shoe
        for words, call in (
            ("kind cannot be 'round_ended'", lambda: wrong.on("round_ended", print)),
            ("kind cannot be 'round_ended'", lambda: wrong.on("round_ended")),
            ("kind cannot be <class 'int'>", lambda: wrong.on(int, print)),
            ("function cannot be 5", lambda: wrong.on(RoundEnded, 5)),
            ("until cannot be 'x'", lambda: wrong.run(until="x")),
            ("until cannot be <class 'str'>", lambda: wrong.run(until=str)),
            ("timeout_s cannot be '1'", lambda: wrong.run(timeout_s="1")),
            ("quiet_s cannot be '1'", lambda: next(wrong.events("1"))),
            ("timeout_s cannot be '1'", lambda: wrong.command(Shuffle, timeout_s="1")),
            ("timeout_s cannot be None", lambda: wrong.command(Shuffle, timeout_s=None)),
            ("None is no command to ask about", lambda: wrong.resume(None)),
            ("'shuffle' is no command", lambda: wrong.command("shuffle")),
            ("EventAck'> is no command", lambda: wrong.start(EventAck)),
        ):
            with pytest.raises(UsageError, match=words):
                call()
        assert shoe.unfinished() is None


async def test_wrong_words_to_an_open_async_shoe_are_told(key_file: Path) -> None:
    async with AsyncShoe.open(f"sim://?dealer=none&key={key_file}", key_file) as shoe:
        wrong: Any = shoe
        for call in (
            lambda: wrong.run(until="x"),
            lambda: wrong.run(timeout_s="1"),
            lambda: wrong.command(Shuffle, timeout_s="1"),
        ):
            with pytest.raises(UsageError, match=" cannot be "):
                await call()
        with pytest.raises(UsageError, match="kind cannot be 'round_ended'"):
            wrong.on("round_ended", print)
        with pytest.raises(UsageError, match="quiet_s cannot be '1'"):
            wrong.events("1")
        assert shoe.unfinished() is None


def test_a_limit_of_less_than_a_second_is_told_as_it_was_given(key_file: Path) -> None:
    with Shoe.open(f"sim://?dealer=none&key={key_file}", key_file) as shoe:
        with pytest.raises(NoAnswer, match=r"did not come within 0\.4 s"):
            shoe.run(until=RoundEnded, timeout_s=0.4)
        shoe.sim.unplug(60)
        with pytest.raises(NoAnswer, match=r"within 0\.25 s"):
            shoe.command(Shuffle, timeout_s=0.25)
