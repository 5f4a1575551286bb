"""The library against a port that loses, repeats, disappears and says nothing."""

import os
import tty
from collections.abc import Iterator

import pytest

from fairshoe import Shoe, wire
from fairshoe.errors import NoAnswer, PortError, PortLost
from fairshoe.messages import DoorOpened, Event, EventAck, Hello, Message, RoundStarted, Welcome


class FakePort:
    """What pyserial would give: scripted bytes in, a record of what was written."""

    def __init__(self, *chunks: bytes) -> None:
        self.chunks = list(chunks)
        self.written = b""
        self.gone = False

    @property
    def in_waiting(self) -> int:
        return len(self.chunks[0]) if self.chunks else 0

    def read(self, size: int) -> bytes:
        if self.gone and not self.chunks:
            raise OSError("device not configured")
        if not self.chunks:
            return b""
        data = self.chunks[0][:size]
        self.chunks[0] = self.chunks[0][size:]
        if not self.chunks[0]:
            self.chunks.pop(0)
        return data

    def write(self, data: bytes) -> None:
        self.written += data

    def close(self) -> None:
        self.chunks = []

    def sent(self) -> list[Message]:
        return [frame.message for frame in wire.Decoder().feed(self.written)]


def door(seq: int) -> DoorOpened:
    return DoorOpened(seq=seq, boot=1, uptime_s=0, uptime_ms=0, utc_s=0, round=0, deck=0)


def shoe_on(port: FakePort, seq_last: int = 0) -> Shoe:
    shoe = Shoe(port, "fake", listen_only=False)
    shoe.seq_last = seq_last
    return shoe


def test_events_are_delivered_once_in_order_and_acknowledged_after_delivery() -> None:
    port = FakePort(wire.encode(door(1)), wire.encode(door(2)))
    got: list[int] = []
    for event in shoe_on(port).events(quiet_s=0):
        got.append(event.seq)
        # Not yet: we have it in hand, but have not come back.
        assert EventAck(event.seq) not in port.sent()
    assert got == [1, 2]
    assert port.sent() == [EventAck(1), EventAck(2)]


def test_a_repeated_event_is_not_shown_again_but_acknowledged_again() -> None:
    port = FakePort(wire.encode(door(1)) + wire.encode(door(1)))
    shoe = shoe_on(port)
    assert [event.seq for event in shoe.events(quiet_s=0)] == [1]
    assert shoe.repeats == 1
    assert port.sent() == [EventAck(1), EventAck(1)]


def test_an_event_after_a_gap_waits_for_the_missing_one() -> None:
    port = FakePort(wire.encode(door(2)), wire.encode(door(1)) + wire.encode(door(2)))
    shoe = shoe_on(port)
    assert [event.seq for event in shoe.events(quiet_s=0)] == [1, 2]
    assert shoe.gaps == 1


def test_an_event_the_program_dropped_was_never_acknowledged() -> None:
    port = FakePort(wire.encode(door(1)))
    for _event in shoe_on(port).events(quiet_s=0):
        break
    assert port.sent() == []


def test_a_listener_sends_nothing_at_all() -> None:
    port = FakePort(wire.encode(door(5)) + wire.encode(door(6)))
    shoe = Shoe(port, "fake", listen_only=True)
    assert [event.seq for event in shoe.events(quiet_s=0)] == [5, 6]
    assert port.written == b""


def test_a_port_that_disappears_in_a_round_says_so_and_what_was_last() -> None:
    started = RoundStarted(
        seq=3, boot=1, uptime_s=0, uptime_ms=0, utc_s=0, round=9, deck=1, game="CS", positions=3
    )
    port = FakePort(wire.encode(started))
    port.gone = True
    with pytest.raises(PortLost, match=r"round 9 was open.*Last event received: 3\."):
        for _event in shoe_on(port, seq_last=2).events():
            pass


def test_a_missing_port_is_one_clear_message() -> None:
    with pytest.raises(PortError, match="cannot open /dev/does-not-exist") as caught:
        Shoe.open("/dev/does-not-exist")
    assert "list_ports" in caught.value.advice


@pytest.fixture
def silent_port() -> Iterator[str]:
    near, far = os.openpty()
    tty.setraw(far)
    yield os.ttyname(far)
    os.close(near)
    os.close(far)


def test_something_that_is_no_shoe_is_told_from_one(silent_port: str) -> None:
    with pytest.raises(NoAnswer, match="answered as a shoe"):
        Shoe.open(silent_port, answer_s=0.3)


def test_the_welcome_says_from_where_events_go_on() -> None:
    welcome = Welcome(1, 0, 7, 4, "0.1.0", "CS", seq_first=11, seq_last=12)
    port = FakePort(wire.encode(welcome), wire.encode(door(11)))
    shoe = shoe_on(port)
    shoe._greet(1.0)  # pyright: ignore[reportPrivateUsage]
    assert isinstance(port.sent()[0], Hello)
    assert [event.seq for event in shoe.events(quiet_s=0)] == [11]
    assert isinstance(door(1), Event)
