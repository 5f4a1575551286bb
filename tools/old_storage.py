"""Storage as an older commit leaves it, for tests that newer firmware takes it over.

    .venv/bin/python tools/old_storage.py 4872250 > tests/unit/kit/storage_4872250.json

Plays a keyed table with the firmware of that commit until a door is opened in the middle of a round, with events that
no host has acknowledged, and switches the power off. Prints every cell that was written, and what that firmware knew.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from release_files import unpack

PLAY = '''
import json, sys
from services import KEY, device
from firmware.protocol import ids

def state(rig):
    app, journal = rig.app, rig.app.journal
    lanes = [[l.op, l.command, l.digest, l.outcome, l.reason, l.detail] for l in journal.lanes.by_role]
    waiting = []
    for seq in range(journal.seq_acked + 1, journal.seq_last + 1):
        waiting.append([journal.load(seq), bytes(journal.payload()).hex()])
    return {
        "log": journal.log.hex(), "head": journal.head.hex(), "key": app.link.key.hex(),
        "seq_last": journal.seq_last, "seq_acked": journal.seq_acked, "round_last": journal.round_last,
        "boot_last": journal.boot_last, "warning": journal.warning, "lanes": lanes, "waiting": waiting,
        "meters": list(app.flow.meters.values), "facts": bytes(app.flow.facts.row).hex(),
    }


def command(stage, op, message, argument=0):
    stage._to_device(stage.peer.command(op, message, argument))
    stage.run(500)

stage = device(KEY, 64)
stage.play([("", 300, "load", 8)])
command(stage, 1, ids.CMD_SHUFFLE)
stage.until("deck_verified", 60000)
stage.run(500)
command(stage, 2, ids.CMD_SET_POSITIONS, 2)
stage.peer.acknowledges = False
command(stage, 3, ids.CMD_CLOSE_BETTING)
command(stage, 4, ids.CMD_CONFIRM_LOCKOUT)
stage.play([("stack_offered", 500, "take", 0), ("", 3000, "open", 0)])
stage.run(3000)
known = state(stage.rig)
data = bytes(stage.rig.nv.data)
cells = {}
for at in range(0, len(data), 96):
    if any(data[at : at + 96]):
        cells[str(at // 96)] = data[at : at + 96].hex()
json.dump({"bytes": len(data), "known": known, "cells": cells}, sys.stdout, indent=0)
print()
'''


def main(commit: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        unpack(commit, Path(folder))
        path = [folder, *(str(Path(folder, part)) for part in ("tests/unit", "host_tools/fairshoe/_shim"))]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
        return subprocess.run([sys.executable, "-c", PLAY], cwd=folder, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
