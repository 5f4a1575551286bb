"""The arguments of the commands that set up a device, from flash to game."""

from __future__ import annotations

import argparse

from fairshoe.cli import settings
from fairshoe.cli.options import add_key, add_port, number_between, seconds, version
from fairshoe.ship.identity import ROLLBACK_MAX

_READING = ["start", "key", "noise", "inputs", "lamps", "dark"]
BRINGUP_STEPS = [*_READING, "axis", "ejector", "feed", "card", "cards", "lift", "speed"]


def add_bringup(command: argparse.ArgumentParser) -> None:
    add_port(command)
    command.add_argument("--board", required=True, help="what the device runs: a board's name or a .json file")
    command.add_argument("--key-file", metavar="F", help="key of the role service, or the device key")
    command.add_argument("--from", dest="first", metavar="STEP", choices=BRINGUP_STEPS, help="begin again with STEP")
    command.add_argument("--state", metavar="FILE", help="what has passed (BOARD.bringup.json, beside the config)")
    command.add_argument("--out", metavar="FILE.json", help="write the config with what was found put right")
    command.add_argument("--watch", type=seconds, metavar="S", help="show every input for S seconds; 0: until Ctrl-C")
    command.add_argument(
        "--patience",
        type=number_between(1, 3600),
        default=60.0,
        metavar="S",
        help="seconds a hand may take (%(default)g)",
    )
    command.add_argument("--json", action="store_true", help="the result as JSON; requests go to standard error")


def add_calibrate(command: argparse.ArgumentParser) -> None:
    add_port(command)
    command.add_argument("--board", required=True, help="what the device runs: a board's name or a .json file")
    command.add_argument("--out", metavar="FILE.json", help="the new board config")
    command.add_argument("--wiring", action="store_true", help="only look for wiring faults; each is named with a cure")
    command.add_argument("--key-file", metavar="F", help="key of the role service, or the device key")
    length, cards = number_between(60, 130), number_between(20, 1000)
    command.add_argument("--card-mm", type=length, metavar="MM", help="length of a card, by caliper (the config's)")
    command.add_argument("--cards", type=cards, default=50, metavar="N", help="cards to pass through (%(default)s)")
    command.add_argument("--json", action="store_true", help="the figures as JSON; progress goes to standard error")


def add_serviced(command: argparse.ArgumentParser) -> None:
    command.add_argument("port", metavar="PORT", help="the service port of a shoe, or a URL")
    command.add_argument("part", choices=("pick-roller", "transport-rollers", "beams"), help="what was serviced")
    command.add_argument("--cleaned", action="store_true", help="cleaned or adjusted; without it: replaced")
    command.add_argument("--key-file", metavar="F", help="key of the role service, or the device key")
    command.add_argument("--json", action="store_true", help="the record as JSON")


def add_flash(command: argparse.ArgumentParser) -> None:
    command.add_argument("--board", required=True, help="a board's name or the path of a .json file")
    command.add_argument("port", nargs="?", metavar="PORT", help="USB or console port; without it files are only built")
    command.add_argument("--release", metavar="FOLDER", help="files of a release, in place of building them")
    command.add_argument("--key", action="append", default=[], metavar="FILE", help="public key that you trust")
    command.add_argument("--unsigned", action="store_true", help="take a release without looking at its signature")
    command.add_argument("--game", help="the game it plays, in place of the board config's")
    command.add_argument("--table-port", metavar="PORT", help="afterwards, say hello here and compare the answer")
    command.add_argument("--dry-run", action="store_true", help="only say what would be written and deleted")
    command.add_argument("--clean", action="store_true", help="delete everything on the device that is not fairshoe's")
    command.add_argument("--wait-s", type=seconds, default=90.0, metavar="S", help="for the prompt (%(default)s)")
    command.add_argument("--other-board", action="store_true", help="take a board that calls itself something else")
    command.add_argument("--other-micropython", action="store_true", help="take a MicroPython that was never tried")
    command.add_argument("--at-least", type=version, metavar="VERSION", help="refuse a release older than this")
    command.add_argument("--older", metavar="VERSION", help="replace a newer firmware by this older version on purpose")
    command.add_argument("--json", action="store_true", help="the result as JSON; progress goes to standard error")


