"""docs/INTEGRATE.md: every call that its sentences name is made here or by a program of the page, and does what the
sentence says. A sentence with a call that no test makes fails."""

import inspect
import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

import fairshoe
from fairshoe import AsyncShoe, Fleet, HelloRefused, NoAnswer, Shoe, Store, errors, next_step
from fairshoe.games.rounds import RoundView, fold
from fairshoe.keys import KeyRing, write_key
from fairshoe.messages import (
    Booted,
    CloseBetting,
    ConfirmLockout,
    Consequence,
    DeckVerified,
    DoorOpened,
    EmptyProved,
    Need,
    Outcome,
    Reason,
    Recorded,
    Role,
    RoundEnded,
    RoundStarted,
    SetPositions,
    Shuffle,
    ShuffleStarted,
    StackOffered,
    Status,
)

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "INTEGRATE.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
PROGRAMS = "\n".join(BLOCK.findall(PAGE))
SENTENCES = BLOCK.sub("", PAGE[: PAGE.index("## What is public")])
CALL = re.compile(r"`((?:shoe|store|stored|fleet)\.[^`]+|[^`\s]*\w\([^`]*\))`")
OF_PYTHON = {"gc.freeze()"}
AWAITED = "Those that wait for a port or the device have `await` in front:"
PLAIN = "The others wait for nothing and have none:"
SHOE = "sim://pico-carousel?seed=3"
TABLE = "sim://pico-carousel?seed=3&dealer=none&key=device.key&storage=shoe.nv"
DEVICE = 0x510003
SECRET = bytes(range(32))

Test = TypeVar("Test", bound=Callable[..., Any])
said: set[str] = set()


def says(*calls: str) -> Callable[[Test], Test]:
    """The test makes these calls, written as on the page."""
    said.update(calls)
    return lambda test: test


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_key(Path("device.key"), "device", SECRET)


def test_every_call_of_a_sentence_is_made() -> None:
    named = set(CALL.findall(SENTENCES)) - OF_PYTHON
    assert {call for call in named if call not in PROGRAMS} - said == set()
    assert said - named == set()


def names_after(words: str) -> set[str]:
    """The calls that the page lists after these words, up to the end of the sentence."""
    return set(re.findall(r"`(\w+)`", PAGE[PAGE.index(words) + len(words) :].split(".", 1)[0]))


@says("shoe.records")
def test_the_page_says_which_calls_of_a_shoe_in_a_loop_are_awaited() -> None:
    calls = {name for name, it in inspect.getmembers(Shoe) if name[0] != "_" and callable(it)}
    for name in sorted(calls):
        own, other = (inspect.signature(getattr(kind, name)) for kind in (Shoe, AsyncShoe))
        assert list(own.parameters) == list(other.parameters), name
    awaited = {name for name in calls if inspect.iscoroutinefunction(inspect.unwrap(getattr(AsyncShoe, name)))}
    assert names_after(AWAITED) == awaited
    assert names_after(PLAIN) == calls - awaited - {"events", "messages"}


@says("shoe.command(step.command)")
def test_a_step_names_the_command_that_is_due() -> None:
    with Shoe.open(TABLE, key="device.key") as shoe:
        shoe.run(until=EmptyProved)
        shoe.sim.act("load", "52")
        shoe.run(until=lambda message: isinstance(message, Status) and message.need is Need.SHUFFLE)
        assert shoe.status is not None
        step = next_step(shoe.status)
        assert step.who == "command" and step.command is not None
        assert shoe.command(step.command).done


@says("shoe.stop()", "run(timeout_s=)", "events(quiet_s=)")
def test_a_loop_ends_when_the_page_says() -> None:
    with Shoe.open(SHOE) as shoe:
        shoe.on(StackOffered, lambda _event: shoe.stop())
        assert shoe.run() is None
        with pytest.raises(NoAnswer):
            shoe.run(until=RoundEnded, timeout_s=0)
    with Shoe.open("sim://pico-carousel?dealer=none") as shoe:
        assert [event.NAME for event in shoe.events(quiet_s=30)][-1] == "empty_proved"


