"""Queries of the device's journal and seeds, as steps that Shoe and AsyncShoe follow."""

from __future__ import annotations

from fairshoe.client.exchange import Core, Steps
from fairshoe.errors import UsageError
from fairshoe.messages import (
    JournalGet,
    JournalIs,
    JournalRecord,
    JournalSign,
    JournalSigned,
    Role,
    SeedGet,
    SeedIs,
)

SIGNED_S = 60.0  # a device that shuffles signs when it is done


def journal(core: Core, timeout_s: float) -> Steps[JournalIs]:
    return core.asking("its journal", JournalGet(0), JournalIs, lambda _answer: True, timeout_s)


def signed_journal(core: Core, last: int, timeout_s: float) -> Steps[JournalSigned]:
    return core.asking("a signature", JournalSign(), JournalSigned, lambda answer: answer.last >= last, timeout_s)


def journal_record(core: Core, seq: int, timeout_s: float) -> Steps[bytes]:
    about = f"record {seq} of its journal"
    asking = core.asking(about, JournalGet(seq), JournalRecord, lambda answer: answer.seq == seq, timeout_s)
    return (yield from asking).record


def seed(core: Core, timeout_s: float) -> Steps[SeedIs]:
    if core.welcome is None or core.keyed().role != Role.AUDITOR:
        raise UsageError("seeds are disclosed only to the auditor.", "Open the shoe with the auditor's key.")
    return core.asking("its seed", SeedGet(), SeedIs, lambda _answer: True, timeout_s)
