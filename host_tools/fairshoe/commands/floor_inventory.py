"""`fairshoe floor inventory`: make and check the inventory of a gateway, and its tokens."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from fairshoe.errors import UsageError
from fairshoe.files import write_whole
from fairshoe.observe import discovery
from fairshoe.printable import printable, say
from fairshoe.text.screen import waiting
from fairshoe.transport.urls import scheme_of
from fairshoe_floor.api.tokens import add_token, new_token
from fairshoe_floor.inventory import Entry, Inventory, InventoryError, inventory_text, read_inventory, with_entries

_SHOES = (discovery.SHOE, discovery.IN_USE)


def run(options: argparse.Namespace) -> int:
    if options.what == "add":
        return _add(options)
    if options.what == "token":
        token, grant = new_token(options.name, options.scope, options.pit)
        add_token(options.file, grant)
        say(token)
        return 0
    inventory = read_inventory(options.file)
    for entry in inventory.shoes:
        _check(options.file, inventory, entry)
    say(f"{printable(inventory.name)}: {len(inventory.shoes)} shoes, store {printable(str(inventory.store))}")
    for entry in inventory.shoes:
        words = (entry.name, entry.table, entry.pit or "-", entry.profile.value, entry.url)
        say("  " + "  ".join(map(printable, words)))
    return 0


def _check(path: Path, inventory: Inventory, entry: Entry) -> None:
    """What reading the file does not tell: whether its port can be one, and whether its keys are there."""
    try:
        scheme_of(entry.url)
    except UsageError as error:
        raise InventoryError(f"{path}, device {entry.name}: {error.what}", error.advice) from error
    keys = entry.keys or inventory.keys
    if keys is not None and not keys.is_dir():
        raise InventoryError(
            f"{path}, device {entry.name}: there is no folder {keys}.",
            "Put the recorder's keys there, or remove `keys`.",
        )


def _add(options: argparse.Namespace) -> int:
    path: Path = options.file
    empty = Inventory(path.stem, path.resolve().with_suffix(".db"), None, ())
    inventory = read_inventory(path) if path.exists() else empty
    if options.keys is not None:
        inventory = replace(inventory, keys=options.keys.resolve())
    with waiting("asking"):
        asked = [*discovery.find_serial(), *discovery.ask(options.url)]
    found = [each for each in asked if each.kind in _SHOES and each.device]
    known = {entry.device for entry in inventory.shoes}
    entries = [Entry(int(each.device or "", 16), each.device or "", options.pit, each.port) for each in found]
    if not entries:
        say("no shoe answers here; name a port: fairshoe floor inventory add FILE tcp://HOST:PORT")
        return 1
    changed = with_entries(inventory, entries)
    try:
        write_whole(path, inventory_text(changed, path.resolve().parent))
    except OSError as error:
        raise InventoryError(
            f"cannot write {path}: {error.strerror or error}.", "Name a place that can be written."
        ) from error
    for entry in entries:
        say(f"{entry.name}  {'known' if entry.device in known else 'new'}  {printable(entry.url)}")
    say(f"{printable(str(path))}: {len(changed.shoes)} shoes. Write the name of each table into it.")
    return 0
