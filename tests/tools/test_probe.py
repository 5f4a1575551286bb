"""The main.py that measures: which scans it counts as those while cards move, and what it tells of a round."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from firmware.games.flow import DRAW_READY, DRAWING, PREPARING, PROVING_EMPTY, WAITING_FOR_DECK, WARNING
from firmware.image import IN_EXIT, IN_HOPPER, IN_THROAT_A, IN_THROAT_B, NO_LINE, OUT_PICK, Inputs, Outputs

PROBE = Path(__file__).resolve().parents[2] / "tools/emulator/probe.py"
SCAN_US = 700


class Throat:
    """The pin of a throat beam."""

    def __init__(self) -> None:
        self.level = 0

    def value(self) -> int:
        return self.level


class Bench:
    """An app that does in a scan what a test asks for, and what the probe says of it."""

    def __init__(self, patch: pytest.MonkeyPatch, draws: bool) -> None:
        self.now_us = 0
        self.inp = Inputs()
        self.out = Outputs()
        self.throat = {IN_THROAT_A: Throat(), IN_THROAT_B: Throat()}
        self.does: Callable[[], None] = lambda: None
        self.flow = SimpleNamespace(state=WAITING_FOR_DECK, phase=0, warning=0, machine=SimpleNamespace(draws=draws))
        link = SimpleNamespace(reader=SimpleNamespace(good=0), session=SimpleNamespace(sent=0))
        app: Any = SimpleNamespace(inp=self.inp, out=self.out, scan_ms_max=4, flow=self.flow, link=link)
        app.hal = None
        app.scan = self._scan
        self.said: dict[str, tuple[int, ...]] = {}
        self.probe = self._load(patch)
        self.timed = self.probe["Timed"](app, list(self.throat.values()))
        self.timed.scan(0)  # it has started, and waits for a deck
        self.timed.clear()
        self.said.clear()

    def _load(self, patch: pytest.MonkeyPatch) -> dict[str, Any]:
        """Everything but its start, with MicroPython's gc and clock."""
        memory: Any = ModuleType("gc")
        memory.collect = memory.mem_alloc = memory.mem_free = lambda: 0
        memory.threshold = int
        clock: Any = ModuleType("time")
        clock.ticks_us = clock.ticks_ms = lambda: self.now_us
        clock.ticks_diff = int.__sub__
        machine: Any = ModuleType("machine")
        machine.Pin = None
        names: dict[str, Any] = {}
        with patch.context() as patched:
            patched.setitem(sys.modules, "gc", memory)
            patched.setitem(sys.modules, "time", clock)
            patched.setitem(sys.modules, "machine", machine)
            exec(PROBE.read_text(encoding="utf-8").split("\ndef start():")[0], names)
        names["say"] = self._say
        return names

    def _say(self, word: str, *figures: int) -> None:
        self.said[word] = figures

    def _scan(self, _now_ms: int) -> int:
        self.does()
        self.now_us += SCAN_US
        return 0

    def scan(self, does: Callable[[], None] = lambda: None) -> bool:
        """Whether it counts as one while cards move."""
        self.does = does
        before = self.timed.moving[0], self.timed.quiet[0]
        self.timed.scan(0)
        moving, quiet = self.timed.moving[0] - before[0], self.timed.quiet[0] - before[1]
        assert moving + quiet == 1
        return bool(moving)

    def enter(self, state: int) -> None:
        """A scan that changes the state; what was counted up to it may be reported, and forgotten."""
        self.does = lambda: setattr(self.flow, "state", state)
        self.timed.scan(0)


@pytest.fixture
def shoe(monkeypatch: pytest.MonkeyPatch) -> Bench:
    bench = Bench(monkeypatch, draws=True)
    bench.enter(DRAW_READY)
    return bench


