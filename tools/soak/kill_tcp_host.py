"""The host's program of `soak.kill_tcp`: a Fleet with a store plays rounds by commands over TCP until it is killed.

It runs in its own process. Its commands, answers and events go to a notes file, one line of JSON each,
which survives the kill: the parent process compares it with what the device recorded.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
from dataclasses import fields
from pathlib import Path
from typing import Any

from fairshoe import AsyncShoe, Fleet, Need, ShoeFailed, ShoeOpened, messages, next_step
from fairshoe.client.command_queue import CommandQueue, Pending
from fairshoe.client.operation_numbers import Unfinished
from fairshoe.errors import PortError
from fairshoe.keys import role_key
from fairshoe.link.session import event_seq
from soak.kill_world import KEY

SEATS = 2
LOOK_S = 0.01
AGAIN = 0.2  # how often an outcome is asked for once more
DRAWN = 20  # looks without a change before a round in which hands draw cards is ended
PERSON = (Need.STUB_COUNT, Need.RACK, Need.DISPUTE, Need.SERVICE, Need.HOLE_CARD)

Note = list[Any]


class Notes:
    """Lines in a file. A line is written by one call, so a kill leaves it whole or out."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def write(self, *note: object) -> None:
        os.write(self._file, (json.dumps(note) + "\n").encode())


def read_notes(path: Path) -> list[Note]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def live(url: str, store: Path, notes: Path, seed: int, plays: bool) -> None:
    """One life, in a forked process. It ends by a kill, or with an error in the notes."""
    kept = Notes(notes)
    note_numbers(kept)
    try:
        asyncio.run(Host(kept, random.Random(seed), plays).run(url, store))
    except BaseException as error:
        kept.write("error", repr(error))


def note_numbers(notes: Notes) -> None:
    """Note every number before its command can be sent. A program sees it later, perhaps after the outcome: a fast
    device answers within a millisecond, and a kill may come in between."""
    known = CommandQueue._begun  # pyright: ignore[reportPrivateUsage]

    def begun(self: CommandQueue, pending: Pending, op: int) -> None:
        known(self, pending, op)
        notes.write("given", *_numbered(pending))

    CommandQueue._begun = begun  # pyright: ignore[reportPrivateUsage]


class Host:
    def __init__(self, notes: Notes, draw: random.Random, plays: bool) -> None:
        self.notes = notes
        self.draw = draw
        self.plays = plays

    async def run(self, url: str, store: Path) -> None:
        """Take events until the process is killed; another task gives the commands."""
        tasks: list[asyncio.Task[None]] = []
        async with Fleet(store, key=role_key(KEY, messages.Role.TABLE)) as fleet:
            fleet.add(url)
            async for item in fleet:
                if isinstance(item.message, (messages.Event, messages.UnknownMessage)):
                    self.notes.write("event", event_seq(item.message))
                elif isinstance(item.message, ShoeOpened):
                    tasks.append(asyncio.create_task(self._command(fleet.shoes[item.device])))
                    tasks[-1].add_done_callback(self._ended)
                elif isinstance(item.message, ShoeFailed) and not isinstance(item.message.error, PortError):
                    raise item.message.error

    def _ended(self, task: asyncio.Task[None]) -> None:
        self.notes.write("error", repr(task.exception()))
        os._exit(1)

    async def _command(self, shoe: AsyncShoe) -> None:
        """First the command that the life before left open, or the last one once more; then rounds."""
        unfinished = shoe.unfinished()
        if unfinished is not None:
            self.notes.write("given", unfinished.op, unfinished.command, unfinished.arguments)
            await self._outcome(shoe, shoe.resume(unfinished))
        given = [note for note in read_notes(self.notes.path) if note[0] == "given"]
        if given:
            await self._ask_again(shoe, Unfinished(*given[-1][1:]))
        self.notes.write("settled")
        seen: object = None
        same = 0
        while True:
            await asyncio.sleep(LOOK_S)
            status = shoe.status
            if status is None or not self.plays:
                continue
            now = (status.state, status.need, status.dealt, status.round)
            same, seen = (same + 1 if now == seen else 0), now
            await self._play(shoe, status, same)

    async def _play(self, shoe: AsyncShoe, status: messages.Status, same: int) -> None:
        step = next_step(status)
        kind: type[messages.Command] | None = step.command
        if kind is None or step.need in PERSON or (same and same % DRAWN):
            return  # up to people, or refused a moment ago
        if kind is messages.EndRound and step.need == Need.DRAW and not same:
            return
        if (
            kind is messages.CloseBetting
            and status.positions != SEATS
            and status.state != messages.State.WAITING_FOR_WAGERS
        ):
            await self._outcome(shoe, shoe.start(messages.SetPositions, positions=SEATS))
        pending = shoe.start(kind)
        await self._outcome(shoe, pending)
        if self.draw.random() < AGAIN:
            await self._ask_again(shoe, Unfinished(*_numbered(pending)))

    async def _ask_again(self, shoe: AsyncShoe, command: Unfinished) -> None:
        await self._outcome(shoe, shoe.resume(command))

    async def _outcome(self, shoe: AsyncShoe, pending: Pending) -> None:
        result = await shoe.wait(pending)
        numbers = [result.op, pending.message.ID, result.outcome, result.reason, result.detail]
        self.notes.write("outcome", *(int(it) for it in numbers))


def _numbered(pending: Pending) -> tuple[int, str, dict[str, int]]:
    message = pending.message
    arguments = {it.name: int(getattr(message, it.name)) for it in fields(message) if it.name != "op"}
    return pending.op, message.NAME, arguments
