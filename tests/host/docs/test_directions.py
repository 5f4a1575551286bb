"""Which side sends each message, by what the device does: page, vectors and JavaScript all come from one table, and a
wrong entry there would mislead every other host alike. Here a real device is sent every message in every role."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from support import GAME, board

from firmware.protocol import ids
from firmware.protocol.frame import frame_message
from firmware.protocol.session import Session
from firmware.protocol.table import MESSAGES
from rig.peer import Peer
from rig.story import Stage

ROOT = Path(__file__).resolve().parents[3]
KEY = bytes(range(32))
KINDS = {message: (kind, line) for message, kind, line in MESSAGES}
ROLES = [ids.ROLE_OBSERVER, ids.ROLE_TABLE, ids.ROLE_AUDITOR, ids.ROLE_RECORDER, ids.ROLE_SERVICE]


def device(role: int) -> Stage:
    stage = Stage(board(link={"mode": "table"}), GAME, 7, KEY, role)
    stage.run(9000)
    return stage


def body_of(line: str) -> tuple[list[int], bytes]:
    """Zeros for every field, those of the prefix too."""
    kinds = re.findall(r":(\w+)", line)
    sizes = {"t8": 8, "b8": 8, "b16": 16, "b32": 32, "rest": 0}
    return [0] * (len(kinds) + 8), bytes(sum(sizes.get(kind, 0) for kind in kinds))


def taken_by_the_device() -> set[int]:
    """Messages that some role may send: the device counts no refusal."""
    taken: set[int] = set()
    for role in ROLES:
        for message, (kind, line) in KINDS.items():
            for keyed in (True, False):
                stage = device_of(role)
                link = stage.rig.app.link
                before = sum(link.refused)
                values, text = body_of(line)
                values[0] = ids.DIAGNOSE_READ if message == ids.DIAGNOSE else values[0]
                session = stage.peer.session if keyed else Session()
                stage._to_device(stage.peer.frame(session, kind, message, values, text))  # pyright: ignore
                stage.run(30)
                if sum(link.refused) == before:
                    taken.add(message)
    return taken


_DEVICES: dict[int, Stage] = {}


def device_of(role: int) -> Stage:
    """One for each role, made again if a message has ended its session."""
    stage = _DEVICES.get(role)
    if stage is None or stage.rig.app.link.session.role != role or not stage.peer.session.hmac:
        stage = _DEVICES[role] = device(role)
    return stage


def sent_by_the_device() -> set[int]:
    """Messages seen in a session of a table: those of a start, and the answers to what a host asks."""
    sent: set[int] = set()
    for role in ROLES:
        stage = device(role)
        stage.peer.frames = []
        for message in (ids.DICTIONARY_GET, ids.JOURNAL_GET, ids.SEED_GET, ids.KEY_INSTALL, ids.TIME_SET, 512):
            kind, line = KINDS[message]
            stage._to_device(stage.peer.frame(stage.peer.session, kind, message, *body_of(line)))  # pyright: ignore
            stage.run(700)
        stage.rig.boot()
        peer = Peer(KEY, role)
        peer.hellos = 9
        peer.frames = stage.peer.frames
        stage._seat(peer)  # pyright: ignore
        stage.run(9000)
        sent |= {frame_message(bytearray(frame)) for frame in stage.peer.frames or []}
    return sent


@pytest.fixture(scope="module")
def taken() -> set[int]:
    found = taken_by_the_device()
    assert {ids.HELLO, ids.EVENT_ACK, ids.NONCE, ids.SEED_GET, ids.TIME_SET, 512} <= found
    return found


def test_the_page_gives_every_message_the_sender_that_the_device_knows(taken: set[int]) -> None:
    page = (ROOT / "docs" / "PROTOCOL.md").read_text()
    rows = re.findall(r"^\| (\d+) \| \[`\w+`\]\([^)]*\) \| \w+ \| (\w+) \|", page, re.MULTILINE)
    assert {int(number) for number, _sender in rows} == set(KINDS)
    assert {int(number) for number, sender in rows if sender == "host"} == taken


def test_the_vectors_give_every_message_the_sender_that_the_device_knows(taken: set[int]) -> None:
    vectors: dict[str, Any] = json.loads((ROOT / "docs" / "protocol" / "vectors.json").read_text())
    frames: list[dict[str, Any]] = [entry for entry in vectors["frames"] if "from" in entry]
    assert len(frames) > 100
    assert {entry["id"] for entry in frames if entry["from"] == "host"} == taken
    assert {entry["id"] for entry in frames if entry["from"] == "device"} == set(KINDS) - taken


def test_what_a_device_sends_no_host_may_send(taken: set[int]) -> None:
    sent = sent_by_the_device()
    assert {ids.WELCOME, ids.STATUS, ids.DICTIONARY_LINE, ids.KEY_IS, ids.TIME_IS, ids.RESULT, 256} <= sent
    assert not sent & taken
