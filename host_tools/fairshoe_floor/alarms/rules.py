"""Rules as data: a JSON file with one object for each rule. `default_rules.json` beside this module is the default.

    {"name": "warning-unattended", "kind": "warning", "severity": "major", "after_s": 300}

`kind` names what is looked at (KINDS), the other words are its limits. A rule without `devices` is for all. A release
counts by its signature, which is checked when the file is read; relative paths count from the folder of the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairshoe import FairshoeError
from fairshoe.errors import Exit
from fairshoe.ship.release_facts import ReleaseFacts, read_release
from fairshoe_floor.reader import SEVERITIES

# What each kind needs beside name, kind and severity, with its unit.
KINDS: Mapping[str, tuple[str, ...]] = {
    "warning": ("after_s",),  # latched, and not cleared for so long
    "silent": ("after_s",),  # nothing heard of a shoe for so long
    "journal": (),  # the device or an export says that its journal is broken, cut or shrinking
    "refused": ("times",),  # so many decks refused, and none verified between
    "misfeeds": ("decks", "per_mille_min", "ratio"),  # in the last decks, against its own past and its peers
    "feed_time": ("ratio",),  # time to feed a card, against its own value when new and its peers
    "wear": (),  # a figure of wear, its last decks against its first ones: fairshoe/wear.py has the limits
    "version": ("release", "keys"),  # firmware or board config, by the device's own word, is not of this release
    "clock": ("off_s",),  # the device's time against the gateway's
    "dead_letter": (),  # something came from the stream and could not be taken
    "gap": (),  # events of a shoe were lost
    "broker": (),  # the broker does not store, or refuses a gateway
    "still": ("after_s",),  # a consumer, publisher or gateway has not moved for so long
}
SILENT_MIN_S = 120  # a gateway keeps a sample of a shoe every minute: less would raise and clear all the time
DEFAULT = Path(__file__).with_name("default_rules.json")


class RuleError(FairshoeError):
    """A file of rules that cannot be used."""

    exit_code = Exit.INPUT


@dataclass(frozen=True)
class Rule:
    """One rule. `limits` has the words of its kind."""

    name: str
    kind: str
    severity: str
    limits: Mapping[str, Any] = field(default_factory=dict[str, Any])
    devices: frozenset[int] | None = None

    def covers(self, device: int) -> bool:
        return self.devices is None or device in self.devices


@dataclass(frozen=True)
class RuleBook:
    """The whole file."""

    rules: tuple[Rule, ...]


def load_rules(path: Path = DEFAULT) -> RuleBook:
    try:
        data: Any = json.loads(path.read_text())
    except OSError as error:
        raise RuleError(f"cannot read {path}: {error.strerror or error}.", "Name a file of rules.") from error
    except ValueError as error:
        raise RuleError(f"{path} is no JSON: {error}.", "Correct it.") from error
    try:
        rules = tuple(_rule(path, item) for item in data["rules"])
        routes = data.get("routes")
    except (TypeError, KeyError, AttributeError) as error:
        raise RuleError(f"{path}: a rule lacks {error}.", f"See {DEFAULT.name}.") from error
    if routes:
        raise RuleError(
            f"{path}: rules have no routes.",
            "Alertmanager routes alarms: `fairshoe floor run --alertmanager URL`, or --webhook URL.",
        )
    names = [rule.name for rule in rules]
    for name in names:
        if names.count(name) > 1:
            raise RuleError(f"{path}: two rules have the name {name}.", "Give each rule a name of its own.")
    return RuleBook(rules)


def _rule(path: Path, item: dict[str, Any]) -> Rule:
    name, kind, severity = str(item["name"]), str(item["kind"]), str(item["severity"])
    if kind not in KINDS:
        raise RuleError(f"{path}: rule {name} has the unknown kind {kind}.", f"Kinds are {', '.join(KINDS)}.")
    if severity not in SEVERITIES:
        raise RuleError(f"{path}: rule {name}: {severity}.", f"Severities are {', '.join(SEVERITIES)}.")
    for word in KINDS[kind]:
        if word not in item:
            raise RuleError(f"{path}: rule {name} of kind {kind} lacks {word}.", f"See {DEFAULT.name}.")
    known = {"name", "kind", "severity", "devices", "about", *KINDS[kind]}
    for word in item:
        if word not in known:
            raise RuleError(f"{path}: rule {name} has the unknown word {word}.", "Remove it.")
    for word in KINDS[kind]:
        if kind != "version" and type(item.get(word, 0)) not in (int, float):
            raise RuleError(f"{path}: rule {name}: {word} is no number.", "Write it without quotes.")
    if kind == "silent" and item["after_s"] < SILENT_MIN_S:
        raise RuleError(
            f"{path}: rule {name}: after_s is {item['after_s']}, and a gateway keeps a sample every minute.",
            f"Write {SILENT_MIN_S} or more.",
        )
    try:
        devices = frozenset(int(str(it), 16) for it in item["devices"]) if "devices" in item else None
    except ValueError as error:
        raise RuleError(f"{path}: rule {name}: devices: {error}.", "Write eight hex digits for each.") from error
    limits = {word: item[word] for word in KINDS[kind]}
    if kind == "version":
        limits = {"release": _release(path, name, item["release"], item["keys"])}
    return Rule(name, kind, severity, limits, devices)


def _release(path: Path, name: str, folder: Any, keys: Any) -> ReleaseFacts:
    if not isinstance(folder, str) or not isinstance(keys, list) or not keys:
        raise RuleError(
            f"{path}: rule {name}: a release counts by its signature.",
            'Write "release": "FOLDER" and "keys": ["FILE"], the public keys of its maker.',
        )
    base = path.resolve().parent
    return read_release(base / folder, [base / str(key) for key in keys])  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
