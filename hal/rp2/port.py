"""The HAL verbs on an RP2040. Nothing is touched before Rp2Hal is made, and then the outputs first: all off.

Limits: the display is not in the board config yet, so `show` keeps its lines in an attribute. There is no driver for a
card reader: card_code stays 0. Entropy is the ring oscillator's raw bit, unconditioned.
"""

import machine
from machine import UART, WDT, Pin, mem32
from micropython import const

from hal.rp2.clock import sleep_ms, ticks_add, ticks_diff, ticks_ms, ticks_us
from hal.rp2.edges import RING, Beam, Edges, Stop
from hal.rp2.expander import Expander

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hal.api import Config, InputImage, Storage

_ROSC_RANDOMBIT = 0x4006001C
_TICK_MS = const(2)
_WATCHDOG_MS = const(500)  # drawing an order, the longest scan, takes 40 (docs/BUDGETS.md)
_RX_BYTES = const(512)  # 44 ms at 115200 baud: longer than a collection
_TX_BYTES = const(1024)  # a full window of events and a status
_DRAIN_BYTES = const(64)
_DRAINS_MAX = const(32)  # more than any of the ports can have kept
_UNPOLLED_MAX = const(8)  # idle polls the panel; so does a caller that never idles, every so many samples
_MASK = const(0x3FFFFFFF)


