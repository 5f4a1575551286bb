"""Dictionaries: ours is the device's, two of different ages are distinguished, and what is unknown is read by one."""

import pytest
from draws import seeded

from fairshoe.link import framing
from fairshoe.link.dictionary import Dictionary, compare, own_dictionary
from fairshoe.messages import ALL, StackOffered, UnknownMessage
from firmware.protocol.dictionary import dictionary_hash

OWN = own_dictionary()
STATES = next(line for line in reversed(OWN.lines) if line.startswith("names state"))
NEWER = [
    *"\n".join(OWN.lines)
    .replace("cards:u8 misfeeds:u8 stalls:u8", "cards:u8 misfeeds:u8 stalls:u8 slot:u16 note:t8")
    .replace(STATES, f"{STATES} sulking")
    .splitlines(),
    "message 700 2 card_polished slot:u16 how:t8 odd:u128x",
    "colour 3 blue",
]


def test_our_dictionary_is_the_one_the_firmware_hashes() -> None:
    assert OWN.hash == dictionary_hash()
    assert OWN.passed_over == []
    assert {spec.name for spec in OWN.messages.values()} == {cls.NAME for cls in ALL}


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.NAME)
def test_sizes_by_dictionary_are_those_of_the_classes(cls: type[StackOffered]) -> None:
    spec = OWN.messages[cls.ID]
    assert sum(field.size() or 0 for field in spec.fields) == cls.LAYOUT.size
    assert spec.kind == cls.CLASS


def test_the_same_dictionary_has_nothing_to_tell() -> None:
    comparison = compare(Dictionary(OWN.lines))
    assert comparison.newer == "neither"
    assert "same" in str(comparison)


def test_a_newer_device_is_told_with_what_it_adds_and_what_still_works() -> None:
    comparison = compare(Dictionary(NEWER))
    assert comparison.newer == "device"
    text = str(comparison)
    assert "device newer" in text and "Update the tools" in text and "shown generically" in text
    assert "message card_polished" in text
    assert "fields slot, note of stack_offered" in text
    assert "state sulking" in text
    assert comparison.changed == ()


def test_an_older_device_is_told_the_other_way_round() -> None:
    comparison = compare(OWN, Dictionary(NEWER))
    assert comparison.newer == "tools"
    assert "device older" in str(comparison) and "lacks" in str(comparison) and "Update its firmware" in str(comparison)


def test_each_side_may_have_something_the_other_lacks() -> None:
    comparison = compare(Dictionary([line for line in NEWER if " green_pressed" not in line]))
    assert comparison.newer == "both"
    assert comparison.device_lacks == ("message green_pressed",)


def test_a_message_that_means_something_else_is_not_to_be_relied_on() -> None:
    lines = [line.replace("stack_taken stack:u8 cards:u8", "stack_taken cards:u8 stack:u8") for line in OWN.lines]
    lines = [line.replace("names role clear observer", "names role observer clear") for line in lines]
    comparison = compare(Dictionary(lines))
    assert comparison.changed == ("message stack_taken has other fields", "the numbers of role have other names")
    assert "Do not rely" in str(comparison)


def test_an_unknown_message_is_read_by_the_devices_dictionary() -> None:
    prefix = bytes((1, 0, 0, 0, 2, 0)) + bytes(14) + b"\x07"
    explained = Dictionary(NEWER).explain(UnknownMessage(700, 2, prefix + b"\x05\x01softly\0\0" + b"\xaa"))
    assert explained is not None
    name, values = explained
    assert name == "card_polished"
    assert (values["seq"], values["boot"], values["deck"]) == (1, 2, 7)
    assert (values["slot"], values["how"], values["rest"]) == (0x105, "softly", b"\xaa")
    assert OWN.explain(UnknownMessage(700, 2, b"")) is None


def test_fields_that_a_newer_device_added_are_read_too() -> None:
    offered = StackOffered(8, 1, 40, 500, 0, 1, 1, 2, 5, 1, 0)
    signed = framing.decode_all(framing.encode(offered))[0].signed + b"\x09\x00hello\0\0\0"
    frame = framing.Frame()
    frame.message = offered
    frame.raw = signed + bytes(4)
    assert Dictionary(NEWER).extra(frame) == {"slot": 9, "note": "hello"}
    assert OWN.extra(frame) == {"rest": b"\x09\x00hello\0\0\0"}


def test_a_body_cut_short_gives_the_fields_it_has() -> None:
    explained = Dictionary(NEWER).explain(UnknownMessage(700, 2, b"\x01\0\0\0\x02"))
    assert explained == ("card_polished", {"seq": 1, "rest": b"\x02"})


def test_any_lines_whatever_are_taken() -> None:
    noise = seeded()
    words = ["message", "prefix", "names", "event", "700", "-1", "x:u8", "y:rest", "z:u999", ":", "a:", ":b", "\x00"]
    for _ in range(500):
        lines = [" ".join(noise.choices(words, k=noise.randrange(7))) for _ in range(noise.randrange(9))]
        dictionary = Dictionary(lines)
        assert str(compare(dictionary))
        for number in dictionary.messages:
            body = noise.randbytes(noise.randrange(40))
            explained = dictionary.explain(UnknownMessage(number, 0, body))
            assert explained is not None
            assert explained[0] == dictionary.messages[number].name
