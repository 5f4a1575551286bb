"""`fairshoe journal pull`, `show` and `verify`: read a device's journal into a file, print it, prove it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from fairshoe.cli.connection import Connection
from fairshoe.client.shoe import Shoe
from fairshoe.errors import UsageError
from fairshoe.journal.expectation import Expected, expected_of
from fairshoe.journal.export import (
    Export,
    JournalAltered,
    NothingToVerify,
    PartialExport,
    Record,
    pull,
    read_export,
    write_export,
)
from fairshoe.journal.signatures import read_public_keys
from fairshoe.journal.verify import Verdict, verify
from fairshoe.keys import read_seal_key
from fairshoe.messages import Booted, Event, JournalBroken, KeyChanged, PowerLost, Sealed, SigningKey
from fairshoe.printable import printable, say
from fairshoe.text.describe import describe_event
from fairshoe.text.progress import counting

EPOCH = datetime(2020, 1, 1, tzinfo=timezone.utc)
NOT_SIGNED = "not signed: the device cannot, or did not come to rest within a minute"
_MARKED = (Booted, PowerLost, JournalBroken, KeyChanged, SigningKey)


def run(options: argparse.Namespace) -> int:
    actions: dict[str, Callable[[argparse.Namespace], int]] = {"pull": _pull, "show": _show, "verify": _verify}
    return actions[options.action](options)


# --- pull --------------------------------------------------------------------------------------


def _pull(options: argparse.Namespace) -> int:
    path = Path(options.out)
    known = read_export(path) if path.exists() else None
    if known is not None and options.start > known.last + 1:
        raise UsageError(f"{path} ends with record {known.last}.", "Leave out --from, or pull into a new file.")
    connection = Connection(options)
    with Shoe.open(connection.port, connection.key(), reconnect=False, clock=False) as shoe:
        export = pull(shoe, known, options.start, counting("record"), sign=True)
    write_export(path, export)
    new = len(export.records) - (len(known.records) if known else 0)
    attestation = export.attested[-1]
    sealed = f"attested under key {attestation.key}" if attestation.key else "not attested: the device has no key"
    say(f"{path}: records {export.first} to {export.last} of log {export.log.hex()}, {new} of them new, {sealed}")
    say(f"  signed by {attestation.public.hex()}" if attestation.signature else f"  {NOT_SIGNED}")
    return 0


# --- show --------------------------------------------------------------------------------------


def _show(options: argparse.Namespace) -> int:
    export = read_export(Path(options.file))
    if not options.json:
        say(f"log {export.log.hex()}, device {export.device:08x}, records {export.first} to {export.last}")
    before: Record | None = None
    for record in export.records:
        event = None if record.fault else record.event()
        broken = before is not None and (record.seq != before.seq + 1 or record.previous != before.digest)
        before = record
        if not options.start <= record.seq <= options.end:
            continue
        if options.round is not None and (event is None or event.round != options.round):
            continue
        say(_record_json(record, event, broken) if options.json else _record_text(record, event, broken))
    if export.damage:
        line, what = export.damage[0]
        raise JournalAltered(f"{options.file}, line {line}: {what}.", "`fairshoe journal verify` tells all of it.")
    return 0


def _record_json(record: Record, event: Event | None, broken: bool) -> str:
    entry: dict[str, Any] = {"seq": record.seq, "chain": "broken" if broken else "follows"}
    if event is None:
        return json.dumps({**entry, "fault": record.fault or "unknown message", "record": record.data.hex()})
    return json.dumps({"message": event.NAME, **asdict(event), **entry}, default=bytes.hex)


def _record_text(record: Record, event: Event | None, broken: bool) -> str:
    lines = ["  ---- the chain is broken here ----"] if broken else []
    if event is None:
        what = record.fault or f"a message this version does not know: {record.message}"
        return "\n".join([*lines, f"! #{record.seq:<5d} {printable(what)}"])
    mark = "=" if isinstance(event, Sealed) else ">" if isinstance(event, _MARKED) else " "
    clock = utc_text(event.utc_s) if event.utc_s else ""
    when = f"{event.boot}+{event.uptime_s}.{event.uptime_ms:03d}"
    round_text = f"round {event.round}" if event.round else ""
    what = f"sealed under key {event.key}" if isinstance(event, Sealed) else describe_event(event)
    return "\n".join([*lines, f"{mark} #{record.seq:<5d} {when:>14s} {clock:20s} {round_text:9s} {printable(what)}"])


def utc_text(utc_s: int) -> str:
    return (EPOCH + timedelta(seconds=utc_s)).strftime("%Y-%m-%dT%H:%M:%SZ")


# --- verify ------------------------------------------------------------------------------------


def _verify(options: argparse.Namespace) -> int:
    export = read_export(Path(options.file))
    keys = [read_seal_key(Path(name)) for name in options.key_file]
    expected = Expected(options.device, options.log, options.first, options.last)
    if options.store:
        expected = expected_of(Path(options.store), expected)
    trusted = [public for text in options.public_key for public in read_public_keys(text)]
    verdict = verify(export, keys, expected, trusted)
    if options.json:
        say(json.dumps(_verdict_json(export, verdict)))
    else:
        _print(options.file, export, verdict)
        if expected.last is None and export.records:
            say("  note      whether there is a newer export is not known: give --store or --last")
    if verdict.problems:
        raise JournalAltered(
            f"{options.file} is altered or incomplete: {verdict.problems[0].text()}.",
            "Keep the file as it is, pull a second one from the device, and find out which of them is right.",
        )
    if not verdict.sound:
        what, advice = _why_not(export, verdict)
        raise NothingToVerify(f"{options.file}: {what}", advice)
    if verdict.partial:
        raise PartialExport(
            f"{options.file} is not the whole journal: {'; '.join(verdict.partial)}.",
            "Find the export with the rest; if the file is meant to begin there, say so with --first.",
        )
    return 0


def _why_not(export: Export, verdict: Verdict) -> tuple[str, str]:
    if verdict.trusting:
        return (
            f"not everything is signed with a key that was given: {_runs(verdict.unproved)}.",
            "Pull again, so that the end is signed, or give the newest public key as well. A device that does not sign "
            "is verified by its seals: --key-file.",
        )
    if not verdict.seals and not any(attestation.key for attestation in export.attested):
        return (
            "the device had no key, and sealed nothing; the chain is whole, but anyone could have made it.",
            "Install a key (fairshoe provision); what is recorded from then on can be proved.",
        )
    if not verdict.keyed:
        return (
            "the chain is whole, but anyone could have made it: nothing is proved without the seal key.",
            "Give it with --key-file, or the device's public key with --public-key.",
        )
    wanted = sorted({attestation.key for attestation in export.attested} - verdict.generations)
    which = f" of generation {', '.join(map(str, wanted))}" if wanted else ""
    return (
        f"not everything is proved: {_runs(verdict.unproved)}.",
        f"Give the seal key{which} as well, with a second --key-file.",
    )


def _runs(runs: list[tuple[int, int]]) -> str:
    words = [f"record {first}" if first == last else f"records {first} to {last}" for first, last in runs]
    return ", ".join(words) or "the end"


def _print(name: str, export: Export, verdict: Verdict) -> None:
    device = f"{export.device:08x}" + ("" if verdict.attested else " (not attested)")
    say(f"{printable(name)}: log {export.log.hex()}, device {device}")
    say(f"  records   {verdict.records}, from {verdict.first} to {verdict.last}")
    good = f", {len(verdict.seals_good)} good" if verdict.keyed else ", not checked: no key was given"
    say(f"  seals     {len(verdict.seals)}{good if verdict.seals else ''}")
    for attestation in export.attested:
        when = utc_text(attestation.utc_s) if attestation.utc_s else "at a time the device did not know"
        under = f"key {attestation.key}" if attestation.key else "no key"
        signed = f", signed by {attestation.public.hex()[:16]}..." if attestation.signature else ", not signed"
        say(f"  attested  records {attestation.first} to {attestation.last}, under {under}{signed}, {when}")
    for note in verdict.notes:
        say(f"  note      {printable(note)}")
    for what in verdict.partial:
        say(f"  PARTIAL   {printable(what)}")
    for problem in verdict.problems:
        say(f"  WRONG     {printable(problem.text())}")
    if verdict.sound:
        say(f"  proved    records {verdict.first} to {verdict.last} are what the device wrote, and none is missing")
        for line in _against_whom(verdict):
            say(f"            {line}")
        return
    if (verdict.keyed or verdict.trusting) and verdict.proved:
        say(f"  proved    {len(verdict.proved)} records are what the device wrote")
    say(f"  unproved  {_runs(verdict.unproved)}")


def _against_whom(verdict: Verdict) -> tuple[str, ...]:
    if verdict.signed_by:
        return (
            f"signed by device key {verdict.signed_by.hex()}",
            "verifiers cannot forge it: the private key has never left the device",
        )
    return (
        "sealed, not checked by signature: this proves it against all who do not have the seal key",
        "holders of the seal key can alter a journal and seal it again; --public-key checks the signature",
    )


def _verdict_json(export: Export, verdict: Verdict) -> dict[str, Any]:
    return {
        "log": export.log.hex(),
        "device": f"{export.device:08x}",
        "whole": verdict.whole,
        "partial": verdict.partial,
        "first": verdict.first,
        "last": verdict.last,
        "records": verdict.records,
        "proved": len(verdict.proved),
        "unproved": verdict.unproved,
        "seals": len(verdict.seals),
        "seals_good": len(verdict.seals_good),
        "attested": verdict.attested,
        "signed_by": verdict.signed_by.hex(),
        "problems": [asdict(problem) for problem in verdict.problems],
        "notes": verdict.notes,
    }
