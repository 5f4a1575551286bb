"""Serial ports with a real simulated device behind them, in process: reading moves simulated time."""

import json
from pathlib import Path
from typing import Any

from hal.sim.noise import Noise
from rig.actions import act
from rig.rig import Rig

ROOT = Path(__file__).resolve().parents[3]
KEY = bytes(range(32))
STEP_MS = 20


class RigPorts:
    """What pyserial would give for one of the two ports of a rig, which may have run before. A read that finds nothing
    lets the device run on for a moment."""

    def __init__(self, rig: Rig, service: bool = False) -> None:
        self.rig = rig
        self.service = service
        self.to_host: Noise | None = None
        self.to_device: Noise | None = None
        self.arrived = bytearray()
        self.written = bytearray()
        self.plugged = True
        self.closed = False
        rig.deliver = None

    @property
    def in_waiting(self) -> int:
        return len(self.arrived)

    def read(self, size: int) -> bytes:
        self._alive()
        if not self.arrived:
            self.run(STEP_MS)
        data = bytes(self.arrived[:size])
        del self.arrived[:size]
        return data

    def write(self, data: bytes) -> None:
        self._alive()
        self.written += data
        hal = self.rig.hal
        if hal.service == self.service:
            received = hal.service_received if self.service else hal.received
            received.extend(self.to_device.carry(data) if self.to_device else data)
            self.rig.plant.changed = True

    def close(self) -> None:
        self.closed = True

    def run(self, ms: int) -> None:
        limit_us = self.rig.plant.now_us + ms * 1000
        while self.rig.plant.now_us < limit_us:
            self.rig.step(limit_us)
            hal = self.rig.hal
            sent = hal.service_sent if self.service else hal.sent
            if sent:
                self.arrived += self.to_host.carry(sent) if self.to_host else sent
            hal.sent = bytearray()
            hal.service_sent = bytearray()

    def _alive(self) -> None:
        if not self.plugged:
            raise OSError("device not configured")


class RigPort(RigPorts):
    """The table port of a device of its own."""

    def __init__(
        self,
        key: bytes = b"",
        mode: str = "report_only",
        clear_ack: bool = True,
        seed: int = 7,
        seeds: str = "erase",
    ) -> None:
        config: dict[str, Any] = json.loads((ROOT / "board_configs" / "pico-carousel.json").read_text())
        config["link"]["mode"] = mode
        config["link"]["clear_ack"] = clear_ack
        config["audit"] = {"seeds": seeds}
        super().__init__(Rig(config, "caribbean-stud", seed, 0, key))

    def hand(self, action: str, argument: str = "") -> None:
        act(self.rig, action, argument)
