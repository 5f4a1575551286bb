"""One reading of the records of a shuffle: tests/behaviour/shares.json, fed to the judging host, the audit and the
journal's verification. tests/js/receipt.test.mjs feeds the same file to the page of a receipt."""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from fairshoe import messages
from fairshoe.client.share_judge import Judge
from fairshoe.errors import AuditFailed, NonceAltered
from fairshoe.journal.plausibility import Story
from fairshoe.journal.seed_audit import Committed, NothingDisclosed, find_commitment, record_of
from fairshoe.message_data import to_dict

CASES = json.loads((Path(__file__).parents[2] / "behaviour" / "shares.json").read_text())["cases"]
NONCE = bytes(range(32))


def event(word: str, seq: int) -> messages.Event:
    name, _, argument = word.partition(" ")
    prefix = (seq, 1, 0, 0, 0, 0, 1)
    match name:
        case "start":
            return messages.ShuffleStarted(*prefix, 52, 900)
        case "commit":
            return messages.ShuffleCommitted(*prefix, bytes(31) + bytes([seq]), int(argument))
        case "verified":
            return messages.DeckVerified(*prefix, 52, 52, 0, 0)
        case "failed":
            return messages.ShuffleFailed(*prefix, messages.Fault.JAM_THROAT, "", messages.Consequence(0))
        case "round":
            return messages.RoundStarted(seq, 1, 0, 0, 0, 1, 1, "CS", 2)
        case _:
            share = messages.Share[name.upper()]
            return messages.ShuffleNonce(*prefix, share, 0, NONCE if name == "given" else bytes(32))


def told(words: Sequence[str], repeats: bool) -> list[messages.Event]:
    """In a stream events are repeated, in a journal they are not."""
    events = [event("start", 1)]
    for word in words:
        if word.startswith("again"):
            wanted = word.partition(" ")[2]
            before = [it for it in events if isinstance(it, messages.ShuffleNonce)][-1] if wanted else events[-1]
            events += [before] * repeats
        else:
            events.append(event(word, events[-1].seq + 1))
    return events


def asked(case: dict[str, Any]) -> int:
    found = [it.seq for it in told(case["events"], False) if isinstance(it, messages.ShuffleCommitted)]
    nth: int = case.get("asked", 1)
    return found[nth - 1]


def judged(events: Iterable[messages.Event], seq: int) -> str:
    judge = Judge(lambda _event: NONCE)
    try:
        for each in events:
            judge.feed(each, 0.0)
    except NonceAltered:
        return "refused"
    lost = next((it.why for it in judge.lost if it.seq == seq), "given")
    same = {"no_wait": "none", "unrecorded": "missing", "dropped": "missing", "failed": "aborted"}
    return str(same.get(lost, lost))


def audited(read: Callable[[], Committed]) -> str:
    try:
        found = read()
    except AuditFailed:
        return "refused"
    except NothingDisclosed:
        return "missing"
    return found.share.name.lower() if found.share is not None else "none"


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_every_reader_has_the_same_reading(case: dict[str, Any], tmp_path: Path) -> None:
    stream, seq = told(case["events"], True), asked(case)
    assert judged(stream, seq) == case["reading"]
    assert audited(lambda: record_of(stream, seq, "a store")) == case["reading"]
    file = tmp_path / "events.jsonl"
    file.write_text("".join(json.dumps(to_dict(it)) + "\n" for it in stream))
    assert audited(lambda: find_commitment(file, seq)) == case["reading"]
    story = Story(1000, whole=True)
    problems = [what for it in told(case["events"], False) for what in story.note(it) if "nonce" in what]
    whole = any(it["reading"] in ("missing", "refused") for it in CASES if it["events"] == case["events"])
    assert bool(problems) is whole, problems
