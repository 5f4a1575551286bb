"""Verify that an export of a journal is what the device wrote, complete and in this order.

Written from docs/JOURNAL.md with Python's own hashlib and hmac. What is proved is proved backwards: a good seal, or a
good attestation, proves the record it names, and every record proves the one before it by its hash.

A seal and the MAC of an attestation prove it to those who hold the seal key, who could have made both. With public keys
only signatures count as proof: no verifier can make one.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fairshoe.journal.expectation import Expected, contradictions, shortfalls
from fairshoe.journal.export import MAC_SIZE, Attestation, Export, Record
from fairshoe.journal.plausibility import check_sense
from fairshoe.journal.signatures import PublicKey, signer_of
from fairshoe.messages import KeyChanged, Sealed, Share, ShuffleNonce, SigningKey

WHOLE_TEXT = b"fairshoe journal 1"
HEADER_LINE = 1
_SEALED_END = 43  # of a seal's payload, in its record
_ALONE = (Share.LATE, Share.DECLINED)
_NO_RECORD = "this is no record: "
_NOT_ATTESTED = "this is not the record that the device named as its last one"


@dataclass(frozen=True)
class Problem:
    """One thing that is not as it must be. `seq` 0: not about a record; `line` counts from 1."""

    what: str
    seq: int = 0
    line: int = 0
    after_seal: int = 0  # the nearest good seals around it; 0: none
    before_seal: int = 0

    def text(self) -> str:
        place = f"record {self.seq}" if self.seq else f"line {self.line}"
        if self.seq and self.line:
            place += f" (line {self.line})"
        around = ""
        if self.after_seal or self.before_seal:
            begin = f"after the seal {self.after_seal}" if self.after_seal else "before any seal"
            end = f"before the seal {self.before_seal}" if self.before_seal else "after the last seal"
            around = f" [{begin}, {end}]"
        return f"{place}: {self.what}{around}"


@dataclass
class Verdict:
    """What was found. `proved` holds the numbers of records that are certainly as the device wrote them."""

    first: int
    last: int
    records: int
    proved: set[int] = field(default_factory=set[int])
    seals: list[int] = field(default_factory=list[int])  # all there are
    seals_good: list[int] = field(default_factory=list[int])
    keyed: bool = False  # a key was given
    trusting: bool = False  # a public key was given: only signatures prove
    attested: bool = False  # the newest attestation is good
    signed_by: bytes = b""  # the trusted key that signed it
    problems: list[Problem] = field(default_factory=list[Problem])
    partial: list[str] = field(default_factory=list[str])  # which end is not there
    notes: list[str] = field(default_factory=list[str])  # true, and no fault
    generations: set[int] = field(default_factory=set[int])  # keys that were found to be in hand

    @property
    def whole(self) -> bool:
        """Everything is proved: contents, order, beginning and end."""
        return self.sound and not self.partial

    @property
    def sound(self) -> bool:
        """Every record that is here is proved, and none is missing between them."""
        return not self.problems and self.attested and len(self.proved) == self.records > 0

    @property
    def unproved(self) -> list[tuple[int, int]]:
        """Runs of records that nothing proves, as (first, last)."""
        runs: list[tuple[int, int]] = []
        for seq in range(self.first, self.last + 1):
            if seq not in self.proved:
                if runs and runs[-1][1] == seq - 1:
                    runs[-1] = (runs[-1][0], seq)
                else:
                    runs.append((seq, seq))
        return runs


def verify(
    export: Export,
    keys: Sequence[bytes] = (),
    expected: Expected | None = None,
    trusted: Sequence[PublicKey] = (),
) -> Verdict:
    """`keys` are seal keys and `trusted` public keys, of as many generations as there are at hand; `expected` is known
    from elsewhere."""
    expected = expected or Expected()
    verdict = Verdict(export.first, export.last, len(export.records), keyed=bool(keys), trusting=bool(trusted))
    for line, what in export.damage:
        verdict.problems.append(Problem(what, line=line))
    faults = {index: fault for index, record in enumerate(export.records) if (fault := record.fault)}
    verdict.seals = [record.seq for record in export.records if _is_seal(record)]
    retired = _retirements(export, trusted)
    good = _good_seals(export, keys, retired, verdict)
    anchors = dict.fromkeys(good, "") | _anchors(export, keys, retired, verdict)
    if trusted:
        anchors = _signed_anchors(export, trusted, retired, verdict)
    altered = _prove(export, anchors, faults, verdict)
    broken = _check_order(export, faults, altered, verdict)
    _check_ends(export, verdict)
    _check_forgery(export, verdict)
    _check_signer(export, verdict)
    for seq, what in [*check_sense(export, broken), *contradictions(export, expected)]:
        verdict.problems.append(Problem(what, seq, 0 if seq else HEADER_LINE))
    _note_shares(export, faults, verdict)
    if export.records:
        verdict.partial = list(shortfalls(export, expected))
    verdict.problems = [_placed(problem, export, verdict) for problem in _once(verdict.problems)]
    return verdict


def _is_seal(record: Record) -> bool:
    return bool(record.data) and record.message == Sealed.ID and record.data[1] == _SEALED_END - 4


def _generation(record: Record) -> int:
    return int.from_bytes(record.data[25:27], "little")


def seal_mac(key: bytes, log: bytes, record: Record) -> bytes:
    signed = log + record.previous + record.data[: _SEALED_END - MAC_SIZE]
    return hmac.digest(key, signed, hashlib.sha256)[:MAC_SIZE]


def attestation_mac(key: bytes, export: Export, attestation: Attestation) -> bytes:
    return hmac.digest(key, WHOLE_TEXT + attestation.signed(export.device, export.log), hashlib.sha256)[:MAC_SIZE]


Retired = Callable[[int, int], str]


def _retirements(export: Export, trusted: Sequence[PublicKey]) -> Retired:
    """Why a key of that generation may not prove that record, in words: a record says that another took its place, or
    the inventory does. Who stole an old key could otherwise go on with it."""
    events = [record.event() for record in export.records if record.data and record.message == KeyChanged.ID]
    changes = [event for event in events if isinstance(event, KeyChanged)]

    def why(generation: int, seq: int) -> str:
        later = [event.seq for event in changes if event.seq <= seq and event.generation > generation]
        if later:
            return f"key {generation} was replaced at record {later[0]}, and proves nothing after it"
        if any(public.retired(export, generation, seq) for public in trusted):
            return f"by the inventory key {generation} was not in force at record {seq}"
        return ""

    return why


def _good_seals(export: Export, keys: Sequence[bytes], retired: Retired, verdict: Verdict) -> list[int]:
    """Places of the seals that a key at hand has made, while it was in force."""
    good: list[int] = []
    for index, record in enumerate(export.records):
        if not _is_seal(record) or record.fault:
            continue
        mac = record.data[_SEALED_END - MAC_SIZE : _SEALED_END]
        why = retired(_generation(record), record.seq)
        if why:
            verdict.problems.append(Problem(why, record.seq, record.line))
        elif any(hmac.compare_digest(seal_mac(key, export.log, record), mac) for key in keys):
            good.append(index)
            verdict.seals_good.append(record.seq)
            verdict.generations.add(_generation(record))
    return good


def _anchors(export: Export, keys: Sequence[bytes], retired: Retired, verdict: Verdict) -> dict[int, str]:
    """Places of records that a good attestation names by their hash, each with what is wrong if it is another."""
    places = {record.seq: index for index, record in enumerate(export.records)}
    found: dict[int, str] = {}
    bad: list[Attestation] = []
    for attestation in export.attested:
        mac = attestation_mac  # one for every generation at hand
        why = retired(attestation.key, attestation.last)
        if why and attestation.key:
            verdict.problems.append(Problem(f"attested up to {attestation.last}: {why}", line=HEADER_LINE))
        good = not why and any(hmac.compare_digest(mac(key, export, attestation), attestation.mac) for key in keys)
        if good:
            verdict.generations.add(attestation.key)
        else:
            bad.append(attestation)
        if attestation.last in places:
            index = places[attestation.last]
            right = export.records[index].digest == attestation.head
            if good:
                found[index] = "" if right else _NOT_ATTESTED
            elif not right:
                verdict.problems.append(Problem(_NOT_ATTESTED, attestation.last))
    verdict.attested = bool(export.attested) and export.attested[-1] not in bad
    for attestation in bad:
        if attestation.key in verdict.generations:
            what = f"the attestation of records up to {attestation.last} was not made by this device's key"
            verdict.problems.append(Problem(what, line=HEADER_LINE))
    return found


def _signed_anchors(export: Export, trusted: Sequence[PublicKey], retired: Retired, verdict: Verdict) -> dict[int, str]:
    """The same of attestations that a trusted key has signed."""
    places = {record.seq: index for index, record in enumerate(export.records)}
    found: dict[int, str] = {}
    signer = None
    signers = {public.key for public in trusted}
    for attestation in export.attested:
        signer = signer_of(export, attestation, trusted)
        if retired(attestation.key, attestation.last):
            signer = None
            continue
        if signer is not None and attestation.last in places:
            index = places[attestation.last]
            found[index] = "" if export.records[index].digest == attestation.head else _NOT_ATTESTED
        elif signer is None and attestation.public in signers:
            what = f"the signature of records up to {attestation.last} was not made by this device's signing key"
            verdict.problems.append(Problem(what, line=HEADER_LINE))
    verdict.attested = signer is not None
    verdict.signed_by = signer.key if signer is not None else b""
    if not found and any(attestation.signature for attestation in export.attested):
        what = "nothing is signed with a public key that was given: another device, another key, or all of it is forged"
        verdict.problems.append(Problem(what, line=HEADER_LINE))
    return found


def _check_signer(export: Export, verdict: Verdict) -> None:
    """Whether signatures claim the key that the journal itself has on record."""
    made = [record for record in export.records if record.data and record.message == SigningKey.ID]
    events = [event for record in made if not record.fault and isinstance(event := record.event(), SigningKey)]
    for attestation in export.attested:
        before = [event for event in events if event.seq <= attestation.last and event.generation == attestation.key]
        if attestation.signature and before and attestation.public != before[-1].public:
            what = f"the signature of records up to {attestation.last} is not of the signing key on record"
            verdict.problems.append(Problem(what, line=HEADER_LINE))


def _prove(export: Export, anchors: dict[int, str], faults: dict[int, str], verdict: Verdict) -> dict[int, str]:
    """Walk back from what is proved. Returns records that are certainly not the device's, with the reason."""
    altered: dict[int, str] = {}
    records = export.records
    proved = False  # the record that comes next in time
    for index in range(len(records) - 1, -1, -1):
        record = records[index]
        if index in anchors:
            proved = not anchors[index]
            if not proved:
                altered[index] = anchors[index]
        elif proved:
            follows = records[index + 1]
            if record.seq + 1 != follows.seq:
                proved = False  # the check of the order reports what is missing or extra
            elif follows.previous != record.digest:
                proved = False
                if index not in faults:
                    altered[index] = "altered: the record after it is good, and was made after another one"
        if proved and index not in faults:
            verdict.proved.add(record.seq)
        else:
            proved = False
    return altered


