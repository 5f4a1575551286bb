"""The output tray: whether it is empty, believed only after the beam has been clear for a while."""

from firmware.image import IN_TRAY
from firmware.ticks import FOREVER_MS, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.image import Inputs
    from firmware.machines.spec import Spec


class Tray:
    """Sole writer of empty. A hand that lifts part of a stack and puts it back must not look like a taken stack."""

    def __init__(self, spec: "Spec") -> None:
        self.spec = spec
        self.empty = False
        self.blocked = True
        self.clear_ms = 0


def tray_scan(tray: Tray, inp: "Inputs", now_ms: int) -> int:
    """Returns when to come back."""
    if inp.level[IN_TRAY]:
        tray.blocked = True
        tray.empty = False
        return FOREVER_MS
    if tray.blocked:
        tray.blocked = False
        tray.clear_ms = now_ms
    if tray.empty:
        return FOREVER_MS
    left_ms = tray.spec.tray_settle_ms - ticks_diff(now_ms, tray.clear_ms)
    if left_ms > 0:
        return left_ms
    tray.empty = True
    return 0
