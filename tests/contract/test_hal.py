"""What hal/api.py promises, of every port: the simulated one and the RP2040's, on the same plant."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drivers import LINE, Driver, Rp2Driver, SimDriver

from firmware.image import INPUTS

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("carousel", "shelves", "shoe", "draw")
AXES = ("carousel", "shelves")
REST, MOVING, LOST = range(3)
MASK = 0x3FFFFFFF

Make = Callable[..., Driver]


def board(kind: str) -> dict[str, Any]:
    """The reference board on an ideal day: a bounce is tested where it matters."""
    config = json.loads((ROOT / "board_configs" / f"pico-{kind}.json").read_text())
    config["mechanism"]["bounce_us"] = 0
    return config


@pytest.fixture(params=[SimDriver, Rp2Driver], ids=["sim", "rp2"])
def make(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Make:
    def make(kind: str, seed: int = 7, **mechanism: int) -> Driver:
        config = board(kind)
        config["mechanism"].update(mechanism)
        driver: Driver = request.param(config, seed, monkeypatch)
        driver.run(5000)
        driver.sample()
        return driver

    return make


# -- inputs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_line_that_the_board_lacks_stays_0(make: Make, kind: str) -> None:
    driver = make(kind)
    wired = board(kind)["inputs"]
    for line in range(len(INPUTS)):
        driver.plant.set_line(line, 1, driver.plant.now_us)
    for _ in range(10):  # buttons are not looked at in every sample
        driver.hal.idle(10)
        driver.sample()
    assert {name for name in INPUTS if driver.raw(name)} == set(wired) - {"slot"}


@pytest.mark.parametrize("kind", KINDS)
def test_edges_come_in_time_order_with_their_microsecond(make: Make, kind: str) -> None:
    driver = make(kind)
    start_us = driver.hal.ticks_us()
    for line, level in (("hopper", 1), ("throat_a", 1), ("door", 1), ("throat_a", 0)):
        driver.plant.set_line(LINE[line], level, driver.plant.now_us)
        driver.run(700)
    edges = [(name, level, (us - start_us) & MASK) for name, level, us in driver.sample()]
    assert edges == [("hopper", 1, 0), ("throat_a", 1, 700), ("door", 1, 1400), ("throat_a", 0, 2100)]
    assert [driver.raw(name) for name in ("hopper", "throat_a", "door")] == [1, 0, 1]
    assert driver.sample() == []


def test_every_bounce_is_an_edge(make: Make) -> None:
    driver = make("carousel", bounce_us=300)
    seen: list[int] = []
    for passage in range(8):
        driver.plant.set_line(LINE["tray"], 1 - passage % 2, driver.plant.now_us)
        driver.run(1000)
        levels = [level for name, level, _ in driver.sample() if name == "tray"]
        assert levels == [(passage + 1 + i) % 2 for i in range(len(levels))]
        assert len(levels) % 2 == 1
        seen.append(len(levels))
    assert max(seen) > 1


def test_sample_says_whether_anything_is_new(make: Make) -> None:
    driver = make("shoe")
    assert not driver.hal.sample(driver.inp)
    driver.plant.door(True)
    driver.run(10)
    assert driver.hal.sample(driver.inp)
    assert not driver.hal.sample(driver.inp)


def test_more_edges_than_fit_are_said_to_be_lost(make: Make) -> None:
    driver = make("draw")
    for i in range(101):
        driver.plant.set_line(LINE["throat_a"], (i + 1) % 2, driver.plant.now_us)
        driver.run(100)
    driver.sample()
    assert driver.inp.edge_lost
    driver.run(10)
    driver.sample()
    assert driver.raw("throat_a") == 1


def test_levels_are_right_when_the_image_is_full(make: Make) -> None:
    driver = make("draw")
    for i in range(15):
        driver.plant.set_line(LINE["throat_a"], (i + 1) % 2, driver.plant.now_us)
        driver.plant.set_line(LINE["throat_b"], i % 2, driver.plant.now_us)
        driver.run(100)
    driver.inp.edge_count = 25
    driver.hal.sample(driver.inp)
    assert driver.inp.edge_lost
    assert (driver.raw("throat_a"), driver.raw("throat_b")) == (1, 0)


def test_what_the_slot_beam_sees_at_power_on_is_nobodys_business(make: Make) -> None:
    driver = make("shelves")
    for slot in driver.plant.slots:
        slot.append(1)
    driver.plant.look()
    driver.run(100)
    driver.restart()
    driver.sample()
    assert driver.raw("slot") == 0


def test_a_finger_on_a_button_is_one_press(make: Make) -> None:
    driver = make("carousel")
    driver.plant.press(LINE["button_green"])
    edges: list[tuple[str, int]] = []
    for _ in range(30):
        driver.hal.idle(10)
        edges += [(name, level) for name, level, _ in driver.sample()]
    assert edges == [("button_green", 1), ("button_green", 0)]


def test_the_slot_beam_is_0_unless_watched_and_its_edges_say_so(make: Make) -> None:
    driver = make("shelves")
    assert driver.home() == REST
    driver.plant.slots[driver.plant.axis.slot].append(1)
    driver.run(10000)
    driver.plant.look()
    driver.run(100)
    assert driver.sample() == [] and driver.raw("slot") == 0
    driver.drive(watch_slot=True)
    driver.run(100)
    assert [(name, level) for name, level, _ in driver.sample()] == [("slot", 1)]
    assert driver.raw("slot") == 1
    driver.drive(watch_slot=False)
    driver.run(100)
    assert [(name, level) for name, level, _ in driver.sample()] == [("slot", 0)]
    assert driver.raw("slot") == 0


def test_a_watched_turn_shows_every_full_slot_once(make: Make) -> None:
    driver = make("carousel")
    assert driver.home() == REST
    for slot in (0, 3, 4, 30, 53):
        driver.plant.slots[slot].append(slot)
    driver.drive(watch_slot=True)
    driver.hal.move(54, False)
    edges: list[int] = []
    for _ in range(2000):
        driver.run(1000)
        edges += [level for name, level, _ in driver.sample() if name == "slot"]
    assert driver.inp.axis == REST
    assert edges == [1, 0] * 5


# -- outputs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_outputs_are_what_was_driven_and_only_those_the_board_has(make: Make, kind: str) -> None:
    driver = make(kind)
    names = ("pick", "transport", "ejector", "outfeed", "reverse", "dark")
    wired = [1 if name in board(kind)["outputs"] else 0 for name in names]
    driver.drive(**dict.fromkeys(names, 1))
    assert list(driver.plant.outputs) == wired
    driver.drive(pick=0, dark=0)
    assert list(driver.plant.outputs) == [0, *wired[1:5], 0]
    driver.drive(**dict.fromkeys(names, 0))
    assert list(driver.plant.outputs) == [0] * 6


@pytest.mark.parametrize("kind", KINDS)
def test_in_the_dark_every_beam_reads_blocked(make: Make, kind: str) -> None:
    driver = make(kind)
    beams = {"hopper", "throat_a", "throat_b", "opacity", "slot", "exit", "tray", "arrival", "cut"}
    driver.drive(watch_slot=True, dark=1)
    driver.run(100)
    assert {name for name, level, _ in driver.sample() if level} == beams & set(board(kind)["inputs"])
    driver.drive(watch_slot=True, dark=0)
    driver.run(100)
    assert {name for name, level, _ in driver.sample() if not level} == beams & set(board(kind)["inputs"])
    assert not any(driver.inp.raw)


def test_an_armed_stop_switches_off_without_a_scan(make: Make) -> None:
    driver = make("carousel")
    driver.drive(pick=1, transport=1)
    driver.hal.stop_after(0, LINE["throat_b"], 2500)
    driver.plant.set_line(LINE["throat_b"], 1, driver.plant.now_us)
    driver.run(2400)
    assert list(driver.plant.outputs[:2]) == [1, 1]
    driver.run(200)
    assert list(driver.plant.outputs[:2]) == [0, 1]


def test_a_stopped_output_stays_off_until_the_firmware_knows(make: Make) -> None:
    driver = make("carousel")
    driver.drive(pick=1)
    driver.hal.stop_after(0, LINE["throat_a"], 0)
    driver.plant.set_line(LINE["throat_a"], 1, driver.plant.now_us)
    driver.run(10)
    assert driver.plant.outputs[0] == 0
    # A scan that began before the edge still believes the roller to be running.
    driver.drive(pick=1, transport=1)
    assert list(driver.plant.outputs[:2]) == [0, 1]
    driver.drive(pick=0)
    driver.drive(pick=1)
    assert driver.plant.outputs[0] == 1


def test_a_later_order_replaces_the_one_before(make: Make) -> None:
    driver = make("carousel")
    driver.drive(pick=1, transport=1)
    driver.hal.stop_after(0, LINE["throat_a"], 0)
    driver.hal.stop_after(1, LINE["throat_b"], 0)
    driver.plant.set_line(LINE["throat_a"], 1, driver.plant.now_us)
    driver.run(10)
    assert list(driver.plant.outputs[:2]) == [1, 1]
    driver.plant.set_line(LINE["throat_b"], 1, driver.plant.now_us)
    driver.run(10)
    assert list(driver.plant.outputs[:2]) == [1, 0]


def test_an_armed_stop_waits_for_the_line_to_become_blocked(make: Make) -> None:
    driver = make("carousel")
    driver.plant.set_line(LINE["throat_a"], 1, driver.plant.now_us)
    driver.run(10)
    driver.drive(pick=1)
    driver.hal.stop_after(0, LINE["throat_a"], 0)
    driver.plant.set_line(LINE["throat_a"], 0, driver.plant.now_us)
    driver.run(10)
    assert driver.plant.outputs[0] == 1
    driver.plant.set_line(LINE["throat_a"], 1, driver.plant.now_us)
    driver.run(10)
    assert driver.plant.outputs[0] == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("busy_us", [0, 30000, 150000])
def test_all_off_is_off_from_any_state(make: Make, kind: str, busy_us: int) -> None:
    driver = make(kind)
    driver.hal.stop_after(0, LINE["throat_a"], 50000)
    driver.drive(pick=1, transport=1, ejector=1, outfeed=1, reverse=1, dark=1)
    if kind in AXES:
        driver.hal.move(0, True)
    driver.run(busy_us)
    driver.sample()
    driver.hal.all_off()
    driver.hal.all_off()
    assert list(driver.plant.outputs) == [0] * 6
    driver.run(1000)
    driver.sample()
    assert driver.inp.axis == REST
    # The order to stop is forgotten too: what is switched on now stays on.
    driver.level[:] = bytes(len(driver.level))
    driver.drive()
    driver.drive(dark=1, pick=1)
    driver.run(100000)
    assert driver.plant.outputs[5] == 1
    assert driver.plant.outputs[0] == (1 if kind != "draw" else 0)


# -- the axis ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", AXES)
@pytest.mark.parametrize("seed", [7, 19, 20, 27, 53])
def test_home_is_found_from_anywhere(make: Make, kind: str, seed: int) -> None:
    driver = make(kind, seed)
    driver.hal.move(0, True)
    driver.run(1000)
    driver.sample()
    assert driver.inp.axis == MOVING
    assert driver.settle_axis() == REST
    assert driver.plant.axis.slot == 0 and driver.plant.axis.fits()
    # And again, standing on the mark.
    assert driver.home() == REST
    assert driver.plant.axis.slot == 0 and driver.plant.axis.fits()
    assert driver.plant.crashes == 0


@pytest.mark.parametrize("kind", AXES)
def test_moves_end_where_they_should(make: Make, kind: str) -> None:
    driver = make(kind)
    assert driver.home() == REST
    place, count = 0, len(driver.plant.slots)
    for places in (1, 7, -3, 10, -2, -13, count - 1, 1 - count, 5, -5):
        assert driver.move(places) == REST
        place = (place + places) % count
        assert driver.plant.axis.slot == place and driver.plant.axis.fits()
    assert driver.plant.crashes == 0


def test_a_carousel_goes_round_the_mark_both_ways(make: Make) -> None:
    driver = make("carousel")
    assert driver.home() == REST
    place = 0
    for places in (-3, 5, 54, -54, 50, 20, -40, -1, -1, -1, 2):
        assert driver.move(places) == REST
        place = (place + places) % 54
        assert driver.plant.axis.slot == place


@pytest.mark.parametrize("kind", AXES)
def test_a_mark_that_is_not_found_is_a_lost_axis(make: Make, kind: str) -> None:
    driver = make(kind, 9)
    driver.hide_mark()
    assert driver.home() == LOST


@pytest.mark.parametrize("kind", AXES)
def test_lost_steps_show_when_the_mark_passes(make: Make, kind: str) -> None:
    driver = make(kind)
    assert driver.home() == REST
    assert driver.move(10) == REST
    driver.slip_next(2000)
    assert driver.move(5) == REST
    assert driver.move(-15) == LOST
    # Homing makes good again.
    assert driver.home() == REST
    assert driver.move(10) == REST
    assert driver.move(-10) == REST
    assert driver.plant.axis.slot == 0


def test_lost_steps_of_a_carousel_show_on_its_way_round(make: Make) -> None:
    driver = make("carousel")
    assert driver.home() == REST
    driver.slip_next(1000)
    assert driver.move(20) == REST
    assert driver.move(20) == REST
    assert driver.move(20) == LOST


@pytest.mark.parametrize("kind", AXES)
def test_a_halted_axis_can_be_homed(make: Make, kind: str) -> None:
    driver = make(kind)
    assert driver.home() == REST
    for busy_us in (2000, 60000, 120000):
        driver.hal.move(12, False)
        driver.run(busy_us)
        driver.hal.all_off()
        at = driver.plant.axis.slot
        driver.run(200000)
        driver.sample()
        assert (driver.inp.axis, driver.plant.axis.slot) == (REST, at)
        assert driver.home() == REST
        assert driver.plant.axis.slot == 0
        assert driver.move(3) == REST
        assert driver.plant.axis.slot == 3
        assert driver.home() == REST


@pytest.mark.parametrize("kind", ["shoe", "draw"])
def test_a_board_without_axis_is_at_rest(make: Make, kind: str) -> None:
    driver = make(kind)
    driver.drive(transport=1)
    driver.run(1000)
    driver.sample()
    assert driver.inp.axis == REST


# -- link and storage --------------------------------------------------------------------------------------------------


def test_the_link_reads_what_is_there_and_never_waits(make: Make) -> None:
    driver = make("shoe")
    buf = bytearray(4)
    assert driver.hal.link_readinto(buf) == 0
    driver.receive(b"abcdef")
    assert driver.hal.link_readinto(buf) == 4 and bytes(buf) == b"abcd"
    assert driver.hal.link_readinto(buf) == 2 and bytes(buf[:2]) == b"ef"
    assert driver.hal.link_readinto(buf) == 0


def test_the_link_takes_what_it_can_and_says_how_much(make: Make) -> None:
    driver = make("shoe")
    data = bytes(i % 251 for i in range(driver.sent_max + 20))
    view = memoryview(data)
    got = b""
    at = 5
    assert driver.hal.link_write(view, at, len(data)) == driver.sent_max
    assert driver.hal.link_write(view, at + driver.sent_max, len(data)) == 0
    got += driver.sent()
    at += driver.sent_max
    assert driver.hal.link_write(view, at, len(data)) == len(data) - at
    assert got + driver.sent() == data[5:]


def test_storage_keeps_what_was_written(make: Make) -> None:
    driver = make("shoe")
    size = board("shoe")["nv"]["bytes"]
    record = bytearray(range(64))
    assert driver.hal.nv_erase(0, 64) and driver.hal.nv_prog(0, record)
    assert driver.hal.nv_prog(size - 3, bytearray(b"end")) and driver.hal.nv_sync()
    driver.restart()
    buf = bytearray(64)
    assert driver.hal.nv_read(0, buf) and buf == record
    end = bytearray(3)
    assert driver.hal.nv_read(size - 3, end) and end == b"end"


def test_noise_is_noise_and_numbers_are_small(make: Make) -> None:
    driver = make("shoe")
    buf, other = bytearray(64), bytearray(64)
    assert driver.hal.entropy_into(buf) and driver.hal.entropy_into(other)
    assert buf != other and len(set(buf)) > 20
    assert 0 <= driver.hal.unique_id() < 1 << 30
    assert driver.hal.reset_cause() == 0
    before = driver.hal.ticks_us()
    driver.run(12345)
    assert (driver.hal.ticks_us() - before) & MASK == 12345
    driver.hal.watchdog_feed()
