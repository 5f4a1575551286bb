"""The host's program of `make soak-kill`: it keeps events and operation numbers on file, plays rounds by commands, and
may be killed anywhere. All that a new one knows is what the old one had on file."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path

from fairshoe import Shoe, messages
from fairshoe.client.exchange import Core
from fairshoe.client.shoe import Pending
from fairshoe.client.store import Arrived, Store
from fairshoe.errors import FairshoeError, PortLost, StorageReplaced, StoreError, WrongDevice
from fairshoe.keys import role_key
from fairshoe.link.session import HostSession, Received, event_seq
from fairshoe.text.advice import next_step
from rig.card_locations import Finding
from soak.kill_world import KEY, World

SEATS = 2
RETRY_MS = 500


class KilledStore(Store):
    """The library's own, killed before, while and after it writes."""

    def __init__(self, path: Path, world: World) -> None:
        self._world = world
        self._what = ""
        self._committed = False
        super().__init__(path)
        logs = self.logs()
        self.last = logs[-1].last if logs else 0
        self.done = logs[-1].handled if logs else 0

    def add(self, log: int, events: Sequence[Arrived]) -> None:
        with self._dangerous("storing an event"):
            try:
                super().add(log, events)
            finally:
                # Killed after the disk had it: it is there, though not reported.
                for arrived in events if self._committed else ():
                    self._world.stored(arrived.message)
            self.last = events[-1].seq

    def begin(self, device: int, role: int, op_last: int, command: str, arguments: Mapping[str, int]) -> int:
        with self._dangerous("writing down a number"):
            return super().begin(device, role, op_last, command, arguments)

    def finish(self, device: int, role: int, op: int) -> None:
        with self._dangerous("writing down an outcome"):
            super().finish(device, role, op)

    def handled(self, log: int, seq: int) -> None:
        with self._dangerous("noting what is done"):
            super().handled(log, seq)
            self.done = seq

    @contextlib.contextmanager
    def _dangerous(self, what: str) -> Generator[None]:
        self._world.pass_by(f"before {what}")
        self._what = what
        self._committed = False
        yield
        self._what = ""
        self._world.pass_by(f"after {what}")

    def _commit(self, db: sqlite3.Connection) -> None:
        dies = bool(self._what) and self._world.due(f"while {self._what}")
        if not dies or self._world.draw.random() < 0.5:
            super()._commit(db)
            self._committed = True
        if dies:
            self._world.die()


class Session(HostSession):
    """The library's own, with nonces from the seed, and every answer noted for the invariants."""

    def __init__(self, world: World) -> None:
        super().__init__(role_key(KEY, messages.Role.TABLE), asks_log=True)
        self._world = world
        self._random = random.Random(world.draw.random())

    def feed(self, data: bytes, now: float) -> Iterator[Received]:
        for received in super().feed(data, now):
            message = received.message
            if isinstance(message, messages.Result):
                answer = [message.op, message.command, message.outcome, message.reason, message.detail]
                self._world.peer.results.append([int(value) for value in answer])
            yield received

    def _fresh_nonce(self) -> bytes:
        return self._random.randbytes(16)


class Program:
    """One life of the host's program after the other, on the same files."""

    def __init__(self, world: World, path: Path, give: Callable[[int, str], None]) -> None:
        self.world = world
        self.path = path
        self.give = give  # gets every operation number and its command
        self.answered: dict[int, str] = {}

    def live(self, until: int) -> None:
        """Until that many events are on file, or it is killed (which raises), or the port is gone."""
        with KilledStore(self.path, self.world) as store:
            self._live(store, until)

    def _live(self, store: KilledStore, until: int) -> None:
        world = self.world
        session = Session(world)
        core = Core("simulated shoe", session, store=store)
        shoe = Shoe(world, core.name, session, clock=world.clock, core=core)
        seen = store.done
        try:
            shoe.greet()
            unfinished = shoe.unfinished()
            pending = shoe.resume(unfinished) if unfinished else None
            for message in shoe.messages():
                seq = event_seq(message)
                if seq is not None:
                    if seq != seen + 1:
                        raise Finding(f"delivery: the program was given event {seq} after {seen}")
                    seen = seq
                if pending is not None:
                    pending = self._follow(pending)
                if pending is None and isinstance(message, messages.Status) and until > store.last:
                    pending = self._decide(shoe, message)
                if pending is None and store.last >= until and world.rig.app.journal.seq_acked >= until:
                    return
        except PortLost as error:
            if isinstance(error, (StorageReplaced, WrongDevice)):
                raise Finding("delivery: the host does not know the device any more") from None
            world.run(RETRY_MS)
        except StoreError as error:
            raise Finding(f"delivery: {error.what}") from None  # this disk never fails
        except FairshoeError:
            world.run(RETRY_MS)  # no answer, or not yet

    def _follow(self, pending: Pending) -> Pending | None:
        if pending.op:  # it has none while it waits for the device to say which log it writes
            self.give(pending.op, pending.message.NAME)
        if pending.result is None:
            return pending
        outcome = pending.result.outcome.name
        if self.answered.setdefault(pending.op, outcome) != outcome:
            raise Finding(f"answer: operation {pending.op} was {self.answered[pending.op]}, now {outcome}")
        return None

    def _decide(self, shoe: Shoe, status: messages.Status) -> Pending | None:
        kind = next_step(status).command
        if kind is None:
            return None
        if kind is messages.CloseBetting and not status.positions and status.state != messages.State.WAITING_FOR_WAGERS:
            pending = shoe.start(messages.SetPositions, positions=SEATS)
        else:
            pending = shoe.start(kind)
        return pending
