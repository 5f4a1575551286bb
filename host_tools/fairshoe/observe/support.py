"""What a user attaches to a report, without what must stay secret.

Two ways keep secrets out. Facts are chosen one by one: no key file, token file or environment is read into it. And
every text goes through `cleaned`, for what stands in a log or in a URL all the same. Rounds are the house's business:
without `rounds`, nothing says which round was dealt, or what was in it.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, cast

from fairshoe.journal.export import Export
from fairshoe.message_data import to_dict
from fairshoe.observe.observer import Watch
from fairshoe.printable import printable

REMOVED = "[removed]"
LOG_LINES = 500
# Events about the machine. All others are about decks and rounds.
OF_MACHINE = (
    *("booted", "power_lost", "empty_proved", "warning_latched", "warning_cleared", "door_opened", "door_closed"),
    *("clock_set", "record_damaged", "sealed", "journal_broken", "journal_filling", "key_changed", "signing_key"),
    "service",
)
_OF_ROUNDS = ("round", "deck")
_SECRET = r"key|token|password|passwd|pass|secret|seed|nonce|mac|authorization|bearer|cookie"
_NAMED = re.compile(rf"(?i)\b((?:\w*[_-])?(?:{_SECRET})[\"']?(?:\s*[=:]\s*|\s+))(?:bearer\s+)?[^\s&,;]+")
_FIELD = re.compile(rf"(?i)(?:^|_)(?:{_SECRET})(?:$|_)")
_USER = re.compile(r"(?<=://)[^/@\s]+@")
_FRAGMENT = re.compile(r"(?<=#)[\w~.-]{8,}")
# Long words of hexadecimal digits, or of letters and digits mixed as in Base64: keys, tokens, seeds; hashes go too.
_HEX = r"\b(?:[0-9A-Fa-f]{2}[:\s-]?){15,}[0-9A-Fa-f]{2}\b"
_LONG = re.compile(_HEX + r"|(?=[\w+/-]*\d)(?=[\w+/-]*[A-Za-z])[\w+/-]{20,}={0,2}")


def cleaned(text: str) -> str:
    """A text without what may be a secret in it."""
    for pattern, kept in ((_USER, f"{REMOVED}@"), (_FRAGMENT, REMOVED), (_NAMED, rf"\1{REMOVED}"), (_LONG, REMOVED)):
        text = pattern.sub(kept, text)
    return text


def clean(value: Any) -> Any:
    """The same for what JSON holds. A field that is named like a secret has no value; a fact that is no text stays."""
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value).items()
        return {key: REMOVED if _FIELD.search(key) and isinstance(it, str) else clean(it) for key, it in items}
    if isinstance(value, list | tuple):
        return [clean(it) for it in cast("list[Any]", value)]
    return cleaned(value) if isinstance(value, str) else value


def of_device(watch: Watch, rounds: bool) -> dict[str, Any]:
    """Identity, state, meters and the counters of the link."""
    known = watch.known
    facts: dict[str, Any] = {
        "port": watch.url,
        "mode": watch.mode.name.lower(),
        "welcome": to_dict(known.welcome) if known.welcome else None,
        "meters": asdict(known.meters) if known.meters else None,
        "journal": {"first": known.journal.first, "last": known.journal.last} if known.journal else None,
        "link": {"frames": watch.link.frames, "dropped": watch.link.drops.by_reason(), "sent_again": watch.link.again},
    }
    if known.status:
        status = to_dict(known.status)
        shown = status if rounds else {name: status[name] for name in ("state", "warning", "events_waiting")}
        facts["status"] = shown
    return facts


def of_journal(export: Export, rounds: bool) -> list[dict[str, Any]]:
    """Records as events in words; without `rounds` those about the machine, without the numbers of round and deck."""
    lines: list[dict[str, Any]] = []
    for record in export.records:
        event = None if record.fault else record.event()
        data = {"seq": record.seq, "message": record.fault or "unknown"} if event is None else to_dict(event)
        if rounds:
            lines.append(data)
        elif event is None or event.NAME in OF_MACHINE:
            lines.append({name: it for name, it in data.items() if name not in _OF_ROUNDS})
    return lines


def last_lines(data: bytes) -> str:
    """The end of a log."""
    lines = data.decode("utf-8", "replace").splitlines()[-LOG_LINES:]
    return "".join(f"{printable(line)}\n" for line in lines)


def pack(files: Mapping[str, Any]) -> dict[str, bytes]:
    """Members of the archive, all cleaned: texts as they are, everything else as JSON, lists with an item a line."""
    packed: dict[str, bytes] = {}
    for name, value in files.items():
        if isinstance(value, str):
            text = cleaned(value)
        elif isinstance(value, list):
            text = "".join(json.dumps(clean(item)) + "\n" for item in cast("list[Any]", value))
        else:
            text = json.dumps(clean(value), indent=1) + "\n"
        packed[name] = text.encode()
    return packed


def holds(packed: Mapping[str, bytes], secrets: Iterable[str]) -> list[str]:
    """The members in which one of these secrets stands all the same."""
    found = [secret.encode() for secret in secrets if secret]
    return [name for name, data in packed.items() if any(secret in data for secret in found)]


def archive(packed: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with gzip.GzipFile("", "wb", mtime=0, fileobj=out) as zipped, tarfile.open(fileobj=zipped, mode="w") as tar:
        for name, data in packed.items():
            member = tarfile.TarInfo(f"fairshoe-support/{name}")
            member.size, member.mode = len(data), 0o600
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()
