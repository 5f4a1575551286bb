"""The arguments and examples of the commands that set up a device, from flash to game."""

from __future__ import annotations

import argparse

from fairshoe.cli import settings
from fairshoe.cli.options import add_key, add_port, seconds, version
from fairshoe.ship.identity import ROLLBACK_MAX

BRINGUP_STEPS = ["start", "key", "noise", "inputs", "dark", "axis", "ejector", "feed", "card", "cards", "lift", "speed"]
BRINGUP_EXAMPLES = """\
examples:
  fairshoe bringup /dev/ttyACM0 --board pico-carousel \\
      --key-file keys/service.key
      asks for a hand in each beam, and sees by sensors that it is there
  fairshoe bringup /dev/ttyACM0 --board my-board.json --from inputs
      begin again with the inputs; without --from it goes on where it ended
  fairshoe bringup /dev/ttyACM0 --board my-board.json --watch 0
      only show every input live: level, edges a second, bounces
  fairshoe keys new keys
  fairshoe bringup --board pico-carousel \\
      "sim://pico-carousel?service=on&dealer=none&key=keys/device.key"
      the same with a simulated machine and simulated hands

Steps: start, key, noise, inputs, dark, axis, ejector, feed, card, cards, lift,
speed. The same steps in a browser: fairshoe web PORT --control --board FILE.
A release image runs the first five: motors need a bench image. What passed is
kept in BOARD.bringup.json, and not asked for again.
exit status: 0 nothing failed, 1 what was found, each with a cure
More: fairshoe docs BUILD
"""


def add_bringup(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Leads from a wired machine to one that moves cards: every input touched by hand, beams in the dark, axis, "
        "ejector, direction of motors, one card, ten cards. A sensor confirms each step, and a fault of the wiring "
        "is named with its cure. PORT is the service port; the key switch is on, and no deck is inside."
    )
    command.epilog = BRINGUP_EXAMPLES
    add_port(command)
    command.add_argument("--board", required=True, help="what the device runs: a board's name or a .json file")
    command.add_argument("--key-file", metavar="F", help="key of the role service, or the device key")
    command.add_argument("--from", dest="first", metavar="STEP", choices=BRINGUP_STEPS, help="begin again with STEP")
    command.add_argument("--state", metavar="FILE", help="what has passed (BOARD.bringup.json, beside the config)")
    command.add_argument("--out", metavar="FILE.json", help="write the config with what was found put right")
    command.add_argument("--watch", type=float, metavar="S", help="show every input for S seconds; 0: until Ctrl-C")
    command.add_argument(
        "--patience", type=float, default=60.0, metavar="S", help="seconds a hand may take (%(default)g)"
    )
    command.add_argument("--json", action="store_true", help="the result as JSON; requests go to standard error")


CALIBRATE_EXAMPLES = """\
examples:
  fairshoe calibrate /dev/ttyACM0 --board pico-carousel \\
      --key-file keys/service.key --out my-board.json
      measure a machine; asks for cards, and sees by sensors that it has them
  fairshoe keys new keys
  fairshoe calibrate --board pico-carousel --out my-board.json \\
      "sim://pico-carousel?service=on&dealer=none&key=keys/device.key"
      the same with a simulated machine and simulated hands

The device runs a bench image (a draw shoe: any), its key switch is on, no deck
is inside. Writes the config and beside it a page with every figure: old, new,
spread and error.
exit status: 0 written, 1 refused: what was found, and which part to look at
More: fairshoe docs BUILD
"""


def add_calibrate(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Measures speeds, distances and times of a machine from the edges of its beams, about 60 cards and 700 short "
        "motions, and writes a board config that this machine works with. Of a draw shoe you draw the cards. PORT is "
        "the service port."
    )
    command.epilog = CALIBRATE_EXAMPLES
    add_port(command)
    command.add_argument("--board", required=True, help="what the device runs: a board's name or a .json file")
    command.add_argument("--out", metavar="FILE.json", help="the new board config")
    command.add_argument("--wiring", action="store_true", help="only look for wiring faults; each is named with a cure")
    command.add_argument("--key-file", metavar="F", help="key of the role service, or the device key")
    command.add_argument("--card-mm", type=float, metavar="MM", help="length of a card, by caliper (the config's)")
    command.add_argument("--cards", type=int, default=50, metavar="N", help="cards to pass through (%(default)s)")
    command.add_argument("--json", action="store_true", help="the figures as JSON; progress goes to standard error")


