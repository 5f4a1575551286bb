"""The inventory: which shoes a gateway records, where they are, and what may be reported of them. One TOML file.

[gateway]
name = "pit-1"
store = "pit-1.db"              # relative to this file
keys = "keys"                   # folder of recorder keys, one file for each device: 00510001.key
keep_days = 90                  # events older than that are deleted once every reader with a cursor has passed them
journal_hours = 24              # how often the journal of a shoe with the profile "table" is pulled
public_keys = "signing.pub"     # optional: of devices; with the profile "table" their exports must be signed

[[shoe]]
device = "00510001"             # as the device says; another device at this port is refused
table = "BJ-07"
pit = "1"
url = "/dev/ttyACM0"            # or COM7, tcp://host:port, rfc2217://host:port, sim://...
keys = "other-keys"             # optional: another folder for this shoe
profile = "meters"              # the default; "table" needs `approval`
approval = "GLI letter 12-34"   # reference of the permission to report more than meters
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

from fairshoe.errors import Exit, FairshoeError

KEEP_DAYS = 90
JOURNAL_HOURS = 24
TEXT_MAX = 200


class InventoryError(FairshoeError):
    """An inventory that cannot be used."""

    exit_code = Exit.INPUT


class Profile(Enum):
    """What may be reported of a shoe."""

    METERS = "meters"  # what WAC 230-16-152 lists; nothing of a round under way, no request to the device
    TABLE = "table"  # everything; needs the reference of an approval


@dataclass(frozen=True)
class Entry:
    """One shoe of the inventory."""

    device: int
    table: str
    pit: str
    url: str
    keys: Path | None = None  # a folder of its own, instead of that of the gateway
    profile: Profile = Profile.METERS
    approval: str = ""

    @property
    def name(self) -> str:
        """As URLs and files have it: eight hex digits."""
        return f"{self.device:08x}"


@dataclass(frozen=True)
class Inventory:
    """The whole file. Paths are absolute."""

    name: str
    store: Path
    keys: Path | None
    shoes: tuple[Entry, ...]
    keep_days: int = KEEP_DAYS
    journal_hours: int = JOURNAL_HOURS
    public_keys: Path | None = None  # lines of signing.pub, of any number of devices

    def entry(self, device: int) -> Entry | None:
        return next((entry for entry in self.shoes if entry.device == device), None)


def read_inventory(path: Path) -> Inventory:
    """The file, checked; InventoryError says what is wrong with it and where."""
    # Named by a string: type checkers look at the oldest Python that is supported, which lacks tomllib.
    toml: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        data: dict[str, Any] = toml.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InventoryError(
            f"cannot read {path}: {error.strerror or error}.", "Make one with `fairshoe floor inventory add`."
        ) from error
    except ValueError as error:
        raise InventoryError(f"{path} is no TOML: {error}.", "Mend that line.") from error
    return check_inventory(data, path)


def check_inventory(data: Mapping[str, Any], path: Path) -> Inventory:
    """The inventory in this data; relative paths in it count from the folder of `path`."""
    unknown = sorted(set(data) - {"gateway", "shoe"})
    if unknown:
        raise InventoryError(f"{path}: {unknown[0]} is not known.", "There are [gateway] and [[shoe]].")
    head = _Table(data.get("gateway", {}), f"{path}, [gateway]", path.resolve().parent)
    name = head.text("name") if "name" in data.get("gateway", {}) else path.stem
    keys, store = head.path("keys"), head.path("store") or path.resolve().with_suffix(".db")
    keep_days = head.whole("keep_days", KEEP_DAYS)
    journal_hours = head.whole("journal_hours", JOURNAL_HOURS)
    public_keys = head.path("public_keys")
    head.done()
    rows: Any = data.get("shoe", [])
    if not isinstance(rows, list):
        raise InventoryError(f"{path}: [shoe] is one table.", "Write [[shoe]] for each shoe.")
    shoes = tuple(_entry(row, path, number) for number, row in enumerate(rows, 1))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    for what, values in (("device", [it.name for it in shoes]), ("url", [it.url for it in shoes])):
        twice = sorted({value for value in values if values.count(value) > 1})
        if twice:
            raise InventoryError(f"{path}: {what} {twice[0]} is there twice.", "Name each shoe once.")
    return Inventory(name, store, keys, shoes, keep_days, journal_hours, public_keys)


def _entry(row: Any, path: Path, number: int) -> Entry:
    table = _Table(row, f"{path}, shoe {number}", path.resolve().parent)
    word = table.text("device")
    try:
        device = int(word, 16)
    except ValueError:
        device = 0
    if not 0 < device < 1 << 32:
        raise InventoryError(
            f"{table.place}: device {word!r} is no number of a device.",
            "Write eight hex digits, as `fairshoe ports` does.",
        )
    wanted = table.text("profile", Profile.METERS.value)
    if wanted not in [it.value for it in Profile]:
        raise InventoryError(f"{table.place}: there is no profile {wanted!r}.", "Choose meters or table.")
    entry = Entry(
        device,
        table.text("table"),
        table.text("pit", ""),
        table.text("url"),
        table.path("keys"),
        Profile(wanted),
        table.text("approval", ""),
    )
    table.done()
    if entry.profile is Profile.TABLE and not entry.approval.strip():
        raise InventoryError(
            f"{table.place}: the profile table reports rounds while they are played, and no approval is named.",
            'Write approval = "reference of the permission", or leave the profile at meters.',
        )
    return entry


class _Table:
    """One table of the file: takes values out by name and type, and says what is left over."""

    def __init__(self, data: Any, place: str, folder: Path) -> None:
        if not isinstance(data, dict):
            raise InventoryError(f"{place} is no table.", "Write it as the example in docs/FLOOR.md.")
        self._left: dict[str, Any] = dict(data)  # pyright: ignore[reportUnknownArgumentType]
        self.place = place
        self._folder = folder

    def text(self, name: str, default: str | None = None) -> str:
        value = self._left.pop(name, default)
        if value is None:
            raise InventoryError(f"{self.place}: {name} is missing.", "Add it.")
        if not isinstance(value, str) or len(value) > TEXT_MAX or not value.isprintable():
            raise InventoryError(f"{self.place}: {name} must be a text of one line.", "Put it in quotes.")
        if default is None and not value.strip():
            raise InventoryError(f"{self.place}: {name} is empty.", "Fill it in.")
        return value

    def path(self, name: str) -> Path | None:
        return self._folder / self.text(name) if name in self._left else None

    def whole(self, name: str, default: int) -> int:
        value = self._left.pop(name, default)
        if type(value) is not int or value < 1:
            raise InventoryError(f"{self.place}: {name} must be a whole number from 1.", "Write it without quotes.")
        return value

    def done(self) -> None:
        if self._left:
            raise InventoryError(f"{self.place}: {sorted(self._left)[0]} is not known.", "docs/FLOOR.md lists what is.")


# --- writing -----------------------------------------------------------------------------------


def with_entries(inventory: Inventory, entries: Iterable[Entry]) -> Inventory:
    """The inventory with these shoes: a device that is in it already gets its new URL and keeps the rest."""
    shoes = {entry.device: entry for entry in inventory.shoes}
    for entry in entries:
        known = shoes.get(entry.device)
        shoes[entry.device] = replace(known, url=entry.url) if known else entry
    return replace(inventory, shoes=tuple(shoes.values()))


def inventory_text(inventory: Inventory, folder: Path) -> str:
    """What a file in this folder has to say."""
    lines = ["[gateway]", f"name = {_quoted(inventory.name)}", f"store = {_quoted(_relative(inventory.store, folder))}"]
    if inventory.keys is not None:
        lines.append(f"keys = {_quoted(_relative(inventory.keys, folder))}")
    lines += [f"keep_days = {inventory.keep_days}", f"journal_hours = {inventory.journal_hours}"]
    if inventory.public_keys is not None:
        lines.append(f"public_keys = {_quoted(_relative(inventory.public_keys, folder))}")
    for entry in inventory.shoes:
        lines += ["", "[[shoe]]", f"device = {_quoted(entry.name)}", f"table = {_quoted(entry.table)}"]
        lines += [f"pit = {_quoted(entry.pit)}", f"url = {_quoted(entry.url)}"]
        if entry.keys is not None:
            lines.append(f"keys = {_quoted(_relative(entry.keys, folder))}")
        lines.append(f"profile = {_quoted(entry.profile.value)}")
        if entry.approval:
            lines.append(f"approval = {_quoted(entry.approval)}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """As a basic string of TOML; those of JSON are."""
    return json.dumps(text, ensure_ascii=False)


def _relative(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)
