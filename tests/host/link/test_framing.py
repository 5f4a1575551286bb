"""The host's codec: every message both ways, any pieces, noise around, every drop told; in step with the device's."""

import copy
import dataclasses
import importlib
import pickle
import random
import struct
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from draws import seeded

from fairshoe import messages
from fairshoe.link import framing, message_codecs
from firmware.protocol.frame import FrameReader
from firmware.protocol.ids import FLAG_AGAIN, FLAG_KEYED

ROOT = Path(__file__).resolve().parents[3]
MAC = bytes(range(16))
BODY_MAX = 225  # of a keyed frame: docs/PROTOCOL.md, Frame

OFFERED = messages.StackOffered(
    seq=8, boot=1, uptime_s=40, uptime_ms=500, utc_s=0, round=1, deck=1, stack=2, cards=5, misfeeds=1, stalls=0
)
SAMPLES = (
    OFFERED,
    messages.EventAck(seq=70000),
    messages.Hello(1, messages.Role.TABLE, bytes(16)),
    messages.DictionaryLine(3, 58, b"names x y"),
)


def example(cls: type[messages.Message], filler: random.Random) -> messages.Message:
    """A message with random fields that can be sent."""
    values: list[Any] = []
    room = min(200, BODY_MAX + 1 - struct.calcsize("<" + "".join(message_codecs.layout_codes(cls))))
    for field, code in zip(dataclasses.fields(cls), [*message_codecs.layout_codes(cls), ""], strict=False):
        if field.name in messages.ENUMS:
            values.append(filler.choice(list(messages.ENUMS[field.name])))
        elif field.type == "str":
            values.append("".join(filler.choices("abcXYZ019-", k=filler.randrange(9))))
        elif field.type == "bytes":
            values.append(filler.randbytes(int(code[:-1]) if code else filler.randrange(room)))
        else:
            values.append(filler.randrange(1 << {"B": 8, "H": 16, "I": 32}[code]))
    return cls(*values)


def sealed(raw: bytes) -> bytes:
    return b"\0" + framing.stuff(raw + zlib.crc32(raw).to_bytes(4, "little")) + b"\0"


def decode(data: bytes, piece: int) -> tuple[list[messages.Message], framing.Drops]:
    decoder = framing.Decoder()
    found: list[messages.Message] = []
    for start in range(0, len(data), piece):
        found += [frame.message for frame in decoder.feed(data[start : start + piece])]
    return found, decoder.drops


# --- messages ----------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", messages.ALL, ids=lambda cls: cls.NAME)
@pytest.mark.parametrize("keyed", [False, True])
def test_every_message_comes_back_as_it_was_sent(cls: type[messages.Message], keyed: bool) -> None:
    filler = seeded()
    for flags in (0, FLAG_AGAIN, 0x08):
        message = example(cls, filler)
        data = framing.encode(message, 0x1234, 0xFEDC, flags, (lambda _signed: MAC) if keyed else None)
        (frame,) = framing.decode_all(data)
        assert frame.message == message and type(frame.message) is cls
        assert (frame.session, frame.sequence) == (0x1234, 0xFEDC)
        assert frame.flags == flags | (FLAG_KEYED if keyed else 0)
        assert frame.mac == (MAC if keyed else b"")
        assert framing.decode_messages(data) == [message]
        assert framing.split(data) == [frame.signed + frame.mac]


def test_decoded_messages_are_frozen_dataclasses_like_any_other() -> None:
    drafts = [message_codecs._draft(cls) for cls in messages.ALL]  # pyright: ignore[reportPrivateUsage]
    assert None not in drafts, "a draft is what makes reading them fast"
    message = framing.decode_messages(framing.encode(OFFERED))[0]
    assert isinstance(message, messages.StackOffered) and isinstance(message, messages.Event)
    assert message == OFFERED and hash(message) == hash(OFFERED) and repr(message) == repr(OFFERED)
    assert dataclasses.asdict(message) == dataclasses.asdict(OFFERED)
    assert pickle.loads(pickle.dumps(message)) == copy.deepcopy(message) == OFFERED
    assert dataclasses.replace(message, cards=6).cards == 6
    match message:
        case messages.StackOffered(stack=2, cards=cards):
            assert cards == 5
        case _:
            pytest.fail("no match")
    with pytest.raises(dataclasses.FrozenInstanceError):
        message.cards = 1  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del message.seq  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises((AttributeError, TypeError)):
        message.other = 1  # pyright: ignore[reportAttributeAccessIssue]


