"""docs/PROTOCOL.md and docs/protocol/ are in step with the firmware, and the device's own reader agrees with them."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import subprocess
import sys
from binascii import crc32
from pathlib import Path
from typing import Any

import pytest
from protocol.bad import RECEIVED
from protocol.frames import Key, make
from protocol.table import BY_NAME, MESSAGES, Field, Message

from firmware.link import admission
from firmware.protocol import ids
from firmware.protocol.cobs import cobs_decode
from firmware.protocol.codec import VALUES_MAX, codec_table, prefix_codes, unpack
from firmware.protocol.frame import CRC_SIZE, HEADER_SIZE, FrameReader, frame_message, frame_sequence, frame_session
from firmware.protocol.session import MAC_SIZE, session_open

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "PROTOCOL.md").read_text()
GOLDEN = (ROOT / "docs" / "protocol" / "golden.bin").read_bytes()
VECTORS: dict[str, Any] = json.loads((ROOT / "docs" / "protocol" / "vectors.json").read_text())
FRAMES: list[dict[str, Any]] = VECTORS["frames"]
ALL_FRAMES: list[dict[str, Any]] = FRAMES + VECTORS["golden"]["frames"]
BAD: list[dict[str, Any]] = VECTORS["bad_frames"]
REFUSED: list[dict[str, Any]] = VECTORS["refused"]

# In the order of FrameReader.drops; the names are those of the fields of link_counters.
DROPS = ("bad_stuffing", "bad_crc", "too_short", "too_long", "bad_version", "bad_flags")
REFUSALS = {
    "bad_session": admission.REFUSE_SESSION,
    "bad_mac": admission.REFUSE_MAC,
    "replayed": admission.REFUSE_REPLAY,
    "not_keyed": admission.REFUSE_CLEAR,
    "malformed": admission.REFUSE_MALFORMED,
    "unknown": admission.REFUSE_UNKNOWN,
}


def names(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["name"] for entry in entries]


def read(data: bytes, piece: int) -> tuple[list[bytes], dict[str, int]]:
    """What the device's reader finds in data that comes in pieces: frames, and drops by reason."""
    reader = FrameReader()
    found: list[bytes] = []
    for start in range(0, len(data), piece):
        chunk = bytearray(data[start : start + piece])
        at = 0
        while at < len(chunk):
            at = reader.push(chunk, at, len(chunk))
            if reader.size:
                found.append(bytes(reader.buf[: reader.size]))
    assert reader.good == len(found)
    return found, {name: count for name, count in zip(DROPS, reader.drops, strict=True) if count}


def decode(raw: bytes) -> dict[str, Any]:
    """A frame by the device's codec, in the words of vectors.json."""
    frame = bytearray(raw)
    message = frame_message(frame)
    spec = next(known for known in MESSAGES if known.id == message)
    codes = codec_table()[message]
    if spec.kind == ids.CLASS_EVENT:
        codes = prefix_codes() + codes
    values = [0] * VALUES_MAX
    at = unpack(frame, HEADER_SIZE, codes, values)
    end = len(frame) - CRC_SIZE - (MAC_SIZE if frame[1] & ids.FLAG_KEYED else 0)
    fields: dict[str, Any] = {}
    taken = 0
    for field in spec.fields:
        if field.kind in ("u8", "u16", "u32"):
            fields[field.name] = values[taken]
            taken += 1
        else:
            fields[field.name] = raw_value(field, raw, end)
    rest = any(field.kind == "rest" for field in spec.fields)
    return {
        "message": spec.name,
        "id": message,
        "class": frame[0] & 0x0F,
        "flags": frame[1],
        "session": frame_session(frame),
        "sequence": frame_sequence(frame),
        "fields": fields,
        "body_hex": raw[HEADER_SIZE:end].hex(),
        "extra_hex": "" if rest else raw[at:end].hex(),
    }


def raw_value(field: Field, raw: bytes, end: int) -> str:
    start = HEADER_SIZE + field.offset
    data = raw[start : start + field.size if field.size else end]
    return data.rstrip(b"\0").decode("ascii") if field.kind == "t8" else data.hex()


def check_decoded(raw: bytes, entry: dict[str, Any]) -> None:
    found = decode(raw)
    assert found == {name: entry.get(name, "") for name in found}


# --- in step -----------------------------------------------------------------------------------


def test_the_generated_files_are_in_step_with_the_table() -> None:
    command = [sys.executable, "-m", "protocol", "--check"]
    environment = os.environ | {"PYTHONPATH": "tools"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b""), "run make generate"


# --- the page ----------------------------------------------------------------------------------


