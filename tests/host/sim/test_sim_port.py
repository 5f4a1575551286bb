"""A simulated shoe as a serial port: time that passes when a caller waits, hands, cables, and pyserial's interface."""

import contextlib
import time
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import serial
from waits import wait_until

import fairshoe.serial_urls
from fairshoe import Shoe
from fairshoe.errors import FairshoeError, GameError, SimulatorError, UsageError
from fairshoe.link import framing
from fairshoe.messages import Booted, EmptyProved, ShuffleFailed, WarningLatched
from fairshoe.sim.port import SimPort
from fairshoe.sim.setup import SimSetup, fault_words, parse_faults, parse_url

KEY = bytes(range(32))


def opened(url: str) -> Any:
    assert fairshoe.serial_urls.__name__ in serial.protocol_handler_packages
    return serial.serial_for_url(url, timeout=0.2)


def test_one_seed_gives_one_story_and_another_one_another() -> None:
    def story(seed: int) -> list[tuple[int, int]]:
        with Shoe.open(f"sim://?seed={seed}") as shoe:
            return [(event.ID, event.uptime_ms) for event in islice(shoe.events(), 30)]

    assert story(5) == story(5)
    assert story(5) != story(6)


def test_nobody_touches_a_machine_whose_dealer_is_none() -> None:
    with SimPort.from_url("sim://?dealer=none") as port, Shoe.open("sim://?dealer=none") as shoe:
        kinds = [type(event) for event in islice(shoe.events(), 2)]
        assert kinds == [Booted, EmptyProved]
        port.sleep(3)
        assert port.act("load", "52") == []
        assert len(port.rig.plant.hopper) == 52
        with pytest.raises(UsageError, match="there is no action 'juggle'"):
            port.act("juggle")
        with pytest.raises(UsageError, match="press purple: no button"):
            port.act("press", "purple")


def test_hands_do_everything_but_press_what_a_table_system_presses() -> None:
    with SimPort.from_url("sim://?dealer=hands") as port:
        port.sleep(60)
        assert len(port.rig.plant.hopper) == 52
        assert port.rig.app.flow.state == 2  # waiting for the dealer to say that the deck may be shuffled


def test_faults_strike_as_ordered() -> None:
    with Shoe.open("sim://?faults=jam:throat:12&dealer=auto") as shoe:
        kinds = [type(event) for event in islice(shoe.events(), 8)]
    assert WarningLatched in kinds and ShuffleFailed in kinds


def test_faults_in_words_are_those_of_scenario_files() -> None:
    jam = {"fault": "jam", "place": "throat", "card": 12, "at_um": 60000}
    assert parse_faults("jam:throat:12") == (jam,)
    assert parse_faults('{"fault": "jam", "place": "throat", "card": 12, "at_um": 60000}') == (jam,)
    two = parse_faults("misfeed:3:2,beam_stuck:throat_a:1:from_ms=500")
    assert two == (
        {"fault": "misfeed", "card": 3, "times": 2},
        {"fault": "beam_stuck", "line": "throat_a", "level": 1, "from_ms": 500},
    )
    assert fault_words("stall") == ["place", "card", "at_um", "jogs"]


@pytest.mark.parametrize(
    ("url", "kind", "words"),
    [
        ("sim://?sped=3", UsageError, "sped.*speed"),
        ("sim://?seed=three", UsageError, "whole number"),
        ("sim://?speed=-1", UsageError, "from 0 to"),
        ("sim://?speed=nan", UsageError, "from 0 to"),
        ("sim://?dealer=robot", UsageError, "auto, hands, none"),
        ("sim://?mode=both", UsageError, "report_only, table"),
        ("sim://?seed=1&seed=2", UsageError, "twice"),
        ("sim://?faults=gremlin:1", UsageError, "gremlin.*double_feed"),
        ("sim://?faults=jam:throat:1:2:3", UsageError, "too many values"),
        ("sim://?faults=jam:cellar:1", GameError, "place is one of throat"),
        ("sim://?faults=[1]", UsageError, "list of objects"),
        ("sim://?faults={", UsageError, "faults: "),
        ("sim://?game=snap", GameError, "no game 'snap'"),
        ("sim://no-such-board", FairshoeError, "no-such-board"),
        ("sim://?key=no.key", FairshoeError, "no.key"),
        ("sim://?storage=/proc/none/x", SimulatorError, "/proc/none/x"),
        ("tcp://a:1", UsageError, "no sim://"),
    ],
)
def test_a_url_that_cannot_be_is_told_with_what_could(url: str, kind: type[FairshoeError], words: str) -> None:
    with pytest.raises(kind, match=words):
        SimPort.from_url(url)


