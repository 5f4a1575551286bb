"""`fairshoe floor gateway` as it is, with retention and journal pulls in seconds in place of days and hours, so that a
chaos run sees events deleted and journals continued.

python -m floor.gateway KEEP_S [arguments of `fairshoe floor gateway`]
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairshoe.cli import command_line
from fairshoe_floor import inventory
from fairshoe_floor.gateway import journal_pull, process

RETENTION_S = 2.0
AHEAD = "FLOOR_AHEAD_S"  # how far the clock of the gateway is ahead
PULL_S = 10.0


def main(keep_s: float, arguments: list[str]) -> int:
    read = inventory.read_inventory

    def read_with_seconds(path: Path) -> inventory.Inventory:
        days: Any = keep_s / 86400  # a file has whole days
        hours: Any = PULL_S / 3600
        return replace(read(path), keep_days=days, journal_hours=hours)

    ahead_s, clock = float(os.environ.get(AHEAD, "0")), time.time
    time.time = lambda: clock() + ahead_s
    inventory.read_inventory = read_with_seconds
    process.RETENTION_S = RETENTION_S
    journal_pull.LOOK_S, journal_pull.RETRY_S = 1.0, PULL_S
    return command_line.main(["floor", "gateway", *arguments])


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), sys.argv[2:]))
