"""`fairshoe release`: build, sign and list the files of boards as a release."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from fairshoe.errors import UsageError
from fairshoe.printable import printable
from fairshoe.ship import signing
from fairshoe.ship.build import Built, build
from fairshoe.ship.errors import ImageError, ManifestError
from fairshoe.ship.flash_image import read_bytes, whole_sectors
from fairshoe.ship.game_fit import check_with_game
from fairshoe.ship.manifest import NAME, Entry, image_file, make_manifest, parse_manifest, read_manifest, sha256
from fairshoe.ship.release_images import images_of
from fairshoe.text.progress import Progress

EXAMPLES = """\
examples:
  fairshoe release build --board pico-carousel -o release-0.1.0
      the files of a board, and manifest.json; --board may be repeated
  fairshoe release build --board pico-carousel -o release-0.1.0 \\
      --micropython RPI_PICO.uf2
      with the hash of the MicroPython that belongs to it
  fairshoe release build --board pico-carousel -o release-0.1.0 \\
      --image build/image/fairshoe-0.1.0-pico-carousel.uf2
      with the image that `fairshoe image` built from the same sources
  fairshoe release keygen signing.key
      once: a key to sign with, and signing.key.pub to publish
  fairshoe release sign release-0.1.0 --key signing.key

The same sources give the same bytes on every machine, so anyone can build a
release again and compare.
More: fairshoe docs FLASH
"""


def add_arguments(top: argparse.ArgumentParser) -> None:
    top.description = "Builds the files of boards with a manifest of their hashes, and signs it."
    top.epilog = EXAMPLES
    actions = top.add_subparsers(dest="action", required=True, metavar="ACTION")
    make = actions.add_parser("build", help="files and manifest into a folder", epilog=EXAMPLES, formatter_class=_RAW)
    make.add_argument("--board", action="append", required=True, help="a name or a .json file; may be given again")
    make.add_argument("--game", help="the game they play, in place of the board configs'")
    make.add_argument("--micropython", metavar="UF2", help="the interpreter that the devices have: its hash goes along")
    make.add_argument(
        "--image", action="append", default=[], metavar="UF2", help="of `fairshoe image`; may be repeated"
    )
    make.add_argument("-o", "--out", required=True, metavar="FOLDER", help="a new or empty folder")
    make.add_argument("--json", action="store_true", help="what was built, as JSON")
    key = actions.add_parser("keygen", help="make a key to sign releases with")
    key.add_argument("path", metavar="FILE", help="for the signing key; the public one goes into FILE.pub")
    sign = actions.add_parser("sign", help="sign a release")
    sign.add_argument("release", metavar="FOLDER", help="what `fairshoe release build` wrote")
    sign.add_argument("--key", required=True, metavar="FILE", help="the signing key")


_RAW = argparse.RawDescriptionHelpFormatter


def run(options: argparse.Namespace) -> int:
    if options.action == "keygen":
        public = signing.make_key(Path(options.path))
        print(f"{printable(options.path)} signs releases: lock it away")
        print(f"{printable(options.path)}.pub checks them: give it to those who verify devices")
        print(f"  {public}")
        return 0
    if options.action == "sign":
        public = signing.sign(Path(options.release), signing.read_signing_key(Path(options.key)))
        release = read_manifest(Path(options.release))
        print(f"signed: fairshoe {printable(release.version)} for {', '.join(sorted(release.boards))}")
        print(f"  key {public}\n  manifest {sha256(release.raw)}")
        return 0
    return _build(options)


def _build(options: argparse.Namespace) -> int:
    from firmware.version import VERSION_TEXT

    progress = Progress()
    out = Path(options.out)
    _check_empty(out)
    builds: list[Built] = []
    for board in dict.fromkeys(options.board):
        check_with_game(board, options.game)
        progress.say(f"building {board} ...")
        builds.append(build(board, game=options.game))
    names = [str(built.config["name"]) for built in builds]
    if len(set(names)) != len(names):
        raise UsageError(f"two boards have one name: {', '.join(names)}.", "Change `name` in one of the configs.")
    interpreters: dict[str, Entry] = {}
    if options.micropython:
        entry = interpreter_entry(Path(options.micropython))
        interpreters = dict.fromkeys(names, entry)
    uf2s = [read_bytes(Path(path)) for path in options.image]
    images = images_of(uf2s, builds, VERSION_TEXT.decode())
    entries = {name: entry for name, (entry, _uf2) in images.items()}
    raw = make_manifest(builds, VERSION_TEXT.decode(), interpreters, entries)
    release = parse_manifest(raw)
    try:
        for built in builds:
            folder = out / str(built.config["name"])
            for name, data in built.files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(data)
        for name, (_entry, uf2) in images.items():
            (out / image_file(name)).write_bytes(uf2)
        (out / NAME).write_bytes(raw)  # last: a folder without it is no release
    except OSError as error:
        raise ManifestError(f"cannot write {error.filename}: {error.strerror}.", "Choose another folder.") from error
    if options.json:
        words = {"release": str(out), "manifest": sha256(raw), "source": release.source, "boards": names}
        print(json.dumps(words, indent=1))
    else:
        print(f"{printable(str(out))}: fairshoe {printable(release.version)} for {', '.join(names)}, not signed yet")
        print(f"  manifest {sha256(raw)}\n  source   {release.source}\n  compiler {release.compiler}")
    return 0


def interpreter_entry(path: Path) -> Entry:
    """What MicroPython is in the flash. Boot ROMs write whole sectors: what is behind its last byte there is erased."""
    try:
        flash = whole_sectors(read_bytes(path))
    except ImageError as error:
        raise ImageError(f"{path}: {error.what}", "Name the .uf2 file of MicroPython that the devices have.") from error
    return Entry(len(flash), sha256(flash))


def _check_empty(out: Path) -> None:
    try:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise ManifestError(f"{out} is there already.", "A release is never overwritten: name a new folder.")
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ManifestError(f"cannot use {out}: {error.strerror or error}.", "Choose another folder.") from error
