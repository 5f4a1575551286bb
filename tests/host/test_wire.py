"""The host's decoder: whole, byte by byte, with noise around; every drop counted; in step with the device's codec."""

import random
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from fairshoe import messages, wire
from fairshoe.messages import EventAck, Fault, Hello, StackOffered, State, Status
from firmware.protocol.frame import FrameReader

ROOT = Path(__file__).resolve().parents[2]

OFFERED = StackOffered(
    seq=8, boot=1, uptime_s=40, uptime_ms=500, utc_s=0, round=1, deck=1, stack=2, cards=5
)
SAMPLES = (OFFERED, EventAck(seq=70000), Hello(version_max=1, nonce=0))


def decode(data: bytes, piece: int) -> tuple[list[messages.Message], wire.Drops]:
    decoder = wire.Decoder()
    found: list[messages.Message] = []
    for start in range(0, len(data), piece):
        found += [frame.message for frame in decoder.feed(data[start : start + piece])]
    return found, decoder.drops


@pytest.mark.parametrize("piece", [1, 2, 7, 10000])
def test_frames_are_found_in_any_pieces_with_noise_around(piece: int) -> None:
    data = b"\x07noise" + b"".join(wire.encode(m) for m in SAMPLES) + b"\x03\x01"
    found, drops = decode(data, piece)
    assert tuple(found) == SAMPLES
    assert drops.total() == 1


def test_every_changed_bit_is_refused_and_the_neighbours_are_delivered() -> None:
    frame = wire.encode(OFFERED)
    for at in range(1, len(frame) - 1):
        for bit in range(8):
            damaged = bytearray(frame)
            damaged[at] ^= 1 << bit
            found, drops = decode(frame + bytes(damaged) + frame, 10000)
            assert found == [OFFERED, OFFERED], (at, bit)
            assert drops.total() >= 1


def test_any_bytes_whatever_raise_nothing_and_the_next_frame_is_decoded() -> None:
    seed = random.randrange(1 << 32)
    print(f"replay with random.Random({seed})")
    noise = random.Random(seed)
    for _ in range(300):
        junk = noise.randbytes(noise.randrange(600))
        found, _drops = decode(junk + b"\0" + wire.encode(OFFERED), noise.randrange(1, 300))
        assert found[-1] == OFFERED


def test_an_endless_frame_takes_no_memory() -> None:
    decoder = wire.Decoder()
    for _ in range(1000):
        assert list(decoder.feed(b"\x01" * 1000)) == []
        assert len(decoder._rest) <= 1000  # pyright: ignore[reportPrivateUsage]
    assert [frame.message for frame in decoder.feed(b"\0" + wire.encode(OFFERED))] == [OFFERED]
    assert decoder.drops.long == 1


def test_version_flags_and_unknown_messages_are_told_apart() -> None:
    def sealed(head: bytes) -> bytes:
        return b"\0" + wire.stuff(head + zlib.crc32(head).to_bytes(4, "little")) + b"\0"

    data = sealed(bytes.fromhex("f200010100000000")) + sealed(bytes.fromhex("1280010100000000"))
    data += sealed(bytes.fromhex("1200ff0700000000")) + sealed(bytes.fromhex("1200230100000000"))
    found, drops = decode(data, 10000)
    assert found == []
    assert (drops.version, drops.flags, drops.unknown) == (1, 1, 2)


def test_a_longer_body_of_a_newer_device_is_still_read() -> None:
    body = OFFERED.LAYOUT.pack(8, 1, 40, 500, 0, 1, 1, 2, 5)
    assert wire.unpack(OFFERED.ID, body + b"new fields") == OFFERED
    assert wire.unpack(OFFERED.ID, body[:-1]) is None


def test_numbers_a_newer_device_may_send_do_not_break_enums() -> None:
    assert Fault(200) is Fault.UNRECOGNISED
    assert State(99) is State.UNRECOGNISED


def test_host_and_device_read_each_others_frames() -> None:
    reader = FrameReader()
    for message in SAMPLES:
        data = bytearray(wire.encode(message))
        reader.push(data, 0, len(data))
        assert reader.size == 8 + message.LAYOUT.size + 4
    assert reader.good == len(SAMPLES)


def test_stuffing_is_the_same_on_both_sides() -> None:
    from firmware.protocol.cobs import cobs_encode

    seed = random.randrange(1 << 32)
    print(f"replay with random.Random({seed})")
    noise = random.Random(seed)
    for _ in range(500):
        raw = bytes(noise.choice((0, 0, 1, 255, noise.randrange(256))) for _ in range(noise.randrange(254)))
        out = bytearray(300)
        assert bytes(out[: cobs_encode(bytearray(raw), len(raw), out, 0)]) == wire.stuff(raw)
        assert wire.unstuff(wire.stuff(raw)) == raw


def test_generated_messages_are_in_step_with_the_table() -> None:
    command = [sys.executable, "tools/gen_messages.py", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode()


def test_status_has_a_field_for_every_zone() -> None:
    for zone in messages.ZONES:
        assert zone in Status.__annotations__


def test_the_crc_check_notices_a_broken_zlib(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_data: bytes) -> int:
        return 1

    monkeypatch.setattr(wire.zlib, "crc32", broken)
    with pytest.raises(RuntimeError, match="disagree"):
        wire.check_crc()
