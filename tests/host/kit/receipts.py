"""Rounds of real firmware for receipts: a signed export, and the seed of the shuffle in it.

python tests/host/kit/receipts.py      writes docs/protocol/receipts.json, which Python and JavaScript are held to
"""

import json
from pathlib import Path
from typing import Any

from journals import KEY, ROOT, as_file, opened, pulled

from fairshoe.journal.export import Export, parse_export
from fairshoe.journal.receipt import Receipt, make_receipt
from fairshoe.journal.seed_audit import Committed, commitment_of, places_of
from fairshoe.journal.signatures import PublicKey
from fairshoe.keys import role_key
from fairshoe.messages import Role, Share
from firmware.protocol import ids
from rig.story import Stage

VECTORS = ROOT / "docs" / "protocol" / "receipts.json"
ADDRESS = "https://house.example/receipts/"
SEATED = [("deck_verified", 500, "press", "seat"), ("", 500, "press", "seat")]
DEALT = [("", 500, "press", "close"), *[("stack_offered", 500, "take", 0)] * 3, ("stack_taken", 700, "press", "green")]
RELEASED = [
    ("remainder_released", 900, "take", 0),
    ("remainder_taken", 900, "press", "green"),
    ("round_ended", 500, "wait", 0),
]


def table(name: str = "pico2-carousel", game: dict[str, Any] | None = None, share: str = "", **config: Any) -> Stage:
    """A device that discloses its seeds, with a deck in its hopper and its shuffle begun."""
    board: dict[str, Any] = json.loads((ROOT / "board_configs" / f"{name}.json").read_text())
    board |= {"audit": {"seeds": "disclose"}, **config}
    board["link"]["mode"] = "table"
    stage = Stage(board, {"deck_cards": 52, **(game or {})}, 7, KEY, ids.ROLE_TABLE)
    stage.until("empty_proved", 60000, then_ms=500)
    stage.share(share)
    stage.seen = len(stage.peer.events)
    stage.play([("", 300, "load", 52), ("", 300, "press", "green")])
    return stage


def exported(stage: Stage) -> tuple[Export, bytes]:
    """Its journal, signed, and the seed that it discloses; zeros if none."""
    stage.run(1000)
    export = pulled(stage.rig, sign=True)
    with opened(stage.rig, role_key(KEY, Role.AUDITOR)) as shoe:
        return export, shoe.seed().seed


def played(share: str = "given") -> tuple[Export, bytes]:
    """A round of two positions and a dealer, to its end."""
    stage = table(share=share)
    stage.play([*SEATED, *DEALT, *RELEASED])
    return exported(stage)


def keys_of(export: Export) -> list[PublicKey]:
    return [PublicKey(export.attested[-1].public, export.device, export.attested[-1].key)]


def receipt_of(export: Export, seed: bytes) -> Receipt:
    return make_receipt(export, seed, keys_of(export))


def vectors() -> dict[str, Any]:
    return json.loads(VECTORS.read_text())


def vector_export() -> tuple[Export, bytes]:
    found = vectors()
    return parse_export(found["export"].encode()), bytes.fromhex(found["seed"])


def _draw(cards: int, shared: bool) -> dict[str, Any]:
    seed = bytes((cards + 7 * at) % 256 for at in range(32))
    device, event, nonce = 0x12345678, 1000 + cards, bytes((3 * at + cards) % 256 for at in range(32))
    share = Committed(b"", Share.GIVEN, nonce).share_of(device, event) if shared else b""
    found = {"cards": cards, "seed": seed.hex(), "commitment": commitment_of(seed).hex(), "added": share.hex()}
    return {**found, "places": places_of(seed, cards, share)}


def _write(path: Path) -> None:
    export, seed = played()
    receipt = receipt_of(export, seed)
    made = {
        "about": "Draws, and one receipt with the export and the seed that it was made of. docs/SHUFFLE.md",
        "draws": [_draw(cards, shared) for cards in (1, 2, 10, 52, 384) for shared in (False, True)],
        "seed": seed.hex(),
        "export": as_file(export).decode(),
        "link": receipt.link(ADDRESS),
        "receipt": receipt.data.decode(),
    }
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in made.items())
    path.write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    _write(VECTORS)
