"""The same verbs on two ports: the simulated one, and the one for the RP2040 on a fake board. Both have a plant."""

import importlib
import os
import sys
import time
from typing import Any

import pytest
from fake_board import World

from firmware.image import INPUTS, OUTPUTS, Inputs
from hal.sim.nv import Nv
from hal.sim.plant import Plant
from hal.sim.port import LINK_BUFFER, SimHal

LINE = {name: INPUTS.index(name) for name in INPUTS}
OUTPUT = {name: OUTPUTS.index(name) for name in OUTPUTS}
MASK = 0x3FFFFFFF


class Driver:
    """A port, its plant, and an image to sample into."""

    name = ""
    sent_max = 0
    plant: Plant
    hal: Any

    def __init__(self) -> None:
        self.inp = Inputs()
        self.level = bytearray(len(OUTPUTS))

    def run(self, us: int) -> None:
        raise NotImplementedError

    def drive(self, watch_slot: bool = False, **outputs: int) -> None:
        """Switch these, leave the others."""
        for name, value in outputs.items():
            self.level[OUTPUT[name]] = value
        self.hal.drive(self.level, watch_slot)

    def sample(self) -> list[tuple[str, int, int]]:
        """New edges: line, level, microsecond."""
        inp = self.inp
        inp.edge_count = 0
        self.hal.sample(inp)
        return [
            (INPUTS[inp.edge_line[i]], inp.edge_level[i], inp.edge_us[i]) for i in range(inp.edge_count)
        ]

    def raw(self, name: str) -> int:
        return self.inp.raw[LINE[name]]

    def settle_axis(self, limit_ms: int = 5000) -> int:
        """Sample until the axis does not move; its state then."""
        for _ in range(limit_ms):
            self.sample()
            if self.inp.axis != 1:
                return self.inp.axis
            self.run(1000)
        raise AssertionError("the axis moves and moves")

    # What each does its own way.

    def hide_mark(self) -> None:
        raise NotImplementedError

    def slip_next(self, thousandths: int) -> None:
        """The next move ends so much of a place short."""
        raise NotImplementedError

    def move(self, places: int) -> int:
        """Move, and what became of it."""
        self.hal.move(places, False)
        return self.settle_axis()

    def home(self) -> int:
        self.hal.move(0, True)
        return self.settle_axis()

    def receive(self, data: bytes) -> None:
        raise NotImplementedError

    def sent(self) -> bytes:
        raise NotImplementedError

    def restart(self) -> None:
        """The same board again, with the same storage."""
        raise NotImplementedError


class SimDriver(Driver):
    name = "sim"
    sent_max = LINK_BUFFER

    def __init__(self, config: dict[str, Any], seed: int, patch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self.plant = Plant(config, INPUTS, seed)
        self.nv = Nv(config["nv"]["bytes"])
        self.restart()

    def restart(self) -> None:
        self.hal = SimHal(self.plant, self.nv)

    def run(self, us: int) -> None:
        until_us = self.plant.now_us + us
        changed = False
        while self.plant.now_us < until_us:
            changed = changed or self.plant.changed
            self.plant.changed = False
            self.plant.advance(until_us)
        self.plant.changed = self.plant.changed or changed

    def hide_mark(self) -> None:
        self.plant.luck.add({"fault": "home_lost"})

    def slip_next(self, thousandths: int) -> None:
        moves = self.plant.axis.moves  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]
        self.plant.luck.add({"fault": "axis_slip", "move": moves, "thousandths": thousandths})

    def receive(self, data: bytes) -> None:
        self.hal.received.extend(data)

    def sent(self) -> bytes:
        data = bytes(self.hal.sent)
        self.hal.sent = bytearray()
        return data


class Rp2Driver(Driver):
    name = "rp2"
    sent_max = 32

    def __init__(self, config: dict[str, Any], seed: int, patch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self.config = config
        self.world = World(config, INPUTS, seed)
        self.plant = self.world.plant
        for name, clock in self.world.clocks().items():
            patch.setattr(time, name, clock, raising=False)
        patch.setattr(os, "statvfs", self.world.statvfs)
        for name, module in self.world.modules().items():
            patch.setitem(sys.modules, name, module)
        for name in [name for name in sys.modules if name.startswith(("hal.rp2", "hal.board"))]:
            patch.delitem(sys.modules, name)
        self.restart()

    def restart(self) -> None:
        self.world.channels.clear()
        self.hal = importlib.import_module("hal.rp2.port").make_hal(self.config, INPUTS, OUTPUTS)

    def run(self, us: int) -> None:
        self.world.run(us)

    def sample(self) -> list[tuple[str, int, int]]:
        self.world.show()
        return super().sample()

    @property
    def stepper(self) -> Any:
        assert self.world.axis
        return self.world.axis

    def hide_mark(self) -> None:
        self.stepper.mark_hidden = True
        self.world.show()

    def slip_next(self, thousandths: int) -> None:
        self.stepper.slip_steps = thousandths * self.stepper.place_steps // 1000

    def receive(self, data: bytes) -> None:
        self.world.uart.received += data

    def sent(self) -> bytes:
        data = bytes(self.world.uart.sent)
        self.world.uart.sent.clear()
        return data
