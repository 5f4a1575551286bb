"""The arguments of `fairshoe audit`."""

from __future__ import annotations

import argparse

EPILOG = """\
examples:
  fairshoe audit shuffle --seed HEX --commitment HEX --cards 52
      check a seed that you have, and print the order of the cards
  fairshoe audit shuffle /dev/ttyACM0 --key-file auditor.key \\
      --events events.jsonl
      fetch the seed of the last shuffle, and check it against stored events

exit status: 0 the seed is right, 6 it is not the one that was committed to
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


def _device(text: str) -> int:
    if len(text) > 8:
        raise ValueError(text)
    return int(text, 16)
