"""`fairshoe proof receipt`: write the receipt of a round, the page that checks it, and the QR code of its link."""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

from fairshoe.cli import settings
from fairshoe.errors import StoreError, UsageError
from fairshoe.files import write_whole
from fairshoe.journal.expectation import Expected, expected_of
from fairshoe.journal.export import read_export
from fairshoe.journal.receipt import make_receipt
from fairshoe.journal.seed_audit import read_hex
from fairshoe.journal.signatures import read_public_keys
from fairshoe.printable import printable, say
from fairshoe.web.receipt_page import qr_code, receipt_page


def run(options: argparse.Namespace) -> int:
    house = settings.load(options)
    address, approval = house["receipt_url"], house["receipt_ref"]
    if not address or not approval:
        raise UsageError(
            "receipts are off.", f"Set receipt_url and receipt_ref in {house.path}; see fairshoe docs SHUFFLE."
        )
    seed = read_hex(options.seed, "--seed")
    trusted = [public for text in options.public_key for public in read_public_keys(text)]
    expected = expected_of(Path(options.store), Expected()) if options.store else None
    receipt = make_receipt(read_export(Path(options.file)), seed, trusted, expected)
    link = receipt.link(address)
    title = f"Receipt of round {receipt.round}, device {receipt.device:08x}"
    page = receipt_page()
    folder = Path(options.out)
    names = {"receipt": f"{receipt.digest}.json", "page": "index.html", "qr": f"{receipt.digest}.svg"}
    parts = {"receipt": receipt.data, "page": page, "qr": qr_code(link, title, f"approval: {printable(approval)}")}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in parts.items():
            write_whole(folder / names[name], data.decode())
    except OSError as error:
        raise StoreError(f"cannot write into {folder}: {error.strerror or error}.", "Choose another folder.") from error
    page_hash = hashlib.sha256(page).hexdigest()
    if options.json:
        files = {name: str(folder / file) for name, file in names.items()}
        say(json.dumps({**files, "link": link, "round": receipt.round, "page_sha256": page_hash, "approval": approval}))
        return 0
    say(f"{title}: {receipt.records} records; approval: {printable(approval)}")
    for name, file in names.items():
        say(f"  {name:8s} {printable(str(folder / file))}")
    say(f"  link     {link}")
    say(f"  the page has the SHA-256 {page_hash}, the same in every house")
    return 0
