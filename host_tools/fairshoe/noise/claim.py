"""What NIST's tool found in a capture, beside what the board config claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from fairshoe.errors import FairshoeError
from fairshoe.files import parse_json, read_regular

NOTE = ".json"  # after the name of a capture: what was captured, and where
KIND = "noise"
SAMPLES = 1_000_000  # that the publication asks for
SIMULATED = "simulated source"
ADVICE = "Capture the noise of this board and judge it as docs/BOARDS.md says, or claim less in its config."


@dataclass(frozen=True)
class Note:
    """What a capture is. It lies beside it, with NOTE after its name."""

    board: str
    source: str
    taken_from: str  # a port, or a simulated source
    at: str
    version: str
    samples: int
    width: int  # bits of a sample
    restarts: int  # 0: one sequence; else the same number of samples after each restart
    sound: bool  # the source never reported a failure
    sha256: str  # of the capture

    def to_json(self) -> dict[str, Any]:
        return {"kind": KIND, **vars(self)}


def check_claim(reports: list[Path], config: Mapping[str, Any]) -> str:
    """Compare the claim of a board config with reports of NIST's tool. Raises if one is of another source, or of none,
    or says less; returns what they say."""
    entropy = config["entropy"]
    claimed: int = entropy["millibits_per_byte"]
    found: list[int] = []
    notes: list[Note] = []
    for path in reports:
        note, bits = _read(path)
        if (note.source, note.board) != (entropy["source"], config["name"]):
            raise FairshoeError(
                f"{path} is about {note.source} of {note.board}, not {entropy['source']} of {config['name']}.", ADVICE
            )
        if note.taken_from.startswith(SIMULATED):
            raise FairshoeError(f"{path} is about a {note.taken_from}, not a device.", ADVICE)
        if not note.sound:
            raise FairshoeError(f"{path}: the source reported a failure while it was captured.", ADVICE)
        found.append(int(bits * 8000 / note.width))
        notes.append(note)
    if min(found) < claimed:
        raise FairshoeError(f"the config claims {claimed} millibits a byte, and {min(found)} were found.", ADVICE)
    missing = "".join(f"; {words}" for words in _missing(notes))
    return f"{min(found)} millibits a byte found at {notes[0].taken_from}, {claimed} claimed{missing}"


def _missing(notes: list[Note]) -> list[str]:
    """What SP 800-90B asks for beyond these captures."""
    sequence = max((note.samples for note in notes if not note.restarts), default=0)
    found = [] if sequence >= SAMPLES else [f"one sequence of {sequence:,} samples, not {SAMPLES:,}"]
    return found if any(note.restarts for note in notes) else [*found, "no restarts"]


def _read(path: Path) -> tuple[Note, float]:
    """The note of the capture that a report is about, and the bits that a sample of it is worth."""
    try:
        report = cast(Any, parse_json(read_regular(path)))
        note_path = path.parent / (Path(report["filename"]).name + NOTE)
        said = cast(Any, parse_json(read_regular(note_path)))
        if said.pop("kind") != KIND:
            raise ValueError(f"{note_path} is no note of a capture")
        note = Note(**said)
        if report["sha256"] != note.sha256:
            raise ValueError(f"it is not about the capture of {note_path}")
        overall = next(case for case in report["testCases"] if case["testCaseDesc"] == "Overall")
        worth = min(overall["h_r"], overall["h_c"]) if note.restarts else overall["hAssessed"]
        if report["errorLevel"] != 0 or type(worth) is not float or not 0 <= worth <= note.width:
            raise ValueError("NIST's tool reports a failure")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, StopIteration) as error:
        raise FairshoeError(f"{path} is no report about a capture of noise: {error!r}.", ADVICE) from error
    return note, worth
