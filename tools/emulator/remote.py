"""The verbs of a port that runs on an emulated board: each goes through a box in its memory (agent.py) and takes its
time there."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # they need the emulator, which a test of what goes between the two ends has not
    from emulator.bench import Bench
    from emulator.pico import Pico

AGENT = Path(__file__).with_name("agent.py")
ORDER, DONE = 1, 2
HEAD = "<BBHiii"  # as agent.py has it
_RAM = 0x20000000
_BOOT_S = 20.0
_VERB_S = 5.0
_LOOK_NS = 50_000
_CALLS_MAX = 100  # some 300 bytes each


class AgentError(AssertionError):
    """A verb raised, or did not return."""


def wait_for_box(pico: Pico) -> int:
    """Where the box of a board lies that has power; it runs until its agent says so."""
    begin = len(pico.console)
    line = b"@ box "
    if not pico.run(_BOOT_S, until=lambda: line in pico.console[begin:] and pico.console.endswith(b"\r\n")):
        raise AgentError(f"the board did not start:\n{pico.console.decode('utf-8', 'replace')[-1500:]}")
    return int(pico.console[begin:].rpartition(line)[2].split()[0])


class RemoteHal:
    """hal.api.Hal, from outside the device."""

    def __init__(self, bench: Bench, box: int, config: dict[str, Any]) -> None:
        self._bench = bench
        self._box = box - _RAM
        self._data = b""
        self._calls = 0
        self._call("start", data=json.dumps(config).encode())

    def sample(self, inp: Any) -> bool:
        news = self._call("sample", inp.edge_count)
        lines = len(inp.raw)
        inp.axis = self._data[0]
        inp.edge_lost = inp.edge_lost or self._data[1] != 0
        inp.noisy = self._data[2]
        inp.raw[:] = self._data[3 : 3 + lines]
        for edge, us in struct.iter_unpack("<BI", self._data[3 + lines :]):
            inp.edge[inp.edge_count], inp.edge_us[inp.edge_count] = edge, us
            inp.edge_count += 1
        return news != 0

    def ticks_ms(self) -> int:
        return self._call("ticks_ms")

    def ticks_us(self) -> int:
        return self._call("ticks_us")

    def idle(self, ms: int) -> None:
        self._call("idle", ms)

    def drive(self, level: bytearray, watch_slot: bool) -> None:
        self._call("drive", watch_slot, data=bytes(level))

    def all_off(self) -> None:
        self._call("all_off")

    def move(self, slots: int, home: bool) -> None:
        self._call("move", slots, home)

    def stop_after(self, output: int, line: int, delay_us: int) -> None:
        self._call("stop_after", output, line, delay_us)

    def show(self, lines: tuple[str, str, str, str]) -> None:
        self._call("show", data="\n".join(lines).encode())

    @property
    def lines(self) -> list[str]:
        self._call("lines")
        return self._data.decode().split("\n")

    def link_readinto(self, buf: bytearray) -> int:
        return self._filled(buf, self._call("link_readinto", len(buf)))

    def link_write(self, buf: memoryview, start: int, end: int) -> int:
        return self._call("link_write", start, end, data=bytes(buf))

    def link_service(self, on: bool) -> None:
        self._call("link_service", on)

    def entropy_into(self, buf: bytearray) -> bool:
        return self._filled(buf, self._call("entropy_into", len(buf))) != 0

    def watchdog_feed(self) -> None:
        self._call("watchdog_feed")

    def reset_cause(self) -> int:
        return self._call("reset_cause")

    def unique_id(self) -> int:
        return self._call("unique_id")

    def nv_read(self, address: int, buf: bytearray) -> bool:
        return self._filled(buf, self._call("nv_read", address, len(buf))) != 0

    def nv_prog(self, address: int, buf: bytearray) -> bool:
        return self._call("nv_prog", address, data=bytes(buf)) != 0

    def nv_erase(self, address: int, size: int) -> bool:
        return self._call("nv_erase", address, size) != 0

    def nv_sync(self) -> bool:
        return self._call("nv_sync") != 0

    def collect(self) -> None:
        """If there may be much."""
        if self._calls > _CALLS_MAX:
            self._calls = 0
            self._call("collect")

    def end(self, how: str) -> None:
        """`hang`, which a watchdog that was fed ends, or `reset`. None of the verbs works when the board is reset."""
        resets = self._bench.pico.resets
        self._order(how, (0, 0, 0), b"")
        self._run(lambda: self._bench.pico.resets > resets, how)

    def _filled(self, buf: bytearray, result: int) -> int:
        buf[: len(self._data)] = self._data
        return result

    def _call(self, verb: str, *numbers: int, data: bytes = b"") -> int:
        self._calls += 1
        ram = self._bench.pico.mcu.sram
        self._order(verb, (*numbers, 0, 0, 0)[:3], data)
        self._run(lambda: ram[self._box] != ORDER, verb)
        state, _, size, result, _, _ = struct.unpack_from(HEAD, ram, self._box)
        at = self._box + struct.calcsize(HEAD)
        self._data = bytes(ram[at : at + size])
        if state != DONE:
            raise AgentError(f"{verb}: {self._data.decode('utf-8', 'replace')}")
        return result

    def _order(self, verb: str, numbers: tuple[int, ...], data: bytes) -> None:
        self._bench.catch_up()
        name = verb.encode()
        order = struct.pack(HEAD, ORDER, len(name), len(data), *numbers) + name + data
        ram = self._bench.pico.mcu.sram
        # The first byte last: the device looks at it at any time.
        ram[self._box + 1 : self._box + len(order)] = order[1:]
        ram[self._box] = order[0]

    def _run(self, until: Callable[[], bool], verb: str) -> None:
        if not self._bench.pico.run(_VERB_S, until=until, look_ns=_LOOK_NS):
            raise AgentError(f"{verb} does not return")
        self._bench.catch_up()
