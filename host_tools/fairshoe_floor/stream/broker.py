"""The connection to the broker. It does not reconnect by itself: a program that lost the broker must look again what it
still has, because a broker that crashed may have lost messages that it had acknowledged.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator
from typing import Any

import nats
from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, RawStreamMsg, StorageType, StreamConfig
from nats.js.errors import APIError, NotFoundError

from fairshoe import FairshoeError
from fairshoe_floor.stream.names import AGE_S, Names

ANSWER_S = 5.0  # a request without an answer for so long is taken as lost, and looked up again
PING_S = 5
PAUSE_S = 0.2  # before the next connection, doubled up to PAUSE_S_MAX
PAUSE_S_MAX = 5.0
# What a broken broker or network raises. Everything else is a defect of this program and is not retried.
LOST = (NatsError, APIError, OSError, asyncio.TimeoutError, EOFError)
_log = logging.getLogger("fairshoe.stream")


class BrokerError(FairshoeError):
    """The broker refuses what this program needs."""


@contextlib.asynccontextmanager
async def connected(url: str, name: str, **options: Any) -> AsyncGenerator[tuple[Client, JetStreamContext]]:
    """A connection that ends with its first error."""

    async def quiet(error: Exception) -> None:
        _log.debug("broker: %r", error)

    client = await asyncio.wait_for(
        nats.connect(  # pyright: ignore[reportUnknownMemberType]
            url,
            name=name,
            allow_reconnect=False,
            connect_timeout=ANSWER_S,
            ping_interval=PING_S,
            max_outstanding_pings=2,
            error_cb=quiet,
            **options,
        ),
        2 * ANSWER_S,
    )
    try:
        yield client, client.jetstream(timeout=ANSWER_S)  # pyright: ignore[reportUnknownMemberType]
    finally:
        with contextlib.suppress(*LOST):
            await asyncio.wait_for(client.close(), ANSWER_S)


async def ensure_streams(stream: JetStreamContext, names: Names, age_s: float = AGE_S, replicas: int = 1) -> None:
    """Make the streams unless they exist. Existing ones keep the settings that an administrator gave them."""
    wanted = (
        StreamConfig(
            name=names.stream,
            subjects=names.subjects,
            storage=StorageType.FILE,
            max_age=age_s,
            num_replicas=replicas,
            # A full stream refuses new events, which then wait in the outbox; it never drops old ones to take them.
            discard=DiscardPolicy.NEW,
            allow_direct=True,
        ),
        StreamConfig(
            name=names.latest,
            subjects=names.latest_subjects,
            storage=StorageType.FILE,
            max_msgs_per_subject=1,
            num_replicas=replicas,
            allow_direct=True,
        ),
        StreamConfig(
            name=names.journals,
            subjects=[names.stream + ".journals.>"],
            storage=StorageType.FILE,
            max_age=age_s,
            num_replicas=replicas,
            discard=DiscardPolicy.NEW,
            allow_direct=True,
        ),
    )
    for config in wanted:
        assert config.name
        try:
            known = (await stream.stream_info(config.name)).config
        except NotFoundError:
            await stream.add_stream(config)  # pyright: ignore[reportUnknownMemberType]
            continue
        new = [subject for subject in config.subjects or () if subject not in (known.subjects or ())]
        if new:  # a stream of an earlier version
            known.subjects = [*(known.subjects or ()), *new]
            await stream.update_stream(known)  # pyright: ignore[reportUnknownMemberType]


async def last_message(stream: JetStreamContext, name: str, subject: str) -> RawStreamMsg | None:
    """The newest message of a subject; None if there is none."""
    try:
        return await stream.get_last_msg(name, subject)
    except NotFoundError:
        return None


async def pause(seconds: float) -> float:
    """Wait, and return how long to wait the next time."""
    await asyncio.sleep(seconds)
    return min(2 * seconds, PAUSE_S_MAX)