def _check_order(export: Export, faults: dict[int, str], altered: dict[int, str], verdict: Verdict) -> set[int]:
    """Every record in its place, and followed by its hash. Returns the places where that is not so."""
    broken: set[int] = set(faults) | set(altered)
    expected = export.first
    for index, record in enumerate(export.records):
        what = ""
        if record.seq != expected:
            what = _misplaced(record.seq, expected)
        elif index not in broken and index - 1 not in broken:
            what = _unchained(export, index)
        fault = _NO_RECORD + faults[index] if index in faults else ""
        words = [word for word in (what, altered.get(index, ""), fault) if word]
        if words:
            broken.add(index)
            verdict.problems.append(Problem("; ".join(words), record.seq, record.line))
        expected = record.seq + 1
    return broken


def _unchained(export: Export, index: int) -> str:
    """Whether a record does not follow the one before, in words."""
    record = export.records[index]
    if record.seq == 1:
        return "" if record.previous == export.genesis() else "it is not the first record of this log"
    if index == 0 or record.previous == export.records[index - 1].digest:
        return ""
    return "the chain breaks here: it was not made after the record before; one of the two was altered"


def _misplaced(seq: int, expected: int) -> str:
    if seq > expected:
        missing = f"record {expected} is" if seq == expected + 1 else f"records {expected} to {seq - 1} are"
        return f"{missing} missing before it"
    return f"out of order or twice: record {expected} should stand here"


