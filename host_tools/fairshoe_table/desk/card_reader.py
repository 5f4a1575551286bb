"""Where faces come from: entry by the dealer, a card reader, or in a simulation the plant. Each hand keeps its source.

A reader is a line of text with one card in each line (`As`, `10d`): a serial device or any URL of pyserial.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import serial

from fairshoe.errors import PortError, UsageError
from fairshoe_table.rules.cards import card

BY_DEALER, BY_READER, BY_PLANT = "dealer", "reader", "plant"
SOURCES = (BY_DEALER, BY_READER, BY_PLANT)
_LINE_MAX = 64
_READ_S = 0.2


def joined(sources: list[str]) -> str:
    """The source of a hand of several cards: `reader`, or `dealer+reader` if the dealer has helped."""
    return "+".join(it for it in SOURCES if it in sources)


class CardReader:
    """Reads cards in a thread of its own. `heard` gets each card, `failed` what the reader said that is no card."""

    def __init__(self, url: str, heard: Callable[[int], None], failed: Callable[[str], None], baud: int = 9600) -> None:
        self._heard, self._failed = heard, failed
        try:
            self._port = serial.serial_for_url(url, baudrate=baud, timeout=_READ_S)
        except (serial.SerialException, ValueError, OSError) as error:
            raise PortError(f"the card reader {url} cannot be opened: {error}.", "Check its name and cable.") from error
        self._ending = False
        self._thread = threading.Thread(target=self._run, name="card reader", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ending = True
        self._thread.join(5)
        self._port.close()

    def _run(self) -> None:
        line = bytearray()
        while not self._ending:
            try:
                line += self._port.read(max(1, self._port.in_waiting))
            except (serial.SerialException, OSError, TypeError) as error:
                self._failed(f"the card reader does not answer: {error}. Enter the cards by hand")
                return
            while b"\n" in line:
                text, _, line = line.partition(b"\n")
                self._take(text)
            if len(line) > _LINE_MAX:
                line.clear()
                self._failed("the card reader sends no lines. Check its speed")

    def _take(self, text: bytes | bytearray) -> None:
        word = text.decode("ascii", "replace").strip()
        if not word:
            return
        try:
            self._heard(card(word))
        except UsageError:
            self._failed(f"the card reader said {word!r}, which is no card")
