"""Accounts of the broker, from the inventories: what each program may publish and read, and nothing beside it.

A gateway writes events, refills and samples of the shoes in its inventory, its own exports and signs of life, and reads
the newest message of each of these subjects and of the positions of its shoes. Reading goes by direct requests, whose
subject names what is read: `STREAM.MSG.GET` and `STREAM.INFO` would show a gateway every pit. Only the central consumer
writes positions, which let gateways delete. Answers come to an inbox of each account's own; with a common
`_INBOX.>` each could read what others are answered.

`admin` is for people: purging, and a look at the streams with the tools of NATS.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairshoe.files import write_whole
from fairshoe_floor.inventory import Inventory, InventoryError
from fairshoe_floor.stream.names import FLOOR, Names
from fairshoe_floor.stream.nkeys import made_key

ADMIN = "admin"
FILE = "accounts.conf"


@dataclass(frozen=True)
class Rights:
    """Subjects that an account may publish to, and those that it may subscribe to."""

    publish: tuple[str, ...]
    subscribe: tuple[str, ...]


def of_gateway(names: Names, inventory: Inventory) -> Rights:
    own = (names.exports(inventory.name), names.gateways(inventory.name))
    writes = [*own]
    reads = [f"{names.journals}.{own[0]}", f"{names.latest}.{own[1]}"]
    for entry in inventory.shoes:
        any_log = f"{entry.name}.*"
        writes += [f"{names.stream}.{word}.{any_log}" for word in ("events", "refill")]
        writes.append(names.samples(entry.device))
        reads += [f"{names.stream}.{names.stream}.{word}.{any_log}" for word in ("events", "refill")]
        reads += [f"{names.latest}.{names.stream}.committed.{any_log}", f"{names.latest}.{names.samples(entry.device)}"]
    return Rights(
        (*writes, *(f"$JS.API.DIRECT.GET.{it}" for it in reads)), (f"_INBOX.{names.inbox(inventory.name)}.>",)
    )


def of_floor(names: Names) -> Rights:
    asks = ("STREAM.INFO", "STREAM.CREATE", "STREAM.UPDATE", "STREAM.MSG.GET", "CONSUMER.CREATE")
    deeper = ("DIRECT.GET", "CONSUMER.CREATE", "CONSUMER.INFO", "CONSUMER.MSG.NEXT", "CONSUMER.DELETE")
    streams = (names.stream, names.latest, names.journals)
    return Rights(
        (
            f"{names.stream}.committed.>",
            *(f"$JS.API.{word}.{stream}" for stream in streams for word in asks),
            *(f"$JS.API.{word}.{stream}.>" for stream in streams for word in deeper),
        ),
        (f"_INBOX.{FLOOR}.>",),
    )


def check(inventories: Sequence[Inventory]) -> None:
    """InventoryError if two of them claim one name or one shoe."""
    names = [file_name(it.name) for it in inventories]
    for name in (*names, FLOOR, ADMIN):
        if [*names, FLOOR, ADMIN].count(name) > 1:
            raise InventoryError(f"two accounts would have the name {name}.", "Give each gateway a name of its own.")
    devices = [entry.name for it in inventories for entry in it.shoes]
    for device in devices:
        if devices.count(device) > 1:
            raise InventoryError(
                f"device {device} is in two inventories.", "A shoe has one gateway: take it out of the other."
            )


def file_name(gateway: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "-", gateway)


def write_accounts(folder: Path, inventories: Sequence[Inventory], names: Names) -> list[str]:
    """Write accounts.conf, and a key for each account that has none in this folder. The names of the new ones."""
    check(inventories)
    folder.mkdir(parents=True, exist_ok=True)
    rights = {file_name(it.name): of_gateway(names, it) for it in inventories}
    rights |= {FLOOR: of_floor(names), ADMIN: Rights((">",), (">",))}
    made = [name for name in rights if not (folder / f"{name}.nkey").exists()]
    users = [_user(name, made_key(folder / f"{name}.nkey").public, may) for name, may in rights.items()]
    lines = [
        "# Made by `fairshoe floor accounts`: run it again when a shoe has another gateway, then reload the broker."
    ]
    lines += ["accounts {", "  FAIRSHOE {", "    jetstream: enabled", "    users: [", *users, "    ]", "  }", "}"]
    write_whole(folder / FILE, "\n".join(lines) + "\n")
    return made


def _user(name: str, public: str, may: Rights) -> str:
    lines = [f"      # {name}", f"      {{ nkey: {public}, permissions: {{"]
    for word, subjects in vars(may).items():
        shown = ",\n".join(f"          {json.dumps(subject)}" for subject in subjects)
        lines.append(f"        {word}: {{ allow: [\n{shown}\n        ] }}")
    return "\n".join([*lines, "      } }"])
