"""The connection to the broker. It does not reconnect by itself: a program that lost the broker must look again what it
still has, because a broker that crashed may have lost messages that it had acknowledged.

A broker whose disk was full refuses every later write of that stream, also when there is room again, and says so to no
client: a message is not acknowledged, that is all (nats-server 2.15; decision 0067). So a missing acknowledgement is
looked into: a subject that can be read and not written means a disk. What an account may not do is not answered either;
the broker reports it apart, by subject.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import ssl
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path

from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.errors import NoRespondersError
from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, PubAck, RawStreamMsg, StorageType, StreamConfig
from nats.js.errors import APIError, NotFoundError

from fairshoe import FairshoeError
from fairshoe_floor.stream.names import AGE_S, Names
from fairshoe_floor.stream.nkeys import read_key

ANSWER_S = 5.0  # a request without an answer for so long is taken as lost, and looked up again
PING_S = 5
PAUSE_S = 0.2  # before the next connection, doubled up to PAUSE_S_MAX
PAUSE_S_MAX = 5.0
# What a broken broker or network raises. Everything else is a defect of this program and is not retried.
LOST = (NatsError, APIError, OSError, asyncio.TimeoutError, EOFError)
VERSION_MIN = (2, 14)  # before it, a full disk stops the whole broker, and its health page says "ok"
# Error codes of JetStream by which it refuses a message for want of room.
FULL = {10023: "max_file_store of nats.conf", 10047: "max_file_store of nats.conf", 10077: "a limit of the stream"}
_DENIED = re.compile(r'permissions violation for \w+ to "([^"]+)"', re.IGNORECASE)
_log = logging.getLogger("fairshoe.stream")


class BrokerError(FairshoeError):
    """The broker refuses what this program needs."""


class NotStored(BrokerError):
    """The broker answers, and stores nothing. `sure`: it says so itself."""

    def __init__(self, what: str, next_step: str, sure: bool) -> None:
        super().__init__(what, next_step)
        self.sure = sure


class Denied(BrokerError):
    """The account of this program has no right to a subject."""


class Stream(JetStreamContext):
    """JetStream over one connection."""

    def __init__(self, client: Client, denied: set[str]) -> None:
        super().__init__(client, timeout=ANSWER_S)
        self._denied = denied

    async def put(self, into: str, subject: str, data: bytes, headers: Mapping[str, str] | None = None) -> PubAck:
        """Publish into a stream. NotStored and Denied say why it was not taken, where that is known."""
        try:
            return await self.publish(subject, data, stream=into, headers=dict(headers) if headers else None)
        except APIError as error:
            if error.err_code in FULL:
                raise NotStored(
                    f"the store of the broker is full: it has reached {FULL[error.err_code]}.",
                    "Raise the limit and reload the broker, or wait until messages have aged. No event is lost.",
                    sure=True,
                ) from error
            raise
        except asyncio.TimeoutError as error:
            self._check_right(subject)
            await self.newest(into, subject)
            raise NotStored(
                f"the broker answers, and stores nothing in {into}: its disk is or was full, or it is too busy.",
                "Look at its disk and load. After a full disk, free space and restart nats-server. No event is lost.",
                sure=False,
            ) from error

    async def newest(self, name: str, subject: str) -> RawStreamMsg | None:
        """The newest message of a subject; None if there is none. By a request whose subject names what is read, so
        that an account can be allowed its own alone."""
        try:
            return await self.get_last_msg(name, subject, direct=True)
        except NotFoundError:
            return None
        except NoRespondersError as error:
            raise EOFError(f"the broker has no stream {name} yet; `fairshoe floor run` makes it") from error
        except asyncio.TimeoutError:
            self._check_right(f"$JS.API.DIRECT.GET.{name}.{subject}")
            raise

    def _check_right(self, subject: str) -> None:
        if subject.lower() in self._denied:
            raise Denied(
                f"the broker refuses {subject} to this account.",
                "Run `fairshoe floor accounts` with the inventories of today, and reload the broker.",
            )


@contextlib.asynccontextmanager
async def connected(
    url: str, name: str, inbox: str = "", key: Path | None = None, ca: Path | None = None
) -> AsyncGenerator[tuple[Client, Stream]]:
    """A connection that ends with its first error. `inbox` is where answers come, below _INBOX: an account reads its
    own alone. `key` is the file of its account. `ca`: certificates that a broker with TLS is checked with, in place of
    the system's."""
    denied: set[str] = set()

    async def note(error: Exception) -> None:
        found = _DENIED.search(str(error))
        denied.update([found[1].lower()] if found else [])
        _log.debug("broker: %r", error)

    user = read_key(key) if key else None
    client = Client()
    # The client itself knows keys only as files, read by the package nkeys.
    client._public_nkey = user.public if user else None  # pyright: ignore[reportPrivateUsage]
    try:
        await asyncio.wait_for(
            client.connect(  # pyright: ignore[reportUnknownMemberType]
                url.split(","),
                name=name,
                allow_reconnect=False,
                connect_timeout=ANSWER_S,  # pyright: ignore[reportArgumentType]
                ping_interval=PING_S,
                max_outstanding_pings=2,
                error_cb=note,
                inbox_prefix=f"_INBOX.{inbox}" if inbox else "_INBOX",
                signature_cb=user.sign if user else None,
                tls=ssl.create_default_context(cafile=ca) if ca else None,
            ),
            2 * ANSWER_S,
        )
        version = client.connected_server_version
        if (version.major, version.minor) < VERSION_MIN:
            _log.warning("nats-server %s is older than %d.%d: a full disk stops it unseen", version, *VERSION_MIN)
        yield client, Stream(client, denied)
    finally:
        with contextlib.suppress(*LOST):
            await asyncio.wait_for(client.close(), ANSWER_S)


async def ensure_streams(stream: JetStreamContext, names: Names) -> None:
    """Make the streams unless they exist. Existing ones keep the settings that an administrator gave them."""
    wanted = (
        StreamConfig(
            name=names.stream,
            subjects=names.subjects,
            storage=StorageType.FILE,
            max_age=AGE_S,
            # A full stream refuses new events, which then wait in the outbox; it never drops old ones to take them.
            discard=DiscardPolicy.NEW,
            allow_direct=True,
        ),
        StreamConfig(
            name=names.latest,
            subjects=names.latest_subjects,
            storage=StorageType.FILE,
            max_msgs_per_subject=1,
            allow_direct=True,
        ),
        StreamConfig(
            name=names.journals,
            subjects=[names.stream + ".journals.>"],
            storage=StorageType.FILE,
            max_age=AGE_S,
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
        if new or not known.allow_direct:  # a stream of an earlier version
            known.subjects = [*(known.subjects or ()), *new]
            known.allow_direct = True
            await stream.update_stream(known)  # pyright: ignore[reportUnknownMemberType]


async def pause(seconds: float) -> float:
    """Wait, and return how long to wait the next time."""
    await asyncio.sleep(seconds)
    return min(2 * seconds, PAUSE_S_MAX)
