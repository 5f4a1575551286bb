"""A shoe on a serial port: typed events, each delivered once and in order, acknowledged only after you have had it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any

import serial

from fairshoe import wire
from fairshoe.errors import NoAnswer, PortError, PortLost
from fairshoe.messages import Event, EventAck, Hello, Message, RoundEnded, RoundStarted, RoundVoided, Status, Welcome
from firmware.protocol.ids import VERSION

HELLO_S = 0.5
ANSWER_S = 4.0
READ_S = 0.1


class Shoe:
    """An open shoe. Use `with Shoe.open(port) as shoe: for event in shoe.events(): ...`."""

    def __init__(self, port: Any, name: str, listen_only: bool) -> None:
        self._port = port
        self._decoder = wire.Decoder()
        self._sequence = 0
        self._unacknowledged = 0
        self.name = name
        self.listen_only = listen_only
        self.welcome: Welcome | None = None
        self.status: Status | None = None
        self.seq_last = 0
        self.events_received = 0
        self.repeats = 0
        self.gaps = 0
        self.open_round = 0

    @classmethod
    def open(cls, url: str, answer_s: float = ANSWER_S) -> Shoe:
        """Open a port (any pyserial URL), say hello and wait for the device's welcome."""
        shoe = cls(_open_port(url), url, listen_only=False)
        try:
            shoe._greet(answer_s)
        except BaseException:
            shoe.close()
            raise
        return shoe

    @classmethod
    def listen(cls, url: str) -> Shoe:
        """Open a port and send nothing at all: for a tap, or beside another host."""
        return cls(_open_port(url), url, listen_only=True)

    @property
    def drops(self) -> wire.Drops:
        """What was lost on the way here; the device sends events again until they arrive."""
        return self._decoder.drops

    def events(self, quiet_s: float | None = None) -> Iterator[Event]:
        """Events as they come; ends after quiet_s seconds without any message."""
        for message in self.messages(quiet_s):
            if isinstance(message, Event):
                yield message

    def messages(self, quiet_s: float | None = None) -> Iterator[Message]:
        """Events and status. Coming back for the next message acknowledges the event before it, unless
        `acknowledge` did so already; an event that was never acknowledged comes again at the next connection."""
        heard = time.monotonic()
        while True:
            arrived = False
            for frame in self._decoder.feed(self._read()):
                arrived = True
                message = self._accept(frame.message)
                if message is not None:
                    yield message
                    self.acknowledge()
            now = time.monotonic()
            if arrived:
                heard = now
            elif quiet_s is not None and now - heard >= quiet_s:
                return

    def acknowledge(self) -> None:
        """Say that the last event is safely stored, before coming back for the next."""
        if self._unacknowledged and not self.listen_only:
            self._write(EventAck(self._unacknowledged))
        self._unacknowledged = 0

    def close(self) -> None:
        self._port.close()

    def __enter__(self) -> Shoe:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _greet(self, answer_s: float) -> None:
        end = time.monotonic() + answer_s
        while time.monotonic() < end:
            self._write(Hello(VERSION, int(time.monotonic() * 1000) & 0x3FFFFFFF))
            again = time.monotonic() + HELLO_S
            while time.monotonic() < again:
                for frame in self._decoder.feed(self._read()):
                    # Events that come before the welcome are not taken: the device sends them again after it.
                    if isinstance(frame.message, Welcome):
                        self.welcome = frame.message
                        self.seq_last = frame.message.seq_first - 1
                        return
        raise NoAnswer(
            f"nothing on {self.name} answered as a shoe within {answer_s:.0f} s.",
            "Check that the device is powered, that this is its table port and that no other program has it open.",
        )

    def _accept(self, message: Message) -> Message | None:
        """Book-keeping for one message; None if the caller has had it already or must not have it yet."""
        if isinstance(message, Welcome):
            # It restarted, or another host said hello: events go on from what was acknowledged.
            self.welcome = message
            return None
        if isinstance(message, Status):
            self.status = message
        if not isinstance(message, Event):
            return message
        if self.listen_only and self.seq_last == 0:
            self.seq_last = message.seq - 1
        if message.seq <= self.seq_last:
            self.repeats += 1
            self._unacknowledged = self.seq_last
            self.acknowledge()
            return None
        if message.seq != self.seq_last + 1:
            self.gaps += 1
            if not self.listen_only:
                return None  # the device repeats from the first one we have not acknowledged
        self.seq_last = message.seq
        self._unacknowledged = message.seq
        self.events_received += 1
        if isinstance(message, RoundStarted):
            self.open_round = message.round
        elif isinstance(message, (RoundEnded, RoundVoided)):
            self.open_round = 0
        return message

    def _read(self) -> bytes:
        try:
            return self._port.read(max(1, self._port.in_waiting))
        except (OSError, TypeError) as error:  # pyserial raises TypeError when the port was closed under it
            raise self._lost() from error

    def _write(self, message: Message) -> None:
        try:
            self._port.write(wire.encode(message, 0, self._sequence))
        except OSError as error:
            raise self._lost() from error
        self._sequence = (self._sequence + 1) & 0xFFFF

    def _lost(self) -> PortLost:
        what = f"{self.name} disappeared"
        if self.open_round:
            what += f" while round {self.open_round} was open; the round is not known to have ended"
        return PortLost(
            f"{what}. Last event received: {self.seq_last}.",
            "Check cable and power, then connect again: the device keeps every event that was not acknowledged.",
        )


def _open_port(url: str) -> Any:
    try:
        return serial.serial_for_url(url, baudrate=115200, timeout=READ_S)
    except (OSError, ValueError) as error:
        raise PortError(
            f"cannot open {url}: {_reason(error)}.",
            "Check the name, the cable and your permission; `python -m serial.tools.list_ports` lists what is there.",
        ) from error


def _reason(error: Exception) -> str:
    text = str(getattr(error, "strerror", None) or error)
    return text.split("] ", 1)[-1].rstrip(".")