SERVICED_EXAMPLES = """\
examples:
  fairshoe serviced /dev/ttyUSB0 pick-roller --key-file keys/service.key
      the roller was replaced: its trends begin again
  fairshoe serviced /dev/ttyUSB0 beams --cleaned --key-file keys/service.key

The key switch is on, no deck is inside, and PORT is the service port.
More: fairshoe docs BENCH_GUIDE
"""


def add_serviced(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Records in the journal of a shoe that a part was replaced or cleaned. Trends of this part in status, on the "
        "live page and on the floor begin again there, and its alarm ends."
    )
    command.epilog = SERVICED_EXAMPLES
    command.add_argument("port", metavar="PORT", help="the service port of a shoe, or a URL")
    command.add_argument("part", choices=("pick-roller", "transport-rollers", "beams"), help="what was serviced")
    command.add_argument("--cleaned", action="store_true", help="cleaned or adjusted; without it: replaced")
    command.add_argument("--key-file", metavar="F", help="key of the role service, or the device key")
    command.add_argument("--json", action="store_true", help="the record as JSON")


FLASH_EXAMPLES = """\
examples:
  fairshoe flash /dev/ttyACM0 --board pico2-carousel
      build, write what changed, reset, check that it runs
  fairshoe flash /dev/ttyACM0 --board pico2-shoe --table-port /dev/ttyUSB0
      the same, then ask the device at its table port what it runs
  fairshoe flash /dev/ttyACM0 --board my-shoe.json --dry-run
      list what would be written and deleted; the device is read and restarted
  fairshoe flash /dev/ttyACM0 --board pico2-shoe \\
      --release release-0.2.0 --key signing.key.pub
      write the files of a signed release
  fairshoe flash --board pico2-carousel
      only build, and say what would be written

A Pico with an RP2040 runs an image alone: fairshoe image --help.
A shoe that runs gives no prompt. Restart it when this command asks for it.
Pulling the cable does no harm: run the same command again to finish.
More: fairshoe docs FLASH
"""


def add_flash(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Builds what one board ships, compares it with what is on the device, writes and deletes only what "
        "differs, reads everything back, resets the device and sees that it runs."
    )
    command.epilog = FLASH_EXAMPLES
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
IMAGE_EXAMPLES = """\
examples:
  fairshoe image --board pico-carousel --micropython ../micropython
      a release image: no prompt, no file system
  fairshoe image --board pico-carousel --micropython ../micropython --bench
      the same firmware with MicroPython's prompt and file system
  fairshoe image --board pico2-shoe --micropython ../micropython \\
      --sign key.pem --rollback 1
      signed for the boot ROM of the Pico 2, with the OTP settings beside it

To install: hold BOOTSEL at power-up and copy the .uf2 onto the drive that
appears. The checkout must be MicroPython 1.28.x with its submodules; this
command says what is missing and downloads nothing.
exit status: 0 built, 6 older than the image that is there, 8 cannot be built
More: fairshoe docs IMAGE
"""


def add_image(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Builds one UF2 that holds MicroPython, the firmware, the board config, the game and the "
        "dictionary, with the build of a MicroPython checkout. The same sources and tools give the same bytes."
    )
    command.epilog = IMAGE_EXAMPLES
    command.add_argument("--board", required=True, help="a board's name or the path of a .json file")
    command.add_argument("--micropython", required=True, metavar="DIR", help="a MicroPython checkout")
    command.add_argument("--picotool", metavar="DIR", help="folder with picotoolConfig.cmake (or set PICOTOOL)")
    command.add_argument("--game", help="the game it plays, in place of the board config's")
    command.add_argument("--bench", action="store_true", help="keep the prompt and the file system")
    command.add_argument(
        "--rollback", type=_rollback, default=0, metavar="N", help=f"rollback number, 0 to {ROLLBACK_MAX} (%(default)s)"
    )
    command.add_argument("--sign", metavar="KEY.PEM", help="sign for the boot ROM of a Pico 2: docs/SIGNED_BOOT.md")
    command.add_argument("--older", metavar="VERSION", help="replace a newer image by this older version on purpose")
    command.add_argument("-o", "--out", default=OUT, metavar="FOLDER", help="where to build (%(default)s)")
    command.add_argument("--json", action="store_true", help="the record as JSON; progress goes to standard error")


def _rollback(text: str) -> int:
    value = int(text)
    if not 0 <= value <= ROLLBACK_MAX:
        raise argparse.ArgumentTypeError(f"between 0 and {ROLLBACK_MAX}")
    return value


