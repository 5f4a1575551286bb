"""Record that a part was cleaned or replaced. It counts when it is in the device's journal, and is read back there."""

from __future__ import annotations

from fairshoe.calibrate.machine import ANSWER_S, Machine
from fairshoe.errors import Exit, FairshoeError
from fairshoe.journal.export import Record
from fairshoe.messages import Diagnose, Diagnosis, JournalGet, JournalIs, JournalRecord, Part, Serviced
from firmware.protocol import ids

TRIES = 10
REPLACED = 256


class NotRecorded(FairshoeError):
    """The journal does not have it."""

    exit_code = Exit.FAILED


def record_service(machine: Machine, part: Part, replaced: bool) -> Serviced:
    """In the diagnostic mode. The record, as the journal has it."""
    shoe = machine.shoe
    at = part.value + (REPLACED if replaced else 0)
    seq = _journal(machine).last
    shoe.ask("a record", Diagnose(ids.DIAGNOSE_SERVICED, at), Diagnosis, lambda it: bool(it.on), ANSWER_S)
    for _ in range(TRIES):
        machine.read()  # the device writes when nothing else waits
        for number in range(seq + 1, _journal(machine).last + 1):
            event = _record(machine, number).event()
            if isinstance(event, Serviced) and event.part is part:
                return event
            seq = number
    raise NotRecorded(
        f"{shoe.name} did not record it.",
        "Firmware before 0.2.0 has no such record, and a full journal takes none: let a host collect the events.",
    )


def _record(machine: Machine, seq: int) -> Record:
    it = machine.shoe.ask("a record", JournalGet(seq), JournalRecord, lambda it: it.seq == seq, ANSWER_S)
    return Record(seq, it.record)


def _journal(machine: Machine) -> JournalIs:
    return machine.shoe.ask("its journal", JournalGet(0), JournalIs, lambda _it: True, ANSWER_S)
