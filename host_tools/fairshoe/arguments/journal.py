"""The arguments of `fairshoe journal`."""

from __future__ import annotations

import argparse

from fairshoe.cli.options import add_key, add_port

LOG_SIZE = 16  # bytes, as in firmware/journal/store.py
EPILOG = """\
examples:
  fairshoe journal pull /dev/ttyACM0 -o shoe-17.journal --key-file observer.key
      read all records; if the file is there, add the new ones
  fairshoe journal show shoe-17.journal --round 41
      print the events of one round
  fairshoe journal verify shoe-17.journal --public-key signing.pub
      prove that the file is what the device wrote, and complete

More: fairshoe docs JOURNAL
"""


def add_arguments(journal: argparse.ArgumentParser) -> None:
    journal.description = "Reads the journal of a device into a file (an export), shows its events, and verifies it."
    journal.epilog = EPILOG
    kinds = journal.add_subparsers(dest="action", required=True)
    fetch = kinds.add_parser(
        "pull",
        help="read all records of a device into a file",
        description="Reads the journal over the link into an export. If the file is there already and is of the same "
        "log, what is new is added to it. Reading acknowledges nothing: every event still waits for its host.",
    )
    add_port(fetch)
    fetch.add_argument("-o", "--out", required=True, metavar="FILE", help="the export; added to if it is there")
    add_key(fetch)
    fetch.add_argument("--from", dest="start", type=int, default=0, metavar="SEQ", help="leave out earlier records")
    show = kinds.add_parser("show", help="print the events of an export")
    show.add_argument("file", metavar="FILE", help="an export")
    show.add_argument("--from", dest="start", type=int, default=0, metavar="SEQ", help="the first record to show")
    show.add_argument("--to", dest="end", type=int, default=1 << 32, metavar="SEQ", help="the last record to show")
    show.add_argument("--round", type=int, metavar="N", help="only what belongs to round N")
    show.add_argument("--json", action="store_true", help="one JSON object a line")
    check = kinds.add_parser(
        "verify",
        help="prove that an export is what the device wrote, all of it",
        description="Checks every hash, every seal, the attested end and its signature, and whether the events make "
        "sense. Says what is proved and what is not. A seal proves nothing to others than its verifier, who could have "
        "made it; a signature does. What is expected of the file comes from options or from a host's store. Exit "
        "status: 0 everything is proved, 6 altered or incomplete, 7 not enough to verify against, 10 proved, but the "
        "beginning or the end is missing. See docs/JOURNAL.md.",
    )
    check.add_argument("file", metavar="FILE", help="an export")
    check.add_argument(
        "--key-file", metavar="F", action="append", default=[], help="seal key or device key; once for every generation"
    )
    check.add_argument(
        "--public-key",
        metavar="FILE|HEX",
        action="append",
        default=[],
        help="public key of the device, or an inventory of them: only what is signed counts as proved",
    )
    check.add_argument("--store", metavar="F", help="the store of the table system: its events must be here")
    check.add_argument("--device", type=_device, metavar="HEX", help="the device it must be of")
    check.add_argument("--log", type=_log, metavar="HEX", help="the identity of the log it must be of")
    check.add_argument("--first", type=int, metavar="SEQ", help="the record it must begin with, or before; default: 1")
    check.add_argument("--last", type=int, metavar="SEQ", help="the record it must end with, or after")
    check.add_argument("--json", action="store_true", help="the verdict as JSON")


def _device(text: str) -> int:
    if len(text) > 8:
        raise ValueError(text)
    return int(text, 16)


def _log(text: str) -> bytes:
    log = bytes.fromhex(text)
    if len(log) != LOG_SIZE:
        raise ValueError(text)
    return log