@says("shoe.close()")
def test_closing_ends_the_loop() -> None:
    with Shoe.open(SHOE) as shoe:
        seen: list[int] = []
        for event in shoe.events():
            seen.append(event.seq)
            shoe.close()
    assert seen == [1]


@says("Store()", "store.logs()", "store.events(device=, since_seq=, kinds=, log=)", "stored.received", "stored.body")
@says("fold(view, event)", "shoe.current_round")
def test_a_store_is_read_as_the_page_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with Store() as store, Shoe.open(SHOE, store=store) as shoe:
        shoe.run(until=RoundEnded)
        assert (tmp_path / "fairshoe" / "store.db").is_file()
        (log,) = store.logs()
        (began,) = store.events(device=DEVICE, since_seq=2, kinds=[RoundStarted], log=log.identity)
        assert began.received > 0 and began.body[:4] == began.seq.to_bytes(4, "little") and began.log_id == shoe.log_id
        view = RoundView()
        for stored in store.events():
            view = fold(view, stored.event)
        assert view == shoe.current_round


@says("shoe.log_id", "shoe.welcome.device", "stored.log_id", "shoe.journal_is().log")
def test_a_log_has_a_number_in_a_file_and_an_identity_everywhere() -> None:
    for number, storage in enumerate(("one.nv", "two.nv"), 1):
        url = f"{SHOE}&storage={storage}"
        with Shoe.open(url, store="table.db", new_log=True) as shoe, Store("table.db") as store:
            shoe.run(until=EmptyProved)
            assert shoe.log_id == number
            assert store.logs()[number - 1].identity == shoe.journal_is().log
            assert [it.log_id for it in store.events()][-1] == number
        with Shoe.open(url) as shoe:
            assert shoe.log_id == 0


@says("Shoe.open(..., new_log=True)")
def test_a_replaced_storage_is_taken_when_it_is_allowed() -> None:
    with Shoe.open(f"{SHOE}&storage=one.nv", store="table.db") as shoe:
        shoe.run(until=RoundEnded)
    with Shoe.open(f"{SHOE}&storage=two.nv", store="table.db") as shoe, pytest.raises(fairshoe.StorageReplaced):
        shoe.run(until=EmptyProved)
    with Shoe.open(f"{SHOE}&storage=two.nv", store="table.db", new_log=True) as shoe:
        shoe.run(until=EmptyProved)


@says("events()", 'Shoe.open(url, key="keys")')
def test_a_key_that_only_reads_is_told_so() -> None:
    Path("keys").mkdir()
    write_key(Path("keys") / f"{DEVICE:08x}.key", "device", SECRET)
    with Shoe.open(TABLE, key="keys") as shoe:
        assert shoe.welcome is not None and shoe.welcome.role is Role.TABLE
    for role in (Role.OBSERVER, Role.AUDITOR):
        with Shoe.open(TABLE, key=KeyRing("keys", role)) as shoe:
            events = iter(shoe.events())
            next(events)
            with pytest.raises(HelloRefused):
                next(events)


def loaded(shoe: Shoe) -> Shoe:
    """A deck lies in the hopper."""
    shoe.run(until=EmptyProved)
    shoe.sim.act("load", "52")
    shoe.sim.sleep(1)
    return shoe


@says("command(timeout_s=)", "resume(unfinished())", "shoe.status_after(result)")
def test_a_command_without_an_answer_is_asked_about() -> None:
    with Shoe.open(TABLE, key="device.key", store="table.db") as shoe:
        with pytest.raises(NoAnswer):
            loaded(shoe).command(Shuffle, timeout_s=1)
        unfinished = shoe.unfinished()
        assert unfinished is not None
        result = shoe.wait(shoe.resume(unfinished))
        assert (result.op, result.done) == (1, True)
        assert shoe.status_after(result) is shoe.status


@says("Need(result.detail)", "shoe.start(...)", "shoe.pending", "operations=Store()")
def test_a_command_is_given_without_waiting_and_refused_with_its_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "data")
    with Store() as numbers, Shoe.open(TABLE, key="device.key", operations=numbers) as shoe:
        shoe.run(until=EmptyProved)
        pending = shoe.start(Shuffle)
        assert shoe.pending is pending
        result = shoe.wait(pending)
        assert (result.outcome, result.reason) == (Outcome.REJECTED, Reason.NEED)
        assert Need(result.detail) is Need.DECK
        assert list(numbers.events()) == []


