"""The simulator's service port: silent until the key switch is turned, then the only port that speaks."""

from collections.abc import Callable

import serial
from test_cli import hand, simulator
from waits import wait_until

from fairshoe.link import framing
from fairshoe.messages import Booted, Message, Service


class Port:
    def __init__(self, name: str) -> None:
        self.serial = serial.Serial(name, timeout=0.05)
        self.heard: list[Message] = []
        self._decoder = framing.Decoder()

    def hear(self) -> list[Message]:
        """What arrived now."""
        new = [frame.message for frame in self._decoder.feed(self.serial.read(4096))]
        self.heard += new
        return new

    def until(self, true: Callable[[Message], bool]) -> None:
        wait_until(lambda: any(map(true, self.hear())))

    def speaks_while_silent(self, other: "Port") -> None:
        """The other is asked after each of five messages, so that the device had the time to write."""
        for _ in range(5):
            self.until(lambda _message: True)
            assert other.hear() == []


def test_the_key_switch_moves_the_link_from_one_port_to_the_other_and_back() -> None:
    with simulator() as (process, ready):
        table, service = Port(ready["port"]), Port(ready["service"])
        table.until(lambda message: isinstance(message, Booted))
        table.speaks_while_silent(service)
        hand(process, "key on")
        service.until(lambda message: isinstance(message, Service))
        table.serial.reset_input_buffer()
        service.speaks_while_silent(table)
        hand(process, "key off")
        table.until(lambda message: isinstance(message, Service) and not message.on)
        service.serial.reset_input_buffer()
        table.speaks_while_silent(service)
        table.serial.close()
        service.serial.close()
