"""The shoes of chaos and bench: fakes of our own session code in one process, each at an address of the loopback
network.

    python -m floor.shoes COUNT RATE SEED

Prints its port. Reads lines: `drop` hangs up on a third of the hosts; `stop` ends recording and prints, as JSON, the
number of the last event of each device. Ends with its standard input.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time

from bench.fake_shoe import FakeShoe, Line

from floor.servers import free_port

TICK_S = 0.02


def secret(device: int) -> bytes:
    return device.to_bytes(32, "big")


def address(device: int) -> str:
    return f"127.1.{device >> 8}.{device & 255}"


class AnyLine(Line):
    """A connection: the address that was called says which shoe it is."""

    def __init__(self, shoes: dict[str, FakeShoe], lines: dict[int, Line]) -> None:
        super().__init__(FakeShoe(0, b""))
        self._shoes = shoes
        self._lines = lines

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.shoe = self._shoes[transport.get_extra_info("sockname")[0]]
        self._lines[self.shoe.device] = self


class Shoes:
    """All fakes, and how often they record."""

    def __init__(self, count: int, rate: float, seed: int) -> None:
        self.shoes = {address(device): FakeShoe(device, secret(device)) for device in range(1, count + 1)}
        self.lines: dict[int, Line] = {}
        self.rate = rate  # events a second, of each
        self.stopped = False
        self._random = random.Random(seed)

    async def play(self) -> None:
        due = time.monotonic()
        chance = self.rate * TICK_S
        while True:
            for shoe in self.shoes.values() if not self.stopped else ():
                if self._random.random() < chance:
                    shoe.record()
                    line = self.lines.get(shoe.device)
                    if line is not None:
                        line.flush()
            due = max(due + TICK_S, time.monotonic() - 1)
            await asyncio.sleep(max(0.0, due - time.monotonic()))

    def obey(self, word: str) -> None:
        if word == "drop":
            for device, line in list(self.lines.items()):
                if line.transport is not None and self._random.random() < 1 / 3:
                    line.transport.abort()
                    self.lines.pop(device, None)
        elif word == "stop":
            self.stopped = True
            for shoe in self.shoes.values():  # a hole in a store shows with the next event
                shoe.record()
                if shoe.device in self.lines:
                    self.lines[shoe.device].flush()
            print(json.dumps({shoe.device: shoe.seq_last for shoe in self.shoes.values()}), flush=True)


async def main(count: int, rate: float, seed: int) -> None:
    shoes = Shoes(count, rate, seed)
    loop = asyncio.get_running_loop()
    port = free_port()
    await loop.create_server(lambda: AnyLine(shoes.shoes, shoes.lines), list(shoes.shoes), port)
    print(port, flush=True)
    playing = loop.create_task(shoes.play())
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        shoes.obey(line.decode().strip())
    playing.cancel()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])))