def _check_ends(export: Export, verdict: Verdict) -> None:
    """Whether the file begins and ends where the device said its journal does."""
    if not export.records:
        verdict.problems.append(Problem("there are no records", line=HEADER_LINE))
        return
    if not export.attested:
        verdict.problems.append(Problem("no attestation: where the journal ends is not known", line=HEADER_LINE))
        return
    newest = export.attested[-1]
    if newest.last > export.last:
        count = newest.last - export.last
        what = f"the end is missing: {count} more records, up to {newest.last}, were attested"
        verdict.problems.append(Problem(what, export.last))
    elif newest.last < export.last:
        what = f"records after {newest.last} were added: the device attested no more than that"
        verdict.problems.append(Problem(what, newest.last + 1))
    if verdict.keyed and verdict.seals and newest.key == 0:
        verdict.problems.append(Problem("the newest attestation is of a device without a key", line=HEADER_LINE))
    oldest = export.attested[0].first
    if export.start > oldest and export.first == export.start:
        verdict.notes.append(f"records before {export.start} were not asked for, and are not here")
    elif export.first > oldest:
        what = f"the beginning is missing: the device had records from {oldest} on"
        verdict.problems.append(Problem(what, export.first))
    elif export.first < oldest:
        verdict.problems.append(Problem(f"the device had no records before {oldest} any more", export.first))
    elif export.first > 1:
        verdict.notes.append(f"the device had used the space of records before {export.first} again")


