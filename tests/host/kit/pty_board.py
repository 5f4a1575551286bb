"""A fake board behind a real pseudo-terminal, as any program sees a serial device: in a thread, in real time."""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
import tty
from types import TracebackType

from flashed_board import TIME, FakeBoard


class PtyBoard:
    """`with PtyBoard(board) as port:` gives the path of a serial device."""

    def __init__(self, board: FakeBoard) -> None:
        self.board = board
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> str:
        TIME.board = None
        self._thread.start()
        return os.ttyname(self._slave)

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        for descriptor in (self._master, self._slave):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _serve(self) -> None:
        while not self._stop.is_set():
            self.board.now = time.monotonic()
            if select.select([self._master], [], [], 0.005)[0]:
                self.board.feed(os.read(self._master, 4096))
            while self.board.waiting:
                os.write(self._master, self.board.take(512))
