"""Journals of real firmware for tests: devices that have lived through something, and ports to pull from."""

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from rig_port import RigPorts

from fairshoe import Shoe
from fairshoe.journal.export import Export, Record, export_text, pull
from fairshoe.journal.verify import attestation_mac, seal_mac
from fairshoe.keys import RoleKey, role_key
from fairshoe.link.session import HostSession
from fairshoe.messages import Role, Sealed
from firmware.link.admission import ALIVE_MS
from firmware.protocol import ids
from rig import stories
from rig.rig import Rig
from rig.story import Stage

ROOT = Path(__file__).resolve().parents[3]
KEY = bytes(range(32))
NEW_KEY = bytes(range(100, 132))
CELL = 96
SMALL = {"deck_cards": 8, "stack_cards": 2}
SEALED_END = 43  # of a record: behind the MAC of its seal


def opener(rig: Rig, service: bool = True) -> Callable[[RoleKey | None], Shoe]:
    """Opens the port of a rig again and again, as a tool does that closes it in between."""

    def open_shoe(key: RoleKey | None) -> Shoe:
        session = HostSession(key)
        shoe = Shoe(RigPorts(rig, service), "rig", session, clock=lambda: rig.plant.now_us / 1e6)
        shoe.greet()
        return shoe

    return open_shoe


@contextmanager
def opened(rig: Rig, key: RoleKey | None = None, service: bool = False) -> Generator[Shoe]:
    """A shoe on a rig; restores the previous listener to its bytes afterwards."""
    deliver = rig.deliver
    port = RigPorts(rig, service)
    if key is not None and key.role not in (Role.TABLE, Role.SERVICE):
        port.run(ALIVE_MS)  # this role waits until the table system has been silent for so long
    shoe = Shoe(port, "rig", HostSession(key), clock=lambda: rig.plant.now_us / 1e6)
    try:
        shoe.greet()
        yield shoe
    finally:
        rig.deliver = deliver


def pulled(rig: Rig, key: bytes = KEY, known: Export | None = None, start: int = 0, sign: bool = False) -> Export:
    """An export as `fairshoe journal pull` makes it at the port that is the link, with the lines of its records."""
    with opened(rig, role_key(key, Role.TABLE) if key else None, rig.hal.service) as shoe:
        export = pull(shoe, known, start, sign=sign)
    return replace(export, records=[replace(record, line=at + 2) for at, record in enumerate(export.records)])


def board(cells: int = 0) -> dict[str, Any]:
    """A small carousel; with `cells` its journal holds so many records."""
    config: dict[str, Any] = json.loads((ROOT / "board_configs" / "pico-carousel.json").read_text())
    config["mechanism"].update({"slot_count": 12, "slot_beam_slots": 3})
    config["link"]["mode"] = "table"
    if cells:
        config["nv"]["bytes"] = (cells + 12) * CELL
    return config


def small_stage(key: bytes = KEY, cells: int = 0, seed: int = 7) -> Stage:
    """A device that has proved itself empty."""
    stage = Stage(board(cells), dict(SMALL), seed, key, ids.ROLE_TABLE if key else ids.ROLE_CLEAR)
    stage.until("empty_proved", 20000, then_ms=500)
    return stage


def play_round(stage: Stage) -> None:
    """Eight cards, a stack for the player and one for the dealer, the rest released."""
    steps = [("", 300, "load", 8), ("", 300, "press", "green"), ("deck_verified", 500, "press", "seat")]
    steps += [("", 500, "press", "close"), ("stack_offered", 500, "take", 0), ("stack_offered", 500, "take", 0)]
    steps += [("stack_taken", 700, "press", "green")]
    steps += [("remainder_released", 900, "take", 0), ("remainder_taken", 900, "press", "green")]
    stage.seen = len(stage.peer.events)
    stage.play([*steps, ("round_ended", 500, "wait", 0)])


def clear_by_hand(stage: Stage) -> None:
    stage.play([("", 500, "open", 0), ("", 500, "clear", 0), ("", 500, "close", 0), ("", 500, "press", "ack")])
    stage.until("warning_cleared", 60000, then_ms=500)


def rewritten(export: Export, records: list[Record]) -> Export:
    """With other records, as they would stand in a file."""
    return replace(export, records=[replace(record, line=at + 2) for at, record in enumerate(records)])


def chained(export: Export, records: list[Record], key: bytes = b"") -> Export:
    """A forger's work: every hash renewed, so that the chain is whole, and the attestation as far as one can. With a
    seal key every seal and the attestation are renewed too."""
    made: list[Record] = []
    for at, record in enumerate(records):
        previous = made[-1].digest if made else record.previous
        seq = records[0].seq + at
        data = record.data[:4] + seq.to_bytes(4, "little") + record.data[8:60] + previous
        if key and record.message == Sealed.ID:
            data = data[: SEALED_END - 16] + seal_mac(key, export.log, Record(seq, data)) + data[SEALED_END:]
        made.append(Record(seq, data, at + 2))
    told = replace(export.attested[-1], last=made[-1].seq, head=made[-1].digest)
    if key:
        told = replace(told, mac=attestation_mac(key, export, told))
    return replace(export, records=made, attested=[told])


def as_file(export: Export) -> bytes:
    return export_text(export).encode()


__all__ = ["KEY", "NEW_KEY", "Export", "Stage", "stories"]