@says("shoe.records.cut(26)", "shoe.records.face_up(1)", "shoe.records.house_decision(goes_on=False)")
def test_records_are_given() -> None:
    with Shoe.open(TABLE.replace("none", "hands"), key="device.key", store="table.db") as shoe:
        shoe.run(until=lambda it: isinstance(it, Status) and it.need is Need.SHUFFLE)
        shoe.command(Shuffle)
        assert shoe.records.cut(26).done
        assert shoe.run(until=Recorded).a == 26
        for kind, arguments in ((SetPositions, {"positions": 1}), (CloseBetting, {}), (ConfirmLockout, {})):
            assert shoe.command(kind, **arguments).done
        shoe.run(until=lambda it: isinstance(it, Status) and it.need is Need.RELEASE)
        assert shoe.records.face_up(1).done
        assert shoe.run(until=Recorded).consequence is Consequence.REJECT_CARD
        assert shoe.records.house_decision(goes_on=False).outcome is Outcome.REJECTED


@says("Shoe.open(..., nonce=True)", 'shoe.accept_deck("A. Smith")', 'shoe.end_deck("A. Smith", "the game closes")')
def test_a_deck_without_a_share_is_refused_until_it_is_accepted() -> None:
    with Shoe.open(TABLE, key="device.key", store="table.db") as shoe:
        assert loaded(shoe).command(Shuffle).done
        shoe.run(until=DeckVerified)
    with Shoe.open(TABLE, key="device.key", store="table.db", nonce=True) as shoe:
        with pytest.raises(errors.DeckNotShared):
            shoe.command(CloseBetting)
        shoe.accept_deck("A. Smith")
        assert shoe.command(CloseBetting).reason is not Reason.NONE
    with Shoe.open(TABLE, key="device.key", nonce=True) as shoe:
        loaded(shoe).command(Shuffle)
        shoe.end_deck("A. Smith", "the game closes")
        shoe.sim.act("open")
        shoe.run(until=DoorOpened)
        assert not shoe.lost_shares or not shoe.door_unexplained


@says('shoe.end_deck("A. Smith", "the game closes")')
def test_a_person_ends_a_deck_beforehand() -> None:
    with Store("table.db") as store, Shoe.open(TABLE, key="device.key", store=store, nonce=True) as shoe:
        assert loaded(shoe).command(Shuffle).done
        shoe.run(until=DeckVerified)
        number = shoe.end_deck("A. Smith", "the game closes")
        shoe.sim.act("boot")
        shoe.run(until=Booted)
        assert [it.seq for it in shoe.lost_shares] == [number]
        assert store.ended_decks(shoe.log_id) == {number: ("A. Smith", "the game closes")}


@says("shoe.hands_wagered(7, 5)")
def test_hands_with_wagers_are_due_whatever_the_device_says() -> None:
    with Store("table.db") as store, Shoe.open(TABLE, key="device.key", store=store, nonce=True) as shoe:
        assert loaded(shoe).command(Shuffle).done
        shoe.run(until=DeckVerified)
        assert shoe.command(CloseBetting).done
        started = shoe.run(until=RoundStarted)
        shoe.hands_wagered(started.round, 5)
        assert list(store.wagered_hands(shoe.log_id).values()) == [5]


@says("Shoe.open(..., clock=False)", "shoe.set_clock()")
def test_the_clock_is_set_when_the_page_says() -> None:
    with Shoe.open(TABLE, key="device.key", clock=False) as shoe:
        loaded(shoe).command(Shuffle)
        assert shoe.run(until=ShuffleStarted).utc_s == 0
        assert shoe.set_clock().utc_s > 0


@says("Shoe.open(answer_s=)")
def test_opening_has_a_limit() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(NoAnswer):
        Shoe.open(f"tcp://127.0.0.1:{silent.getsockname()[1]}", answer_s=0.2)


