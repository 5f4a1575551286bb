"""The simulator's service port: silent until the key switch is turned, then the only port that speaks."""

import time
from collections.abc import Callable

import serial
from test_cli import simulator

from fairshoe.link import framing
from fairshoe.messages import Booted, Message, Service


def hear(port: serial.Serial, until: Callable[[list[Message]], bool], seconds: float) -> list[Message]:
    """What arrives until it is enough, or so long."""
    decoder = framing.Decoder()
    heard: list[Message] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end and not until(heard):
        heard += [frame.message for frame in decoder.feed(port.read(256))]
    return heard


def some(kind: type[Message]) -> Callable[[list[Message]], bool]:
    return lambda heard: any(isinstance(message, kind) for message in heard)


def test_the_key_switch_moves_the_link_from_one_port_to_the_other_and_back() -> None:
    with simulator() as (process, ready):
        assert process.stdin
        table = serial.Serial(ready["port"], timeout=0.05)
        service = serial.Serial(ready["service"], timeout=0.05)
        assert some(Booted)(hear(table, some(Booted), 10))
        assert hear(service, some(Message), 0.5) == []
        process.stdin.write(b"key on\n")
        process.stdin.flush()
        assert some(Service)(hear(service, some(Service), 10))
        table.reset_input_buffer()
        assert hear(table, some(Message), 1.0) == []
        process.stdin.write(b"key off\n")
        process.stdin.flush()
        off = hear(table, lambda heard: any(isinstance(m, Service) and not m.on for m in heard), 10)
        assert off and isinstance(off[-1], Service)
        service.reset_input_buffer()
        assert hear(service, some(Message), 0.5) == []
        table.close()
        service.close()


