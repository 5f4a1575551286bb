"""The dissector in the real tshark shows every field of every vector, and drops what must be dropped."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dissector.tshark import LINKTYPE_RAW, Layer, dissect, pcap, run, tcp_packet, udp_packet
from protocol.frames import with_crc
from protocol.table import BY_NAME, ENUMS, MESSAGE_FIELDS

from firmware.protocol.cobs import FRAME_MAX
from firmware.protocol.frame import CRC_SIZE, HEADER_SIZE

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "protocol"
SCRIPT = FOLDER / "fairshoe.lua"
GOLDEN = (FOLDER / "golden.bin").read_bytes()
VECTORS: dict[str, Any] = json.loads((FOLDER / "vectors.json").read_text())
FRAMES: list[dict[str, Any]] = VECTORS["frames"]
BAD: list[dict[str, Any]] = VECTORS["bad_frames"]
REFUSED: list[dict[str, Any]] = VECTORS["refused"]
PORT = 4747


def wires(entries: list[dict[str, Any]]) -> list[bytes]:
    return [bytes.fromhex(entry["frame_hex"]) for entry in entries]


@pytest.fixture(scope="module")
def shown() -> list[list[Layer]]:
    """Every good frame as a packet of its own."""
    return dissect(SCRIPT, pcap(wires(FRAMES)))


def as_shown(kind: str, value: Any, name: str = "") -> str:
    """A value of vectors.json as tshark prints it."""
    if kind in ("b8", "b16", "b32") or (kind == "rest" and name != "text"):
        return ":".join(value[i : i + 2] for i in range(0, len(value), 2))
    if kind == "rest":
        return bytes.fromhex(value).decode("ascii")
    return str(value)


def check_frame(layer: Layer, entry: dict[str, Any]) -> None:
    """One frame: header, every field with its word, MAC, and nothing else."""
    assert layer.value("fairshoe.bad") is None
    assert layer.value("fairshoe.version") == "1"
    assert layer.value("fairshoe.class") == str(entry["class"])
    assert layer.value("fairshoe.flags") == f"0x{entry['flags']:02x}"
    assert layer.value("fairshoe.flags.keyed") == str(entry["flags"] >> 7)
    assert layer.value("fairshoe.flags.again") == str(entry["flags"] & 1)
    assert layer.value("fairshoe.message") == str(entry["id"])
    assert layer.value("fairshoe.session") == f"0x{entry['session']:04x}"
    assert layer.value("fairshoe.sequence") == str(entry["sequence"])
    message = BY_NAME[entry["message"]]
    expected: dict[str, str] = {}
    for field in message.fields:
        expected[f"fairshoe.{field.path}"] = as_shown(field.kind, entry["fields"][field.name], field.name)
    own = {line.name: line.show for line in layer.lines if line.name.count(".") == 2}
    own = {name: value for name, value in own.items() if not name.startswith("fairshoe.flags.")}
    assert own == expected
    for name, word in entry.get("words", {}).items():
        line = layer.get(f"fairshoe.{next(field.path for field in message.fields if field.name == name)}")
        assert line is not None
        assert f": {word} ({entry['fields'][name]})" in line.text
    mac = entry.get("mac_hex")
    assert layer.value("fairshoe.mac") == (as_shown("b16", mac) if mac else None)
    extra = entry.get("extra_hex")
    assert layer.value("fairshoe.extra") == (as_shown("b8", extra) if extra else None)


@pytest.mark.parametrize("index", range(len(FRAMES)), ids=[entry["name"] for entry in FRAMES])
def test_every_field_of_the_vector_is_shown(shown: list[list[Layer]], index: int) -> None:
    assert len(shown[index]) == 1
    check_frame(shown[index][0], FRAMES[index])


def test_every_message_and_every_enumerated_value_is_among_the_vectors_or_in_the_script() -> None:
    assert {entry["message"] for entry in FRAMES} == set(BY_NAME)
    script = SCRIPT.read_text()
    for name, words in ENUMS.items():
        for value, word in enumerate(words):
            assert f'[{value}] = "{word}"' in script, f"{name} {word}"
    assert all(any(field.name == name for m in BY_NAME.values() for field in m.fields) for name in MESSAGE_FIELDS)


def test_bad_frames_are_shown_with_their_reason_and_an_expert_line() -> None:
    packets = dissect(SCRIPT, pcap(wires(BAD)))
    for layers, entry in zip(packets, BAD, strict=True):
        assert [layer.value("fairshoe.bad") for layer in layers] == [entry["reason"]], entry["name"]
        assert layers[0].get(f"fairshoe.expert.{entry['reason']}") is not None, entry["name"]
        assert layers[0].value("fairshoe.message") is None, "a field of a bad frame was read"


def test_what_only_a_session_can_refuse_is_shown_and_short_or_unknown_bodies_are_marked() -> None:
    packets = dissect(SCRIPT, pcap(wires(REFUSED)))
    marked: dict[str, list[str]] = {"malformed": [], "unknown": []}
    for layers, entry in zip(packets, REFUSED, strict=True):
        assert [layer.value("fairshoe.bad") for layer in layers] == [None], entry["name"]
        for reason, names in marked.items():
            if layers[0].get(f"fairshoe.expert.{reason}") is not None:
                names.append(entry["name"])
    # A device finds the wrong MAC first; a dissector without the key can only see that a byte is missing.
    assert marked["malformed"] == ["cut short, CRC repaired", "too short for a MAC", "authentic, an argument missing"]
    assert marked["unknown"] == ["authentic, no such message"]
    shown = zip(packets, REFUSED, strict=True)
    without = [entry["name"] for layers, entry in shown if not layers[0].value("fairshoe.mac")]
    assert without == ["an acknowledgement in clear", "a command in clear", "too short for a MAC"]


def check_golden(layers: list[Layer]) -> None:
    golden = VECTORS["golden"]
    good = [layer for layer in layers if layer.value("fairshoe.message") is not None]
    assert [(layer.offset, layer.size) for layer in good] == [(e["offset"], e["length"]) for e in golden["frames"]]
    for layer, entry in zip(good, golden["frames"], strict=True):
        check_frame(layer, entry)
    bad = [(layer.offset, layer.size, layer.value("fairshoe.bad")) for layer in layers if layer.value("fairshoe.bad")]
    assert bad == [(e["offset"], e["length"], e["reason"]) for e in golden["drops"]]
    rest = [(layer.offset, layer.size) for layer in layers if layer.value("fairshoe.unfinished")]
    assert rest == [(golden["unfinished"]["offset"], golden["unfinished"]["length"])]
    assert len(layers) == len(good) + len(bad) + len(rest)


def test_the_golden_capture_in_one_packet_gives_the_listed_frames_and_drops_where_they_are() -> None:
    (layers,) = dissect(SCRIPT, pcap([GOLDEN]))
    check_golden(layers)


def test_udp_payloads_can_be_decoded_as_fairshoe() -> None:
    capture = pcap([udp_packet(wire, PORT) for wire in wires(FRAMES)], LINKTYPE_RAW)
    packets = dissect(SCRIPT, capture, "-d", f"udp.port=={PORT},fairshoe")
    for layers, entry in zip(packets, FRAMES, strict=True):
        check_frame(layers[0], entry)


@pytest.mark.parametrize("piece", [1, 7, 50, 700])
def test_a_frame_in_pieces_over_tcp_is_put_together_again(piece: int) -> None:
    stream = b"".join(wires(FRAMES[:12]))
    packets = [tcp_packet(stream[at : at + piece], PORT, 1000 + at) for at in range(0, len(stream), piece)]
    shown = dissect(SCRIPT, pcap(packets, LINKTYPE_RAW), "-d", f"tcp.port=={PORT},fairshoe", "-2")
    layers = [layer for layers in shown for layer in layers if layer.value("fairshoe.message") is not None]
    assert len(layers) == 12
    for layer, entry in zip(layers, FRAMES[:12], strict=True):
        check_frame(layer, entry)
    assert all(layer.value("fairshoe.bad") is None for layers in shown for layer in layers)


def of(message: str, **fields: Any) -> Callable[[dict[str, Any]], bool]:
    return lambda entry: entry["message"] == message and entry["fields"].items() >= fields.items()


FILTERS: list[tuple[str, Callable[[dict[str, Any]], bool]]] = [
    ('fairshoe.message == "stack_offered"', of("stack_offered")),
    ("fairshoe.message == 291", of("stack_offered")),
    ("fairshoe.event.seq == 1207", lambda entry: entry["class"] == 2 and entry["fields"]["seq"] == 1207),
    ("fairshoe.stack_offered.cards == 5", of("stack_offered", cards=5)),
    ('fairshoe.result.outcome == "rejected"', of("result", outcome=4)),
    ("fairshoe.flags.keyed == 1", lambda entry: entry["flags"] >= 0x80),
    ('fairshoe.welcome.game == "CS"', of("welcome", game="CS")),
    ("fairshoe.bad", lambda _entry: False),
]


@pytest.mark.parametrize(("filter_text", "matches"), FILTERS)
def test_display_filters_find_what_they_name(filter_text: str, matches: Callable[[dict[str, Any]], bool]) -> None:
    output = run(SCRIPT, pcap(wires(FRAMES)), "-Y", filter_text, "-T", "fields", "-e", "frame.number")
    numbers = [int(word) for word in output.split()]
    assert numbers == [number for number, entry in enumerate(FRAMES, 1) if matches(entry)]


def test_any_bytes_whatever_leave_the_dissector_standing() -> None:
    """A run-time error in the script would show as a "Lua Error" line; the seed is fixed, so a failure repeats."""
    source = random.Random(20)
    packets: list[bytes] = []
    for _ in range(300):
        usual = (0, 0, 1, 2, 3, 5, 255, source.randrange(256))
        packets.append(bytes(source.choices(usual, k=source.randrange(1, 400))))
    for wire in wires(FRAMES):
        at = source.randrange(len(wire))
        packets.append(wire[:at] + bytes((source.randrange(256),)) + wire[at + 1 :])
        packets.append(wire[:at])
    for size in range(HEADER_SIZE, FRAME_MAX - CRC_SIZE + 1):
        # Good frames with any body: whatever a field is, it may be cut anywhere.
        message = source.choice(list(BY_NAME.values()))
        head = bytes((0x10 | message.kind, source.choice((0, 0x80)))) + message.id.to_bytes(2, "little")
        packets.append(with_crc(head + source.randbytes(size - len(head))))
    packets = [packet or b"\x00" for packet in packets]
    output = run(SCRIPT, pcap(packets), "-V")
    assert "Lua Error" not in output
    assert output.count("\nFrame ") + output.startswith("Frame ") >= len(packets)
