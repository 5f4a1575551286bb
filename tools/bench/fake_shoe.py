"""The device's end of the link, made of the host's own frames: answers hello, names its log and sends keyed events.

It has no firmware, journal or clock. It exists to load a host with more shoes than one machine can simulate.
"""

from __future__ import annotations

import asyncio
from typing import cast

from fairshoe import keys, messages
from fairshoe.keys import RoleKey
from fairshoe.link import framing
from firmware.protocol.ids import VERSION
from firmware.protocol.session import NONCE_SIZE

AHEAD = 8  # events sent before the first of them is acknowledged, as a device does
BOOT = 1
SESSION = 7


class FakeShoe:
    """One shoe with the key of the recorder's role. `output` holds the bytes to send to the host."""

    def __init__(self, device: int, secret: bytes) -> None:
        self.device = device
        self.key = RoleKey(messages.Role.RECORDER, secret)
        self.output = bytearray()
        self.seq_last = 0  # of the last event recorded
        self.seq_sent = 0  # of the last event sent in this session
        self.seq_acked = 0
        self.hellos = 0
        self.log = device.to_bytes(16, "big")
        self._decoder = framing.Decoder()
        self._sequence = 0
        self._seal: keys.Seal | None = None

    def receive(self, data: bytes) -> None:
        """Take bytes of the host, and answer them."""
        for frame in self._decoder.feed(data):
            message = frame.message
            answer = self.answer(message)
            if answer is not None:
                self._send(answer)
            elif isinstance(message, messages.Hello):
                self.hellos += 1
                self._welcome(message)
            elif isinstance(message, messages.JournalGet):
                self._send(messages.JournalIs(1, self.seq_last, 0, 1, self.log, bytes(32), bytes(16)))
            elif isinstance(message, messages.TimeSet):
                self._send(messages.TimeIs(message.utc_s, 100, 5))
            elif isinstance(message, messages.EventAck):
                self.seq_acked = max(self.seq_acked, message.seq)
                self._send_events()

    def answer(self, message: messages.Message) -> messages.Message | None:
        """The answer of a shoe that knows more than this one does."""
        return None

    def record(self, count: int = 1) -> None:
        """Events happen; they are sent as far as the host has acknowledged earlier ones."""
        self.seq_last += count
        self._send_events()

    def take_output(self) -> bytes:
        data = bytes(self.output)
        self.output.clear()
        return data

    def _welcome(self, hello: messages.Hello) -> None:
        nonce = bytes(NONCE_SIZE)
        secret = keys.session_key(self.key.secret, VERSION, SESSION, hello.nonce, nonce)
        self._seal = keys.device_sealer(secret)
        self._sequence = 0
        self.seq_sent = self.seq_acked
        self._send(
            messages.Welcome(
                VERSION,
                messages.Role.RECORDER,
                nonce,
                hello.nonce,
                self.device,
                BOOT,
                messages.Mode.TABLE,
                1,
                bytes(8),
                "bench",
                "bench",
                self.seq_acked + 1,
                self.seq_last,
                0,
            )
        )
        self._send_events()

    def _send_events(self) -> None:
        while self._seal is not None and self.seq_sent < min(self.seq_last, self.seq_acked + AHEAD):
            self.seq_sent += 1
            self._send(self.event(self.seq_sent))

    def event(self, seq: int) -> messages.Message:
        return messages.DoorOpened(seq, BOOT, 100, 5, 0, 0, 1)

    def _send(self, message: messages.Message) -> None:
        self.output += framing.encode(message, SESSION, self._sequence, 0, self._seal)
        self._sequence += 1


class Line(asyncio.Protocol):
    """A TCP connection to a fake shoe; `flush` sends what it has to say."""

    def __init__(self, shoe: FakeShoe) -> None:
        self.shoe = shoe
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self.shoe.receive(data)
        self.flush()

    def connection_lost(self, exc: Exception | None) -> None:
        self.transport = None

    def flush(self) -> None:
        data = self.shoe.take_output()
        if data and self.transport is not None:
            self.transport.write(data)


class Server:
    """A fake shoe behind a TCP port of this machine: `async with Server(shoe) as server: ... server.url`."""

    def __init__(self, shoe: FakeShoe) -> None:
        self.shoe = shoe
        self.lines: list[Line] = []
        self.url = ""
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Server:
        await self.listen(0)
        return self

    async def listen(self, port: int) -> None:
        """Port 0 takes any."""
        self._server = await asyncio.get_running_loop().create_server(self._line, "127.0.0.1", port)
        self.url = f"tcp://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aexit__(self, *_error: object) -> None:
        self.drop()
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    def record(self, count: int = 1) -> None:
        self.shoe.record(count)
        for line in self.lines:
            line.flush()

    def drop(self) -> None:
        """Hang up."""
        lines, self.lines = self.lines, []
        for line in lines:
            if line.transport is not None:
                line.transport.abort()

    def _line(self) -> Line:
        line = Line(self.shoe)
        self.lines = [line]
        return line