def _check_forgery(export: Export, verdict: Verdict) -> None:
    """Seals that do not verify although their key is at hand; and keys that fit nothing."""
    if not verdict.keyed:
        return
    sealed = bool(verdict.seals) or any(attestation.key for attestation in export.attested)
    if not verdict.generations:
        if sealed:
            what = "no seal and no attestation was made with a key that was given: wrong key, or all of it is forged"
            verdict.problems.append(Problem(what, line=HEADER_LINE))
        return
    for record in export.records:
        if not _is_seal(record) or record.seq in verdict.seals_good:
            continue
        if _generation(record) in verdict.generations:
            verdict.problems.append(Problem("the seal does not verify", record.seq, record.line))
        elif record.seq not in verdict.proved:
            what = f"its seal is of key {_generation(record)}, which was not given, and nothing after it proves it"
            verdict.problems.append(Problem(what, record.seq, record.line))
    others = sorted({_generation(record) for record in export.records if _is_seal(record)} - verdict.generations)
    if others:
        which = ", ".join(map(str, others))
        verdict.notes.append(f"seals of key {which} were not checked themselves; later ones prove their records")


def _note_shares(export: Export, faults: dict[int, str], verdict: Verdict) -> None:
    """That shuffles waited for the table's share and have none. No record is at fault, but the device alone drew."""
    sound = [record for index, record in enumerate(export.records) if record.data and index not in faults]
    events = [record.event() for record in sound if record.message == ShuffleNonce.ID]
    told = [it.share for it in events if isinstance(it, ShuffleNonce) and it.share != Share.ABORTED]
    alone = [share for share in told if share in _ALONE]
    if alone:
        which = f"{len(alone)} of {len(told)} shuffles that waited for the table's share have none"
        verdict.notes.append(f"{which}: their order comes from a seed that the device may have chosen")


def _once(problems: list[Problem]) -> list[Problem]:
    """One thing said of one record; lines first, then by number."""
    kept: dict[tuple[int, int], Problem] = {}
    for problem in problems:
        key = (problem.seq, 0 if problem.seq else problem.line)
        if key not in kept:
            kept[key] = problem
        elif problem.what not in kept[key].what:
            first = kept[key]
            kept[key] = Problem(f"{first.what}; {problem.what}", first.seq, first.line or problem.line)
    return sorted(kept.values(), key=lambda problem: (problem.seq, problem.line))


def _placed(problem: Problem, export: Export, verdict: Verdict) -> Problem:
    """With its line, and between which seals it lies."""
    if not problem.seq:
        return problem
    good = verdict.seals_good if verdict.keyed else verdict.seals
    line = problem.line or next((record.line for record in export.records if record.seq == problem.seq), 0)
    after = max((seq for seq in good if seq < problem.seq), default=0)
    before = min((seq for seq in good if seq > problem.seq), default=0)
    return Problem(problem.what, problem.seq, line, after, before)
