"""The message table and the packing that follows it."""

from support import without_heap

from firmware import fault
from firmware.fault import FAULT_CONFIG, FAULT_NAMES
from firmware.games.flow import STATE_COUNT, WAITING_FOR_WAGERS
from firmware.journal.outbox import VALUES_MAX as OUTBOX_VALUES
from firmware.journal.store import PAYLOAD_MAX
from firmware.protocol import codec, ids, table


def test_ids_and_names_are_unique():
    messages = [message for message, _kind, _spec in table.MESSAGES]
    names = [spec.split()[0] for _message, _kind, spec in table.MESSAGES]
    assert len(set(messages)) == len(messages)
    assert len(set(names)) == len(names)


def test_events_and_only_events_have_event_ids():
    for message, kind, _spec in table.MESSAGES:
        assert codec.is_event(message) == (kind == ids.CLASS_EVENT)


def test_the_layout_of_a_device_has_every_message_of_the_table_and_no_other():
    assert sorted(codec.codec_table()) == sorted(message for message, _kind, _spec in table.MESSAGES)


def test_every_number_is_that_of_its_word():
    for prefix, names in (
        ("CLASS_", ids.CLASS_NAMES),
        ("ROLE_", ids.ROLE_NAMES),
        ("MODE_", ids.MODE_NAMES),
        ("OUTCOME_", ids.OUTCOME_NAMES),
        ("REASON_", ids.REASON_NAMES),
        ("REFUSED_", ids.REFUSED_NAMES),
        ("REC_", "- " + ids.RECORD_NAMES.split(" ", 1)[1]),
    ):
        for name in dir(ids):
            word = name[len(prefix) :].lower()
            if name.startswith(prefix) and word not in ("names", "count"):
                assert names.split()[getattr(ids, name)] == word, name
    for name in dir(fault):
        if name.startswith("FAULT_") and name != "FAULT_NAMES":
            assert FAULT_NAMES.split()[getattr(fault, name)] == name[6:].lower()
    assert len(ids.ROLE_NAMES.split()) == ids.ROLE_COUNT
    assert len(ids.RECORD_NAMES.split()) == ids.RECORD_COUNT


def test_numbers_without_a_word_of_their_own_stay_what_they_are():
    assert [ids.KEY_DONE, ids.KEY_SWITCH_OFF, ids.KEY_DOOR_SHUT, ids.KEY_WRONG] == [0, 1, 2, 3]
    assert [ids.KEY_ROUND_OPEN, ids.KEY_STORAGE] == [4, 5]
    assert [ids.KEY_FIRST, ids.KEY_ROTATED, ids.KEY_REPLACED, ids.KEY_RECOVERED] == [0, 1, 2, 3]
    assert [ids.LOADED_AGAIN, ids.LOADED_SHUFFLED, ids.LOADED_RACK] == [0, 1, 2]
    assert [ids.FROM_NOBODY, ids.FROM_MACHINE, ids.FROM_SUPPLIER, ids.FROM_HAND] == [0, 1, 2, 3]
    assert [ids.VERSION, ids.FLAG_KEYED, ids.FLAGS_MUST, ids.FLAG_AGAIN] == [1, 0x80, 0xF0, 1]
    assert [ids.UNKNOWN_U8, ids.UNKNOWN_U16] == [0xFF, 0xFFFF]
    assert ids.LANE_COUNT == ids.ROLE_AUDITOR


def test_every_consequence_need_and_answer_has_a_number_and_a_word_in_the_same_order():
    for first, last, names in (
        (ids.CONSEQUENCE_NONE, ids.PLAY_ON, ids.CONSEQUENCE_NAMES),
        (ids.NEED_NONE, ids.NEED_HOUSE_DECISION, ids.NEED_NAMES),
        (ids.ANSWER_NONE, ids.ANSWER_FAULT, ids.ANSWER_NAMES),
    ):
        assert first == 0
        assert last == len(names.split()) - 1
    consequences = ids.CONSEQUENCE_NAMES.split()
    for name in dir(ids):
        if name.lower() in consequences:
            assert consequences[getattr(ids, name)] == name.lower()
    assert consequences[ids.ALL_VOID_WITH_DEALT] == "all_void_reshuffle_with_dealt"
    needs = ids.NEED_NAMES.split()
    for name in dir(ids):
        if name.startswith("NEED_") and name not in ("NEED_NAMES", "NEED_COUNT", "NEED_UP_CARD"):
            assert needs[getattr(ids, name)] == name[5:].lower()
    assert needs[ids.NEED_COUNT] == "stub_count"
    assert needs[ids.NEED_UP_CARD] == "hole_card"
    answers = ids.ANSWER_NAMES.split()
    assert [answers[i] for i in (ids.ANSWER_NO, ids.ANSWER_BLACKJACK)] == ["no_blackjack", "blackjack"]


def test_messages_with_the_same_fields_share_their_codes():
    values = codec.codec_table().values()
    assert len({id(codes) for codes in values}) == len(set(values)) < len(values)


