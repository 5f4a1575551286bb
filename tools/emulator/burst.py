"""Bursts: what burst.c runs by itself, and rp2040py's core for the one instruction at which it stops.

The loop takes the place of the package's. The emulated clock advances by whole bursts: no alarm is due within one, and
an instruction that looks at a device is executed at its own instant.
"""

import ctypes
from typing import Any

from emulator.flash_cache import CACHE_WAYS, SET_COUNT, miss_cycles

CYCLE_NS = 8.0
_IDLE_NS = 1e6  # the longest burst if no alarm is set
_KEPT = 8
_DIVIDER = {"dividend": "div_dividend", "divisor": "div_divisor", "quotient": "div_quotient",
            "remainder": "div_remainder", "div_csr": "div_csr"}  # fmt: skip
# Status registers whose reads have no effect, and whose values only an alarm or a write changes.
_SPI_STATUS = {0x4003C00C, 0x4004000C}
_I2C_STATUS = {base + register for base in (0x40044000, 0x40048000) for register in (0x34, 0x70, 0x74, 0x78)}
_DMA_CONTROL = {0x50000000 + 0x40 * channel + register for channel in range(12) for register in (0x0C, 0x10)}
_STATUS = frozenset(_SPI_STATUS | _I2C_STATUS | _DMA_CONTROL)


class State(ctypes.Structure):
    """The same fields in the same order as struct state of burst.c."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("reg", "rom", "flash", "ram")),
        *((name, ctypes.c_uint32) for name in ("flash_bytes", "n", "z", "c", "v", "primask", "ipsr", "pending")),
        *((name, ctypes.c_uint32) for name in ("primask_changed", "stop_op", "stop_address")),
        *((name, ctypes.c_uint32) for name in _DIVIDER),
        ("div_cycles", ctypes.c_uint64),
        ("timer_ns", ctypes.c_uint64),
        ("kept", ctypes.c_uint32),
        ("kept_address", ctypes.c_uint32 * _KEPT),
        ("kept_value", ctypes.c_uint32 * _KEPT),
        ("begin", ctypes.c_uint64),
        *((f"{what}_{which}", ctypes.c_uint64) for what in ("masked", "handler") for which in ("from", "longest")),
        ("masked", ctypes.c_uint32),
        ("handler", ctypes.c_uint32),
        ("miss_cycles", ctypes.c_uint32),
        ("misses", ctypes.c_uint64),
        ("line", ctypes.c_uint32 * CACHE_WAYS * SET_COUNT),
        ("oldest", ctypes.c_uint8 * SET_COUNT),
    ]


def declare(library: ctypes.CDLL) -> ctypes.CDLL:
    library.burst.restype = ctypes.c_int64
    library.burst.argtypes = [ctypes.c_void_p, ctypes.c_int64]
    library.look.restype = None
    library.look.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint32]
    return library


class Bursts:
    """The loop over the instructions of one chip."""

    def __init__(self, library: ctypes.CDLL, mcu: Any, simulator: Any) -> None:
        self._library = declare(library)
        self._mcu = mcu
        self._simulator = simulator
        state = self.state = State()
        self._at = ctypes.addressof(state)
        state.reg = _address(mcu.core.registers)
        state.rom = _address(mcu.bootrom)
        state.flash = _address(mcu.flash)
        state.ram = _address(mcu.sram)
        state.flash_bytes = memoryview(mcu.flash).nbytes
        state.miss_cycles = miss_cycles()
        self._divider_from_chip()

    def forget_waits(self) -> None:
        self.state.masked_longest = self.state.handler_longest = 0

    def longest_waits_us(self) -> tuple[int, int]:
        """For code that masks interrupts, and for a handler, to the microsecond above."""
        state = self.state
        return _us(state.masked_longest), _us(state.handler_longest)

    def chip_was_reset(self) -> None:
        self._divider_from_chip()

    def batch(self) -> None:
        """Until the simulator is stopped: in place of `Simulator._execute_batch`."""
        simulator, clock, core, state = self._simulator, self._simulator.clock, self._mcu.core, self.state
        while not simulator.stopped:
            if core.waiting:
                # A core that sleeps wakes up for an interrupt, masked or not.
                self._library.look(self._at, int(clock.nanos / CYCLE_NS), 0, core.ipsr)
                state.kept = 0
                clock.tick(clock.nanos_to_next_alarm)
                continue
            if core.interrupts_updated:
                core.check_for_interrupts()
            left = clock.nanos_to_next_alarm if clock.has_scheduled_alarm else _IDLE_NS
            ns = self._burst(left)
            if ns >= left or core.interrupts_updated:
                state.kept = 0
            else:
                self._one()

    def _burst(self, left_ns: float) -> float:
        """Run in C up to an alarm. The nanoseconds that it took."""
        core, state, clock = self._mcu.core, self.state, self._simulator.clock
        state.n, state.z, state.c, state.v = core.n, core.z, core.c, core.v
        state.primask, state.ipsr = core.pm, core.ipsr
        state.pending = bool(
            core.pending_interrupts & core.enabled_interrupts
            or core.pending_pend_sv or core.pending_systick or core.pending_svcall or core.pending_nmi
        )  # fmt: skip
        now = clock.nanos
        state.begin = int(now / CYCLE_NS)
        state.timer_ns = int(now - self._mcu.timer._epoch_nanos)
        cycles = self._library.burst(self._at, int(-(-left_ns // CYCLE_NS)) or 1)
        if not cycles:
            return 0.0
        core.n, core.z, core.c, core.v, core.pm = state.n, state.z, state.c, state.v, state.primask
        if state.primask_changed:
            state.primask_changed = 0
            core.interrupts_updated = True
        core.cycles += cycles + state.div_cycles
        state.div_cycles = 0
        clock.tick(cycles * CYCLE_NS)
        return cycles * CYCLE_NS

    def _one(self) -> None:
        """The instruction at which a burst stopped. What it reads of a status register is kept until the next alarm:
        programs poll them."""
        core, state, clock = self._mcu.core, self.state, self._simulator.clock
        op = state.stop_op
        if state.stop_address not in _STATUS or (op >> 11 != 0b01101 and op >> 9 != 0b0101100):  # not LDR
            state.kept = 0
            by_list = op >> 12 == 0b1100  # LDM and STM may reach the divider
            if by_list:
                self._divider_to_chip()
            clock.tick(core.execute_instruction() * CYCLE_NS)
            if by_list:
                self._divider_from_chip()
            return
        ns = core.execute_instruction() * CYCLE_NS
        if clock.has_scheduled_alarm and ns >= clock.nanos_to_next_alarm:
            state.kept = 0
        elif state.kept < _KEPT:
            state.kept_address[state.kept] = state.stop_address
            state.kept_value[state.kept] = core.registers[op & 7]
            state.kept += 1
        clock.tick(ns)

    def _divider_to_chip(self) -> None:
        for ours, theirs in _DIVIDER.items():
            setattr(self._mcu.sio, theirs, getattr(self.state, ours))

    def _divider_from_chip(self) -> None:
        for ours, theirs in _DIVIDER.items():
            setattr(self.state, ours, int(getattr(self._mcu.sio, theirs)) & 0xFFFFFFFF)


def _us(cycles: int) -> int:
    return -(-cycles * int(CYCLE_NS) // 1000)


def _address(buffer: Any) -> int:
    view = memoryview(buffer)
    return ctypes.addressof((ctypes.c_char * view.nbytes).from_buffer(view))
