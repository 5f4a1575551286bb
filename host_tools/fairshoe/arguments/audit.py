"""The arguments of `fairshoe audit`."""

from __future__ import annotations

import argparse

EPILOG = """\
examples:
  fairshoe audit shuffle --seed HEX --commitment HEX --cards 52
      check a seed that you have, and print the order of the cards
  fairshoe audit shares table-7.db
      shuffles of this shift without the table's share, and the deck inside
  fairshoe audit shares table-7.db --accept --by "A. Smith"
      a supervisor accepts the deck inside, although its order has no share
  fairshoe audit shuffle /dev/ttyACM0 --key-file auditor.key \\
      --events events.jsonl
      fetch the seed of the last shuffle, and check it against stored events

exit status: 0 the seed is right, 6 it is not the one that was committed to;
             of shares: 6 the deck inside is refused, or the device suspect
More: fairshoe docs AUDIT
"""


def add_arguments(audit: argparse.ArgumentParser) -> None:
    audit.description = "Verifies a shuffle after its round from the seed that the device discloses."
    audit.epilog = EPILOG
    kinds = audit.add_subparsers(dest="action", required=True)
    shuffle = kinds.add_parser(
        "shuffle",
        help="check a disclosed seed and draw the order again",
        description="With --seed, --commitment and --cards checks what you have; with a port fetches the seed of the "
        "last shuffle whose deck is out of play and checks it against the stored events. See docs/AUDIT.md.",
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
        "Says what speaks against the deck inside. See docs/AUDIT.md.",
    )
    shares.add_argument("store", metavar="STORE", help="the table system's store; it may be in use")
    shares.add_argument("--device", type=_device, metavar="HEX", help="which device, if the store has more than one")
    shares.add_argument("--accept", action="store_true", help="accept the deck inside; needs --by")
    shares.add_argument("--by", metavar="NAME", default="", help="the supervisor who accepts it")
    shares.add_argument("--json", action="store_true", help="the count as JSON")


def _device(text: str) -> int:
    if len(text) > 8:
        raise ValueError(text)
    return int(text, 16)
