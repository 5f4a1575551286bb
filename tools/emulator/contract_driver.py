"""What the promises of tests/contract know of a board, on an emulated one."""

# The promises run on the MicroPython VM too, and have no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUntypedBaseClass=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from drivers import Driver

from emulator.bench import Bench
from emulator.flashfs import build_image
from emulator.pico import Pico
from emulator.remote import AGENT, RemoteHal, wait_for_box
from fairshoe.ship.build import build
from firmware.image import INPUTS
from hal.sim.fram import BP_ALL

_WRAP_US = 1000 << 30  # where both clocks of MicroPython wrap
_BEFORE_WRAP_US = 4_000_000
_QUIET_US = 3000
_DARK_MS = 100


class Started:
    """The files of a board, and one that has started from them and waits."""

    def __init__(self, uf2: Path, board: str, root: Path, frozen: bool = False) -> None:
        """With the firmware frozen in the image, the agent is the only file."""
        self.uf2 = uf2
        files = build(board, root, AGENT.read_text(encoding="utf-8")).files
        self.image = build_image({"main.py": files["main.py"]} if frozen else files)
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


class BenchStorm:
    """A storm on lines of a bench. When it stops they show what the plant has again, which may be one more edge."""

    def __init__(self, bench: Bench, names: tuple[str, ...], hz: int) -> None:
        self.edges = 0
        self._bench = bench
        self._pins = [bench.config["inputs"][name] for name in names]
        bench.catch_up()
        bench.storm_on(names, hz)

    def stop(self) -> None:
        storm, pico = self._bench.storm, self._bench.pico
        assert storm is not None
        before = [pico.level(pin) for pin in self._pins]
        self._bench.storm_on((), 0)
        self._bench.catch_up()
        self.edges = storm.edges + sum(pico.level(pin) != level for pin, level in zip(self._pins, before, strict=True))


class EmulatedDriver(Driver):
    """A Pico. The other end of its ports reads only when a test asks for it."""

    name = "rp2"
    family = "pico"
    sent_max = 1056  # what its driver keeps, and the 32 of the chip
    service_max = 257
    verb_us = 4000
    late_us = 200
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

    def rest(self) -> None:
        """What the agent leaves behind is collected now, and not in the middle of a verb."""
        self.hal.collect()

    def run(self, us: int) -> None:
        self.bench.catch_up()
        self.bench.pico.run(us / 1e6)
        self.bench.catch_up()

    def set_line(self, name: str, level: int, then_us: int = 0) -> None:
        super().set_line(name, level)
        self.bench.catch_up()
        if then_us:
            self.run(then_us)

    def storm(self, names: tuple[str, ...], hz: int) -> Any:
        return BenchStorm(self.bench, names, hz)

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
        self.bench.pico.hold_console(False)
        if cause == 1:
            self.hal.watchdog_feed()
        self.hal.end("hang" if cause == 1 else "reset")
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
