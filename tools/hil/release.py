"""A release image has no way in: no key at the console gives a prompt, and no file on its flash takes part in it."""

from __future__ import annotations

from hil.board import Files, HilBoard
from hil.player import Player, expect
from hil.rounds import good_round

SHADOW = "a file of the file system runs"
_SAYS = f"print({SHADOW!r})\n".encode()
# Every name that MicroPython or the firmware would look for, were there a way to a file.
FILES: Files = {
    **dict.fromkeys(("boot.py", "main.py", "_boot.py", "image_data.py", "lib/json.py"), _SAYS),
    **dict.fromkeys(("firmware/__init__.py", "firmware/main.py", "hal/__init__.py", "hal/boot_main.py"), _SAYS),
    "board.json": b'{"name": "another"}',
    "game.json": b"{}",
}
KEYS = b"\x03\x03\r\x01\x04import os\r\n\x02\x05\x03"  # Ctrl-C, raw and pasting prompts, reset, a line, Ctrl-C
PROMPTS = (">>>", "raw REPL", "paste mode", "Traceback", SHADOW)
TYPED_MS = 400
TRIES = 3
START_S = 1.0  # longer than a whole start takes
HALTED_MS = 1500  # it says so every second
HALT = b"reset 3 times while starting"


def locked(board: HilBoard, player: Player) -> None:
    """Keys are pressed at power-on, at every moment of the start and in a round; the product goes on."""
    player.note("  power off, power on, with keys pressed at the console")
    board.power_off(1500)
    board.power_on()
    for _ in range(5):
        board.bench.pico.type(KEYS)
        board.run_us(TYPED_MS * 1000)
    _check(board)
    player.until("empty_proved")
    due_s = [0.0]

    def press() -> None:
        if player.now() >= due_s[0]:
            due_s[0] = player.now() + 1.0
            board.bench.pico.type(KEYS)

    player.watch = press
    good_round(player)
    _check(board)


def reset_loop(board: HilBoard, player: Player) -> None:
    """Three starts in a row end in the watchdog before the first scan: the fourth stops trying and says so."""
    player.note("  power off, power on, three starts that hang")
    board.power_off(1500)
    board.power_on()
    pico = board.bench.pico
    for number in range(1, TRIES + 1):
        # A reset leaves the watchdog's registers alone: its own enable bit says nothing about this start.
        counted = pico.run(START_S, until=lambda number=number: pico.scratch(0) & 0xFF == number)
        expect(counted, f"start {number} is not counted: register {pico.scratch(0):#x}")
        expect(pico.watchdog_on, "no watchdog runs in the start")
        expect(not any(board.plant.outputs), f"outputs {list(board.plant.outputs)} in the start")
        pico.bite()
    player.wire.drop()
    board.run_us(HALTED_MS * 1000)
    printed = player.wire.read(player.wire.in_waiting)
    expect(HALT in printed, f"the table port has not {HALT!r} but {printed!r}")
    expect(not any(board.plant.outputs), f"outputs {list(board.plant.outputs)} of a halted device")
    _check(board)


def _check(board: HilBoard) -> None:
    for prompt in PROMPTS:
        expect(prompt not in board.console, f"the console of a release image shows {prompt!r}")
