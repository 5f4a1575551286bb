"""`fairshoe inventory`: make and check the inventory of a gateway, and its tokens."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from fairshoe.observe import discovery
from fairshoe.printable import printable
from fairshoe.text.screen import waiting
from fairshoe_floor.api.tokens import add_token, new_token
from fairshoe_floor.inventory import Entry, Inventory, read_inventory, with_entries, write_inventory

_SHOES = (discovery.SHOE, discovery.IN_USE)


def run(options: argparse.Namespace) -> int:
    if options.action == "add":
        return _add(options)
    if options.action == "token":
        token, grant = new_token(options.name, options.scope, options.pit)
        add_token(options.file, grant)
        print(token)
        return 0
    inventory = read_inventory(options.file)
    print(f"{printable(inventory.name)}: {len(inventory.shoes)} shoes, store {printable(str(inventory.store))}")
    for entry in inventory.shoes:
        words = (entry.name, entry.table, entry.pit or "-", entry.profile.value, entry.url)
        print("  " + "  ".join(map(printable, words)))
    return 0


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
        print("no shoe answers here; name a port: fairshoe inventory add FILE tcp://HOST:PORT")
        return 1
    changed = with_entries(inventory, entries)
    write_inventory(path, changed)
    for entry in entries:
        print(f"{entry.name}  {'known' if entry.device in known else 'new'}  {printable(entry.url)}")
    print(f"{printable(str(path))}: {len(changed.shoes)} shoes. Write the name of each table into it.")
    return 0
