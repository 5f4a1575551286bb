"""The HAL verbs on a board. Nothing is touched before BoardHal is made, and then the outputs first: all off.

Limits: there is no driver for a card reader: card_code stays 0.
"""

import machine
from machine import I2C, SPI, UART, WDT, Pin, Timer
from micropython import const

from hal.board.bus import Bus
from hal.board.expander import Expander
from hal.board.stop import Stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from hal.api import Config, InputImage, Storage
    from hal.board.clock import sleep_ms, ticks_add, ticks_diff, ticks_ms, ticks_us
    from hal.board.lcd import Lcd
else:
    from time import sleep_ms, ticks_add, ticks_diff, ticks_ms, ticks_us

_TICK_MS = const(2)
_WATCHDOG_MS = const(500)  # drawing an order, the longest scan, takes 40 (docs/BUDGETS.md)
RX_BYTES = const(512)  # 44 ms at 115200 baud: longer than a collection
TX_BYTES = const(1024)  # a full window of events and a status
SPI_HZ = const(8000000)  # assumed safe for the part and the board's wires
I2C_HZ = const(400000)
_I2C_TIMEOUT_US = const(2000)  # a poll is 0.12 ms of bus time; a bus held down must not cost a scan
_DRAIN_BYTES = const(64)
_DRAINS_MAX = const(32)  # more than any of the ports can have kept
_UNPOLLED_MAX = const(8)  # idle polls the panel; so does a caller that never idles, every so many samples
_NO_BIT = const(16)
_LOST_BIT = const(0x20000)  # beside the buttons' sixteen, so that a sample compares once: the panel does not answer
_MASK = const(0x3FFFFFFF)
_NO_LINE = const(255)


