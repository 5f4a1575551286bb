"""Stuffing and framing: any bytes in, only good frames out, the next good one always found."""

from binascii import crc32, unhexlify

from support import read_frames, without_heap

from firmware.protocol import frame as frames
from firmware.protocol.cobs import FRAME_MAX, cobs_decode, cobs_encode

# Plain and stuffed, worked out by hand from the definition of COBS.
VECTORS = (
    ("", "01"),
    ("00", "0101"),
    ("0000", "010101"),
    ("11220033", "0311220233"),
    ("11223344", "0511223344"),
    ("11000000", "0211010101"),
)


def frame(message, body):
    writer = frames.FrameWriter()
    writer.begin(2, 0, message, 0, 7)
    for byte in body:
        writer.body[writer.at] = byte
        writer.at += 1
    writer.finish()
    return bytearray(writer.wire[: writer.end])


def test_stuffing_matches_the_definition_both_ways():
    for plain, stuffed in VECTORS:
        plain = unhexlify(plain)
        stuffed = unhexlify(stuffed)
        out = bytearray(b"\x55\x55" + plain + b"\x55")
        cobs_encode(out, 1, len(out) - 1)
        assert bytes(out) == b"\x55" + stuffed + b"\x55"
        back = bytearray(stuffed)
        size = cobs_decode(back, len(back))
        assert bytes(back[:size]) == plain


def test_the_longest_frame_survives_stuffing():
    for fill in (0, 1, 255):
        raw = bytearray([fill] * FRAME_MAX)
        wire = bytearray(1) + raw
        cobs_encode(wire, 0, len(wire))
        assert all(wire)
        assert cobs_decode(wire, len(wire)) == FRAME_MAX
        assert wire[:FRAME_MAX] == raw


def test_bytes_that_are_not_stuffed_are_refused():
    for bad in (b"\x05\x11", b"\xff" + b"\x01" * 254, b"\x02\x00", b"\x00"):
        assert cobs_decode(bytearray(bad), len(bad)) == -1


def test_a_frame_is_found_whole_in_bytes_and_with_neighbours():
    data = frame(258, b"\x00\x01\x02\x00")
    for piece in (1, 2, 3, 64, 256):
        reader = frames.FrameReader()
        found = read_frames(reader, b"noise" + data + data + b"\x05", piece)
        assert len(found) == 2
        assert frames.frame_message(bytearray(found[0])) == 258
        assert found[0][8:-4] == b"\x00\x01\x02\x00"
        assert crc32(found[0]) == 0x2144DF1C


def test_every_single_byte_change_is_refused_and_the_next_frame_found():
    data = frame(258, bytes(range(12)))
    for at in range(1, len(data) - 1):
        for flip in (0x01, 0x80, 0xFF):
            damaged = bytearray(data)
            damaged[at] ^= flip
            reader = frames.FrameReader()
            found = read_frames(reader, damaged + data, 64)
            assert [bytes(f[8:-4]) for f in found] == [bytes(range(12))], at


def test_a_run_without_a_delimiter_is_one_drop_however_long_it_is_and_the_next_frame_is_good():
    good = frame(258, b"abc")
    for size in (257, 258, 511, 512, 513, 1024, 5000):
        for chunk in (64, size, 6000):
            reader = frames.FrameReader()
            assert len(read_frames(reader, b"\x01" * size + b"\x00" + good, chunk)) == 1, (size, chunk)
            assert (reader.drops[frames.DROP_LONG], sum(reader.drops)) == (1, 1), (size, chunk)


def test_a_good_received_frame_allocates_nothing_once_its_length_was_seen():
    data = frame(258, b"abc")
    reader = frames.FrameReader()
    reader.push(data, 0, len(data))
    without_heap(reader.push, data, 0, len(data))
    assert reader.good == 2


def test_a_flag_that_must_be_understood_and_is_not_drops_the_frame():
    for flags, good in ((0x10, 0), (0x20, 0), (0x40, 0), (0x0F, 1)):
        writer = frames.FrameWriter()
        writer.begin(2, flags, 258, 0, 0)
        writer.finish()
        reader = frames.FrameReader()
        assert len(read_frames(reader, bytes(writer.wire[: writer.end]), 64)) == good
        assert reader.drops[frames.DROP_FLAGS] == 1 - good


def test_a_frame_of_another_version_is_counted_and_passed_over():
    writer = frames.FrameWriter()
    writer.begin(2, 0, 258, 0, 0)
    writer.body[0] = 0xF2
    writer.finish()
    reader = frames.FrameReader()
    assert read_frames(reader, bytes(writer.wire[: writer.end]), 64) == []
    assert reader.drops[frames.DROP_VERSION] == 1


