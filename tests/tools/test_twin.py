"""A second Pico as the machine, without one: its files, its words for PIO, its orders, and runs that cannot be made."""

import json
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import twin.__main__ as command
from hil import two
from twin.files import MAIN, twin_files

from fairshoe.boards.configs import load_board
from fairshoe.errors import FairshoeError
from fairshoe.sim.scenario_cases import by_name, read_place
from fairshoe.transport.urls import PortAddress

STUBS = {
    "machine": ("Pin", "mem32"),
    "rp2": ("PIO", "StateMachine", "asm_pio"),
    "time": ("sleep_ms", "ticks_diff", "ticks_us"),
}


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What main.py defines, without a board and without its start."""
    names: dict[str, Any] = {}
    with monkeypatch.context() as patched:
        patched.setattr(sys, "path", list(sys.path))
        for module, members in STUBS.items():
            stub: Any = ModuleType(module)
            for name in members:
                setattr(stub, name, None)
            patched.setitem(sys.modules, module, stub)
        exec(MAIN.read_text(encoding="utf-8").rpartition("\nstart()")[0], names)
    return names


def edges(device: dict[str, Any], now_us: int, words: list[tuple[int, int]], last_us: int = 0) -> Any:
    """Its Edges with these changes of the plant to show, whose lag is 2,500 us."""
    found = device["Edges"].__new__(device["Edges"])
    put: list[int] = []
    found.put = put
    found.machine = SimpleNamespace(put=put.append)
    found.wired = SimpleNamespace(take=lambda: words)
    found.clock = SimpleNamespace(now=lambda: now_us)
    found.lag_us, found.last_us = 2500, last_us
    found.late = found.late_us = found.late_at_ms = 0
    return found


def shown(device: dict[str, Any], words: list[int], from_us: int) -> list[tuple[int, int]]:
    """When PIO shows which pattern, if it begins with the first word then."""
    found: list[tuple[int, int]] = []
    for word in words:
        from_us += (word & ((1 << device["PAUSE_BITS"]) - 1)) + device["TURN_US"]
        found.append((from_us, word >> device["PAUSE_BITS"]))
    return found


def test_an_edge_and_its_bounces_are_shown_a_lag_after_the_plant(device: dict[str, Any]) -> None:
    words = [(10_000, 2), (10_060, 0), (10_150, 2)]
    played = edges(device, 10_700, words)
    played.play()
    assert shown(device, played.put, 10_700) == [(12_500, 2), (12_560, 0), (12_650, 2)]
    assert (played.last_us, played.late) == (12_650, 0)
    behind = edges(device, 11_000, [(10_300, 3)], last_us=12_650)  # PIO still has those of before
    behind.play()
    assert shown(device, behind.put, 12_650) == [(12_800, 3)]


def test_an_edge_that_cannot_be_in_time_is_shown_at_once_and_counted(device: dict[str, Any]) -> None:
    played = edges(device, 13_000, [(10_000, 2), (10_060, 0)])
    played.play()
    assert shown(device, played.put, 13_000) == [(13_004, 2), (13_008, 0)]
    assert (played.late, played.late_us, played.late_at_ms) == (2, 504, 13)
    by_hand = edges(device, 13_000, [(10_000, 2)])
    by_hand.play(False)
    assert by_hand.put and not by_hand.late


def test_its_clock_goes_on_when_ticks_wrap(device: dict[str, Any]) -> None:
    period = 1 << 30
    ticks = [period - 10]

    def diff(new: int, old: int) -> int:
        return (new - old + period // 2) % period - period // 2

    functions = device["Clock"].__init__.__globals__
    functions.update(ticks_us=lambda: ticks[0], ticks_diff=diff)
    clock = device["Clock"]()
    for step in (6, 6, period // 3, period // 3, period // 3):
        before = clock.us
        ticks[0] = (ticks[0] + step) % period
        assert clock.at((ticks[0] - 2) % period) == before + step - 2
        assert clock.now() == before + step


def test_its_files_are_the_plant_and_nothing_of_the_firmware() -> None:
    config = load_board("pico-shoe")[0]
    files = twin_files(config, 9)
    assert {"hal/sim/wired.mpy", "hal/sim/plant.mpy", "main.py", "twin.json"} <= set(files)
    assert all(name.startswith("hal/sim/") for name in files if name.endswith(".mpy"))
    assert json.loads(files["twin.json"])["board"] == config


@pytest.mark.parametrize(
    ("part", "name", "pin", "said"),
    [("outputs", "dark", 6, "2 to 10: dark is among them"), ("inputs", "tray", 14, "they span 13, and 12 can")],
)
def test_pins_that_two_boards_would_drive_are_refused(part: str, name: str, pin: int, said: str) -> None:
    config = load_board("pico-shoe")[0]
    config[part][name] = pin
    config["outputs"] |= {"pick": 15, "transport": 20} if part == "inputs" else {}
    with pytest.raises(FairshoeError, match=said):
        twin_files(config, 9)


class Line:
    """Its USB port: echoes nothing, answers each order after some noise."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.sent: list[str] = []
        self.waiting = b""

    def write(self, data: bytes, /) -> None:
        self.sent.append(data.decode())
        self.waiting = f"@ lost 3\r\n@ {self.answers.pop(0)}\r\n".encode()

    def read(self, size: int, /) -> bytes:
        data, self.waiting = self.waiting[:7], self.waiting[7:]
        return data

    def close(self) -> None: ...


def test_the_faults_of_a_scenario_go_first_and_a_refusal_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "shoe-double-feed-aligned"
    faults = read_place(by_name(command.Path(name)))["faults"]
    line = Line(*["ok"] * len(faults), "ok load 12", "refused jump: known")

    def its_line(_address: PortAddress) -> Line:
        return line

    monkeypatch.setattr(PortAddress, "open", its_line)
    assert command.main(["/dev/none", "--scenario", name, "load 12", "jump"]) == 1
    assert [json.loads(text) for text in line.sent[: len(faults)]] == faults
    assert line.sent[len(faults) :] == ["load 12\n", "jump\n"]
    assert capsys.readouterr().out.splitlines()[-2:] == ["ok load 12", "refused jump: known"]


def test_without_an_image_two_picos_are_not_run_and_say_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("UF2", raising=False)
    assert two.main(["--if-possible"]) == 0
    assert capsys.readouterr().out.startswith("NOT RUN: two emulated Picos")
    assert two.main([]) == 2
    assert "make hil UF2=" in capsys.readouterr().err
