"""The host's program of `make soak-kill`: it keeps events and operation numbers on file, plays rounds by commands, and
may be killed anywhere. All that a new one knows is what the old one had on file."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from soak_kill_world import KEY, World

from fairshoe import Shoe
from fairshoe.errors import FairshoeError, PortLost
from fairshoe.keys import role_key
from fairshoe.messages import (
    AcknowledgeWarning,
    CloseBetting,
    Command,
    ConfirmLockout,
    EndRound,
    Message,
    Release,
    Result,
    Role,
    SetPositions,
    Shuffle,
    State,
    Status,
)
from fairshoe.operations import Operations
from fairshoe.session import HostSession, event_seq
from fairshoe.shoe import Pending
from rig.piles import Finding

SEATS = 2
RETRY_MS = 500
LINE_MAX = 4096
COMMANDS: dict[State, type[Command]] = {
    State.WAITING_FOR_DECK: Shuffle,
    State.DECK_READY: CloseBetting,
    State.WAITING_FOR_LOCKOUT: ConfirmLockout,
    State.WAITING_FOR_WAGERS: CloseBetting,
    State.WAITING_FOR_GREEN: Release,
    State.WAITING_FOR_ROUND_END: EndRound,
    State.WARNING: AcknowledgeWarning,
    State.DECK_HELD: Release,
    State.DRAW_READY: CloseBetting,
    State.DRAWING: EndRound,
}


class EventLog:
    """A line for each event, on file before it is acknowledged. A line without its end was never finished."""

    def __init__(self, path: Path, world: World) -> None:
        self.path = path
        self.world = world
        self.last = 0
        if path.exists():
            with path.open("r+b") as file:
                size = file.seek(0, os.SEEK_END)
                tail_at = file.seek(max(0, size - 2 * LINE_MAX))
                tail = file.read()
                whole = tail[: tail.rfind(b"\n") + 1]
                file.truncate(tail_at + len(whole))
            self.last = int(json.loads(whole.splitlines()[-1])["seq"]) if whole else 0

    def seqs(self) -> list[int]:
        """Of all that is on file."""
        return [int(json.loads(line)["seq"]) for line in self.path.read_text(encoding="utf-8").splitlines()]

    def append(self, message: Message) -> None:
        seq = event_seq(message)
        assert seq is not None
        line = json.dumps({**asdict(message), "name": message.NAME}, default=bytes.hex) + "\n"
        assert len(line) <= LINE_MAX
        self.world.pass_by("before storing an event")
        with self.path.open("ab") as file:
            if self.world.due("while storing an event"):
                file.write(line.encode()[: self.world.draw.randrange(len(line))])
                file.flush()
                self.world.die()
            file.write(line.encode())
        self.last = seq
        self.world.stored(message)
        self.world.pass_by("after storing an event")


class Numbers(Operations):
    """The library's own, killed before, while and after it writes."""

    def __init__(self, path: Path, world: World) -> None:
        self._world = world
        self._what = "a number"
        super().__init__(path)

    def begin(self, device: int, role: int, op_last: int, command: str, arguments: dict[str, int]) -> int:
        self._what = "a number"
        self._world.pass_by("before writing down a number")
        op = super().begin(device, role, op_last, command, arguments)
        self._world.pass_by("after writing down a number")
        return op

    def finish(self, device: int, role: int, op: int) -> None:
        self._what = "an outcome"
        self._world.pass_by("before writing down an outcome")
        super().finish(device, role, op)
        self._world.pass_by("after writing down an outcome")

    def _save(self, path: Path) -> None:
        if self._world.due(f"while writing down {self._what}"):
            text = json.dumps(self._lanes, indent=1, sort_keys=True)
            path.with_suffix(".new").write_text(text[: self._world.draw.randrange(len(text))])
            self._world.die()
        super()._save(path)


class Session(HostSession):
    """The library's own, with nonces from the seed, and every answer noted for the promises."""

    def __init__(self, world: World, after_seq: int) -> None:
        super().__init__(role_key(KEY, Role.TABLE), after_seq)
        self._world = world
        self._random = random.Random(world.draw.random())

    def feed(self, data: bytes, now: float) -> Iterator[Message]:
        for message in super().feed(data, now):
            if isinstance(message, Result):
                answer = [message.op, message.command, message.outcome, message.reason, message.detail]
                self._world.peer.results.append([int(value) for value in answer])
            yield message

    def _fresh_nonce(self) -> bytes:
        return self._random.randbytes(16)


class Program:
    """One life of the host's program after the other, on the same files."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.log_path = folder / "events.jsonl"
        self.numbers_path = folder / "operations.json"
        self.asked: dict[int, str] = {}  # every number that was ever given, and for what
        self.answered: dict[int, str] = {}

    def live(self, until: int) -> None:
        """Until that many events are on file, or it is killed (which raises), or the port is gone."""
        world = self.world
        log = EventLog(self.log_path, world)
        session = Session(world, log.last)
        shoe = Shoe(world, "simulated shoe", session, Numbers(self.numbers_path, world), world.clock)
        try:
            shoe.greet()
            unfinished = shoe.unfinished()
            pending = shoe.resume(unfinished) if unfinished else None
            for message in shoe.messages():
                if event_seq(message) is not None:
                    log.append(message)
                if pending is not None:
                    pending = self._follow(pending)
                if pending is None and isinstance(message, Status) and until > log.last:
                    pending = self._decide(shoe, message)
                if pending is None and log.last >= until and world.rig.app.journal.seq_acked >= until:
                    return
        except PortLost:
            if session.rewound or session.other_device is not None:
                raise Finding("delivery: the host does not know the device any more") from None
            world.run(RETRY_MS)
        except FairshoeError:
            world.run(RETRY_MS)  # nobody answers, or not yet

    def _follow(self, pending: Pending) -> Pending | None:
        if pending.result is None:
            return pending
        outcome = pending.result.outcome.name
        if self.answered.setdefault(pending.op, outcome) != outcome:
            raise Finding(f"answer: operation {pending.op} was {self.answered[pending.op]}, now {outcome}")
        return None

    def _decide(self, shoe: Shoe, status: Status) -> Pending | None:
        kind = COMMANDS.get(State(status.state))
        if kind is None or (kind is Shuffle and not self.world.rig.plant.hopper):
            return None
        if kind is CloseBetting and not status.positions and status.state != State.WAITING_FOR_WAGERS:
            pending = shoe.start(SetPositions, positions=SEATS)
        else:
            pending = shoe.start(kind)
        name = pending.message.NAME
        if self.asked.setdefault(pending.op, name) != name:
            raise Finding(f"number: {pending.op} was given to {self.asked[pending.op]} and to {name}")
        return pending