def test_a_board_may_be_a_file(tmp_path: Path) -> None:
    assert parse_url("sim:///a/b.json").board == "/a/b.json"
    assert parse_url("sim://./b.json?seed=2") == SimSetup("./b.json", seed=2)
    assert parse_url("sim://pico-shoe/").board == "pico-shoe"


def test_storage_keeps_what_the_shoe_remembers_and_belongs_to_one_simulator(tmp_path: Path) -> None:
    url = f"sim://?dealer=none&storage={tmp_path / 'shoe.nv'}"
    with SimPort.from_url(url) as port:
        port.sleep(3)
        last = port.rig.app.journal.seq_last
        with pytest.raises(SimulatorError, match="another simulator"):
            SimPort.from_url(url)
    with SimPort.from_url(url) as port:
        port.sleep(3)
        assert port.rig.app.journal.seq_last > last >= 2


# --- time ---------------------------------------------------------------------------------------


def test_at_speed_zero_a_long_wait_takes_no_time() -> None:
    with SimPort.from_url("sim://?dealer=none") as port:
        began = time.process_time()
        port.sleep(600)
        assert port.clock() >= 600
        assert time.process_time() - began < 60


def test_at_another_speed_time_follows_the_clock() -> None:
    with SimPort.from_url("sim://?dealer=none&speed=5", timeout=0.01) as port:
        began = time.monotonic()
        while time.monotonic() - began < 0.05:
            port.read(1)
        passed = time.monotonic() - began
        port.read(1)
        assert passed <= port.clock() / 5 <= time.monotonic() - began + 0.01


def test_a_pulled_cable_is_an_error_until_it_is_in_again_and_the_device_works_on() -> None:
    with SimPort.from_url("sim://?dealer=none") as port:
        port.sleep(1)
        port.unplug(5)
        for use in (lambda: port.read(1), lambda: port.write(b"x"), lambda: port.in_waiting, port.reopen):
            with pytest.raises(OSError, match="cable"):
                use()
        port.sleep(6)
        port.reopen().timeout = 10
        assert port.read(20)  # what was never acknowledged is sent again and again
        port.unplug()
        port.sleep(600)
        with pytest.raises(OSError, match="cable"):
            port.read(1)
        port.plug()
        assert port.reopen() is port
    with pytest.raises(OSError, match="closed"):
        port.read(1)


def test_a_cable_comes_back_by_the_clock_although_only_reopen_is_called() -> None:
    with SimPort.from_url("sim://?speed=50&dealer=none") as port:
        port.unplug(seconds=5)

        def back() -> bool:
            with contextlib.suppress(OSError):  # the cable is out
                return port.reopen() is port
            return False

        wait_until(back)


# --- pyserial -----------------------------------------------------------------------------------


def test_any_pyserial_program_can_open_a_simulated_shoe() -> None:
    with opened("sim://pico-carousel?seed=3&dealer=none") as port:
        decoder = framing.Decoder()
        heard = [frame.message for _ in range(40) for frame in decoder.feed(port.read(64))]
        assert any(isinstance(message, Booted) for message in heard)
        assert port.in_waiting >= 0
        port.reset_input_buffer()
        port.flush()
    with pytest.raises(serial.SerialException):
        port.read(1)


def test_timeouts_are_pyserials() -> None:
    with opened("sim://?dealer=none") as port:
        sim = port.sim
        assert isinstance(sim, SimPort)
        sim.sleep(20)
        port.reset_input_buffer()
        sim.act("cut")  # nothing comes any more
        for timeout in (0.5, 2.0):
            port.timeout = timeout
            began = sim.clock()
            assert port.read(10) == b""
            assert sim.clock() - began == pytest.approx(timeout, abs=0.1)
        port.timeout = 0
        began = sim.clock()
        assert port.read(10) == b""
        assert sim.clock() - began < 0.1
        sim.act("boot")
        port.timeout = None
        assert len(port.read(20)) == 20  # as long as it takes
        port.reset_input_buffer()
        while not port.in_waiting:  # looking alone gets there too
            pass


def test_a_bad_url_is_an_exception_that_pyserial_programs_expect() -> None:
    with pytest.raises(serial.SerialException, match="Known: game"):
        opened("sim://?sped=1")
