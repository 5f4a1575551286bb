"""Device entry: board config, port, app, then scans for ever, each when the port has news or the time has come."""

import gc
import json
from binascii import crc32

import micropython
from micropython import const

from firmware.app import App
from firmware.games.profile import find_profile
from firmware.image import INPUTS, OUT_LAMP_RED, OUTPUTS
from firmware.journal.halts import halt_store
from firmware.link.dictionary_file import WordFile
from firmware.ticks import ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from hal.api import Config, Hal, OpenData

BOARD_FILE = "board.json"
WORDS_FILE = "words.txt"
GAME_FILE = "game.json"  # the one game that this device plays
GAME_DEFAULT = "caribbean-stud"
BEAT_MS = const(200)  # scan at least so often: the watchdog resets at 500 ms
COLLECT_MS = const(5000)
HOLE_BYTES = const(160)  # of MicroPython's 16-byte blocks, the ten that `collect` takes at a time
ROOM_BYTES = const(5120)  # in one piece: more than the largest hole between what was made at boot
HOLES_MAX = const(400)  # of them: 64 KB, and 23 ms on a Pico


def main(open_data: "OpenData", prompt_ms: int, started: "Callable[[], None]") -> None:
    """Start, then scan for ever. Any exception after that ends in motors off and a reset: a card shoe has no prompt.

    For prompt_ms after power-on Ctrl-C still ends it, so that the firmware can be replaced; an exception in `start`
    goes to the caller (hal/boot_main.py). Every output is off until then, and the watchdog runs from then on. `started`
    is called when it has scanned for five seconds and is at rest: by then a host has heard of this start.
    """
    app = start(open_data)
    hal = app.hal
    while hal.ticks_ms() < prompt_ms:
        hal.idle(1)
    micropython.kbd_intr(-1)
    hal.watchdog_feed()
    try:
        app.scan(hal.ticks_ms())
        run(app, started)
    except BaseException as error:
        hal.all_off()
        try:
            halt_store(hal, app.boot, repr(error))
        except BaseException:
            pass  # out of memory, or no storage; the reset must follow all the same
    while True:
        pass  # until the watchdog resets the device


def start(open_data: "OpenData") -> App:
    """Make port and app from the board config.

    Both keep what they need of it; the rest is garbage when this function returns. In a function that runs for ever it
    would stay in memory: `del` does not free what was passed on as an argument."""
    with open_data(BOARD_FILE) as file:
        board = file.read()
    config = json.loads(board)
    gc.collect()  # what stays for ever lies close together if nothing lies between that does not: see collect
    hal = make_port(config)
    gc.collect()
    try:
        return make_app(hal, config, crc32(board), open_data)
    except Exception:
        out_of_service(hal)
        raise


def out_of_service(hal: "Hal") -> None:
    """The app could not start: show it with the red lamp. hal/boot_main.py reports the reason."""
    hal.all_off()
    level = bytearray(len(OUTPUTS))
    level[OUT_LAMP_RED] = 1
    hal.drive(level, False)


def make_port(config: "Config") -> "Hal":
    """The port the board names; making it puts every output into its safe state before anything else."""
    name = config["mcu"]["port"]
    if name == "rp2":
        from hal.rp2.port import make_hal
    else:
        raise ValueError("no port called " + name)
    return make_hal(config, INPUTS, OUTPUTS)


def make_app(hal: "Hal", config: "Config", board_crc: int, open_data: "OpenData") -> App:
    game = config.get("game", GAME_DEFAULT)
    if isinstance(game, str) and game != "house":
        name = game
        with open_data(GAME_FILE) as file:
            game = json.load(file)
        if game["name"] != name:
            raise ValueError("the board wants %s, the file is %s" % (name, game["name"]))
    return App(hal, config, find_profile(game), board_crc, WordFile(open_data(WORDS_FILE)))


def run(app: App, started: "Callable[[], None]") -> None:
    """Scan for ever. Memory is collected while nothing moves; in a shuffle only if it runs out, since when nothing
    moves there depends on the order, and a pause of 20 ms shows. `started` is called as often."""
    hal = app.hal
    collect()
    collected_ms = hal.ticks_ms()
    while True:
        now_ms = hal.ticks_ms()
        wake_ms = app.scan(now_ms)
        took_ms = ticks_diff(hal.ticks_ms(), now_ms)
        if took_ms > app.scan_ms_max:
            app.overran(took_ms)
        if wake_ms <= 0:
            continue
        if ticks_diff(now_ms, collected_ms) >= COLLECT_MS and app.resting():
            collected_ms = now_ms
            collect()
            started()
        hal.idle(min(wake_ms, BEAT_MS))


def collect() -> None:
    """Collect memory, at rest, and be ready for what is made while cards move: the hashes of a MAC above all.

    MicroPython looks for room from the first free block on, and starts later only when something of one block has
    taken that. Whatever is larger passes all the small holes between modules each time: up to 0.5 ms in 130 KB, and a
    MAC has four such things. So those holes are taken here, one block after the other, by what is garbage at once and
    goes with the next collection. It ends where many blocks in a row are free. Bound: HOLES_MAX.
    """
    gc.collect()
    last = 0
    room = 0
    for _ in range(HOLES_MAX):
        at = id([[], [], [], []])  # five lists of two blocks each, an opcode for each of them
        room = room + HOLE_BYTES if at - last == HOLE_BYTES else 0
        if room >= ROOM_BYTES:
            break
        last = at