OUT = "build/image"


def add_image(command: argparse.ArgumentParser) -> None:
    command.add_argument("--board", required=True, help="a board's name or the path of a .json file")
    command.add_argument("--micropython", required=True, metavar="DIR", help="a MicroPython checkout")
    command.add_argument("--picotool", metavar="DIR", help="where picotool was installed or built (or set PICOTOOL)")
    command.add_argument("--game", help="the game it plays, in place of the board config's")
    command.add_argument("--bench", action="store_true", help="keep the prompt and the file system")
    command.add_argument(
        "--rollback", type=_rollback, default=0, metavar="N", help=f"rollback number, 0 to {ROLLBACK_MAX} (%(default)s)"
    )
    command.add_argument("--sign", metavar="KEY.PEM", help="sign for the boot ROM of a Pico 2: docs/FIRMWARE.md")
    command.add_argument("--older", metavar="VERSION", help="replace a newer image by this older version on purpose")
    command.add_argument("-o", "--out", default=OUT, metavar="FOLDER", help="where to build (%(default)s)")
    command.add_argument("--json", action="store_true", help="the record as JSON; progress goes to standard error")


def _rollback(text: str) -> int:
    value = int(text)
    if not 0 <= value <= ROLLBACK_MAX:
        raise argparse.ArgumentTypeError(f"between 0 and {ROLLBACK_MAX}")
    return value


def add_update(command: argparse.ArgumentParser) -> None:
    actions = command.add_subparsers(dest="action", required=True, metavar="PART")
    texts = {"before": "check the device and its journal", "after": "check what it runs, test it, record its return"}
    for name, text in texts.items():
        part = actions.add_parser(name, help=text, description=command.description)
        part.epilog = command.epilog
        part.formatter_class = argparse.RawDescriptionHelpFormatter
        add_port(part)
        part.add_argument(
            "--record", required=True, metavar="F", help="of this update; the journal is written beside it"
        )
        add_key(part)
        part.add_argument("--seal-key", metavar="F", action="append", default=[], help="proves the journal; repeatable")
        part.add_argument(
            "--public-key", metavar="FILE|HEX", action="append", default=[], help="of a device that signs"
        )
        part.add_argument("--sign", metavar="KEY", help="sign the record with this key of `firmware release keygen`")
        part.add_argument("--json", action="store_true", help="the record as JSON")
        if name == "before":
            part.add_argument("--image", required=True, metavar="F", help="the .uf2 of a release")
            part.add_argument("--older", metavar="VERSION", help="go back to this older version on purpose")


def add_verify(command: argparse.ArgumentParser) -> None:
    command.add_argument("--release", required=True, metavar="FOLDER", help="the release, or its manifest.json")
    command.add_argument("--board", help="which board of the release; needed only if it has several")
    command.add_argument("--key", action="append", default=[], metavar="FILE", help="public key that you trust")
    command.add_argument("--unsigned", action="store_true", help="compare without a signature: proves less")
    command.add_argument("--at-least", type=version, metavar="VERSION", help="refuse a release older than this")
    command.add_argument("port", nargs="?", metavar="PORT", help="the device's USB or console port, at its prompt")
    command.add_argument("--image", metavar="FILE", help="the whole flash as picotool saved it, .bin or .uf2")
    command.add_argument("--folder", metavar="FOLDER", help="a folder with the files of one device")
    command.add_argument("--wait-s", type=seconds, default=90.0, metavar="S", help="for the prompt (%(default)s)")
    command.add_argument("--json", action="store_true", help="the result as JSON")


_RAW = argparse.RawDescriptionHelpFormatter


