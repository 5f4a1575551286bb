"""Where the broker and the database of a floor are, by arguments and environment; the extra `floor` and its absence."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Generator
from typing import Protocol

from fairshoe.cli.options import DEFAULT_BROKER
from fairshoe.errors import UsageError


def broker(options: argparse.Namespace) -> tuple[str, dict[str, str]]:
    """The URL of the broker, and options of its client."""
    url = options.nats or os.environ.get("FAIRSHOE_NATS") or DEFAULT_BROKER
    return url, {"user_credentials": str(options.credentials)} if options.credentials else {}


def database(options: argparse.Namespace) -> str:
    url = options.database or os.environ.get("FAIRSHOE_DATABASE")
    if not url:
        raise UsageError("no database was named.", "Give --database postgresql://USER@HOST/NAME, or FAIRSHOE_DATABASE.")
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
        raise UsageError(
            f"the Python package {error.name} is missing.", "In a clone: make ready, or pip install '.[floor]'."
        ) from error
