"""The contract of hal/api.py, held by the shipped port on an emulated Raspberry Pi Pico: `make hil-contract UF2=...`.

The promises are those of tests/contract, which the simulated port and the fake chips keep in `make test`. Here they are
kept by a real MicroPython with a real interrupt controller, PIO, DMA, UART and USB, as far as the emulator has them.
Each is tried on a copy of a board that has started.
"""

# The promises run on the MicroPython VM too, and have no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUntypedBaseClass=false

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from hil import Part, add_uf2, all_at_once, missing
from hil_board import ROOT, Notes
from hil_report import GOOD

from fairshoe import _device
from fairshoe.ship.build import build
from fairshoe.ship.closure import ShipError

_device.load()
sys.path.append(str(ROOT / "tests" / "contract"))

from drivers import KINDS, Driver  # noqa: E402
from emulator.bench import Bench  # noqa: E402
from emulator.flashfs import build_image  # noqa: E402
from emulator.pico import Pico  # noqa: E402
from emulator.remote import AGENT, AgentError, RemoteHal, wait_for_box  # noqa: E402
from promises import promised  # noqa: E402

from firmware.image import INPUTS  # noqa: E402
from hal.sim.fram import BP_ALL  # noqa: E402

_WRAP_US = 1000 << 30  # where both clocks of MicroPython begin anew
_BEFORE_WRAP_US = 4_000_000
_QUIET_US = 3000
_DARK_MS = 100


class Started:
    """The files of a board, and one that has started from them and waits."""

    def __init__(self, uf2: Path, board: str) -> None:
        self.uf2 = uf2
        self.image = build_image(build(board, ROOT, AGENT.read_text(encoding="utf-8")).files)
        self.pico: Pico | None = None
        self.box = 0

    def boot(self) -> None:
        self.pico = self.powered()
        self.box = wait_for_box(self.pico)

    def powered(self) -> Pico:
        pico = Pico(self.uf2, self.image)
        pico.count_from(_WRAP_US - _BEFORE_WRAP_US)
        return pico

    def take(self) -> tuple[Pico, int]:
        """It, once; then others, which take their time to start."""
        if self.pico is None:
            self.boot()
        assert self.pico is not None
        pico, self.pico = self.pico, None
        return pico, self.box


class EmulatedDriver(Driver):
    """What the promises know of a board, on an emulated one."""

    name = "rp2"
    family = "pico"
    sent_max = 1056  # what its driver keeps, and the 32 of the chip
    service_max = 257
    verb_us = 4000
    late_us = 200
    causes = (1, 0)  # a Pico cannot tell a reset by software from one by its watchdog
    waiting: ClassVar[dict[str, Started]] = {}

    def build(self, config: dict[str, Any], seed: int) -> None:
        self.source = self.waiting[config["mechanism"]["kind"]]
        pico, self.box = self.source.take()
        self.bench = Bench(self.source.uf2, self.source.image, config, INPUTS, seed, pico)
        self.plant = self.bench.plant
        self.hal: Any = None

    def restart(self) -> None:
        if self.hal is not None:
            self.bench.power_off(_DARK_MS)
            self.bench.power_on(self.source.powered())
            self.box = wait_for_box(self.bench.pico)
        self._begin()

    def run(self, us: int) -> None:
        self.bench.catch_up()
        self.bench.pico.run(us / 1e6)
        self.bench.catch_up()

    def set_line(self, name: str, level: int) -> None:
        super().set_line(name, level)
        self.bench.catch_up()

    def hide_mark(self) -> None:
        self._axis.mark_hidden = True

    def slip_next(self, thousandths: int) -> None:
        self._axis.slip_steps = thousandths * self._axis.place_steps // 1000

    def receive(self, data: bytes) -> None:
        self.bench.send(data)
        self._until_quiet(self.bench.to_send)

    def sent(self) -> bytes:
        uart = self.bench.uart
        uart.held = False
        uart.load()
        self._until_quiet(lambda: -len(self.bench.arrived))
        uart.held = True
        data = bytes(self.bench.arrived)
        self.bench.arrived.clear()
        return data

    def service_receive(self, data: bytes) -> None:
        pico = self.bench.pico
        for at in range(0, len(data), 64):
            pico.type(data[at : at + 64])
            if not pico.run(0.02, until=lambda: not pico.usb_pending()):
                break  # the device takes no more of it
        self._until_quiet(pico.usb_pending)

    def service_sent(self) -> bytes:
        pico = self.bench.pico
        pico.hold_console(False)
        self._until_quiet(lambda: -len(pico.console))
        pico.hold_console(True)
        data = bytes(pico.console)
        pico.console.clear()
        return data

    def fail_storage(self) -> None:
        self.bench.fram.status |= BP_ALL

    def fail_noise(self, kind: str) -> None:
        self.bench.noise.stuck = True

    def resets(self, cause: int) -> None:
        if cause == 0:
            self.restart()
            return
        self.hal.watchdog_feed()
        self.hal.hang()
        self.box = wait_for_box(self.bench.pico)
        self._begin()

    def fed(self) -> int:
        return self.bench.pico.watchdog_fed

    @property
    def _axis(self) -> Any:
        return self.bench.axis

    def _begin(self) -> None:
        self.bench.arrived.clear()
        self.bench.pico.console.clear()
        self.hal = RemoteHal(self.bench, self.box, self.config)
        self.bench.uart.held = True
        self.bench.pico.hold_console(True)
        self.bench.catch_up()

    def _until_quiet(self, pending: Callable[[], int]) -> None:
        """Run until nothing more happens."""
        before = pending() + 1
        while pending() < before:
            before = pending()
            self.run(_QUIET_US)


