"""Images in a release: each belongs to one of its boards and was built from the same sources."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from fairshoe.files import parse_json, read_regular
from fairshoe.ship.board_folder import board_folder, chip_of
from fairshoe.ship.build import Built, is_rp2040
from fairshoe.ship.checkout import KNOWN_TREES
from fairshoe.ship.errors import ImageError, ManifestError
from fairshoe.ship.flash_image import BLOCK, whole_sectors
from fairshoe.ship.identity import Identity, find_identity
from fairshoe.ship.manifest import Entry, ImageEntry, sha256


def images_of(uf2s: list[bytes], builds: list[Built], version: str) -> dict[str, tuple[ImageEntry, bytes]]:
    """The manifest entries of images, and their UF2s, by board. Refuses what does not belong into the release."""
    known = {str(built.config["name"]): built for built in builds}
    images: dict[str, tuple[ImageEntry, bytes]] = {}
    for uf2 in uf2s:
        flash = whole_sectors(uf2)
        identity = find_identity(flash)
        if identity is None:
            raise ImageError("no fairshoe image is in this UF2.", "Name what `fairshoe firmware image` wrote.")
        built = known.get(identity.board)
        if built is None:
            raise ManifestError(
                f"the image is for {identity.board}, and the release has {', '.join(sorted(known))}.",
                f"Add --board {identity.board}, or leave the image out.",
            )
        if identity.board in images:
            raise ManifestError(f"two images for {identity.board}.", "Name one image for each board.")
        _belongs(identity, built, version)
        entry = Entry(len(flash), sha256(flash))
        images[identity.board] = ImageEntry(entry, sha256(uf2), identity.line().decode().strip(), _cells(built)), uf2
    return images


def check_origin(path: Path, uf2: bytes) -> None:
    """Raise ManifestError unless the record beside an image says what it was built from, all of it unmodified."""
    again = "Build it from a git checkout of MicroPython 1.28.0 with its submodules, all unmodified; the trees that are"
    again += " known are in ship/checkout.py (KNOWN_TREES)."
    note = path.with_suffix(".json")
    try:
        record: Any = parse_json(read_regular(note))
        trees = dict(record["trees"])
        tools = str(record["compiler"]), str(record["picotool"])
        modified, is_of = bool(record["micropython_modified"]), record["uf2_sha256"] == sha256(uf2)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ManifestError(f"{note}: not the record of an image.", "Keep it beside the image.") from error
    if not is_of:
        raise ManifestError(f"{note} is the record of another image.", "Keep each record beside its image.")
    unknown = [name for name, known in KNOWN_TREES.items() if trees.get(name) not in known]
    if unknown or not all(tools):
        raise ManifestError(f"{path}: built from unknown {', '.join(unknown) or 'tools'}.", again)
    if modified:
        raise ManifestError(f"{path}: built from a modified MicroPython, or a modified library of it.", again)


def refuse_unflashable(builds: list[Built], with_image: Collection[str]) -> None:
    """Raise ManifestError for a board with an RP2040, which runs an image alone, without one."""
    for built in builds:
        name = str(built.config["name"])
        if is_rp2040(built.config) and name not in with_image:
            raise ManifestError(
                f"{name}: an RP2040 runs an image alone, and the release has none for it.",
                f"Build its image (fairshoe firmware image --board {name} --micropython DIR) and add it with --image, "
                "or leave the board out.",
            )


def _belongs(identity: Identity, built: Built, version: str) -> None:
    if not identity.release:
        raise ManifestError(
            f"the image for {identity.board} is a bench image, with a prompt.", "Build it without --bench."
        )
    ours = board_folder(built, version, identity.rollback, True)[1]
    if identity != ours:
        raise ManifestError(
            f"the image for {identity.board} was built from other sources than these.",
            "Build it again from this tree: fairshoe firmware image, with the same board and game.",
        )


def _cells(built: Built) -> tuple[int, int] | None:
    """Where in the flash the board keeps its storage, if it does: rp2.Flash counts from the begin of MicroPython's."""
    nv: dict[str, Any] = built.config.get("nv", {})
    if nv.get("kind") != "flash":
        return None
    begin = chip_of(built.config).storage + int(nv["start"])
    return begin, begin + int(nv["blocks"]) * BLOCK
