"""A receipt: the records of one deal from its shuffle to a signed head, and the seed, for a player to check.

It is made here from an export that `verify` has proved, and it is checked in one place only, by receipt.js of the
JavaScript client: a second verifier beside it could disagree with it. What is refused here is refused with a reason for
the house; the page would refuse it too. docs/SHUFFLE.md has the file and the link.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from fairshoe import messages
from fairshoe.errors import Exit, FairshoeError
from fairshoe.journal.expectation import Expected
from fairshoe.journal.export import Attestation, Export, JournalAltered
from fairshoe.journal.seed_audit import NothingDisclosed, commitment_of
from fairshoe.journal.signatures import PublicKey, signer_of
from fairshoe.journal.verify import verify

FORMAT = 1
RECORDS_MAX = 2000  # 370 KB of a file; a round has 40
_OTHER = "Make a receipt of a round that this device dealt from the deck that it shuffled."


class NoReceipt(FairshoeError):
    """A deal of which no receipt can be made; the message says why."""

    exit_code = Exit.UNPROVED


@dataclass(frozen=True)
class Receipt:
    """`data` is the file; the rest is its summary."""

    data: bytes
    device: int
    round: int
    commitment: bytes
    records: int

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    def link(self, address: str) -> str:
        """Where the page is, with the summary and the hash of the file in the fragment, which no server gets."""
        return f"{address}#fairshoe1.{self.device:08x}.{self.round}.{self.commitment.hex()}.{self.digest}"


def make_receipt(
    export: Export, seed: bytes, trusted: Sequence[PublicKey], expected: Expected | None = None
) -> Receipt:
    """The receipt of the deal whose shuffle had this seed. NoReceipt, NothingDisclosed or JournalAltered says why there
    is none."""
    if not any(attestation.signature for attestation in export.attested):
        raise NoReceipt(
            "the journal is not signed: its device does not sign, or was not at rest.",
            "Pull it again with `fairshoe journal pull`. A board that does not sign has no receipts.",
        )
    verdict = verify(export, (), expected, trusted)
    if verdict.problems:
        raise JournalAltered(
            f"the journal is altered or incomplete: {verdict.problems[0].text()}.",
            "`fairshoe journal verify` tells all.",
        )
    if not verdict.sound:
        raise NoReceipt("the end of the journal is not signed with a key that was given.", "Pull it again.")
    events = [event for record in export.records if (event := record.event()) is not None]
    first, round_number, last = _deal(events, commitment_of(seed))
    head = _head(export, trusted, last)
    records = [record for record in export.records if first <= record.seq <= head.last]
    if records[0].seq != first or len(records) > RECORDS_MAX:
        raise NoReceipt(
            f"from the shuffle at record {first} to the signed record {head.last} are too many, or some are missing.",
            "Pull the journal after every round of which a receipt is made: each pull is signed.",
        )
    content = {
        "fairshoe_receipt": FORMAT,
        "device": f"{export.device:08x}",
        "log": export.log.hex(),
        "seed": seed.hex(),
        "records": [record.data.hex() for record in records],
        "attested": {name: value for name, value in head.line().items() if name != "mac"},
    }
    data = json.dumps(content, separators=(",", ":")).encode() + b"\n"
    return Receipt(data, export.device, round_number, commitment_of(seed), len(records))


def _head(export: Export, trusted: Sequence[PublicKey], last: int) -> Attestation:
    """The first signed attestation that covers the end of the round: later ones would show other rounds."""
    for attestation in export.attested:
        if attestation.last >= last and signer_of(export, attestation, trusted) is not None:
            return attestation
    raise NoReceipt("no signature covers the end of the round.", "Pull the journal again.")


def _deal(events: Sequence[messages.Event], commitment: bytes) -> tuple[int, int, int]:
    """The record that began the shuffle with this commitment, the round dealt from its deck, and its last record."""
    at = next(
        (i for i, it in enumerate(events) if isinstance(it, messages.ShuffleCommitted) and it.commitment == commitment),
        0,
    )
    begun = [it for it in events[:at] if isinstance(it, messages.ShuffleStarted) and it.deck == events[at].deck]
    if not begun:
        raise NothingDisclosed(
            "no shuffle in this journal committed to that seed.",
            "Give the seed and the export of the same device and day.",
        )
    deck = events[at].deck
    round_number: int | None = None
    stacks = 0
    for event in events[at + 1 :]:
        stacks += isinstance(event, messages.StackStarted) and event.round == round_number
        if isinstance(event, (messages.RoundEnded, messages.RoundVoided)) and event.round == round_number:
            if not stacks:
                raise NoReceipt(f"the machine dealt no stack in round {event.round}.", _OTHER)
            return begun[-1].seq, event.round, event.seq
        if isinstance(event, messages.Booted):
            raise NoReceipt("power was lost while the deck was in play.", "Its seed was lost with it.")
        if event.deck == deck and round_number is None:
            _check_before_round(event)
            round_number = event.round if isinstance(event, messages.RoundStarted) else None
    where = f"round {round_number} has not ended" if round_number is not None else "no round was dealt from it yet"
    raise NoReceipt(f"the deck is still in play: {where}.", "Pull the journal again when its round is over.")


def _check_before_round(event: messages.Event) -> None:
    if isinstance(event, (messages.DeckLoaded, messages.RemainderTaken)):
        raise NoReceipt(
            f"the deck left the machine at record {event.seq} before a round began: another device dealt it, or hands "
            "did. Shelves hand every deck out, and never disclose a seed.",
            _OTHER,
        )
    aborted = isinstance(event, messages.ShuffleNonce) and event.share == messages.Share.ABORTED
    if aborted or isinstance(
        event, (messages.DeckRefused, messages.ShuffleFailed, messages.RemovalStarted, messages.ShuffleStarted)
    ):
        raise NoReceipt(f"the deck never came to play: {event.NAME} at record {event.seq}.", _OTHER)