def try_promise(promise: Callable[[Any, str], None], kind: str, name: str, notes: Notes) -> Part:
    """On a copy of the board that has started."""
    part = Part()
    began = time.perf_counter()
    notes.prefix = f"{name}: "
    try:
        promise(EmulatedDriver, kind)
    except Exception:
        part.result = f"BROKEN\n{traceback.format_exc()}"
    notes(f"{part.result} ({time.perf_counter() - began:.0f} s)")
    return part


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="hil_contract", description="What hal/api.py promises, kept by the port on an emulated Pico."
    )
    add_uf2(parser)
    parser.add_argument("--kind", action="append", choices=KINDS, help="machines of this kind alone; may be repeated")
    parser.add_argument("--only", default="", metavar="TEXT", help="promises with this in their names")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    options = parse(argv)
    wrong = missing(options)
    if wrong:
        print(wrong, file=sys.stderr)
        return 2
    notes = Notes()
    results: dict[str, str] = {}
    try:
        for kind in options.kind or KINDS:
            results |= hold_kind(kind, options, notes)
    except (ShipError, AgentError) as error:
        print(f"hil_contract: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("hil_contract: interrupted", file=sys.stderr)
        return 130
    return show(results, options.json, time.perf_counter() - notes.began)


def hold_kind(kind: str, options: argparse.Namespace, notes: Notes) -> dict[str, str]:
    """Every promise of machines of a kind, and what became of it."""
    known: dict[str, Callable[[Any, str], None]] = {f"{promise.__name__}_{kind}": promise for promise in promised(kind)}
    wanted = {name: promise for name, promise in known.items() if options.only in name}
    if not wanted:
        return {}
    notes(f"booting MicroPython with the files of pico-{kind}")
    started = EmulatedDriver.waiting[kind] = Started(Path(options.uf2), f"pico-{kind}")
    started.boot()
    works: dict[str, Callable[[], Part]] = {
        name: lambda name=name, promise=promise: try_promise(promise, kind, name, notes)
        for name, promise in wanted.items()
    }
    return {name: part.result for name, part in all_at_once(works, options.jobs).items()}


def show(results: dict[str, str], as_json: bool, wall_s: float) -> int:
    broken = {name: result for name, result in results.items() if result != GOOD}
    if as_json:
        print(json.dumps({"kept": len(results) - len(broken), "broken": broken}, indent=1))
    else:
        for name, result in broken.items():
            print(f"{name}: {result}\n")
        print(f"{len(results) - len(broken)} of {len(results)} promises kept on the emulated Pico, in {wall_s:.0f} s")
    return 1 if broken or not results else 0


if __name__ == "__main__":
    sys.exit(main())