def test_the_worked_examples_are_frames_that_the_device_takes() -> None:
    found = re.findall(r"on the wire    ((?:[0-9a-f]{2}\s+)+)", PAGE)
    assert len(found) == 3
    frames, drops = read(b"".join(bytes.fromhex(text) for text in found), 1)
    assert drops == {}
    assert [decode(raw)["message"] for raw in frames] == ["stack_offered", "event_ack", "set_positions"]
    unstuffed = re.findall(r"unstuffed      ((?:[0-9a-f]{2}\s+)+)", PAGE)
    assert [bytes.fromhex(text) for text in unstuffed] == frames


# --- vectors -----------------------------------------------------------------------------------


def test_there_is_a_vector_of_every_message() -> None:
    assert {entry["message"] for entry in FRAMES} == set(BY_NAME)
    assert len(set(names(FRAMES))) == len(FRAMES)


@pytest.mark.parametrize("entry", ALL_FRAMES, ids=names(ALL_FRAMES))
def test_the_device_reads_the_vector_whole_byte_by_byte_and_with_bytes_after_it(entry: dict[str, Any]) -> None:
    wire = bytes.fromhex(entry["frame_hex"])
    for data, piece in ((wire, len(wire)), (wire, 1), (wire + b"\x55\x02", 3), (wire + wire[:-1], len(wire))):
        frames, drops = read(data, piece)
        assert len(frames) == 1
        assert drops == {}
        check_decoded(frames[0], entry)


@pytest.mark.parametrize("entry", ALL_FRAMES, ids=names(ALL_FRAMES))
def test_the_vector_is_encoded_again_to_the_same_bytes(entry: dict[str, Any]) -> None:
    key = key_of(entry["key"]) if "key" in entry else None
    flags = entry["flags"] & ~ids.FLAG_KEYED
    extra = bytes.fromhex(entry.get("extra_hex", ""))
    frame = make(entry["message"], entry["fields"], entry["session"], entry["sequence"], key, flags, extra)
    assert frame.wire.hex() == entry["frame_hex"]
    assert frame.mac.hex() == entry.get("mac_hex", "")


def key_of(entry: dict[str, Any]) -> Key:
    parts = (bytes.fromhex(entry[name]) for name in ("device_key_hex", "host_nonce_hex", "device_nonce_hex"))
    device_key, host_nonce, device_nonce = parts
    return Key(device_key, entry["role"], entry["session"], host_nonce, device_nonce)


@pytest.mark.parametrize("entry", VECTORS["keys"], ids=[entry["session_key_hex"][:8] for entry in VECTORS["keys"]])
def test_the_device_derives_the_session_key_of_the_vector(entry: dict[str, Any]) -> None:
    message = b"any message"
    expected = hmac.new(bytes.fromhex(entry["session_key_hex"]), message, hashlib.sha256).digest()
    assert key_of(entry).device_hmac().digest(b"any ", b"message") == expected


def test_crc_and_stuffing_vectors_hold_for_the_device() -> None:
    for entry in VECTORS["crc"]:
        assert crc32(bytes.fromhex(entry["data_hex"])) == entry["crc"]
    for entry in VECTORS["stuffing"]:
        data = bytearray.fromhex(entry["stuffed_hex"])
        assert 0 not in data
        size = cobs_decode(data, len(data))
        assert data[:size].hex() == entry["plain_hex"], entry["name"]
        assert len(bytes.fromhex(entry["stuffed_hex"])) == size + 1


def test_the_dictionary_of_the_vectors_has_the_hash_that_a_device_would_name() -> None:
    from firmware.protocol.dictionary import dictionary_hash

    assert VECTORS["dictionary"]["hash_hex"] == dictionary_hash().hex()
    text = "".join(line + "\n" for line in VECTORS["dictionary"]["lines"])
    assert hashlib.sha256(text.encode()).digest()[:8] == dictionary_hash()


@pytest.mark.parametrize("entry", BAD, ids=names(BAD))
def test_the_device_drops_the_bad_frame_for_the_reason_named_and_takes_the_next(entry: dict[str, Any]) -> None:
    bad = bytes.fromhex(entry["frame_hex"])
    good = bytes.fromhex(FRAMES[0]["frame_hex"])
    for piece in (1, 1000):
        frames, drops = read(good + bad + good, piece)
        assert drops == {entry["reason"]: 1}
        assert len(frames) == 2


def test_every_reason_to_drop_or_refuse_has_a_vector() -> None:
    assert {entry["reason"] for entry in BAD} == set(DROPS)
    assert {entry["reason"] for entry in REFUSED} == set(REFUSALS)
    counters = [field.name for field in BY_NAME["link_counters"].fields]
    assert set(DROPS) | set(REFUSALS) <= set(counters)


