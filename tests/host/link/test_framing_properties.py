"""Properties of the host's codec, for every message and any field values; hypothesis prints the smallest example."""

from dataclasses import fields
from enum import IntEnum
from typing import Any

import pytest
from draws import amount
from hypothesis import given, settings
from hypothesis import strategies as st

from fairshoe import messages
from fairshoe.link import framing
from fairshoe.messages import Message
from firmware.protocol import table
from firmware.protocol.frame import FrameReader
from firmware.protocol.table import field_codes

ASCII = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=8)


def _values(cls: type[Message]) -> st.SearchStrategy[Message]:
    """Any message of a kind: every field over its whole range."""
    spec = next(spec for number, _kind, spec in table.MESSAGES if number == cls.ID)
    prefix = table.EVENT_PREFIX if issubclass(cls, messages.Event) else ""
    prefix = table.COMMAND_PREFIX if issubclass(cls, messages.Command) else prefix
    kinds = [word.split(":") for word in f"{prefix} {spec}".split() if ":" in word]
    strategies: list[st.SearchStrategy[Any]] = []
    for name, kind in kinds:
        if name in messages.ENUMS:
            enum: type[IntEnum] = messages.ENUMS[name]
            strategies.append(st.sampled_from(list(enum)))
        elif kind == "t8":
            strategies.append(ASCII)
        elif kind == "rest":
            strategies.append(st.binary(max_size=200))
        elif kind[0] == "b":
            strategies.append(st.binary(min_size=int(kind[1:]), max_size=int(kind[1:])))
        else:
            strategies.append(st.integers(0, (1 << int(kind[1:])) - 1))
    assert [field.name for field in fields(cls)] == [name for name, _kind in kinds]
    return st.tuples(*strategies).map(lambda drawn: cls(*drawn))


MESSAGES = st.sampled_from(messages.ALL).flatmap(_values)


def _zeros(_signed: bytes) -> bytes:
    return bytes(16)


def _ones(_signed: bytes) -> bytes:
    return b"\xff" * 16


CHOICES: list[framing.Seal | None] = [None, _zeros, _ones]
SEALS = st.sampled_from(CHOICES)


@pytest.mark.drawn
@settings(max_examples=amount(100, 1600), deadline=None)
@given(MESSAGES, st.integers(0, 0xFFFF), st.integers(0, 0xFFFF), st.integers(0, 0x0F), SEALS)
def test_what_is_encoded_is_decoded_and_the_device_accepts_it(
    message: Message, session: int, sequence: int, flags: int, seal: framing.Seal | None
) -> None:
    data = framing.encode(message, session, sequence, flags, seal)
    assert data[0] == data[-1] == 0
    assert 0 not in data[1:-1]
    (frame,) = framing.Decoder().feed(data)
    assert frame.message == message
    assert (frame.session, frame.sequence, frame.keyed) == (session, sequence, seal is not None)
    reader = FrameReader()
    reader.push(bytearray(data), 0, len(data))
    assert reader.good == 1


@pytest.mark.drawn
@settings(max_examples=amount(50, 800), deadline=None)
@given(st.lists(MESSAGES, max_size=6), st.binary(max_size=300), st.integers(1, 64))
def test_messages_come_out_in_order_whatever_stands_before_them_and_however_they_are_cut(
    sent: list[Message], junk: bytes, piece: int
) -> None:
    data = junk + b"\0" + b"".join(framing.encode(message) for message in sent)
    decoder = framing.Decoder()
    found: list[Message] = []
    for at in range(0, len(data), piece):
        found += [frame.message for frame in decoder.feed(data[at : at + piece])]
    assert found[len(found) - len(sent) :] == sent


def test_the_table_has_no_type_these_properties_do_not_know() -> None:
    for _number, _kind, spec in table.MESSAGES:
        assert set(field_codes(spec)) <= {1, 2, 4, 8, 16, 32, 255}
