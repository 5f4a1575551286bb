"""Recover the figures of a motor shoe from edges: its throat, and the exit that the transport reaches by itself."""

from __future__ import annotations

from fairshoe.calibrate.machine import PICK, TRANSPORT, Change, NotCalibrated, Shot, Step
from fairshoe.calibrate.throat import Throat

OUT = (Step(TRANSPORT, 300, "exit", 0), Step(0, 60))


class MotorShoe(Throat):
    """A card that the transport has taken goes all the way to the tray."""

    parts = (("exit_gap_um", "exit beam"), ("tray_us", "tray beam"))

    def _feed(self) -> Shot:
        return self.machine.shoot(
            Step(PICK | TRANSPORT, 300, "throat_b", 1),
            Step(PICK | TRANSPORT, 13),
            Step(TRANSPORT, 300, "exit", 1),
            *OUT,
        )

    def leave(self, shot: Shot, speed: float, out: dict[str, list[float]]) -> list[Change]:
        b1, x1, x0, tray = shot.at("throat_b", 1), shot.at("exit", 1), shot.at("exit", 0), shot.at("tray", 1)
        if b1 is None or x1 is None or x0 is None:
            raise NotCalibrated("the exit beam is silent.", "Look at the exit beam.")
        out["exit_gap_um"].append((x1 - b1) * speed / 1000)
        if tray is not None:
            out["tray_us"].append(tray - x0)
        return []

    def away(self) -> bool:
        if not self.machine.level("tray"):
            self.machine.shoot(Step(TRANSPORT, 300, "exit", 1), *OUT)
        return bool(self.machine.level("tray"))
