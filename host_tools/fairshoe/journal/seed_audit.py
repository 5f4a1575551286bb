"""Check a disclosed seed against the commitment that the device sent, and draw the order of the shuffle again.

The order is drawn by an independent implementation, from Python's hashlib and hmac and docs/SHUFFLE.md: an audit that
ran the device's code would only show that the code agrees with itself.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from fairshoe.errors import AuditFailed, Exit, FairshoeError, UsageError
from fairshoe.files import LOG_BYTES_MAX, read_regular
from fairshoe.messages import DeckVerified, Event, Share, ShuffleCommitted, ShuffleNonce

SEED_SIZE = 32
CARDS_MAX = 1000
DRAW_BYTES = 128
COMMITMENT_TEXT = b"fairshoe seed 1"
SHUFFLE_TEXT = b"fairshoe shuffle 1"
_ADVICE = "Give the file in which the events of this device were stored when the deck was shuffled."
SHARED_TEXT = b"fairshoe shuffle 2"  # with a nonce of the table


class NothingDisclosed(FairshoeError):
    """There is no seed, or no commitment to hold it against."""

    exit_code = Exit.UNPROVED


class HmacDrbg:
    """HMAC-DRBG with SHA-256, as SP 800-90A words it."""

    def __init__(self, seed_material: bytes) -> None:
        self._key = bytes(32)
        self._value = b"\x01" * 32
        self._update(seed_material)

    def generate(self, size: int) -> bytes:
        out = b""
        while len(out) < size:
            self._value = hmac.digest(self._key, self._value, "sha256")
            out += self._value
        self._update(b"")
        return out[:size]

    def _update(self, data: bytes) -> None:
        for tag in (b"\x00", b"\x01") if data else (b"\x00",):
            self._key = hmac.digest(self._key, self._value + tag + data, "sha256")
            self._value = hmac.digest(self._key, self._value, "sha256")


@dataclass(frozen=True)
class Verdict:
    """What a seed says. `places[i]` is where the i-th card taken in went; `dealt[k]` is which card comes out k-th."""

    seed: bytes
    commitment: bytes
    places: tuple[int, ...]
    seq: int = 0
    share: Share | None = None  # None: the device did not wait for a nonce
    nonce: bytes = b""

    @property
    def agrees(self) -> bool:
        return hmac.compare_digest(commitment_of(self.seed), self.commitment)

    @property
    def dealt(self) -> tuple[int, ...]:
        return tuple(sorted(range(len(self.places)), key=lambda card: self.places[card]))


def commitment_of(seed: bytes) -> bytes:
    return hashlib.sha256(COMMITMENT_TEXT + seed).digest()


@dataclass(frozen=True)
class Committed:
    """What is on record about the seed of a shuffle, and the table's share in its order."""

    commitment: bytes
    share: Share | None = None
    nonce: bytes = b""

    def share_of(self, device: int, seq: int) -> bytes:
        """What was added to the seed: nothing unless a nonce was given."""
        return self.nonce + struct.pack("<II", device, seq) if self.share == Share.GIVEN else b""


def places_of(seed: bytes, cards: int, share: bytes = b"") -> tuple[int, ...]:
    """Fisher-Yates from the top, with 16-bit little-endian words and rejection, in chunks of 128 bytes."""
    drbg = HmacDrbg(seed + share + (SHARED_TEXT if share else SHUFFLE_TEXT))
    words: list[int] = []

    def below(bound: int) -> int:
        while True:
            if not words:
                chunk = drbg.generate(DRAW_BYTES)
                words.extend(int.from_bytes(chunk[at : at + 2], "little") for at in range(0, DRAW_BYTES, 2))
            word = words.pop(0)
            if word < 65536 // bound * bound:
                return word % bound

    places = list(range(cards))
    for i in range(cards - 1, 0, -1):
        j = below(i + 1)
        places[i], places[j] = places[j], places[i]
    return tuple(places)


def examine(seed: bytes, record: Committed, cards: int, device: int = 0, seq: int = 0) -> Verdict:
    """Draw the order again. An aborted shuffle has none: `places` is empty."""
    places = () if record.share == Share.ABORTED else places_of(seed, cards, record.share_of(device, seq))
    return Verdict(seed, record.commitment, places, seq, record.share, record.nonce)