UPDATE_EXAMPLES = """\
examples:
  fairshoe update before /dev/ttyUSB0 --image pico-carousel.uf2 \\
      --record shoe7.json --key-file table.key --seal-key seal.key
      pull and prove the journal, check that the device may be updated, and
      print what to do at its door
  fairshoe update after /dev/ttyUSB0 --record shoe7.json \\
      --key-file table.key --seal-key seal.key
      then compare version, log and key, run the self-test, record the return
  fairshoe report shoe7.json --verify bench.key.pub
      later: whether record and journal are as they were signed (--sign)

Nothing is written over the link: a person copies the image at the open door.
Either part can be run again. exit status: 0 done, 1 not now, or the self-test
failed, 5 the device does not start, 6 older, or not what it must be
More: fairshoe docs UPDATE
"""


def add_update(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Leads through the update of a device at a table. The first part refuses a device that is not empty, whose "
        "host has not acknowledged every event, or whose journal is not proved, and an image that is older. The second "
        "refuses one whose records, key or game have changed."
    )
    command.epilog = UPDATE_EXAMPLES
    actions = command.add_subparsers(dest="action", required=True, metavar="PART")
    texts = {"before": "check the device and its journal", "after": "check what it runs, test it, record its return"}
    for name, text in texts.items():
        part = actions.add_parser(name, help=text, description=command.description)
        part.epilog = UPDATE_EXAMPLES
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
        part.add_argument("--sign", metavar="KEY", help="sign the record with this key of `fairshoe release keygen`")
        part.add_argument("--json", action="store_true", help="the record as JSON")
        if name == "before":
            part.add_argument("--image", required=True, metavar="F", help="the .uf2 of a release")
            part.add_argument("--older", metavar="VERSION", help="go back to this older version on purpose")


VERIFY_EXAMPLES = """\
examples:
  picotool save -a flash.bin
      first, with BOOTSEL held at power-up: the boot ROM reads the flash
  fairshoe verify --image flash.bin --release release-0.2.0 \\
      --key signing.key.pub
      evidence: every file in the flash; of an image every byte, and its signer
  fairshoe verify /dev/ttyACM0 --release release-0.2.0 --key signing.key.pub
      quick, and only the device's own word: altered code can lie
  fairshoe verify --folder copied/ --release release-0.2.0 \\
      --key signing.key.pub
      files copied from a device
  fairshoe verify --release release-0.2.0 --key signing.key.pub
      the release itself: every file in its folder

exit status: 0 the same, 6 it differs or the signature is wrong
More: fairshoe docs FLASH
"""


def add_verify(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Compares every file of a device with a signed release: what is altered, missing, or there and not part of "
        "it. Without a device, an image or a folder it compares the release folder itself."
    )
    command.epilog = VERIFY_EXAMPLES
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


RELEASE_EXAMPLES = """\
examples:
  fairshoe release build --board pico2-shoe -o release-0.2.0
      the files of a board, and manifest.json; --board may be repeated
  fairshoe release build --board pico2-shoe -o release-0.2.0 \\
      --micropython RPI_PICO2.uf2
      with the hash of the MicroPython that belongs to it
  fairshoe release build --board pico-carousel -o release-0.2.0 \\
      --image build/image/fairshoe-0.2.0-pico-carousel.uf2
      with the image that `fairshoe image` built from the same sources; a
      board with an RP2040 needs it
  fairshoe release keygen signing.key
      once: a key to sign with, and signing.key.pub to publish
  fairshoe release sign release-0.2.0 --key signing.key

The same sources give the same bytes on every machine, so anyone can build a
release again and compare. `make release` of a clone adds wheel, pages and
notes. `sha256sum -c SHA256SUMS` checks the folder without this program.
More: fairshoe docs FLASH
"""
_RAW = argparse.RawDescriptionHelpFormatter


def add_release(top: argparse.ArgumentParser) -> None:
    top.description = "Builds the files of boards with a manifest of their hashes, and signs it."
    top.epilog = RELEASE_EXAMPLES
    actions = top.add_subparsers(dest="action", required=True, metavar="ACTION")
    make = actions.add_parser(
        "build", help="files and manifest into a folder", epilog=RELEASE_EXAMPLES, formatter_class=_RAW
    )
    make.add_argument("--board", action="append", required=True, help="a name or a .json file; may be given again")
    make.add_argument("--game", help="the game they play, in place of the board configs'")
    make.add_argument("--micropython", metavar="UF2", help="the interpreter that the devices have: its hash goes along")
    make.add_argument(
        "--image", action="append", default=[], metavar="UF2", help="of `fairshoe image`; may be repeated"
    )
    make.add_argument("--with", dest="parts", metavar="FOLDER", help="what else comes along: programs, pages, notes")
    make.add_argument("-o", "--out", required=True, metavar="FOLDER", help="a new or empty folder")
    make.add_argument("--json", action="store_true", help="what was built, as JSON")
    key = actions.add_parser("keygen", help="make a key to sign releases with")
    key.add_argument("path", metavar="FILE", help="for the signing key; the public one goes into FILE.pub")
    sign = actions.add_parser("sign", help="sign a release")
    sign.add_argument("release", metavar="FOLDER", help="what `fairshoe release build` wrote")
    sign.add_argument("--key", required=True, metavar="FILE", help="the signing key")


