"""Stock devices whose files are whole or broken: one starts, the others must say what is wrong with them."""

from __future__ import annotations

import json
from collections.abc import Callable

from fairshoe.errors import DeviceHalted, FairshoeError
from hil.board import Files, HilBoard
from hil.parts import Part
from hil.player import Player, StoryError
from hil.report import GOOD

PROMPT = ">>> "
_SAID_AGAIN_S = 1.2


def without_board(files: Files) -> None:
    del files["board.json"]


def torn_board(files: Files) -> None:
    files["board.json"] = files["board.json"][:-40]


def board_without_storage(files: Files) -> None:
    config = json.loads(files["board.json"])
    del config["nv"]
    files["board.json"] = json.dumps(config).encode()


def missing_module(files: Files) -> None:
    del files[max(name for name in files if name.endswith(".mpy"))]


def flipped_bit(files: Files) -> None:
    name = max((name for name in files if name.endswith(".mpy")), key=lambda name: len(files[name]))
    data = bytearray(files[name])
    data[len(data) // 2] ^= 0x04
    files[name] = bytes(data)


BROKEN: dict[str, tuple[Callable[[Files], None], str]] = {
    "no board.json": (without_board, "board: OSError"),
    "torn board.json": (torn_board, "board: ValueError"),
    "missing module": (missing_module, "files: ValueError"),
    "flipped bit": (flipped_bit, "files: ValueError"),
    "no storage": (board_without_storage, "start: KeyError('nv'"),
}


def halts(board: HilBoard, player: Player, files: Files, expected: str) -> Part:
    """The device says what is wrong at the table port, nothing turns, and its console gives a prompt."""
    part = Part()
    try:
        player.greet()
        part.result = "WRONG: it started"
    except DeviceHalted as error:
        board.notes(error.what)
        board.bench.pico.run(_SAID_AGAIN_S)
        if expected not in error.what or any(board.plant.outputs) or not _shown_halted(files, board):
            part.result = f"WRONG: {error.what} Outputs: {list(board.plant.outputs)}, display: {board.display()}"
    except FairshoeError as error:
        part.result = f"WRONG: {error}"
    if part.result == GOOD:
        board.bench.pico.type(b"\x03")
        if not board.bench.pico.run(3.0, until=lambda: board.console.endswith(PROMPT)):
            part.result = "WRONG: no prompt at the console after Ctrl-C"
    return part


def _shown_halted(files: Files, board: HilBoard) -> bool:
    """Whether the display says so, where a config that can be read has one."""
    try:
        known = "display" in json.loads(files.get("board.json", b""))
    except ValueError:
        known = False
    return not known or board.display()[0].strip() == "OUT OF SERVICE"


def starts(board: HilBoard, player: Player) -> Part:
    """What is shipped, main.py and all, starts and says hello."""
    part = Part()
    try:
        player.greet()
        part.motion["welcome_ms"] = round(board.port.clock() * 1000)
        player.until("empty_proved")
        player.check()
    except (StoryError, FairshoeError) as error:
        part.result = f"WRONG: {error}"
    return part
