"""Takes a dead letter again, as the consumer would today: after an update of this program, or once its cause is mended.
The events of a letter that was taken and its outcome are one transaction."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import psycopg

from fairshoe_floor.history.consumer import event_of, sample_row
from fairshoe_floor.history.dead_letters import LetterRow
from fairshoe_floor.history.writer import Writer, refuses
from fairshoe_floor.schema_check import Refused
from fairshoe_floor.stream.event_lines import EventRow, Gap
from fairshoe_floor.stream.export_message import from_message
from fairshoe_floor.stream.names import Names


async def take_again(db: psycopg.AsyncConnection[Any], letter: LetterRow) -> str:
    """What became of it, in words. Refused if it still cannot be taken."""
    names = Names(letter.subject.split(".")[0])
    writer = Writer(db)
    try:
        async with db.transaction():
            outcome = await _take(writer, names, letter)
            await writer.close_letter(letter.id, outcome)
    except psycopg.Error as error:
        if not refuses(error):
            raise
        raise Refused(f"PostgreSQL: {str(error).strip()}") from error
    return outcome


async def _take(writer: Writer, names: Names, letter: LetterRow) -> str:
    if letter.stream == names.journals:
        await writer.store_journal(from_message(letter.data), letter.stream, None)
        return "taken: an export of a journal"
    if letter.stream == names.latest:
        await writer.store_samples([sample_row(letter.subject, letter.data)])
        return "taken: a sample"
    found = [event_of(letter.subject, line) for line in letter.data.split(b"\n")]
    rows = [replace(row, left=True) for row in found if isinstance(row, EventRow)]  # it is old
    done = await writer.store(rows, letter.stream, None, [gap for gap in found if isinstance(gap, Gap)])
    if done.refused:
        raise Refused("PostgreSQL refuses it again")
    return f"taken: {done.new} new events, {done.repeated} that were there already"
