"""The library sets a device's clock after each of its boots, if the role may; wall time stands beside every event."""

import time
from pathlib import Path

import pytest

from fairshoe import HelloRefused, Shoe, Store
from fairshoe.client import device_clock
from fairshoe.client.device_clock import EPOCH_S
from fairshoe.client.exchange import Core
from fairshoe.keys import role_key
from fairshoe.link import framing
from fairshoe.link.session import HostSession
from fairshoe.messages import Booted, ClockSet, EmptyProved, Event, Role, SetPositions
from fairshoe.sim.port import SIM_UTC_S

KEY = bytes(range(32))


def url_with(key_file: Path, more: str = "") -> str:
    return f"sim://?dealer=none&key={key_file}{more}"


def test_records_carry_the_time_after_every_boot(key_file: Path) -> None:
    with Shoe.open(url_with(key_file), key_file) as shoe:
        first = shoe.run(until=ClockSet, timeout_s=20)
        assert (first.role, first.old_utc_s) == (Role.TABLE, 0)
        assert abs(first.utc_s + EPOCH_S - SIM_UTC_S - shoe.sim.clock()) <= 2
        shoe.sim.act("cut")
        shoe.sim.sleep(2)
        shoe.sim.act("boot")
        again = shoe.run(until=ClockSet, timeout_s=60)
        assert again.boot == first.boot + 1 and again.old_utc_s == 0
        shoe.command(SetPositions, positions=2)
        later = [event for event in shoe.events(quiet_s=5) if event.utc_s]
        assert later and all(abs(it.utc_s - again.utc_s - (it.uptime - again.uptime)) < 2 for it in later)


def test_a_clock_is_set_again_every_day(key_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_clock, "KEEP_S", 60.0)  # a day of the simulator takes long
    with Shoe.open(url_with(key_file), key_file) as shoe:
        first = shoe.run(until=ClockSet, timeout_s=20)
        assert [it for it in shoe.events(quiet_s=90) if isinstance(it, ClockSet)] == []  # it was right: no record
        shoe._core.clock.host_s = lambda: shoe.sim.utc() + 100  # pyright: ignore[reportPrivateUsage]
        again = shoe.run(until=ClockSet, timeout_s=90)
        assert again.boot == first.boot and 98 <= again.utc_s - again.old_utc_s <= 102


@pytest.mark.parametrize("role", [Role.RECORDER, Role.TABLE])
def test_a_role_that_may_sets_it(key_file: Path, role: Role) -> None:
    with Shoe.open(url_with(key_file), role_key(KEY, role)) as shoe:
        assert shoe.run(until=ClockSet, timeout_s=20).role == role


@pytest.mark.parametrize("role", [Role.CLEAR, Role.OBSERVER, Role.AUDITOR])
def test_a_role_that_may_not_sends_nothing_and_says_so(key_file: Path, role: Role) -> None:
    key = None if role == Role.CLEAR else role_key(KEY, role)
    with Shoe.open(url_with(key_file), key) as shoe:
        shoe.sim.sleep(5)
        with pytest.raises(HelloRefused, match=r"without a key|may not set the clock"):
            shoe.set_clock()
        assert shoe.sim.rig.app.recorder.utc_s() == 0


def test_a_program_may_leave_the_clock_alone_and_set_it_itself(key_file: Path) -> None:
    with Shoe.open(url_with(key_file), key_file, clock=False) as shoe:
        shoe.run(until=EmptyProved)
        shoe.sim.sleep(10)
        assert shoe.sim.rig.app.recorder.utc_s() == 0
        told = shoe.set_clock()
        assert abs(told.utc_s + EPOCH_S - shoe.sim.utc()) <= 2
        assert shoe.run(until=ClockSet, timeout_s=10).old_utc_s == 0


def test_a_host_with_a_store_that_starts_again_does_not_set_a_clock_that_is_right(
    tmp_path: Path, key_file: Path
) -> None:
    """The device lives on, and its clock with it; setting it again would cost a record."""
    with Store(tmp_path / "store.db") as store, Shoe.open(url_with(key_file), key_file, store=store) as shoe:
        shoe.run(until=ClockSet, timeout_s=20)
        core = Core("again", HostSession(role_key(KEY, Role.TABLE), asks_log=True), store=store, clock=True)
        second = Shoe(shoe.sim, "again", core.session, core=core)
        second.greet()
        second.run(timeout_s=10)
        assert [stored.name for stored in store.events(kinds=[ClockSet])] == ["clock_set"]


def test_the_time_of_the_host_and_the_body_as_it_came_are_stored_beside_every_event(
    tmp_path: Path, key_file: Path
) -> None:
    began = time.time()
    with Store(tmp_path / "store.db") as store, Shoe.open(url_with(key_file), key_file, store=store) as shoe:
        shoe.run(until=ClockSet, timeout_s=20)
        found = list(store.events())
    assert [type(it.event) for it in found[:1]] == [Booted]
    assert all(began <= it.received <= time.time() for it in found)
    for it in found:
        assert isinstance(it.event, Event)
        assert framing.unpack(it.event.ID, it.body) == it.event
