"""A program that follows one server over its WebSocket, as docs/FLOOR.md tells it to: it keeps the cursor of each
shoe, and goes on from there after every disconnection. It must see each event once and in order."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from fairshoe_floor.api.route_table import LIVE
from floor.loop_thread import LoopThread

AGAIN_S = 0.2
SILENT_S = 12.0  # the server speaks every five seconds


class Follower:
    """In a thread of its own. `seen`: numbers of events by device and log, in the order in which they came."""

    def __init__(self, port: int, token: str, devices: list[int]) -> None:
        self.seen: dict[tuple[int, bytes], list[int]] = {}
        self.devices = devices
        self.connections = 0
        self._port = port
        self._token = token
        self._cursors: dict[str, dict[str, Any]] = {f"{device:08x}": {} for device in devices}
        self._thread = LoopThread("follower", self._follow)

    def close(self) -> None:
        self._thread.close()

    async def _follow(self) -> None:
        while True:
            with contextlib.suppress(OSError, WebSocketException, asyncio.TimeoutError):
                async with connect(f"ws://127.0.0.1:{self._port}{LIVE}", close_timeout=1) as socket:
                    await socket.send(json.dumps({"token": self._token, "shoes": False, "events": self._cursors}))
                    self.connections += 1
                    while True:
                        self._take(json.loads(await asyncio.wait_for(socket.recv(), SILENT_S)))
            await asyncio.sleep(AGAIN_S)

    def _take(self, message: dict[str, Any]) -> None:
        if message["kind"] != "events":
            return
        self._cursors[message["device"]] = {"log": message["log"], "after": message["after"]}
        place = (int(message["device"], 16), bytes.fromhex(message["log"]))
        self.seen.setdefault(place, []).extend(event["seq"] for event in message["events"])