def add_release(top: argparse.ArgumentParser) -> None:
    actions = top.add_subparsers(dest="action", required=True, metavar="ACTION")
    make = actions.add_parser("build", help="files and manifest into a folder", epilog=top.epilog, formatter_class=_RAW)
    make.add_argument("--board", action="append", required=True, help="a name or a .json file; may be given again")
    make.add_argument("--game", help="the game they play, in place of the board configs'")
    make.add_argument("--micropython", metavar="UF2", help="the interpreter that the devices have: its hash goes along")
    make.add_argument(
        "--image", action="append", default=[], metavar="UF2", help="of `fairshoe firmware image`; may be repeated"
    )
    make.add_argument("--with", dest="parts", metavar="FOLDER", help="what else comes along: programs, pages, notes")
    make.add_argument("-o", "--out", required=True, metavar="FOLDER", help="a new or empty folder")
    make.add_argument("--json", action="store_true", help="what was built, as JSON")
    key = actions.add_parser("keygen", help="make a key to sign releases with")
    key.add_argument("path", metavar="FILE", help="for the signing key; the public one goes into FILE.pub")
    sign = actions.add_parser("sign", help="sign a release")
    sign.add_argument("release", metavar="FOLDER", help="what `fairshoe firmware release build` wrote")
    sign.add_argument("--key", required=True, metavar="FILE", help="the signing key")


def add_provision(command: argparse.ArgumentParser) -> None:
    add_port(command)
    command.add_argument("--out", required=True, metavar="FOLDER", help="for the keys; no file in it is overwritten")
    command.add_argument("--rotate", action="store_true", help="replace the key in force, which --key-file holds")
    command.add_argument("--replace", action="store_true", help="replace a lost key; the door must be open too")
    command.add_argument("--key-file", metavar="F", help="with --rotate: the device key in force")
    command.add_argument(
        "--noise",
        action="append",
        metavar="REPORT",
        help="of NIST's tool, beside a capture of `fairshoe proof noise`: must bear out the claim of --board; once for"
        " each capture",
    )
    command.add_argument("--board", help="with --noise: the board's name or a .json file")


def add_keys(command: argparse.ArgumentParser) -> None:
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    new = actions.add_parser("new", help="make keys", description=command.description)
    new.epilog = command.epilog
    new.add_argument("folder", metavar="FOLDER", help="for the key files; no file in it is overwritten")


SHOW_EPILOG = """\
settings, by name in the file and by environment variable:
{table}

The settings file is $XDG_CONFIG_HOME/fairshoe/config.toml, with ~/.config if
that is unset, or the one named by FAIRSHOE_CONFIG or --config FILE:

  port = "/dev/ttyACM0"
  key_file = "table.key"     # relative to the folder of this file
"""


def add_config(config: argparse.ArgumentParser) -> None:
    actions = config.add_subparsers(dest="action", required=True)
    table = "\n".join(f"  {each.name:11s} {each.variable:20s} {each.about}" for each in settings.SETTINGS)
    show = actions.add_parser(
        "show",
        help="print every setting and where it comes from",
        epilog=SHOW_EPILOG.format(table=table),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    show.add_argument("--json", action="store_true", help="as one JSON object")
    for each in filter(lambda it: it.has_flag, settings.SETTINGS):
        kind = float if each.kind == "number" else str
        word = "--port" if each.name == "port" else each.flag
        show.add_argument(word, dest=each.name, type=kind, metavar="X", help="as if a command had been given this")
    check = actions.add_parser("check", help="say whether board configs can work")
    check.add_argument("board", nargs="+", help="a board's name or the path of a .json file")
    check.add_argument("--json", action="store_true", help="one JSON object a line and board")


def add_game(command: argparse.ArgumentParser) -> None:
    actions = command.add_subparsers(dest="action", required=True)
    actions.add_parser("list", help="list the games that belong to this version")
    check = actions.add_parser("check", help="say whether game files can be played")
    check.add_argument("game", nargs="+", help="a game's name or the path of a .json file")
    check.add_argument("--json", action="store_true", help="one JSON object a line and game")