def test_commands_have_their_operation_number_first() -> None:
    assert [f.name for f in dataclasses.fields(messages.SetPositions)] == ["op", "positions"]
    assert issubclass(messages.SetPositions, messages.Command) and not issubclass(messages.Result, messages.Command)


def test_the_mac_is_made_over_header_and_body_with_the_flag_set() -> None:
    told: list[bytes] = []

    def seal(signed: bytes) -> bytes:
        told.append(signed)
        return MAC

    (frame,) = framing.decode_all(framing.encode(OFFERED, 5, 6, 0, seal))
    assert told == [frame.signed]
    assert frame.signed[1] == FLAG_KEYED
    assert frame.signed[8:] == OFFERED.LAYOUT.pack(*dataclasses.astuple(OFFERED))


@pytest.mark.parametrize(
    "wrong",
    [
        dataclasses.replace(OFFERED, cards=256),
        dataclasses.replace(OFFERED, seq=-1),
        messages.Hello(1, messages.Role.TABLE, bytes(15)),
        messages.ShuffleFailed(1, 1, 1, 1, 1, 1, 1, messages.Fault.DOOR, "nine long", messages.Consequence.NONE),
        messages.ShuffleFailed(1, 1, 1, 1, 1, 1, 1, messages.Fault.DOOR, "naïve", messages.Consequence.NONE),
        messages.DictionaryLine(1, 2, bytes(238)),
        messages.Message(),
    ],
)
def test_what_does_not_fit_is_not_sent_in_part(wrong: messages.Message) -> None:
    with pytest.raises(ValueError):
        framing.encode(wrong)


def test_a_mac_of_another_size_or_none_is_not_sent() -> None:
    with pytest.raises(ValueError):
        framing.encode(OFFERED, seal=lambda _signed: MAC[:8])
    with pytest.raises(ValueError):
        framing.encode(OFFERED, flags=FLAG_KEYED)


def test_a_number_without_a_name_reads_unrecognised_and_is_not_lost() -> None:
    body = messages.WarningLatched.LAYOUT.pack(1, 1, 1, 1, 1, 1, 1, 200, 3, 0, 0, 0)
    (frame,) = framing.decode_all(sealed(bytes.fromhex("1200030100000000") + body))
    assert isinstance(frame.message, messages.WarningLatched)
    assert frame.message.warning is messages.Fault.UNRECOGNISED
    assert frame.unrecognised == {"warning": 200}
    assert messages.Fault(200) is messages.Fault.UNRECOGNISED and messages.State(99) is messages.State.UNRECOGNISED
    assert (
        framing.decode_all(framing.encode(messages.Result(1, 512, messages.Outcome.DONE, messages.Reason.NONE, 0)))[
            0
        ].unrecognised
        == {}
    )


def test_a_longer_body_of_a_newer_device_is_read_and_a_shorter_one_is_kept_as_it_came() -> None:
    raw = framing.decode_all(framing.encode(OFFERED))[0].signed
    for more in (b"\x01", b"new fields", bytes(16), bytes(20)):
        (frame,) = framing.decode_all(sealed(raw + more))
        assert frame.message == OFFERED and frame.extra == more
        keyed = raw[:1] + b"\x80" + raw[2:]
        (frame,) = framing.decode_all(sealed(keyed + more + MAC))
        assert (frame.message, frame.extra, frame.mac) == (OFFERED, more, MAC)
    for size in range(8, len(raw)):
        found, drops = decode(sealed(raw[:size]), 10000)
        if size < 12:  # without a number it is no event
            assert (found, drops.malformed) == ([], 1)
        else:
            assert (found, drops.total()) == ([messages.UnknownMessage(OFFERED.ID, 2, raw[8:size])], 0)


def test_a_shorter_body_of_anything_but_an_event_is_malformed() -> None:
    raw = framing.decode_all(framing.encode(messages.Result(1, 512, messages.Outcome.DONE, messages.Reason.NONE, 0)))[
        0
    ].signed
    for size in range(8, len(raw)):
        found, drops = decode(sealed(raw[:size]), 10000)
        assert (found, drops.malformed) == ([], 1)


