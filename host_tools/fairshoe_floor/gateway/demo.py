"""Twenty tables without hardware: an inventory of simulated shoes, each the real firmware on a simulated machine."""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path

from fairshoe.keys import write_key
from fairshoe_floor.alarms.rules import RuleBook
from fairshoe_floor.inventory import Entry, Inventory, Profile

SPEED = 4.0  # times real time: something happens while one looks
TABLES = (
    ("CS", "pico-carousel", "caribbean-stud", ""),
    ("B5", "pico-carousel", "boston-5-stud", ""),
    ("CS", "pico-carousel", "caribbean-stud", "jam:exit:31,jam:exit:240,jam:exit:700"),
    ("DC", "pico-carousel", "double-cross-poker", ""),
    ("DD", "pico-carousel", "double-down-stud", "misfeed:3:2"),
    ("CS", "pico-carousel", "caribbean-stud", ""),
    ("B5", "pico-carousel", "boston-5-stud", "jam:throat:40,jam:throat:300,jam:throat:900"),
    ("CS", "pico-carousel", "caribbean-stud", ""),
    ("DD", "pico-carousel", "double-down-stud", ""),
    ("DC", "pico-carousel", "double-cross-poker", "misfeed:9:3"),
)
METERS_EVERY = 4  # every fourth table keeps the default profile
PIT_SIZE = 10
FIRST_DEVICE = 0x510000  # a simulated shoe with seed 3 is device 00510003


def demo_inventory(folder: Path, count: int, speed: float = SPEED) -> Inventory:
    """An inventory of `count` tables in this folder, with a key for each."""
    keys = folder / "keys"
    keys.mkdir(parents=True, exist_ok=True)
    return Inventory(
        "demo", folder / "demo.db", keys, tuple(_entry(keys, number, speed) for number in range(1, count + 1))
    )


def demo_rules(rules: RuleBook) -> RuleBook:
    """Without the rules of clocks: simulated time runs SPEED times as fast as the gateway's."""
    return replace(rules, rules=tuple(rule for rule in rules.rules if rule.kind != "clock"))


def _entry(keys: Path, number: int, speed: float) -> Entry:
    kind, board, game, faults = TABLES[(number - 1) % len(TABLES)]
    device = FIRST_DEVICE + number
    key = keys / f"{device:08x}.key"
    if not key.exists():
        write_key(key, "device", secrets.token_bytes(32))
    url = f"sim://{board}?seed={number}&game={game}&speed={speed:g}&key={key}&mode=report_only"
    url += f"&storage={keys.parent / f'{device:08x}.nv'}"
    if faults:
        url += f"&faults={faults}"
    whole = number % METERS_EVERY != 0
    return Entry(
        device,
        f"{kind}-{number:02d}",
        str(1 + (number - 1) // PIT_SIZE),
        url,
        None,
        Profile.TABLE if whole else Profile.METERS,
        "demonstration" if whole else "",
    )
