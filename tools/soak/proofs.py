"""Verifies, as a host does, the records that a simulated device holds at the end of a run."""

from __future__ import annotations

from dataclasses import replace

from fairshoe.journal.expectation import Expected
from fairshoe.journal.export import Attestation, Export, Record
from fairshoe.journal.verify import verify
from fairshoe.keys import seal_key
from firmware.journal.cells import CRC_AT
from firmware.protocol.session import MAC_SIZE
from rig.rig import Rig


def proofs(rig: Rig) -> list[str]:
    """What the host's own verification says about the records that storage holds in the end."""
    journal = rig.app.journal
    sealer = rig.app.service.sealer
    first = max(1, journal.seq_last - journal.capacity + 1)
    records: list[Record] = []
    for seq in range(first, journal.seq_last + 1):
        found = journal.load(seq)
        records.append(Record(seq, bytes(journal.buf[:CRC_AT]) if found else b""))
    attestation = Attestation(first, journal.seq_last, 0, sealer.keys.generation(), journal.head, b"")
    device = rig.hal.unique_id()
    numbers = attestation.signed(device, journal.log)[4:16]  # first, last and time
    attestation = replace(attestation, mac=sealer.attest(numbers, journal.log, journal.head)[-MAC_SIZE:])
    key = rig.app.link.key
    export = Export(device, journal.log, 0, [attestation], records)
    verdict = verify(export, [seal_key(key)] if key else [], Expected(first=first))
    if key and not verdict.problems and not verdict.whole:
        return [f"Finding: chain: records {verdict.unproved} are not proved"]
    return [f"Finding: chain: {problem.text()}" for problem in verdict.problems]