def test_unknown_messages_are_delivered_whole() -> None:
    unknown = messages.UnknownMessage(700, 4, b"\x01\x00\x02")
    (frame,) = framing.decode_all(framing.encode(unknown, 1, 2, 0, lambda _signed: MAC))
    assert frame.message == unknown and frame.mac == MAC


def test_a_keyed_frame_without_room_for_a_mac_is_malformed() -> None:
    for size in range(16):
        for number in ("bc02", "1000"):
            found, drops = decode(sealed(bytes.fromhex(f"1480{number}00000000") + bytes(size)), 10000)
            assert (found, drops.malformed) == ([], 1)


@pytest.mark.parametrize("more", [0, pytest.param(16, marks=pytest.mark.full)])
def test_of_all_heads_only_those_of_this_version_with_flags_it_understands_are_read(more: int) -> None:
    signed = framing.decode_all(framing.encode(OFFERED))[0].signed
    for first in range(256):
        for flags in range(256):
            raw = bytes((first, flags)) + signed[2:] + bytes(more)
            reason = "bad_version" if first >> 4 != 1 else "bad_flags" if flags & 0x70 else ""
            whole: messages.Message = OFFERED
            if flags & FLAG_KEYED and not more:  # the last 16 bytes of the body are taken for a MAC
                whole = messages.UnknownMessage(OFFERED.ID, first & 15, signed[8:-16])
            drops: list[str] = []
            found = framing.decode_messages(sealed(raw), lambda _at, _size, why, drops=drops: drops.append(why))
            assert (found, drops) == (([], [reason]) if reason else ([whole], [])), raw.hex()


# --- streams -----------------------------------------------------------------------------------


@pytest.mark.parametrize("piece", [1, 2, 7, 10000])
def test_frames_are_found_in_any_pieces_with_noise_around(piece: int) -> None:
    data = b"\x07noise" + b"".join(framing.encode(m) for m in SAMPLES) + b"\x03\x01"
    found, drops = decode(data, piece)
    assert tuple(found) == SAMPLES
    assert drops.total() == 1


def test_every_changed_bit_is_refused_and_the_neighbours_are_delivered() -> None:
    frame = framing.encode(OFFERED)
    for at in range(1, len(frame) - 1):
        for bit in range(8):
            damaged = bytearray(frame)
            damaged[at] ^= 1 << bit
            found, drops = decode(frame + bytes(damaged) + frame, 10000)
            assert found == [OFFERED, OFFERED], (at, bit)
            assert drops.total() >= 1


def test_an_endless_frame_takes_no_memory_and_is_told_once_with_its_length() -> None:
    told: list[tuple[int, int, str]] = []
    decoder = framing.Decoder(lambda *drop: told.append(drop))  # pyright: ignore
    tracemalloc.start()
    for _ in range(3000):
        assert list(decoder.feed(b"\x01" * 1000)) == []
    assert tracemalloc.get_traced_memory()[1] < 100_000
    tracemalloc.stop()
    ((offset, frame),) = decoder.feed_located(b"\x01\0" + framing.encode(OFFERED) + b"\x09\0")
    assert (offset, frame.message) == (3_000_003, OFFERED)
    assert told == [(0, 3_000_001, "too_long"), (3_000_003 + len(frame.raw) + 2, 1, "bad_stuffing")]


def test_drops_are_told_with_place_length_and_reason() -> None:
    good = framing.encode(OFFERED)
    bad = bytearray(framing.decode_all(good)[0].raw)
    bad[8] ^= 0x40
    parts = [
        (b"\x55\xaa", "bad_stuffing"),
        (framing.stuff(bytes(bad)), "bad_crc"),
        (b"\x03\x01\x01", "too_short"),
        (b"\x07" * 257, "too_long"),
        (sealed(bytes.fromhex("2200010100000000"))[1:-1], "bad_version"),
        (sealed(bytes.fromhex("1240010100000000"))[1:-1], "bad_flags"),
        (sealed(bytes.fromhex("1200230100000000"))[1:-1], "malformed"),
    ]
    data = b""
    expected: list[tuple[int, int, str]] = []
    for inner, reason in parts:
        expected.append((len(data), len(inner), reason))
        data += inner + b"\0" + good
    expected.append((len(data), 5, "unfinished"))
    data += b"\x05tail"
    for piece in (1, 3, 100, 10000):
        told: list[tuple[int, int, str]] = []
        decoder = framing.Decoder(lambda *drop: told.append(drop))  # pyright: ignore  # noqa: B023
        places: list[int] = []
        for start in range(0, len(data), piece):
            places += [offset for offset, _frame in decoder.feed_located(data[start : start + piece])]
        decoder.finish()
        assert told == expected
        assert all(data[at - 1 :].startswith(good) for at in places) and len(places) == len(parts)
        assert set(decoder.drops.by_reason().values()) == {1}