@pytest.mark.parametrize("line", [IN_THROAT_A, IN_THROAT_B])
def test_a_card_in_the_throat_counts_from_its_first_edge_to_the_scan_that_knows_it_gone(shoe: Bench, line: int) -> None:
    pin = shoe.throat[line]
    assert not shoe.scan()
    pin.level = 1

    def sample() -> None:
        shoe.inp.raw[line] = 1

    assert shoe.scan(sample), "it was there when the scan began"
    assert shoe.scan(), "blocked, but not for long enough"
    assert shoe.scan(lambda: shoe.inp.level.__setitem__(line, 1)), "it is known to be one"
    assert shoe.scan(), "it lies there, whatever the scan does meanwhile"
    pin.level = 0
    assert shoe.scan(lambda: shoe.inp.raw.__setitem__(line, 0)), "clear, but not for long enough"
    assert shoe.scan(lambda: shoe.inp.level.__setitem__(line, 0)), "the scan that knows it gone, and may write at once"
    assert not shoe.scan(), "the throat is empty"


def test_a_card_that_comes_while_something_is_written_counts(shoe: Bench) -> None:
    assert shoe.scan(lambda: setattr(shoe.throat[IN_THROAT_A], "level", 1))


def test_what_the_longest_scan_took_in_and_sent_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch, draws=False)
    bench.out.level[OUT_PICK] = 1

    def talk() -> None:
        bench.timed.app.link.reader.good += 1
        bench.timed.app.link.session.sent += 2
        bench.now_us += 1

    bench.scan()
    bench.scan(talk)
    bench.scan()
    assert bench.timed.worst == [1, 2]


def test_before_a_deck_is_in_a_blocked_throat_is_dark_or_noise_and_no_card(shoe: Bench) -> None:
    shoe.throat[IN_THROAT_A].level = 1
    for state, counts in ((PROVING_EMPTY, False), (WAITING_FOR_DECK, False), (DRAW_READY, True), (DRAWING, True)):
        shoe.enter(state)
        assert shoe.scan() == counts, state


def test_what_is_no_card_does_not_count(shoe: Bench) -> None:
    shoe.inp.raw[IN_HOPPER] = 1
    shoe.inp.level[IN_EXIT] = shoe.inp.raw[IN_EXIT] = 1
    assert not shoe.scan()


def test_a_machine_with_motors_counts_while_they_run(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch, draws=False)
    bench.inp.level[IN_THROAT_A] = bench.inp.raw[IN_THROAT_A] = 1
    assert not bench.scan()
    bench.out.level[OUT_PICK] = 1
    assert bench.scan()


def test_a_round_of_a_draw_shoe_is_told_when_it_ends_and_has_nothing_of_what_came_before(shoe: Bench) -> None:
    shoe.enter(PREPARING)
    shoe.enter(DRAW_READY)
    shoe.inp.level[IN_THROAT_A] = 1  # in the dark of the beam test
    shoe.scan()
    shoe.inp.level[IN_THROAT_A] = 0
    shoe.scan()
    assert "job" not in shoe.said
    shoe.enter(DRAWING)
    for level in (1, 0):
        shoe.scan(lambda level=level: shoe.inp.level.__setitem__(IN_THROAT_B, level))
    shoe.enter(DRAW_READY)
    assert shoe.said["job"] == (2, 2 * SCAN_US, SCAN_US)
    assert shoe.said["job_quiet"] == (1, SCAN_US, SCAN_US)


def test_a_warning_ends_one_set_of_figures_and_its_end_another(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch, draws=False)
    bench.out.level[OUT_PICK] = 1
    bench.scan()
    bench.out.level[OUT_PICK] = 0
    bench.enter(WARNING)
    assert bench.said["stopped"] == (1, SCAN_US, SCAN_US)
    bench.scan()
    bench.scan()
    bench.enter(PREPARING)
    assert bench.said["warned"] == (0, 0, 0)
    assert bench.said["warned_quiet"] == (3, 3 * SCAN_US, SCAN_US)


def test_scans_while_a_line_is_noise_are_told_when_it_is_quiet_again(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(monkeypatch, draws=False)
    bench.out.level[OUT_PICK] = 1
    assert bench.scan(lambda: setattr(bench.inp, "noisy", IN_EXIT)), "a motor runs, whatever its beams do"
    bench.scan()
    assert "noisy" not in bench.said
    bench.scan(lambda: setattr(bench.inp, "noisy", NO_LINE))
    assert bench.said.pop("noisy") == (2, 2 * SCAN_US, SCAN_US)
    bench.scan()
    assert "noisy" not in bench.said
