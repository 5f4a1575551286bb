"""Two emulated Picos on one desk, wired pin to pin: the board under test, and the one that plays its machine.

Both advance in slices. The board goes first, and what it switches reaches the other at the very instant; what the other
shows reaches the board exactly one slice later, as through a long cable. So no edge is moved against another one.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from emulator.bench import Bench
from emulator.pico import Pico
from rig.actions import typed

SLICE_NS = 100_000
ANSWER_S = 1.0
PANEL = ("press", "key")  # real parts at the board under test
_PIO_CYCLE_NS = 8


class Pair(Pico):
    """The board under test. Its time is that of both; `machine` had its power before."""

    def __init__(self, uf2: Path, fs_image: bytes, machine: Pico, ins: Iterable[int], outs: Iterable[int]) -> None:
        """`ins` are its inputs, which the machine drives by PIO, and `outs` its outputs, both by number of the pin."""
        super().__init__(uf2, fs_image)
        self.machine = machine
        self._ahead_ns = machine.clock.nanos  # of the machine's clock
        for number in ins:
            machine.listen(number, self._shows(number))
            self.drive(number, machine.mcu.gpio[number].value == self._states.HIGH)
        for number in outs:
            machine.drive(number, False)
            self.listen(number, self._switches(number))

    def run(self, seconds: float, until: Callable[[], bool] | None = None, look_ns: float = 1e6) -> bool:
        end_ns = self.clock.nanos + seconds * 1e9
        look_at_ns = self.clock.nanos + look_ns
        while self.clock.nanos < end_ns:
            super().run(min(SLICE_NS, end_ns - self.clock.nanos) / 1e9)
            self.machine.run(max(self.clock.nanos + self._ahead_ns - self.machine.clock.nanos, 0) / 1e9)
            self.machine.pio.sync()
            if until is not None and self.clock.nanos >= look_at_ns:
                if until():
                    return True
                look_at_ns = self.clock.nanos + look_ns
        return until is None

    def _switches(self, number: int) -> Callable[[bool], None]:
        def switched(level: bool) -> None:
            alarm = self.machine.alarm(lambda: self.machine.drive(number, level))
            alarm.schedule(max(self.clock.nanos + self._ahead_ns - self.machine.clock.nanos, 0))

        return switched

    def _shows(self, number: int) -> Callable[[bool], None]:
        pio = self.machine.pio.blocks[0]

        def shown(level: bool) -> None:
            at_ns = pio.cycle_fp / 256 * _PIO_CYCLE_NS - self._ahead_ns + SLICE_NS
            alarm = self.alarm(lambda: self.drive(number, level))
            alarm.schedule(max(at_ns - self.clock.nanos, 0))

        return shown


class TwoBench(Bench):
    """A bench whose plant is a second Pico. Its own plant has the panel alone."""

    pico: Pair

    def __init__(
        self, uf2: Path, image: bytes, config: dict[str, Any], lines: tuple[str, ...], seed: int, machine: Pico
    ) -> None:
        ins = [pin for pin in config["inputs"].values() if isinstance(pin, int)]
        outs = [pin for pin in config["outputs"].values() if isinstance(pin, int)]
        super().__init__(uf2, image, config, lines, seed, Pair(uf2, image, machine, ins, outs))

    def _show_lines(self) -> None:
        self.plant.edges = []
        self._show_panel()

    def hand(self, action: str, argument: str = "") -> None:
        if action in PANEL:
            super().hand(action, argument)
            return
        order = f"{action} {argument}".strip()
        if action in ("jam", "misfeed"):
            order = json.dumps(typed(action, argument)[1])
        elif action == "fault":
            order = argument
        answer = self.ask(order)
        if not answer.startswith("ok "):
            raise ValueError(f"the second Pico says {answer!r}")

    def ask(self, order: str) -> str:
        """What the second Pico answers."""
        machine = self.pico.machine
        known = len(machine.console)
        machine.type(order.encode() + b"\n")
        done = lambda: b"@ " in machine.console[known:] and machine.console.endswith(b"\n")  # noqa: E731
        if not self.pico.run(ANSWER_S, until=done):
            raise ValueError(f"the second Pico does not answer: {bytes(machine.console[-500:]).decode()}")
        return machine.console[known:].decode().partition("@ ")[2].splitlines()[0]