PROVISION_EXAMPLES = """\
examples:
  fairshoe provision /dev/ttyACM0 --out keys
      the first key of a device
  fairshoe provision /dev/ttyACM0 --out new-keys --rotate \\
      --key-file keys/device.key
      a new key in place of the one in force
  fairshoe provision /dev/ttyACM0 --out new-keys --replace
      the key in force is lost; open the door first
  fairshoe provision /dev/ttyACM0 --out keys --noise noise.json \\
      --board pico2-carousel
      only if the noise is worth what the board config claims

`fairshoe keys new` makes keys for a simulated shoe or a test.
More: fairshoe docs SECURITY
"""


def add_provision(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Makes a device key and the keys of all roles as files that only you can read, sends the device key to the "
        "service port and checks that it arrived. Also stores the public key of the device's signatures. Turn the "
        "key switch on first. PORT is the service port."
    )
    command.epilog = PROVISION_EXAMPLES
    add_port(command)
    command.add_argument("--out", required=True, metavar="FOLDER", help="for the keys; no file in it is overwritten")
    command.add_argument("--rotate", action="store_true", help="replace the key in force, which --key-file holds")
    command.add_argument("--replace", action="store_true", help="replace a lost key; the door must be open too")
    command.add_argument("--key-file", metavar="F", help="with --rotate: the device key in force")
    command.add_argument(
        "--noise", metavar="REPORT", help="of `fairshoe noise --json`: must bear out the claim of --board"
    )
    command.add_argument("--board", help="with --noise: the board's name or a .json file")


KEYS_EXAMPLES = """\
examples:
  fairshoe keys new keys
      make a device key and the keys of all roles, in the folder keys
  fairshoe sim --key-file keys/device.key --mode table
      a simulated shoe with that key, which takes commands
  fairshoe round --key-file keys/table.key
      then, in a second terminal: a round under commands

A real device gets its key from `fairshoe provision`.
"""


def add_keys(command: argparse.ArgumentParser) -> None:
    command.description = "Makes keys for a simulated shoe or a test: a device key and the keys of all roles."
    command.epilog = KEYS_EXAMPLES
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    new = actions.add_parser("new", help="make keys", description=command.description)
    new.epilog = KEYS_EXAMPLES
    new.add_argument("folder", metavar="FOLDER", help="for the key files; no file in it is overwritten")


CONFIG_EXAMPLES = """\
examples:
  fairshoe config show
      every setting, and where it comes from
  fairshoe config check my-board.json
      everything that is wrong with a board config
"""
SHOW_EPILOG = """\
settings, by name in the file and by environment variable:
{table}

The settings file is $XDG_CONFIG_HOME/fairshoe/config.toml, with ~/.config if
that is unset, or the one named by FAIRSHOE_CONFIG or --config FILE:

  port = "/dev/ttyACM0"
  key_file = "table.key"     # relative to the folder of this file
"""


def add_config(config: argparse.ArgumentParser) -> None:
    config.description = "Shows the settings of this program, and checks board configs."
    config.epilog = CONFIG_EXAMPLES
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


GAME_EXAMPLES = """\
examples:
  fairshoe game list
      the games that belong to this version
  fairshoe game check my-game.json
      everything that is wrong with a game file of your own
  fairshoe demo --game my-game.json
      then play it on a simulated shoe

More: fairshoe docs GAMES
"""


def add_game(command: argparse.ArgumentParser) -> None:
    command.description = "Lists games, and checks game files. A game is a JSON file: deck, stacks, rules and clauses."
    command.epilog = GAME_EXAMPLES
    actions = command.add_subparsers(dest="action", required=True)
    actions.add_parser("list", help="list the games that belong to this version")
    check = actions.add_parser("check", help="say whether game files can be played")
    check.add_argument("game", nargs="+", help="a game's name or the path of a .json file")
    check.add_argument("--json", action="store_true", help="one JSON object a line and game")
