"""A Raspberry Pi Pico that runs a real MicroPython image, deterministically and in emulated time (rp2040py 0.3.6).

No asyncio and no wall clock: whatever the host does, it does at an instant of the emulated clock. The corrections that
this release of the emulator needs are made here, each with its reason.
"""

import importlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from emulator.burst import Bursts
from emulator.flashfs import FS_OFFSET
from emulator.native import load_burst
from emulator.pio import PioClock
from emulator.pl011 import Pl011

_PERI_HZ = 48_000_000
_BUFFER_CONTROL = 0x80  # of USB's endpoint 0, to the host, in the memory that both share; eight bytes each
_WATCHDOG_LOAD = 0x04
_WATCHDOG_TIMER = 1  # the reason of a reset: not asked for
# Typical of the W25Q16JV that a Pico carries; the core stands still meanwhile.
_FLASH_NS = {0x20: 45e6, 0xD8: 150e6, 0x02: 0.4e6}  # sector erase, block erase, page program


class Pico:
    """Power on with `run`. `console` is everything printed on USB."""

    def __init__(self, uf2: Path, fs_image: bytes) -> None:
        boards: Any = importlib.import_module("rp2040py.boards")
        device: Any = importlib.import_module("rp2040py.device")
        memory: Any = importlib.import_module("rp2040py.memory_map")
        pins: Any = importlib.import_module("rp2040py.gpio_pin")
        layout = boards.FlashLayout(fs_start=FS_OFFSET, fs_blockcount=len(fs_image) // 4096, fs_blocksize=4096)
        self._device = device.MicroPythonDevice(board=boards.BoardSpec(image=str(uf2), layout=layout, extras=()))
        self._simulator = self._device.simulator
        self._states = pins.GPIOPinState
        self.mcu = self._device.mcu
        self.clock = self._simulator.clock
        self.console = bytearray()
        self.wall_s = 0.0
        self.resets = 0
        self.watchdog_fed = 0
        self._driven: dict[int, bool] = {}
        self._console_held = False
        self._console_packets: list[tuple[int, int]] = []  # given to the bus by the device, not fetched yet
        self._usb_waits: Callable[[], None] | None = None  # a read of the device without an answer yet
        self.mcu.flash[FS_OFFSET : FS_OFFSET + len(fs_image)] = fs_image
        self.mcu.clk_peri = _PERI_HZ  # MicroPython runs UART and SPI from the USB clock; the emulator assumes 125 MHz
        self._device.cdc.on_serial_data = self.console.extend
        for uart in self.mcu.uart:
            Pl011.replace(uart)
        self.pio = PioClock(self.mcu, self.clock)
        self._hold_idle_usb()
        self._loop_back_outputs()
        self._slow_down_flash()
        self._watch_watchdog()
        self.mcu.core.pc = memory.FLASH_START_ADDRESS
        library = load_burst()
        self.bursts = Bursts(library, self.mcu, self._simulator) if library is not None else None
        self._batch: Callable[[], None] = self.bursts.batch if self.bursts else self._simulator._execute_batch

    # -- emulated time -------------------------------------------------------------------------------------------

    @property
    def now_us(self) -> int:
        return int(self.clock.nanos // 1000)

    @property
    def busy_cycles(self) -> int:
        """Cycles in which the core did something; the rest of the time it slept."""
        return int(self.mcu.core.cycles)

    def alarm(self, action: Callable[[], None]) -> Any:
        """Something to `schedule(nanoseconds)` or `cancel()`, as often as needed."""
        return self.clock.create_alarm(action)

    def count_from(self, us: int) -> None:
        """Let the chip's own timer begin at so many microseconds, whatever resets it."""
        timer = self.mcu.timer
        begin = timer.reset

        def reset() -> None:
            begin()
            timer._epoch_nanos -= us * 1000

        timer.reset = reset
        timer._epoch_nanos -= us * 1000

    def run(self, seconds: float, until: Callable[[], bool] | None = None, look_ns: float = 1e6) -> bool:
        """Go on for so long, or until a condition holds that is looked at so often. False: it did not come."""
        reached: list[bool] = []

        def look() -> None:
            if until is not None and until():
                reached.append(True)
                self._simulator.stop()
            else:
                looking.schedule(look_ns)

        looking = self.alarm(look)
        end = self.alarm(self._simulator.stop)
        end.schedule(seconds * 1e9)
        if until is not None:
            looking.schedule(look_ns)
        began = time.perf_counter()
        self._simulator.stopped = False
        while not self._simulator.stopped:
            self._batch()
        self.wall_s += time.perf_counter() - began
        looking.cancel()
        end.cancel()
        return bool(reached) or until is None

    # -- pins ----------------------------------------------------------------------------------------------------

    def drive(self, number: int, level: bool) -> None:
        """Put a level on an input pin from outside; only a change makes an edge."""
        if self._driven.get(number) != level:
            self.pio.sync()
            self._driven[number] = level
            self.mcu.gpio[number].set_input_value(level)

    def level(self, number: int) -> bool:
        """What was put on an input pin last."""
        return self._driven.get(number, False)

    def listen(self, number: int, action: Callable[[bool], None]) -> None:
        """Call with the new level whenever the firmware switches an output pin."""
        high = self._states.HIGH

        def changed(new: Any, old: Any) -> None:
            if (new == high) != (old == high):
                action(new == high)

        self.mcu.gpio[number].add_listener(changed)

    def type(self, data: bytes) -> None:
        """Send bytes to its USB console."""
        for byte in data:
            self._device.cdc.send_serial_byte(byte)
        waits, self._usb_waits = self._usb_waits, None
        if waits is not None:
            waits()

    def usb_pending(self) -> int:
        """How much of what was typed has not been fetched by the device."""
        return int(self._device.cdc.tx_fifo.item_count)

    def hold_console(self, on: bool) -> None:
        """Whether the host behind the console stops reading."""
        self._console_held = on
        held, self._console_packets = self._console_packets, []
        for offset, value in held:
            self.mcu.usb_ctrl.dpram_updated(offset, value)

    @property
    def watchdog_on(self) -> bool:
        return bool(self.mcu.watchdog.timer.enable)

    def scratch(self, number: int) -> int:
        """One of the eight registers that a reset by the watchdog leaves alone."""
        return int(self.mcu.watchdog.scratch_data[number])

    def bite(self) -> None:
        """The watchdog's time is over, as when a program hangs: it resets the chip."""
        self.mcu.watchdog._reason = _WATCHDOG_TIMER
        self.mcu.watchdog.on_watchdog_trigger()

    # -- corrections ---------------------------------------------------------------------------------------------

    def _hold_idle_usb(self) -> None:
        """A host that has nothing to send does not poll. The emulator answers with empty packets every 10 us: an
        interrupt storm that takes most of the processor's time and never lets it sleep."""
        usb = self.mcu.usb_ctrl
        cdc = self._device.cdc
        answer = usb.on_endpoint_read

        def read(endpoint: int, size: int) -> None:
            if endpoint != cdc._out_endpoint or not cdc.tx_fifo.empty or cdc._pending_line_coding is not None:
                answer(endpoint, size)
            else:
                self._usb_waits = lambda: answer(endpoint, size)

        usb.on_endpoint_read = read
        started = usb.dpram_updated

        def transfer(offset: int, value: int) -> None:
            if self._console_held and offset == _BUFFER_CONTROL + 8 * cdc._in_endpoint:
                self._console_packets.append((offset, value))
            else:
                started(offset, value)

        usb.dpram_updated = transfer

    def _loop_back_outputs(self) -> None:
        """A pad reads back what it drives; the emulator's reads 0."""
        driving = (self._states.LOW, self._states.HIGH)

        def follow(number: int) -> Callable[[Any, Any], None]:
            pin = self.mcu.gpio[number]

            def changed(new: Any, old: Any) -> None:
                if number in self._driven:
                    return
                if new in driving:
                    pin.set_input_value(new == self._states.HIGH)
                elif old in driving:
                    pin.release_input()

            return changed

        for number in range(len(self.mcu.gpio)):
            self.mcu.gpio[number].add_listener(follow(number))

    def _slow_down_flash(self) -> None:
        """Flash erases and programs in no time in the emulator."""
        ssi = self.mcu.ssi
        apply = ssi._apply_command

        def timed() -> None:
            command = ssi._tx_buffer
            writes = ssi._write_enabled and len(command) >= 4
            took_ns = _FLASH_NS.get(command[0], 0.0) if writes else 0.0
            apply()
            if took_ns:
                self.clock.tick(took_ns)

        ssi._apply_command = timed

    def _watch_watchdog(self) -> None:
        watchdog = self.mcu.watchdog
        trigger = watchdog.on_watchdog_trigger

        def reset() -> None:
            self.resets += 1
            trigger()
            if self.bursts:
                self.bursts.chip_was_reset()

        watchdog.on_watchdog_trigger = reset
        write = watchdog.write_uint32

        def written(offset: int, value: int) -> None:
            # One that is being started is loaded before it is enabled: that is no feeding.
            if offset == _WATCHDOG_LOAD and watchdog.timer.enable:
                self.watchdog_fed += 1
            write(offset, value)

        watchdog.write_uint32 = written