class Rp2Hal:
    """One board. `input_names` and `output_names` are the firmware's, in its order."""

    def __init__(self, config: "Config", input_names: "tuple[str, ...]", output_names: "tuple[str, ...]") -> None:
        outputs = config["outputs"]
        self._pins: "list[Pin | None]" = []
        self._drives: "list[int]" = []  # outputs on pins that move cards or switch light: not the lamps
        for name in output_names:
            number = outputs.get(name)
            if isinstance(number, int) and not name.startswith("lamp_"):
                self._drives.append(len(self._pins))
            self._pins.append(Pin(number, Pin.OUT, value=0) if isinstance(number, int) else None)
        self._lamps = _expander_bits(outputs, output_names)
        self._lamp_bits = 0
        self._lamps_due = False
        self._levels = bytearray(len(output_names))
        self._stop = Stop(self._pins, self._levels)
        self._axis = _make_axis(config)
        self._edges = Edges()
        self._beams: "list[Beam]" = []
        self._slot: "Beam | None" = None
        self._bind_inputs(config["inputs"], input_names)
        self._buttons = _expander_bits(config["inputs"], input_names)
        self._button_bits = 0  # as the image has them
        self._pressed = 0  # as they are
        self._unpolled = 0
        self._panel: "Expander | None" = None
        if "expander" in config:
            mask = 0
            for bit in self._buttons:
                mask |= 1 << bit if bit >= 0 else 0
            self._panel = Expander(config["expander"], mask)
        self._bind_nv(_make_nv(config["nv"]))
        link = config["link"]
        self._link: "Any" = UART(  # the stubs do not know write(buf, offset, size)
            link["uart"], link["baud"], tx=Pin(link["tx"]), rx=Pin(link["rx"]), rxbuf=_RX_BYTES, txbuf=_TX_BYTES
        )
        self._table = self._link
        if config["entropy"]["source"] != "rp2040_rosc":
            raise ValueError("no noise source " + config["entropy"]["source"])
        self._dog: "WDT | None" = None
        self.lines = ("", "", "", "")

    def _bind_inputs(self, inputs: "Config", names: "tuple[str, ...]") -> None:
        for line in range(len(names)):
            number = inputs.get(names[line])
            if not isinstance(number, int):
                continue
            is_slot = names[line] == "slot"
            beam = Beam(self._edges, self._stop, line, number, not is_slot)
            self._beams.append(beam)
            if is_slot:
                self._slot = beam

    def _bind_nv(self, nv: "Storage") -> None:
        self.nv_read = nv.nv_read
        self.nv_prog = nv.nv_prog
        self.nv_erase = nv.nv_erase
        self.nv_sync = nv.nv_sync

    # -- time ------------------------------------------------------------------------------------------------------

    def ticks_ms(self) -> int:
        return ticks_ms()

    def ticks_us(self) -> int:
        return ticks_us()

    def idle(self, ms: int) -> None:
        """Ticks of 2 ms until something is new for a scan."""
        until_ms = ticks_add(ticks_ms(), ms)
        while not self._news():
            left_ms = ticks_diff(until_ms, ticks_ms())
            if left_ms <= 0:
                return
            sleep_ms(left_ms if left_ms < _TICK_MS else _TICK_MS)

    # -- inputs ----------------------------------------------------------------------------------------------------

    def sample(self, inp: "InputImage") -> bool:
        axis = self._axis
        if axis.resting:
            axis.service()
        news = inp.axis != axis.state
        inp.axis = axis.state
        edges = self._edges
        if edges.stale:
            news = True
            edges.stale = False
            self._refresh(inp)
        # After the levels: an edge that came in between is the newer truth.
        if edges.head != edges.tail:
            news = True
            self._drain(inp)
        self._unpolled += 1
        if self._unpolled > _UNPOLLED_MAX:
            self._poll()
        if self._pressed != self._button_bits:
            news = True
            self._press(inp)
        return news

    def _news(self) -> bool:
        """Whether a scan would find anything: an edge, the end of a move, a button, a byte."""
        edges = self._edges
        if edges.head != edges.tail or edges.stale or self._axis.resting:
            return True
        self._poll()
        return self._pressed != self._button_bits or self._link.any() > 0

    def _poll(self) -> None:
        self._unpolled = 0
        if self._panel is not None:
            self._pressed = self._panel.poll()

    def _refresh(self, inp: "InputImage") -> None:
        """Levels from the beams themselves."""
        edges = self._edges
        if edges.lost:
            edges.lost = False
            inp.edge_lost = True
        for beam in self._beams:
            inp.raw[beam.line] = beam.level

    def _drain(self, inp: "InputImage") -> None:
        """Bound: the ring. Without a call for each: a beam's edge bounces, and comes as four of them."""
        edges = self._edges
        at = edges.tail
        count = inp.edge_count
        while at != edges.head:
            if count == len(inp.edge_us):
                inp.edge_lost = True
                at = edges.head
                self._refresh(inp)
                break
            inp.edge_line[count] = edges.line[at]
            inp.edge_level[count] = inp.raw[edges.line[at]] = edges.level[at]
            inp.edge_us[count] = edges.us[at]
            count += 1
            at = (at + 1) % RING
        inp.edge_count = count
        edges.tail = at

    def _press(self, inp: "InputImage") -> None:
        """Buttons have no interrupt; the moment of the poll is good enough for a finger."""
        bits = self._pressed
        changed = bits ^ self._button_bits
        self._button_bits = bits
        now_us = ticks_us()
        for line in range(len(self._buttons)):
            bit = self._buttons[line]
            if bit >= 0 and changed >> bit & 1:
                _put_edge(inp, line, bits >> bit & 1, now_us)

    # -- outputs ---------------------------------------------------------------------------------------------------

    def drive(self, level: bytearray, watch_slot: bool) -> None:
        slot = self._slot
        if slot is not None and slot.watched != watch_slot:
            slot.watch(watch_slot)
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

    def _switch(self, output: int, value: int) -> None:
        self._levels[output] = value
        pin = self._pins[output]
        if pin is not None:
            pin.value(value)
        elif self._lamps[output] >= 0:
            self._lamp_bits ^= 1 << self._lamps[output]
            self._lamps_due = True

    def all_off(self) -> None:
        self._stop.cancel()
        for i in self._drives:
            self._levels[i] = 0
            pin = self._pins[i]
            if pin is not None:
                pin.value(0)
        self._axis.halt()

    def move(self, slots: int, home: bool) -> None:
        if home:
            self._axis.home()
        else:
            self._axis.move(slots)

    def stop_after(self, output: int, line: int, delay_us: int) -> None:
        self._stop.arm(output, line, delay_us)

    def show(self, lines: "tuple[str, str, str, str]") -> None:
        self.lines = lines

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
        if on:
            # Imported when somebody turns the switch: it has no other use.
            from hal.rp2.usb import UsbPort

            self._link = UsbPort()
        else:
            self._link = self._table
        # What came while nobody listened was for nobody: a planted message must not wait for the switch.
        unheard = bytearray(_DRAIN_BYTES)
        for _ in range(_DRAINS_MAX):
            if not self.link_readinto(unheard):
                break

    # -- the board -------------------------------------------------------------------------------------------------

    def entropy_into(self, buf: bytearray) -> bool:
        """One raw bit per read, eight to a byte. A source that never changes is no source."""
        ones = 0
        for i in range(len(buf)):
            byte = 0
            for _ in range(8):
                byte = byte << 1 | mem32[_ROSC_RANDOMBIT] & 1
            buf[i] = byte
            ones |= 1 if byte else 0
            ones |= 2 if byte != 0xFF else 0
        return ones == 3

    def watchdog_feed(self) -> None:
        if self._dog is None:
            self._dog = WDT(timeout=_WATCHDOG_MS)
        self._dog.feed()

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


def _make_axis(config: "Config") -> "Any":
    """Imported only where there is one: a shoe's heap has better uses for the code of an axis."""
    if "axis" not in config:
        from hal.rp2.still import NoAxis

        return NoAxis()
    from hal.rp2.axis import Axis

    return Axis(config["axis"], config["mechanism"])


def _make_nv(config: "Config") -> "Storage":
    if config["kind"] == "flash":
        from hal.rp2.onboard import onboard

        return onboard(config)
    from hal.rp2.fram import Fram

    return Fram(config)


def _expander_bits(lines: "Config", names: "tuple[str, ...]") -> "list[int]":
    """For each name its bit on the port expander, or -1."""
    bits: "list[int]" = []
    for name in names:
        where = lines.get(name)
        bits.append(where["expander"] if isinstance(where, dict) else -1)
    return bits


def _put_edge(inp: "InputImage", line: int, level: int, us: int) -> None:
    count = inp.edge_count
    inp.raw[line] = level
    if count == len(inp.edge_us):
        inp.edge_lost = True
        return
    inp.edge_line[count] = line
    inp.edge_level[count] = level
    inp.edge_us[count] = us
    inp.edge_count = count + 1
