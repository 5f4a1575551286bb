"""Check that a device runs after a reset: no prompt at its service port, and the right answers at its table port."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, cast
from zlib import crc32

from fairshoe.errors import PortError, PortLost
from fairshoe.link.session import HostSession
from fairshoe.messages import Booted, Welcome
from fairshoe.ship.errors import NotUp
from fairshoe.transport.urls import Port
from firmware.protocol.dictionary import HASH_SIZE

HOUSE = "HOUSE"  # the code of a game that a board config makes up
PROMPT = b">>> "
HALTED = b"fairshoe halted: "  # said every second by a device that cannot start: hal/boot_main.py
BACK_S = 20.0  # until the port is there again
SETTLE_S = 6.0  # from power-up to the first scan, with room
NUDGE_S = 1.0  # for a prompt to answer an empty line
REOPEN_S = 0.2
HEARD_MAX = 8192  # of what is not understood
LISTEN_S = 3.0  # for the event of the start, if nothing older waits to be collected


@dataclass(frozen=True)
class Expected:
    """What the device will say if it runs what was written."""

    firmware: str
    dictionary: bytes
    game: str
    board_crc: int


@dataclass(frozen=True)
class Answer:
    """What it said. `board_crc` is None if older events stood before the one that tells it."""

    device: int
    boot: int
    firmware: str
    game: str
    board_crc: int | None


def stays_silent(
    open_port: Callable[[], Port],
    name: str,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Wait until the device has had time to start; a prompt means that its firmware ended or never began."""
    until = clock() + BACK_S
    heard = bytearray()
    while True:
        try:
            port = open_port()
            try:
                heard += _listen(port, SETTLE_S, clock)
                if PROMPT not in heard:
                    # At a prompt an empty line makes another one; a shoe that scans drops it.
                    port.write(b"\r")
                    heard += _listen(port, NUDGE_S, clock)
                if PROMPT in heard and not _last_words(heard):
                    # Printed before the tool listened: a soft reset starts it again, and it prints it again.
                    port.write(b"\x04")
                    heard += _listen(port, SETTLE_S, clock)
            finally:
                port.close()
            break
        except (PortError, OSError) as error:
            if clock() >= until:
                raise NotUp(
                    f"{name} did not come back after the reset.", "Unplug the device and plug it in, then look again."
                ) from error
            sleep(REOPEN_S)
    _before, found, text = bytes(heard).rpartition(HALTED)
    if found:
        raise _halted(text.partition(b"\r")[0].decode("utf-8", "replace").strip())
    if PROMPT in heard:
        words = _last_words(heard)
        raise NotUp(
            f"the firmware does not run: the device is at its prompt{f' ({words})' if words else ''}.",
            "Check the board config against the board; for the whole traceback open the port with a terminal program "
            "and press Ctrl-D.",
        )


def _listen(port: Port, limit_s: float, clock: Callable[[], float]) -> bytes:
    """What comes by itself, until a prompt is in it or the time is over."""
    heard = b""
    until = clock() + limit_s
    while PROMPT not in heard and len(heard) < HEARD_MAX and clock() < until:
        heard += port.read(1)
        heard += port.read(port.in_waiting)
    return heard


def _halted(words: str) -> NotUp:
    advice = "Put that right (docs/FIRMWARE.md), and flash it again."
    return NotUp(f"the device cannot start, and says why: {words}.", advice)


def _last_words(heard: bytes | bytearray) -> str:
    """The last line of a traceback, if one was heard."""
    _before, found, text = heard.decode("utf-8", "replace").rpartition("Traceback (most recent call last):")
    lines = [line.strip() for line in text.splitlines() if found and not line.startswith((">>>", "  ", "MicroPython"))]
    return next((line for line in lines if line), "")


def expected(files: Mapping[str, bytes], firmware: str) -> Expected:
    """From the files that were written."""
    game: Any = json.loads(files["game.json"] if "game.json" in files else files["board.json"])
    if "game.json" not in files:
        game = game.get("game")  # the house's, or changes to it
    code: str = cast(dict[str, Any], game).get("code", HOUSE) if isinstance(game, dict) else HOUSE
    return Expected(firmware, sha256(files["words.txt"]).digest()[:HASH_SIZE], code, crc32(files["board.json"]))


def greet(
    open_port: Callable[[], Port],
    name: str,
    wanted: Expected,
    limit_s: float = BACK_S,
    clock: Callable[[], float] = time.monotonic,
) -> Answer:
    """Say hello at the table port and compare the answer. Acknowledges nothing: events belong to the table system."""
    port = open_port()
    session = HostSession()
    board_crc = None
    until = clock() + limit_s
    listen_until: float | None = None
    try:
        while clock() < until and (listen_until is None or clock() < listen_until):
            session.tick(clock())
            port.write(session.take_output())
            data = port.read(1)
            data += port.read(port.in_waiting) if data else b""
            for message, _body, _seq in session.feed(data, clock()):
                if isinstance(message, Booted) and session.welcome and message.boot == session.welcome.boot:
                    board_crc = message.board_crc
            if session.halted and session.welcome is None:
                raise _halted(session.halted)
            if session.welcome is not None:
                listen_until = listen_until or clock() + LISTEN_S
                if board_crc is not None:
                    break
    except OSError as error:
        raise PortLost(f"{name} is gone.", "Check the cable of the table port.") from error
    finally:
        port.close()
    welcome = session.welcome
    if welcome is None:
        raise NotUp(
            f"{name}: no answer to hello within {limit_s:.0f} s.",
            "Is this the table port, and is the key switch off? Then look at the device's service port.",
        )
    _compare(welcome, board_crc, wanted)
    return Answer(welcome.device, welcome.boot, welcome.firmware, welcome.game, board_crc)


def _compare(welcome: Welcome, board_crc: int | None, wanted: Expected) -> None:
    said = {
        "firmware": (welcome.firmware, wanted.firmware),
        "dictionary": (welcome.dictionary.hex(), wanted.dictionary.hex()),
        "game": (welcome.game, wanted.game),
    }
    if board_crc is not None:
        said["board config"] = (f"{board_crc:08x}", f"{wanted.board_crc:08x}")
    wrong = [f"{word} {found}, not {right}" for word, (found, right) in said.items() if found != right]
    if wrong:
        raise NotUp(
            f"the device at the table port says: {'; '.join(wrong)}.",
            "Is this the table port of the same device? Then flash it again.",
        )
