"""Waits of tests that run in real time: for a condition, with a limit that a starved machine does not reach."""

import asyncio
import time
from collections.abc import Callable

LIMIT_S = 600.0


def wait_until(done: Callable[[], object]) -> None:
    end = time.monotonic() + LIMIT_S
    while not done():
        assert time.monotonic() < end
        time.sleep(0.005)


async def until(done: Callable[[], object]) -> None:
    end = time.monotonic() + LIMIT_S
    while not done():
        assert time.monotonic() < end
        await asyncio.sleep(0.005)
