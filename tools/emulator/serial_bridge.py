"""The USB console of an emulated Pico as a serial port of this computer: `python -m emulator.serial_bridge UF2`.

Prints the name of the port, for any program that talks to a Pico, and runs until it is interrupted.
"""

import os
import pty
import select
import sys
import tty
from pathlib import Path

from emulator.chips import RingOscillator
from emulator.flashfs import erased_image
from emulator.native import prepare
from emulator.pico import Pico

SEED = 7
SLICE_S = 0.01
TYPED_MAX = 64  # bytes that wait for the device: a packet of USB


def bridge(pico: Pico, port: int) -> None:
    """Let the device run, a slice at a time, and carry bytes both ways between them."""
    sent = 0
    while True:
        if pico.usb_pending() < TYPED_MAX and select.select([port], [], [], 0)[0]:
            pico.type(os.read(port, TYPED_MAX))
        pico.run(SLICE_S)
        if len(pico.console) > sent:
            sent += os.write(port, bytes(pico.console[sent:]))


def main() -> None:
    prepare()
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    print(os.ttyname(theirs), flush=True)
    pico = Pico(Path(sys.argv[1]), erased_image())
    RingOscillator(pico, SEED)
    bridge(pico, ours)


if __name__ == "__main__":
    main()