def dropped(block):
    """How a reader counts what stands between two delimiters."""
    reader = frames.FrameReader()
    data = bytearray(b"\x00" + block + b"\x00")
    assert reader.push(data, 0, len(data)) == len(data)
    assert reader.size == reader.good == 0
    return reader.drops


def only(kind):
    counts = [0] * frames.DROP_KINDS
    counts[kind] = 1
    return counts


def test_every_reason_to_drop_has_a_counter_of_its_own():
    kinds = [frames.DROP_COBS, frames.DROP_CRC, frames.DROP_SHORT]
    kinds += [frames.DROP_LONG, frames.DROP_VERSION, frames.DROP_FLAGS]
    assert sorted(kinds) == list(range(6))
    assert len(frames.FrameReader().drops) == frames.DROP_KINDS == 6


def test_a_block_of_a_wrong_length_is_counted_as_short_or_long_whatever_else_is_wrong_with_it():
    for short in (b"\x01", b"\x06abcde", b"\x0cabcdefghijk"):
        assert dropped(short) == only(frames.DROP_SHORT)
    for long in (b"\x80" + b"a" * 127 + b"\x7f" + b"b" * 126, b"\x01" * 255, b"\x02" + b"\xff" * 300):
        assert dropped(long) == only(frames.DROP_LONG)
    assert dropped(b"\xff" * 256) == only(frames.DROP_COBS) and dropped(b"\xff" * 257) == only(frames.DROP_LONG)
    assert dropped(b"\x0dabcdefghijkl") == only(frames.DROP_CRC)


def test_the_shortest_and_the_longest_frame_pass_reader_and_writer():
    for size in (0, FRAME_MAX - 12):
        body = bytes(range(1, 1 + size))
        data = frame(258, body)
        reader = frames.FrameReader()
        assert reader.push(data, 0, len(data)) == len(data)
        assert reader.size == size + 12
        assert reader.buf[8 : 8 + size] == body
    assert len(data) == len(frames.FrameWriter().wire) == 256


def test_a_reader_stops_behind_a_good_frame_and_only_there():
    good = frame(258, b"abc")
    reader = frames.FrameReader()
    assert reader.size == reader.good == 0
    data = bytearray(b"\x00\x05\x00") + good + good
    assert reader.push(data, 0, len(data)) == 3 + len(good)
    assert reader.push(data, 3 + len(good), len(data)) == len(data)
    assert reader.good == 2
    assert reader.push(data, 0, 0) == 0
    assert reader.size == 0


def test_a_header_has_every_bit_of_message_session_and_sequence():
    for number in (0x0001, 0x80FF, 0x7F80, 0xFFFF, 0xA55A):
        writer = frames.FrameWriter()
        writer.begin(5, 0x81, number, number ^ 0xFFFF, number ^ 0x0FF0)
        head = bytes(writer.body[:8])
        assert head[:2] == b"\x15\x81"
        assert frames.frame_message(head) == number
        assert frames.frame_session(head) == number ^ 0xFFFF
        assert frames.frame_sequence(head) == number ^ 0x0FF0
        low, high = number & 0xFF, number >> 8
        assert list(head[2:]) == [low, high, low ^ 0xFF, high ^ 0xFF, low ^ 0xF0, high ^ 0x0F]


def test_the_sequence_of_a_frame_wraps_after_sixteen_bits():
    writer = frames.FrameWriter()
    writer.begin(5, 0, 258, 0, 0x10203)
    assert frames.frame_sequence(writer.body) == 0x203


def test_a_writer_is_busy_from_the_first_byte_of_a_finished_frame_to_its_last():
    writer = frames.FrameWriter()
    assert not writer.busy()
    writer.begin(2, 0, 258, 0, 0)
    writer.put(b"abc")
    writer.put(b"de")
    assert writer.body[8 : writer.at] == b"abcde"
    for _ in range(2):
        writer.finish()
        assert writer.busy() and writer.sent == 0
        assert writer.wire[0] == writer.wire[writer.end - 1] == 0
        writer.sent = writer.end - 1
        assert writer.busy()
        writer.sent = writer.end
        assert not writer.busy()
        writer.begin(2, 0, 258, 0, 0)


def test_a_view_of_each_length_is_made_once():
    views = frames.Views(bytearray(b"abc"))
    assert bytes(views.first(2)) == b"ab"
    assert views.first(2) is views.first(2)