@pytest.mark.parametrize("piece", [1, 10000])
def test_a_drop_after_a_frame_that_was_read_whole_or_byte_by_byte_has_its_place(piece: int) -> None:
    told: list[tuple[int, int, str]] = []
    decoder = framing.Decoder(lambda *drop: told.append(drop))  # pyright: ignore
    good = framing.encode(OFFERED)
    for data in (good, b"\x09\x01\0"):
        for start in range(0, len(data), piece):
            decoder.feed(data[start : start + piece])
    assert told == [(len(good), 2, "bad_stuffing")]
    assert decoder.offset == len(good) + 3


# --- in step with the device -------------------------------------------------------------------


def test_host_and_device_read_each_others_frames() -> None:
    reader = FrameReader()
    for message in SAMPLES:
        data = bytearray(framing.encode(message))
        reader.push(data, 0, len(data))
        assert bytes(reader.buf[: reader.size - 4]) == framing.split(bytes(data))[0]
    assert reader.good == len(SAMPLES)


def test_stuffing_is_the_same_on_both_sides_and_in_the_fast_path() -> None:
    from firmware.protocol.cobs import cobs_encode

    noise = seeded()
    for _ in range(500):
        raw = bytes(noise.choice((0, 0, 1, 255, noise.randrange(256))) for _ in range(noise.randrange(254)))
        out = bytearray(1) + raw
        cobs_encode(out, 0, len(out))
        stuffed = bytes(out)
        assert stuffed == framing.stuff(raw) == framing._stuff(raw)  # pyright: ignore[reportPrivateUsage]
        assert framing.unstuff(stuffed) == raw == framing._unstuff(stuffed)  # pyright: ignore[reportPrivateUsage]


def test_the_names_of_drops_are_those_the_device_counts_by() -> None:
    counters = {field.name for field in dataclasses.fields(messages.LinkCounters)}
    assert set(framing.Drops().by_reason()) - counters == {"unfinished"}


def test_status_has_a_field_for_every_zone() -> None:
    for zone in messages.ZONES:
        assert zone in messages.Status.__annotations__


# --- what it stands on -------------------------------------------------------------------------


def test_the_crc_check_notices_a_broken_zlib(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_data: bytes) -> int:
        return 1

    monkeypatch.setattr(framing.zlib, "crc32", broken)
    with pytest.raises(RuntimeError, match="disagree"):
        framing.check_crc()


def test_crcmod_without_its_extension_is_told_once_with_what_to_do() -> None:
    program = (
        "import sys; sys.modules['crcmod._crcfunext'] = None; "
        "from fairshoe.link import framing; import fairshoe.cli.command_line"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.count("crcmod runs without its C extension") == 1
    assert "pip install" in done.stderr
    quiet = subprocess.run(
        [sys.executable, "-c", "import fairshoe.link.framing"], capture_output=True, text=True, check=True
    )
    assert quiet.stderr == ""


@pytest.mark.parametrize("broken", ["package", "extension"])
def test_without_the_cobs_extension_ours_is_used(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if broken == "package":
        monkeypatch.setitem(sys.modules, "cobs.cobs", None)
    else:
        monkeypatch.setattr(importlib.import_module("cobs.cobs"), "_using_extension", False)
    fast: Callable[[], tuple[Any, Any, Any]] = framing._fast_stuffing  # pyright: ignore[reportPrivateUsage]
    assert fast() == (framing.stuff, framing.unstuff, framing.StuffingError)


def test_where_classes_cannot_change_messages_are_read_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def cannot(_cls: object) -> None:
        return None

    monkeypatch.setattr(message_codecs, "_draft", cannot)
    general = framing._read_general  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(framing, "_MESSAGES", message_codecs.reader_table(general, None))
    assert framing.decode_messages(framing.encode(OFFERED)) == [OFFERED]
