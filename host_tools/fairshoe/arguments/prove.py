"""The arguments of the commands that prove what a shoe did: journal, and those below proof."""

from __future__ import annotations

import argparse
import os

from fairshoe.cli.options import add_key, add_port, seconds

LOG_SIZE = 16  # bytes, as in firmware/journal/store.py


def add_journal(journal: argparse.ArgumentParser) -> None:
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


def add_audit(audit: argparse.ArgumentParser) -> None:
    kinds = audit.add_subparsers(dest="action", required=True)
    shuffle = kinds.add_parser(
        "shuffle",
        help="check a disclosed seed and draw the order again",
        description="With --seed, --commitment and --cards checks what you have; with a port fetches the seed of the "
        "last shuffle whose deck is out of play and checks it against the stored events. See docs/SHUFFLE.md.",
    )
    shuffle.add_argument("port", nargs="?", metavar="PORT", help="fetch the seed here: serial device or URL")
    shuffle.add_argument("--key-file", metavar="F", help="with a port: the auditor's key, mode 600")
    shuffle.add_argument("--events", metavar="F", help="with a port: events as `fairshoe monitor --json` printed them")
    shuffle.add_argument("--seed", metavar="HEX", help="32 bytes")
    shuffle.add_argument("--commitment", metavar="HEX", help="32 bytes, of the event shuffle_committed")
    shuffle.add_argument("--nonce", metavar="HEX", help="32 bytes, of the event shuffle_nonce, if it was given")
    shuffle.add_argument("--device", type=_device, metavar="HEX", help="with --nonce: the device's number")
    shuffle.add_argument("--event", type=int, metavar="N", help="with --nonce: number of the event shuffle_committed")
    shuffle.add_argument("--cards", type=int, metavar="N", help="cards in the deck")
    shuffle.add_argument("--json", action="store_true", help="the verdict as JSON")
    shares = kinds.add_parser(
        "shares",
        help="count shuffles without the table's share, and accept a deck",
        description="Judges the shuffles in the store of a table system that gives nonces (Shoe.open with nonce=True). "
        "Says what speaks against the deck inside. See docs/SHUFFLE.md.",
    )
    shares.add_argument("store", metavar="STORE", help="the table system's store; it may be in use")
    shares.add_argument("--device", type=_device, metavar="HEX", help="which device, if the store has more than one")
    shares.add_argument("--accept", action="store_true", help="accept the deck inside; needs --by")
    shares.add_argument("--by", metavar="NAME", default="", help="the supervisor who accepts it")
    shares.add_argument("--json", action="store_true", help="the count as JSON")


def add_receipt(receipt: argparse.ArgumentParser) -> None:
    receipt.add_argument("file", metavar="FILE", help="a signed export, as `fairshoe journal pull` writes it")
    receipt.add_argument(
        "--seed", required=True, metavar="HEX", help="32 bytes, as `fairshoe proof audit shuffle` prints it"
    )
    receipt.add_argument(
        "--public-key",
        required=True,
        metavar="FILE|HEX",
        action="append",
        help="public key of the device, or an inventory of them",
    )
    receipt.add_argument("--store", metavar="F", help="the store of the table system: its events must be in the export")
    receipt.add_argument("-o", "--out", required=True, metavar="DIR", help="the folder that the house serves")
    receipt.add_argument("--json", action="store_true", help="what was written as JSON")


SHUFFLES = 100_000
FULL = 50


def add_shuffle_test(command: argparse.ArgumentParser) -> None:
    command.add_argument("--board", default="pico-carousel", help="a board's name or a .json file (%(default)s)")
    command.add_argument("--game", default="caribbean-stud", help="the game, which says how many cards (%(default)s)")
    command.add_argument("--shuffles", type=int, default=SHUFFLES, metavar="N", help="how many (%(default)s)")
    command.add_argument("--full", type=int, default=FULL, metavar="N", help="on the whole machine (%(default)s)")
    command.add_argument("--seed", type=int, help="one seed gives one result; without it a fresh one, which is shown")
    command.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="P", help="(%(default)s)")
    command.add_argument("--thorough", action="store_true", help="test the noise for each, as the device does; slow")
    command.add_argument("--json", action="store_true", help="everything as one JSON object")
    command.add_argument("--html", metavar="FILE", help="a page with plots, complete in itself")
    command.add_argument("--plots", metavar="DIR", help="the plots alone, as SVG files")


def add_noise(noise: argparse.ArgumentParser) -> None:
    noise.add_argument("port", nargs="?", metavar="PORT", help="USB or console port of a device at its prompt")
    noise.add_argument("--board", default="pico-carousel", help="a board's name or a .json file (%(default)s)")
    noise.add_argument(
        "--simulate", choices=["good", "biased", "correlated", "stuck", "dead"], help="a simulated source, not a device"
    )
    noise.add_argument("--out", required=True, metavar="FILE", help="the samples; FILE.json beside it describes them")
    noise.add_argument("--samples", type=int, default=1_000_000, metavar="N", help="how many (%(default)s)")
    noise.add_argument("--restarts", type=int, default=0, metavar="N", help="restart it N times, N samples after each")
    noise.add_argument(
        "--power", metavar="COMMAND", help="switches the machine off and on; without it the chip resets itself"
    )
    noise.add_argument("--seed", type=int, help="of a simulated source; without it a new one, which is shown")
    noise.add_argument("--wait-s", type=seconds, default=90.0, metavar="S", help="for the prompt (%(default)s)")
