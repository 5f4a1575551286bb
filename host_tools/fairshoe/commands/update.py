"""`fairshoe firmware update before` and `after`: lead through the update of a device at a table, and record it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from fairshoe import __version__
from fairshoe.cli.connection import Connection
from fairshoe.client.shoe import Shoe
from fairshoe.client.store import Store
from fairshoe.errors import UsageError
from fairshoe.files import read_regular, write_whole
from fairshoe.journal.export import read_export, write_export
from fairshoe.journal.signatures import read_public_keys
from fairshoe.keys import read_seal_key
from fairshoe.operate import update
from fairshoe.operate.driver import Driver
from fairshoe.printable import say
from fairshoe.ship.errors import ImageError
from fairshoe.ship.flash_image import flash_of_uf2, read_bytes
from fairshoe.ship.identity import Identity, find_identity, refuse_older
from fairshoe.ship.manifest import sha256
from fairshoe.ship.signing import REPORT, check_file, public_of, read_signing_key, sign_file, signature_path
from fairshoe.text.progress import Progress, counting

FORMAT = 1
DOOR = """\
Now, at the device:
  1. Open the door with your key and switch the power off.
  2. Hold BOOTSEL, connect USB and switch the power on: the drive RPI-RP2 appears.
  3. Copy {image} onto it and wait until the drive is gone.
     If this is interrupted the device starts nothing: copy it again.
  4. Disconnect USB and close the door.
Then: fairshoe firmware update after {port} --record {record}"""


def run(options: argparse.Namespace) -> int:
    actions: dict[str, Callable[[argparse.Namespace], int]] = {"before": _before, "after": _after}
    return actions[options.action](options)


def open_shoe(connection: Connection) -> Shoe:
    key = connection.key()
    return Shoe.open(connection.port, key, Store(connection.settings["store"]), reconnect=False, clock=False)


def _before(options: argparse.Namespace) -> int:
    path = Path(options.record)
    if path.exists() and _read(path).get("after"):
        raise UsageError(f"{path} is the record of an update that ended.", "Name another file with --record.")
    image = Path(options.image)
    identity = _release(image)
    secret = _signing(options, path)
    connection = Connection(options)
    with open_shoe(connection) as shoe:
        running = shoe.welcome.firmware if shoe.welcome else ""
        there = (identity.rollback, running)  # a device does not tell its rollback number
        refuse_older((identity.rollback, identity.version), there, f"the device on {shoe.name}", options.older)
        was, export = update.before(shoe, _keys(options), progress=counting("record"))
    write_export(_journal(path), export)
    about = {"identity": identity.line().decode().strip(), "uf2_sha256": sha256(read_bytes(image))}
    record = {"format": FORMAT, "kind": "update", "version": __version__, "image": about, "to": identity.version}
    _write(path, {**record, "before": {**asdict(was), "at": _now()}, "after": None}, secret)
    if options.json:
        say(json.dumps(_read(path)))
        return 0
    say(f"device {was.device} runs {was.firmware}; the image has {identity.version} for {identity.board}")
    say(f"  {_journal(path)}: records {export.first} to {export.last}, proved; its host has acknowledged all of them")
    say(DOOR.format(image=image, port=connection.port, record=path))
    return 0


def _after(options: argparse.Namespace) -> int:
    path = Path(options.record)
    secret = _signing(options, path)
    record = _read(path)
    standing = {name: value for name, value in record["before"].items() if name != "at"}
    known = read_export(_journal(path))
    connection = Connection(options)
    with open_shoe(connection) as shoe:
        was, keys = update.DeviceState(**standing), _keys(options)
        now, export = update.after(shoe, was, record["to"], keys, known, counting("record"))
        Progress().say("running the self-test ...")
        op, seq = update.run_self_test(Driver(shoe, connection.timeout_s))
    write_export(_journal(path), export)
    record["after"] = {**asdict(now), "self_test": op, "self_test_record": seq, "at": _now()}
    _write(path, record, secret)
    if options.json:
        say(json.dumps(record))
        return 0
    say(f"device {now.device} runs {now.firmware}: log, key and game are the same, {now.last} records, all proved")
    say(f"  self-test passed (operation {op}, record {seq}); it may deal again")
    say(f"  {path} and {_journal(path)} are the record of this update: keep both")
    return 0


def _release(path: Path) -> Identity:
    identity = find_identity(flash_of_uf2(read_bytes(path)))
    if identity is None or not identity.release:
        raise ImageError(f"{path} is no release image.", "Take the .uf2 of a release: fairshoe docs FIRMWARE")
    return identity


def _keys(options: argparse.Namespace) -> update.Keys:
    public = [key for text in options.public_key for key in read_public_keys(text)]
    return update.Keys([read_seal_key(Path(name)) for name in options.seal_key], public)


def _journal(record: Path) -> Path:
    return record.with_suffix(".journal")


def _read(path: Path) -> dict[str, Any]:
    advice = "Name the file that `fairshoe firmware update before` wrote."
    try:
        record: dict[str, Any] = json.loads(read_regular(path))
        if record["kind"] != "update" or record["format"] != FORMAT or not isinstance(record["to"], str):
            raise ValueError
        update.DeviceState(**{name: value for name, value in record["before"].items() if name != "at"})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path} is no record of an update.", advice) from error
    return record


def _signing(options: argparse.Namespace, path: Path) -> bytes:
    """The key to sign with, if any. A record that was signed goes on only by the same key, and unaltered."""
    secret = read_signing_key(Path(options.sign)) if options.sign else b""
    if path.exists() and signature_path(path).exists():
        if not secret:
            raise UsageError(f"{path} is signed.", "Give the same key with --sign.")
        check_file(path, read_regular(path), [public_of(secret)], REPORT)
    return secret


def _write(path: Path, record: dict[str, Any], secret: bytes) -> None:
    """The record names its journal by hash, so that one signature covers both."""
    record["files"] = {_journal(path).name: sha256(_journal(path).read_bytes())}
    text = json.dumps(record, indent=1) + "\n"
    signature_path(path).unlink(missing_ok=True)  # of what the file had before
    write_whole(path, text)
    if secret:
        sign_file(path, text.encode(), secret, REPORT)


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