def find_commitment(path: Path, seq: int) -> Committed:
    """The commitment of event `seq`, and the table's share in its order, in a file that `fairshoe monitor --json` has
    written, of one device."""
    return record_of(_typed(path), seq, str(path))


def record_of(events: Iterable[Event], seq: int, where: str) -> Committed:
    """What these events, of one log and in their order, have on record about the commitment of event `seq`. The first
    record of the table's nonce binds, and stands before the deck is verified: AuditFailed if there is another one."""
    found: ShuffleCommitted | None = None
    record: ShuffleNonce | None = None
    verified = False
    for event in events:
        if event.seq <= seq:
            if isinstance(event, ShuffleCommitted) and event.seq == seq:
                found = event
        elif isinstance(event, ShuffleCommitted):
            break
        elif isinstance(event, DeckVerified):
            verified = True
        elif isinstance(event, ShuffleNonce) and found is not None and event != record:
            if record is not None or verified or not found.wait_ds:
                raise AuditFailed(
                    f"event {event.seq} in {where} is a record of the table's nonce that the shuffle of event {seq} "
                    "may not have.",
                    "Take the device out of service, and keep its journal.",
                )
            record = event
    if found is None:
        raise NothingDisclosed(f"{where} has no {ShuffleCommitted.NAME} event with the number {seq}.", _ADVICE)
    if found.wait_ds and record is None:
        raise NothingDisclosed(
            f"{where} has no {ShuffleNonce.NAME} event after number {seq}, and that shuffle waited for a nonce.",
            _ADVICE,
        )
    if record is None:
        return Committed(found.commitment)
    return Committed(found.commitment, record.share, record.nonce)


def _whole(event: dict[str, Any], name: str, place: str) -> int:
    value = event.get(name, 0)
    if type(value) is not int:
        raise UsageError(f"{place}: {name} is no whole number.", "Give a file as `fairshoe monitor --json` prints it.")
    return value


def _share(event: dict[str, Any], place: str) -> Share:
    try:
        return Share[str(event.get("share")).upper()]
    except KeyError as error:
        advice = "Give a file as `fairshoe monitor --json` prints it."
        raise UsageError(f"{place}: no share of a table.", advice) from error


def _typed(path: Path) -> Iterator[Event]:
    """The events of such a file that are about a shuffle, with what counts of them."""
    for place, event in _events(path):
        name, prefix = event.get("message"), (_whole(event, "seq", place), 0, 0, 0, 0, 0, 0)
        if name == ShuffleCommitted.NAME:
            commitment = read_hex(str(event.get("commitment")), f"{place}: commitment")
            yield ShuffleCommitted(*prefix, commitment, _whole(event, "wait_ds", place))
        elif name == ShuffleNonce.NAME:
            yield ShuffleNonce(*prefix, _share(event, place), 0, read_hex(str(event.get("nonce")), f"{place}: nonce"))
        elif name == DeckVerified.NAME:
            yield DeckVerified(*prefix, 0, 0, 0, 0)


def _events(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every line of such a file with its place."""
    try:
        lines = read_regular(path, LOG_BYTES_MAX).decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}.", "Check the name and your permission.") from error
    for number, line in enumerate(lines, 1):
        try:
            entry: Any = json.loads(line or "{}")
        except (ValueError, RecursionError) as error:
            raise UsageError(
                f"{path}, line {number}: not JSON: {error}.", "Give a file as `fairshoe monitor --json` prints it."
            ) from error
        yield f"{path}, line {number}", cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}


def read_hex(text: str, what: str) -> bytes:
    """The 32 bytes of a seed, nonce or commitment from hex digits; `what` names them in the error."""
    try:
        value = bytes.fromhex(text)
    except ValueError:
        value = b""
    if len(value) != SEED_SIZE:
        raise UsageError(f"{what} is not {SEED_SIZE} bytes.", f"Give {2 * SEED_SIZE} hex digits.")
    return value
