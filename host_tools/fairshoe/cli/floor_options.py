"""Where the broker and the database of a floor are, by arguments and environment; the extra `floor` and its absence."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import SplitResult, urlsplit

from fairshoe.cli.options import DEFAULT_BROKER
from fairshoe.errors import UsageError, install_advice
from fairshoe.printable import keep_secret


def broker(options: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """The URL of the broker, and options of its client."""
    url = options.nats or os.environ.get("FAIRSHOE_NATS") or DEFAULT_BROKER
    for each in url.split(","):
        keep_secret(each)
    try:
        known = all(place.scheme in ("nats", "tls") and place.hostname and place.port != 0 for place in _places(url))
    except ValueError:
        known = False
    if not known:
        raise UsageError(
            "the URL of the broker cannot be read.",
            "Write nats://HOST:4222 or tls://HOST:4222; in a password write %40 for @, %2F for /, %23 for #.",
        )
    key = options.nats_key or os.environ.get("FAIRSHOE_NATS_KEY")
    ca = options.nats_ca or os.environ.get("FAIRSHOE_NATS_CA")
    return url, {"key": Path(key) if key else None, "ca": Path(ca) if ca else None}


def _places(url: str) -> list[SplitResult]:
    return [urlsplit(each if "://" in each else f"nats://{each}") for each in url.split(",")]


def desk_database(options: argparse.Namespace) -> str:
    """With the rights of the desk, if it has a role of its own."""
    url = options.desk_database or os.environ.get("FAIRSHOE_DESK_DATABASE") or database(options)
    keep_secret(url)
    return url


def database(options: argparse.Namespace) -> str:
    url = options.database or os.environ.get("FAIRSHOE_DATABASE")
    if not url:
        raise UsageError("no database was named.", "Give --database postgresql://USER@HOST/NAME, or FAIRSHOE_DATABASE.")
    keep_secret(url)
    return url


class Stoppable(Protocol):
    """A program that runs until it is stopped."""

    async def run(self) -> None: ...
    def stop(self) -> None: ...


def on_signals(stop: Callable[[], object]) -> None:
    """Call `stop` in the running loop at SIGINT and SIGTERM. Windows has no such handlers; Ctrl-C raises there."""
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(number, stop)


def run_until_stopped(*programs: Stoppable) -> None:
    """Run programs in one loop until SIGINT or SIGTERM. If one fails, all end: a supervisor starts them again."""

    async def main() -> None:
        tasks = [asyncio.create_task(program.run()) for program in programs]

        def stop() -> None:
            for program, task in zip(programs, tasks, strict=True):
                program.stop()
                task.cancel()

        on_signals(stop)
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        stop()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    asyncio.run(main())


@contextlib.contextmanager
def floor_extra() -> Generator[None]:
    """NATS and PostgreSQL are an extra: say so when they are missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise UsageError(f"the Python package {error.name} is missing.", install_advice("floor")) from error