def test_every_event_fits_a_record_and_the_outbox():
    codes = codec.codec_table()
    prefix = codec.packed_size(codec.prefix_codes())
    for message, kind, spec in table.MESSAGES:
        integers = len([code for code in codes[message] if code < codec.TYPE_RAW])
        assert integers <= codec.VALUES_MAX, spec
        if kind == ids.CLASS_EVENT:
            assert prefix + codec.packed_size(codes[message]) <= PAYLOAD_MAX, spec
            assert integers <= OUTBOX_VALUES, spec


def test_every_intent_is_an_event_and_no_outcome_is_an_intent():
    known = [message for message, kind, _spec in table.MESSAGES if kind == ids.CLASS_EVENT]
    for message in ids.INTENTS + ids.OUTCOMES:
        assert message in known
    assert not set(ids.INTENTS) & set(ids.OUTCOMES)


def test_names_on_the_wire_cover_every_state_and_fault():
    assert len(ids.STATE_NAMES.split()) == STATE_COUNT == WAITING_FOR_WAGERS + 1
    assert len(FAULT_NAMES.split()) == FAULT_CONFIG + 1


def test_packing_is_little_endian_with_padded_text():
    buf = bytearray(16)
    end = codec.pack(buf, 1, bytes((1, 2, 8, 4)), [0x12, 0x3456, 0x01020304], b"CS-9g")
    assert end == 16
    assert bytes(buf[1:]) == b"\x12\x56\x34CS-9g\x00\x00\x00\x04\x03\x02\x01"
    values = [0] * 4
    assert codec.unpack(buf, 1, bytes((1, 2, 8, 4)), values) == 16
    assert values[:3] == [0x12, 0x3456, 0x01020304]


def test_every_bit_of_a_number_is_packed_and_higher_ones_are_cut():
    for size in (1, 2, 4):
        codes = bytes((size,))
        for bit in range(33):
            for packing in (codec.pack, codec.pack_numbers):
                buf = bytearray(5)
                more = (b"",) if packing is codec.pack else ()
                assert packing(buf, 0, codes, [1 << bit], *more) == size
                expected = bytearray(5)
                if bit < 8 * size:
                    expected[bit >> 3] = 1 << (bit & 7)
                assert buf == expected, (size, bit)
                values = [-1]
                assert codec.unpack(buf, 0, codes, values) == size
                assert values == [1 << bit if bit < 8 * size else 0]


def test_a_rest_takes_what_other_raw_fields_left_of_the_text():
    codes = bytes((1, 8, codec.TYPE_REST))
    buf = bytearray(20)
    assert codec.pack(buf, 0, codes, [7], b"abcdefghijk") == 12
    assert buf == b"\x07abcdefghijk" + bytes(8)
    assert codec.pack(buf, 0, codes, [7], b"abc") == 9
    values = [0]
    assert codec.unpack(buf, 0, codes, values) == 9
    assert values == [7]
    assert codec.packed_size(codes) == 9
    assert codec.packed_size(b"") == 0


def test_raw_fields_of_any_size_are_copied():
    buf = bytearray(49)
    assert codec.pack(buf, 0, bytes((16, 32)), [], bytes(range(48))) == 48
    assert buf == bytes(range(48)) + b"\x00"


def test_the_codes_of_a_message_are_the_types_of_its_fields():
    codes = codec.codec_table()
    sizes = {"u8": 1, "u16": 2, "u32": 4, "t8": 8, "b8": 8, "b16": 16, "b32": 32, "rest": codec.TYPE_REST}
    for message, kind, spec in table.MESSAGES:
        fields = spec.split()[1:]
        if kind == ids.CLASS_COMMAND:
            fields = table.COMMAND_PREFIX.split() + fields
        assert list(codes[message]) == [sizes[field.split(":")[1]] for field in fields], spec
        assert table.field_codes(" ".join(["name"] + fields)) == codes[message]
    assert list(codec.prefix_codes()) == [sizes[word.split(":")[1]] for word in table.EVENT_PREFIX.split()]
    assert table.field_codes(table.EVENT_PREFIX) == codec.prefix_codes()
    assert max(codes[ids.DICTIONARY_LINE]) == 255


def test_numbers_are_packed_as_in_any_other_body():
    values = [0x1020304 * (i + 1) & 0x3FFFFFFF for i in range(codec.VALUES_MAX)]
    numeric = 0
    for codes in codec.codec_table().values():
        if not [code for code in codes if code >= codec.TYPE_RAW]:
            numeric += 1
            one = bytearray(80)
            other = bytearray(80)
            assert codec.pack(one, 3, codes, values, b"") == codec.pack_numbers(other, 3, codes, values)
            assert one == other
    assert numeric > 10


def test_messages_sent_as_numbers_have_no_others_in_them():
    codes = codec.codec_table()
    for message in (ids.STATUS, ids.METERS, ids.LINK_COUNTERS, ids.RESULT, ids.TIME_IS, ids.SESSION_ENDING):
        assert not [code for code in codes[message] if code >= codec.TYPE_RAW]


def test_packing_allocates_nothing():
    buf = bytearray(32)
    codes = bytes((1, 2, 8, 4))
    values = [1, 2, 3, 0]
    assert without_heap(codec.pack_numbers, buf, 0, bytes((1, 2, 4)), values) == 7
    assert without_heap(codec.pack, buf, 0, codes, values, b"CS") == 15
    read = [0] * 4
    assert without_heap(codec.unpack, buf, 0, codes, read) == 15
    assert read == values
