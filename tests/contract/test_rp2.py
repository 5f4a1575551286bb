"""What only the RP2040's port has to get right: lamps, the panel's chip, and an axis between its end stops."""

import pytest
from drivers import LINE, Rp2Driver
from test_hal import LOST, REST, board


@pytest.fixture
def elevator(monkeypatch: pytest.MonkeyPatch) -> Rp2Driver:
    return Rp2Driver(board("shelves"), 7, monkeypatch)


@pytest.mark.parametrize("at", [-49, -3, 0, 2, 3, 4, 5, 12, 24, 26, 27, 28, 30, 60, 101, 1900, 1949])
def test_an_elevator_comes_home_from_any_step_without_touching_its_stops(elevator: Rp2Driver, at: int) -> None:
    elevator.stepper.at = at
    elevator.world.show()
    assert elevator.home() == REST
    assert abs(elevator.stepper.at) <= 1
    assert elevator.plant.crashes == 0


@pytest.mark.parametrize("at", range(0, 64, 7))
def test_a_carousel_comes_home_from_any_step(monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    driver = Rp2Driver(board("carousel"), 7, monkeypatch)
    driver.stepper.at = at - 30
    driver.world.show()
    assert driver.home() == REST
    turn = 54 * 64
    assert abs((driver.stepper.at + turn // 2) % turn - turn // 2) <= 1


@pytest.mark.parametrize("kind", ["carousel", "shelves"])
def test_a_mark_that_chatters_is_no_lost_axis(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    driver = Rp2Driver(board(kind), 7, monkeypatch)
    driver.world.home_chatter = 2
    assert driver.home() == REST
    place, count = 0, len(driver.plant.slots)
    for places in (10, -9, -1, 12, 1, -13, 5, -5):
        assert driver.move(places) == REST
        place = (place + places) % count
        assert driver.plant.axis.slot == place
    if kind == "carousel":
        for places in (54, -54, -3, 5):
            assert driver.move(places) == REST


@pytest.mark.parametrize("kind", ["carousel", "shelves"])
def test_steps_within_what_a_card_tolerates_are_no_lost_axis(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    driver = Rp2Driver(board(kind), 7, monkeypatch)
    assert driver.home() == REST
    driver.slip_next(60)
    assert driver.move(10) == REST
    assert driver.move(-10 if kind == "shelves" else 50) == REST


def test_a_mark_that_is_always_there_is_a_lost_axis(elevator: Rp2Driver) -> None:
    elevator.stepper.at = 700
    elevator.world.home_stuck = True
    elevator.world.show()
    assert elevator.home() == LOST


def test_a_halted_search_can_be_begun_again(elevator: Rp2Driver) -> None:
    for busy_us in (500, 5000, 40000, 300000, 700000):
        elevator.stepper.at = 1700
        elevator.world.show()
        elevator.hal.move(0, True)
        elevator.run(busy_us)
        elevator.hal.all_off()
        elevator.run(10000)
        elevator.sample()
        assert elevator.home() == REST
        assert abs(elevator.stepper.at) <= 1


def test_all_off_leaves_the_lamps_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    config = board("shoe")
    config["outputs"]["lamp_red"] = 15
    driver = Rp2Driver(config, 7, monkeypatch)
    driver.drive(lamp_red=1, lamp_green=1, transport=1)
    driver.hal.all_off()
    assert driver.world.pad(15).level == 1
    assert driver.world.expander[0x15] == 1 and driver.plant.outputs[1] == 0


def test_a_roller_stops_at_a_pulse_too_short_to_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Rp2Driver(board("carousel"), 7, monkeypatch)
    driver.sample()
    driver.drive(pick=1)
    pad = driver.world.pad(board("carousel")["inputs"]["throat_a"])
    assert pad.handler
    pad.handler()
    assert driver.plant.outputs[0] == 1
    driver.hal.stop_after(0, LINE["throat_a"], 0)
    pad.handler()
    assert driver.plant.outputs[0] == 0
    assert driver.sample() == []


def test_a_held_roller_does_not_even_twitch(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Rp2Driver(board("carousel"), 7, monkeypatch)
    driver.drive(pick=1)
    driver.hal.stop_after(0, LINE["throat_a"], 0)
    driver.plant.set_line(LINE["throat_a"], 1, driver.plant.now_us)
    driver.run(10)
    switches = driver.world.switches
    driver.drive(pick=1, lamp_red=1)
    assert driver.world.switches == switches


def test_outputs_are_off_before_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Rp2Driver(board("carousel"), 7, monkeypatch)
    driver.drive(pick=1, dark=1, lamp_red=1)
    driver.restart()
    assert not any(driver.plant.outputs)


def test_without_the_panels_chip_buttons_read_0_until_it_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Rp2Driver(board("carousel"), 7, monkeypatch)
    driver.plant.set_line(LINE["button_ack"], 1, driver.plant.now_us)
    for there, pressed in ((False, 0), (True, 1), (False, 0)):
        driver.world.panel_there = there
        for _ in range(150):
            driver.hal.idle(10)
            driver.sample()
        assert driver.raw("button_ack") == pressed


def test_a_board_without_a_panel_has_no_buttons(monkeypatch: pytest.MonkeyPatch) -> None:
    config = board("draw")
    del config["expander"]
    for group in ("inputs", "outputs"):
        config[group] = {name: where for name, where in config[group].items() if isinstance(where, int)}
    driver = Rp2Driver(config, 7, monkeypatch)
    driver.drive(lamp_red=1)
    driver.hal.idle(10)
    driver.plant.door(True)
    driver.run(10)
    assert [(name, level) for name, level, _ in driver.sample()] == [("door", 1)]


def test_a_chip_that_does_not_keep_a_write_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Rp2Driver(board("shoe"), 7, monkeypatch)
    assert not driver.hal.nv_prog(32766, bytearray(3)) and not driver.hal.nv_read(-1, bytearray(1))
    driver.world.fram_there = False
    assert not driver.hal.nv_prog(0, bytearray(b"lost"))


def test_whoever_moves_an_axis_that_is_not_there_finds_it_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Rp2Driver(board("shoe"), 7, monkeypatch)
    assert driver.move(1) == LOST
