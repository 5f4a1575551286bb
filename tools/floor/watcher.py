"""A second consumer of the stream, as another program would write it: follows it live, and keys events by their name.

It sees messages that the broker loses later. Its view must agree with PostgreSQL all the same.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

from fairshoe_floor.stream import broker
from fairshoe_floor.stream.event_lines import from_lines
from fairshoe_floor.stream.names import Names
from floor.loop_thread import LoopThread
from floor.poison import is_poison

Key = tuple[int, bytes, int]


class Watcher:
    """In a thread of its own."""

    def __init__(self, url: str, names: Names, key: Path) -> None:
        self.seen: dict[Key, bytes] = {}
        self.conflicts: list[Key] = []
        self._url = url
        self._key = key
        self._names = names
        self._thread = LoopThread("watcher", self._follow)

    def close(self) -> None:
        self._thread.close()

    async def _follow(self) -> None:
        while True:
            try:
                async with broker.connected(self._url, "watcher", key=self._key) as (client, stream):
                    config = ConsumerConfig(
                        deliver_policy=DeliverPolicy.ALL, ack_policy=AckPolicy.NONE, inactive_threshold=30.0
                    )
                    subscription = await stream.pull_subscribe("", stream=self._names.stream, config=config)
                    while not client.is_closed:
                        try:
                            messages = await subscription.fetch(64, timeout=0.5)
                        except asyncio.TimeoutError:
                            continue
                        for message in messages:
                            if not is_poison(message.subject):
                                self.take(message.data)
            except broker.LOST:
                pass
            await asyncio.sleep(0.2)

    def take(self, data: bytes) -> None:
        for row in from_lines(data):
            key = (row.device, row.log, row.seq)
            if self.seen.setdefault(key, row.body) != row.body:
                self.conflicts.append(key)
