"""The message table and the packing that follows it."""

from support import without_heap

from firmware.fault import FAULT_NAMES, FAULT_PANEL
from firmware.games.flow import STATE_COUNT, WAITING_FOR_WAGERS
from firmware.journal.outbox import VALUES_MAX as OUTBOX_VALUES
from firmware.journal.store import PAYLOAD_MAX
from firmware.protocol import ids, table
from firmware.protocol.codec import (
    TYPE_RAW,
    VALUES_MAX,
    codec_table,
    is_event,
    pack,
    pack_numbers,
    packed_size,
    prefix_codes,
    unpack,
)


def test_ids_and_names_are_unique():
    messages = [message for message, _kind, _spec in table.MESSAGES]
    names = [spec.split()[0] for _message, _kind, spec in table.MESSAGES]
    assert len(set(messages)) == len(messages)
    assert len(set(names)) == len(names)


def test_events_and_only_events_have_event_ids():
    for message, kind, _spec in table.MESSAGES:
        assert is_event(message) == (kind == ids.CLASS_EVENT)


def test_messages_with_the_same_fields_share_their_codes():
    values = codec_table().values()
    assert len({id(codes) for codes in values}) == len(set(values)) < len(values)


def test_every_event_fits_a_record_and_the_outbox():
    codes = codec_table()
    prefix = packed_size(prefix_codes())
    for message, kind, spec in table.MESSAGES:
        integers = len([code for code in codes[message] if code < TYPE_RAW])
        assert integers <= VALUES_MAX, spec
        if kind == ids.CLASS_EVENT:
            assert prefix + packed_size(codes[message]) <= PAYLOAD_MAX, spec
            assert integers <= OUTBOX_VALUES, spec


def test_every_intent_is_an_event_and_no_outcome_is_an_intent():
    known = [message for message, kind, _spec in table.MESSAGES if kind == ids.CLASS_EVENT]
    for message in ids.INTENTS + ids.OUTCOMES:
        assert message in known
    assert not set(ids.INTENTS) & set(ids.OUTCOMES)


def test_names_on_the_wire_cover_every_state_and_fault():
    assert len(ids.STATE_NAMES.split()) == STATE_COUNT == WAITING_FOR_WAGERS + 1
    assert len(FAULT_NAMES.split()) == FAULT_PANEL + 1


def test_packing_is_little_endian_with_padded_text():
    buf = bytearray(16)
    end = pack(buf, 1, bytes((1, 2, 8, 4)), [0x12, 0x3456, 0x01020304], b"CS-9g")
    assert end == 16
    assert bytes(buf[1:]) == b"\x12\x56\x34CS-9g\x00\x00\x00\x04\x03\x02\x01"
    values = [0] * 4
    assert unpack(buf, 1, bytes((1, 2, 8, 4)), values) == 16
    assert values[:3] == [0x12, 0x3456, 0x01020304]


def test_numbers_are_packed_as_in_any_other_body():
    values = [0x1020304 * (i + 1) & 0x3FFFFFFF for i in range(VALUES_MAX)]
    numeric = 0
    for codes in codec_table().values():
        if not [code for code in codes if code >= TYPE_RAW]:
            numeric += 1
            one = bytearray(80)
            other = bytearray(80)
            assert pack(one, 3, codes, values, b"") == pack_numbers(other, 3, codes, values)
            assert one == other
    assert numeric > 10


def test_messages_sent_as_numbers_have_no_others_in_them():
    codes = codec_table()
    for message in (
        ids.STATUS, ids.METERS, ids.LINK_COUNTERS, ids.RESULT, ids.TIME_IS, ids.SESSION_ENDING
    ):
        assert not [code for code in codes[message] if code >= TYPE_RAW]


def test_packing_allocates_nothing():
    buf = bytearray(32)
    codes = bytes((1, 2, 8, 4))
    values = [1, 2, 3, 0]
    assert without_heap(pack_numbers, buf, 0, bytes((1, 2, 4)), values) == 7
    assert without_heap(pack, buf, 0, codes, values, b"CS") == 15
    read = [0] * 4
    assert without_heap(unpack, buf, 0, codes, read) == 15
    assert read == values