class Port:
    """As much of a HAL as a link reads from."""

    def __init__(self) -> None:
        self.data = b""

    def link_readinto(self, buf: bytearray) -> int:
        size = min(len(buf), len(self.data))
        buf[:size] = self.data[:size]
        self.data = self.data[size:]
        return size


def link_in_session() -> tuple[admission.Link, Port]:
    """A device in the session of the vectors, that accepted link sequence RECEIVED last."""
    port = Port()
    key = key_of(VECTORS["keys"][0])
    link = admission.Link(port, codec_table(), key.device_key, True)  # pyright: ignore[reportArgumentType]
    session_open(link.session, key.session, key.role, key.device_hmac(), 0)
    link.session.received = RECEIVED
    return link, port


def receive(link: admission.Link, port: Port, wire: bytes) -> list[int]:
    port.data = wire
    found: list[int] = []
    while port.data or link.rx_at < link.rx_size:
        if link.rx_at >= link.rx_size:
            link.rx_at = 0
            link.rx_size = port.link_readinto(link.rx)
        message = admission.link_receive(link, 0)
        if message:
            found.append(message)
    return found


@pytest.mark.parametrize("entry", REFUSED, ids=names(REFUSED))
def test_a_device_in_a_session_refuses_the_frame_and_counts_it_under_the_name(entry: dict[str, Any]) -> None:
    link, port = link_in_session()
    assert receive(link, port, bytes.fromhex(entry["frame_hex"])) == []
    assert sum(link.reader.drops) == 0, "the frame itself must be good"
    expected = [0] * len(link.refused)
    expected[REFUSALS[entry["reason"]]] = 1
    assert link.refused == expected


def test_the_same_device_takes_the_next_authentic_message() -> None:
    """Without this, a link that refuses everything would pass the test above."""
    link, port = link_in_session()
    good = make("event_ack", {"seq": 1207}, sequence=RECEIVED + 1, key=key_of(VECTORS["keys"][0]))
    assert receive(link, port, good.wire) == [ids.EVENT_ACK]
    assert sum(link.refused) == 0


@pytest.mark.parametrize("message", [each for each in MESSAGES if each.from_host], ids=lambda each: each.name)
def test_a_device_takes_in_clear_what_the_page_says_and_nothing_else(message: Message) -> None:
    """A device without a key, whose board config lets a host acknowledge in clear."""
    (said,) = re.findall(
        rf"^#### {message.id} `{message.name}`\n\n[a-z ]+, from the \w+, (clear|keyed|clear or keyed), ", PAGE, re.M
    )
    port = Port()
    link = admission.Link(port, codec_table(), b"", True)  # pyright: ignore[reportArgumentType]
    sample = next(entry for entry in FRAMES if entry["message"] == message.name and "more" not in entry)
    frame = make(message.name, sample["fields"], link.session.number, 1)
    taken = receive(link, port, frame.wire)
    assert sum(link.reader.drops) == 0
    assert taken == ([] if said == "keyed" else [message.id])
    assert link.refused[admission.REFUSE_CLEAR] == (said == "keyed")


# --- the golden capture ------------------------------------------------------------------------


@pytest.mark.parametrize("piece", [1, 2, 7, 64, 100000])
def test_the_golden_capture_gives_exactly_the_listed_frames_and_drops(piece: int) -> None:
    golden = VECTORS["golden"]
    frames, drops = read(GOLDEN, piece)
    assert len(frames) == len(golden["frames"])
    for raw, entry in zip(frames, golden["frames"], strict=True):
        check_decoded(raw, entry)
    listed = [entry["reason"] for entry in golden["drops"]]
    assert drops == {reason: listed.count(reason) for reason in set(listed)}
    assert set(listed) == set(DROPS)


def test_every_byte_of_the_golden_capture_is_accounted_for() -> None:
    golden = VECTORS["golden"]
    assert golden["bytes"] == len(GOLDEN)
    covered = bytearray(len(GOLDEN))
    for entry in [*golden["frames"], *golden["drops"], golden["unfinished"]]:
        start, end = entry["offset"], entry["offset"] + entry["length"]
        assert start == 0 or GOLDEN[start - 1] == 0
        assert end == len(GOLDEN) or GOLDEN[end] == 0
        assert 0 not in GOLDEN[start:end]
        for at in range(start, end):
            covered[at] += 1
    assert bytes(covered) == bytes(1 if byte else 0 for byte in GOLDEN)
    for entry in golden["frames"]:
        start = entry["offset"]
        assert GOLDEN[start : start + entry["length"]].hex() == entry["frame_hex"][2:-2]
    for entry in golden["drops"]:
        piece = GOLDEN[entry["offset"] : entry["offset"] + entry["length"]]
        assert read(b"\0" + piece + b"\0", 1) == ([], {entry["reason"]: 1}), entry["what"]