@says("AsyncShoe.listen(url)")
async def test_a_listener_sends_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as tapped:
        shoe = await AsyncShoe.listen(f"tcp://127.0.0.1:{tapped.getsockname()[1]}")
        async for _ in shoe.messages(quiet_s=0.3):
            raise AssertionError
        await shoe.close()
        line, _ = tapped.accept()
        with line:
            assert line.recv(64) == b""


@says("fleet.add", "fleet.remove", "fleet.shoes[device]", "fleet.add(url, device=0x510001)")
@says("Fleet(on_message=function)", "function(device, message)", "Fleet(metrics=function)")
@says("function(name, value, device)", 'Fleet(key=KeyRing("keys", Role.RECORDER))', "KeyRing(function, role)")
async def test_a_fleet_does_what_the_page_says() -> None:
    messages: set[tuple[int, type]] = set()
    figures: set[str] = set()
    Path("keys").mkdir()
    for device in (DEVICE, DEVICE + 1):
        write_key(Path("keys") / f"{device:08x}.key", "device", SECRET)
    ring = KeyRing(KeyRing("keys", Role.RECORDER).find, Role.RECORDER)
    async with Fleet(
        "floor.db",
        key=ring,
        on_message=lambda device, message: messages.add((device, type(message))),
        metrics=lambda name, _value, _device: figures.add(name),
    ) as fleet:
        fleet.add(f"{SHOE}&key=device.key&speed=200", device=DEVICE)
        fleet.add("sim://pico-carousel?seed=4&key=device.key", device=0x510001)
        refused = ended = False
        async for item in fleet:
            if isinstance(item.message, fairshoe.ShoeFailed):
                refused = isinstance(item.message.error, fairshoe.WrongDevice)
                await fleet.remove(item.url)
            if isinstance(item.message, RoundEnded):
                ended = item.device == DEVICE and fleet.shoes[DEVICE].welcome is not None
            if refused and ended:
                break
    assert (DEVICE, Status) in messages
    assert figures >= {"opened", "failed", "stored_s", "commit_s", "commit_jobs"}


@says("Fleet(watch=True)")
async def test_a_fleet_follows_devices_as_they_are_plugged_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairshoe.client.fleet.serial_devices", lambda: [SHOE])
    async with Fleet(watch=True) as fleet:
        async for item in fleet:
            if isinstance(item.message, EmptyProved):
                break


@says('store.cursor_events("booking")', 'store.cursor_passed("booking", stored)', "store.prune")
@says('store.pass_cursor("booking", {(device, log): seq})', "store.prune(age_s=90 * 86400, rows=100_000)")
def test_readers_and_retention() -> None:
    with Store("floor.db") as store, Shoe.open(SHOE, store=store) as shoe:
        shoe.run(until=RoundEnded)
        (log,) = store.logs()
        first = next(store.cursor_events("booking"))
        store.cursor_passed("booking", first)
        assert next(store.cursor_events("booking")).seq == first.seq + 1
        assert store.prune(rows=1) == 1, "what a reader has not passed stays"
        store.pass_cursor("booking", {(log.device, log.identity): log.last})
        assert list(store.cursor_events("booking")) == []
        assert store.prune(age_s=90 * 86400, rows=100_000) == 0
        assert store.prune(rows=1) == log.last - 2
        assert [it.seq for it in store.events()] == [log.last]


@says('act("load", "52")', 'act("press", "green")', 'act("take")', 'act("cut")', 'act("boot")', "clock()")
@says("unplug(seconds)", "sleep(seconds)", "shoe.sim.act(...)")
def test_the_hands_of_a_simulated_shoe() -> None:
    with Shoe.open("sim://pico-carousel?dealer=none") as shoe:
        loaded(shoe).sim.act("press", "green")
        shoe.run(until=DeckVerified, timeout_s=300)
        for button in ("seat", "close", "lock"):
            shoe.sim.act("press", button)
            shoe.sim.sleep(1)
        shoe.run(until=StackOffered, timeout_s=300)
        assert shoe.sim.act("take")
        before = shoe.sim.clock()
        shoe.sim.sleep(2)
        assert shoe.sim.clock() >= before + 2
        shoe.sim.act("cut")
        shoe.sim.act("boot")
        shoe.sim.unplug(seconds=3)
        assert [it.NAME for it in shoe.events(quiet_s=30)].count("booted") == 1
