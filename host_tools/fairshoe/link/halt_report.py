"""The report of a device whose firmware could not start (hal/boot_main.py), and what to do about it.

At the table port it sends `halted` in a frame; at the console, where MicroPython's own words are, a line of text.
"""

from __future__ import annotations

import re

from fairshoe.errors import DeviceHalted
from fairshoe.printable import printable

_LINE = re.compile(rb"fairshoe halted: ([^\r\n\0]{0,280})[\r\n]")
_TAIL = 300  # longer than the longest line, whose bound keeps the search linear

_ADVICE = {
    "board": "Its board.json cannot be read or lacks something: check the config with `fairshoe config check`, then "
    "write it again with `fairshoe firmware flash`.",
    "files": "Its files are not the ones that were built, or not all of them: write them again with "
    "`fairshoe firmware flash`.",
    "image": "Its image was not written to the end, or its flash is damaged. What it recorded is kept. Open the door, "
    "hold BOOTSEL at power-up and copy the image onto the drive again (docs/FIRMWARE.md); if that does not help, "
    "replace the board.",
    "import": "Its files do not fit each other or its MicroPython: write them again with `fairshoe firmware flash`.",
    "start": "Its board config asks for something this board does not have, or a chip beside the processor does not "
    "answer: check the config with `fairshoe config check`, then the wiring.",
}
_OTHER = "Write its files again with `fairshoe firmware flash`."
_MEMORY = (
    "It ran out of memory while starting: write its files again with `fairshoe firmware flash`, with a smaller game."
)
_RESETS = (
    "It hung or failed soon after its start, was reset by its watchdog and started again, too often: unplug what was "
    "connected last, look for an input line that flickers, then switch it off and on to let it try again. If it "
    "comes back, write its files again with `fairshoe firmware flash`, or replace the board."
)
_LAYOUT = (
    "Its storage has another layout, or another number of cells than its config says, and was left as it is: install "
    "the firmware and the config that it had before, or newer ones that know its layout (docs/FIRMWARE.md, "
    '"Another storage layout").'
)
_UNREADABLE = (
    "A part of its storage that it cannot do without does not read well, and was left as it is: switch it off and on, "
    'check the storage chip and its wiring, then see docs/FIRMWARE.md, "Unreadable storage".'
)


class HaltLine:
    """Finds the line of text in what comes from a port, however it is cut."""

    def __init__(self) -> None:
        self._tail = b""

    def feed(self, data: bytes) -> str | None:
        """The newest whole line in it, without its first words."""
        self._tail += data
        found = _LINE.findall(self._tail)
        self._tail = self._tail[-_TAIL:]
        if not found:
            return None
        self._tail = b""
        return halt_text(found[-1])


def halt_text(text: bytes) -> str:
    return printable(text.decode("utf-8", "replace"))


def halt_advice(text: str) -> str:
    if "MemoryError" in text:
        return _MEMORY
    if "times while starting" in text:
        return _RESETS
    if "another storage layout" in text:
        return _LAYOUT
    if "unreadable storage" in text:
        return _UNREADABLE
    return _ADVICE.get(text.partition(":")[0], _OTHER)


def device_halted(name: str, text: str) -> DeviceHalted:
    return DeviceHalted(
        f"the device on {name} could not start, and nothing in it moves. It says: {text}.",
        halt_advice(text) + " It cannot deal until then.",
    )
