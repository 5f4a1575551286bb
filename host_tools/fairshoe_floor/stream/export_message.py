"""A pulled journal as it travels: one JSON object, with the export as text."""

from __future__ import annotations

import json
from typing import Any

from fairshoe_floor.journals import Kept

BYTES_MAX = 900_000  # of the broker's 1 MB; an export of 329 records has 75,000


def to_message(kept: Kept, gateway: str) -> bytes:
    said = {
        "gateway": gateway,
        "device": f"{kept.device:08x}",
        "log": kept.log.hex(),
        "kept_at": kept.kept_at,
        "first": kept.first,
        "last": kept.last,
        "problem": kept.problem,
        "export": kept.content.decode("ascii"),
    }
    return json.dumps(said).encode()


def from_message(data: bytes) -> tuple[str, Kept]:
    """The gateway and what it has pulled. ValueError if the data is something else."""
    try:
        said: Any = json.loads(data)
        return str(said["gateway"]), Kept(
            device=int(said["device"], 16),
            log=bytes.fromhex(said["log"]),
            kept_at=float(said["kept_at"]),
            first=int(said["first"]),
            last=int(said["last"]),
            problem=str(said["problem"]),
            content=str(said["export"]).encode("ascii"),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no export: {error!r}") from error