class BoardHal:
    """One board. `input_names` and `output_names` are the firmware's, in its order.

    `fit` is called with the board and its config when the outputs are off, and gives it what only its chip has:
    `entropy_into`; `axis` and `nv` where the board has those of the chip. A port derives from this and says how it
    watches beams: `_make_beams`.
    """

    def __init__(
        self,
        config: "Config",
        input_names: "tuple[str, ...]",
        output_names: "tuple[str, ...]",
        fit: "Callable[[BoardHal, Config], None]",
    ) -> None:
        self._bind_outputs(config["outputs"], output_names)
        self.axis: "Any" = None
        self.nv: "Storage | None" = None
        self.entropy_into: "Any"
        fit(self, config)
        self._bind_parts(config["nv"])
        self._bind_inputs(config, input_names)
        self._panel: "Expander | None" = None
        self._display: "Lcd | None" = None
        bus = config.get("expander")
        if bus:
            mask = 0
            for bit in self._buttons:
                mask |= 1 << bit
            i2c = Bus(bus, self._i2c)
            self._panel = Expander(i2c, bus["address"], mask)
            if "display" in config:
                from hal.board.lcd import Lcd

                self._display = Lcd(i2c, config["display"]["address"])
        self._link = self._table = self._uart(config["link"])
        if "de" in config["link"]:
            # After the UART, so that the line driver starts with TX at its idle level. It stays on: the link is full
            # duplex, and a reset releases the pin (decision 0027).
            Pin(config["link"]["de"], Pin.OUT, value=1)
        self.lines = ("", "", "", "")

    def _bind_outputs(self, outputs: "Config", names: "tuple[str, ...]") -> None:
        self._pins: "list[Pin | None]" = []
        self._drives: "list[int]" = []  # outputs on pins that move cards or switch light: not the lamps
        for name in names:
            where = outputs.get(name)
            pin = None
            if isinstance(where, int):
                pin = Pin(where, Pin.OUT, value=0)
                if not name.startswith("lamp_"):
                    self._drives.append(len(self._pins))
            self._pins.append(pin)
        self._lamps = _expander_bits(outputs, names)
        self._lamp_bits = 0
        self._lamps_due = False
        self._levels = bytearray(len(names))
        self._stop = self._stop_kind(self._pins, self._levels, self._drives, self._timer(-1))
        self.stop_after = self._stop.arm
        self.ticks_ms = ticks_ms
        self.ticks_us = ticks_us

    def _bind_parts(self, config: "Config") -> None:
        """Import parts only where they are used, to save the heap for boards without them."""
        if self.axis is None:
            from hal.board.no_axis import NoAxis

            self.axis = NoAxis()
        self.move = self.axis.move
        nv = self.nv
        if nv is None:
            from hal.board.fram import Fram

            nv = Fram(self._spi(config), config)
        self.nv_read = nv.nv_read
        self.nv_prog = nv.nv_prog
        self.nv_erase = nv.nv_erase
        self.nv_sync = nv.nv_sync

    def _bind_inputs(self, config: "Config", names: "tuple[str, ...]") -> None:
        inputs = config["inputs"]
        lines: "list[tuple[int, Any]]" = []
        for line in range(len(names)):
            where = inputs.get(names[line])
            if isinstance(where, int):
                lines.append((line, where))
        # Edges that a line may have in 8 ms, the window over which they are counted.
        limit = config["mechanism"]["edges_per_s_max"] * 8 // 1000
        self._beams = self._make_beams(lines, names.index("slot"), limit)
        self._slot = "slot" in inputs
        self._buttons = _expander_bits(inputs, names)
        self._button_bits = 0  # as the image has them
        self._pressed = 0  # as they are
        self._unpolled = 0

    # -- what differs between chips ----------------------------------------------------------------------

    _make_beams: "Any"  # (lines and their pins, the slot beam's line, limit) -> noisy, news, take, watched, watch
    _stop_kind: "Any" = Stop
    _timer: "Any" = Timer  # its init and deinit, with microseconds

    def _uart(self, link: "Config") -> "Any":  # the stubs do not know write(buf, offset, size)
        return UART(link["uart"], link["baud"], tx=Pin(link["tx"]), rx=Pin(link["rx"]), rxbuf=RX_BYTES, txbuf=TX_BYTES)

    def _i2c(self, bus: "Config") -> "Any":
        return I2C(bus["i2c"], sda=Pin(bus["sda"]), scl=Pin(bus["scl"]), freq=I2C_HZ, timeout=_I2C_TIMEOUT_US)

    def _spi(self, bus: "Config") -> "Any":
        return SPI(bus["spi"], baudrate=SPI_HZ, sck=Pin(bus["sck"]), mosi=Pin(bus["mosi"]), miso=Pin(bus["miso"]))

    def _service(self) -> "Any":
        """The service port. Imported when the key switch is turned: it has no other use."""
        from hal.board.usb import UsbPort

        return UsbPort()

    # -- time ------------------------------------------------------------------------------------------------------

    def idle(self, ms: int) -> None:
        """Ticks of 2 ms until something is new for a scan; in each a slice for the display, if one is due."""
        until_ms = ticks_add(ticks_ms(), ms)
        while True:
            if self._display:
                self._display.send()
            if self._news():
                return
            left_ms = ticks_diff(until_ms, ticks_ms())
            if left_ms <= 0:
                return
            sleep_ms(min(left_ms, _TICK_MS))

    # -- inputs ----------------------------------------------------------------------------------------------------

    def sample(self, inp: "InputImage") -> bool:
        beams = self._beams
        news = beams.take(inp)
        if beams.noisy != inp.noisy:
            news = True
            if inp.noisy == _NO_LINE:
                self.all_off()  # and nothing starts until it is that again, whatever line is named meanwhile
            inp.noisy = beams.noisy
        axis = self.axis
        if axis.resting:
            axis.service()
        if inp.axis != axis.state:
            news = True
            inp.axis = axis.state
            inp.axis_early = axis.early
        if self._stop.failed:
            raise RuntimeError("interrupt handler failed")
        self._unpolled += 1
        if self._unpolled > _UNPOLLED_MAX:
            self._poll()
        if self._pressed != self._button_bits:
            news = True
            self._press(inp)
        return news

    def _news(self) -> bool:
        """Whether a scan would find anything: an edge, the end of a move, a button, a byte."""
        if self.axis.resting or self._beams.news():
            return True
        self._poll()
        return self._pressed != self._button_bits or self._link.any() > 0

    def _poll(self) -> None:
        self._unpolled = 0
        panel = self._panel
        if panel is not None:
            self._pressed = panel.poll() | (_LOST_BIT if panel.lost else 0)
            if panel.settling:
                self._unpolled = _UNPOLLED_MAX  # the next sample polls, too

    def _press(self, inp: "InputImage") -> None:
        """Buttons have no interrupt; the moment of the poll is good enough for a finger."""
        bits = self._pressed
        changed = bits ^ self._button_bits
        self._button_bits = bits
        inp.panel_lost = bits & _LOST_BIT != 0
        count = inp.edge_count
        for line in range(len(self._buttons)):
            bit = self._buttons[line]
            if not changed >> bit & 1:
                continue
            inp.raw[line] = bits >> bit & 1
            if count == len(inp.edge_us):
                inp.edge_lost = True
                continue
            inp.edge[count] = line << 1 | inp.raw[line]
            inp.edge_us[count] = ticks_us()
            count += 1
        inp.edge_count = count

    # -- outputs ---------------------------------------------------------------------------------------------------

    def drive(self, level: bytearray, watch_slot: bool) -> None:
        if self._slot and self._beams.watched != watch_slot:
            self._beams.watch(watch_slot)
        stop = self._stop
        if stop.held >= 0 and not level[stop.held]:
            stop.held = -1
        if level != self._levels:
            self._switch_changed(level)
        if stop.held >= 0 and self._levels[stop.held]:
            # The edge came while we were switching.
            self._switch(stop.held, 0)
        if self._lamps_due and self._panel is not None:
            self._lamps_due = False
            self._panel.write(self._lamp_bits)

    def _switch_changed(self, level: bytearray) -> None:
        levels = self._levels
        for i in range(len(levels)):
            if level[i] != levels[i] and i != self._stop.held:
                self._switch(i, level[i])
                if level == levels:
                    break  # most often it is one, and a motor's, which come first

    def _switch(self, output: int, value: int) -> None:
        if value and self._beams.noisy != _NO_LINE and output in self._drives:
            return  # nothing starts in a storm
        pin = self._pins[output]
        if pin is not None:
            pin.value(value)
        elif self._lamps[output] != _NO_BIT:
            self._lamp_bits ^= 1 << self._lamps[output]
            self._lamps_due = True
        # Last: a stop that came in between noted a level that the pin no longer has, and `drive` has to see that.
        self._levels[output] = value

    def step(self, steps: int, pace: int) -> None:
        self.axis.step(steps, pace)

    def home_at(self) -> int:
        return self.axis.home_at()

    def all_off(self) -> None:
        # Pins first, then the axis: what moves is off, whatever of the rest raises.
        self._stop.motors_off()
        try:
            self.axis.halt()
        finally:
            self._stop.cancel()

    def show(self, lines: "tuple[str, str, str, str]") -> None:
        self.lines = lines
        if self._display:
            self._display.show(lines)

    # -- the link --------------------------------------------------------------------------------------------------

    def link_readinto(self, buf: bytearray) -> int:
        size = self._link.any()
        if not size:
            return 0
        # Asking for more than is there would wait for it.
        return self._link.readinto(buf, min(size, len(buf))) or 0

    def link_write(self, buf: memoryview, start: int, end: int) -> int:
        return self._link.write(buf, start, end - start) or 0

    def link_service(self, on: bool) -> None:
        self._link = self._service() if on else self._table
        # Drop bytes that came before the port was the link: a planted message must not wait for the switch.
        unheard = bytearray(_DRAIN_BYTES)
        for _ in range(_DRAINS_MAX):
            if not self.link_readinto(unheard):
                break

    # -- the board -------------------------------------------------------------------------------------------------

    def watchdog_feed(self) -> None:
        """The first call starts it; from then on this name is the method of WDT, which saves every scan a call."""
        self.watchdog_feed = WDT(timeout=_WATCHDOG_MS).feed
        self.watchdog_feed()

    def reset_cause(self) -> int:
        cause = machine.reset_cause()
        if cause == machine.PWRON_RESET:
            return 0
        return 1 if cause == machine.WDT_RESET else 2

    def unique_id(self) -> int:
        number = 0
        for byte in machine.unique_id():
            number = (number << 5 ^ number >> 25 ^ byte) & _MASK
        return number


def _expander_bits(lines: "Config", names: "tuple[str, ...]") -> "list[int]":
    """For each name its bit on the port expander, or one that it does not have: it may be on a pin, which has a number,
    or a name where the chip's pins have names, or nowhere."""
    bits: "list[int]" = []
    for name in names:
        where = lines.get(name)
        bits.append(where["expander"] if isinstance(where, dict) else _NO_BIT)
    return bits
