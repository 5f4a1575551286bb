"""What the broker says of itself, by its page of health: the cure for a disk that was full is a restart, once there is
room again. nats-server 2.15 never writes to a stream again after its first write error (decision 0067).
"""

from __future__ import annotations

import json
import shutil
import urllib.error
import urllib.request
from pathlib import Path

ROOM_MB = 64  # a restart with less would fill the disk again at once
_TIMEOUT_S = 5.0
_WRITE_ERROR = "write error"


def health(url: str) -> str:
    """What is wrong, in the broker's words; empty if it is well."""
    try:
        with urllib.request.urlopen(f"{url.rstrip('/')}/healthz", timeout=_TIMEOUT_S) as answer:
            data = answer.read(65536)
    except urllib.error.HTTPError as error:
        data = error.read(65536)
    except (OSError, ValueError) as error:
        return f"it does not answer: {error}"
    try:
        said = json.loads(data)
        return "" if said["status"] == "ok" else str(said.get("error") or said["status"])
    except (ValueError, KeyError, TypeError):
        return "its answer is none of a broker"


def restart_due(url: str, store: Path, room_mb: int = ROOM_MB) -> bool:
    """Whether the broker stands still after a full disk that has room again."""
    return _WRITE_ERROR in health(url) and shutil.disk_usage(store).free >= room_mb << 20
