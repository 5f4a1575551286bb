"""Take one snapshot of a shoe: everything it sends at the start of a session. Acknowledges nothing."""

from __future__ import annotations

import time
from typing import Any

from fairshoe.errors import FairshoeError, NoAnswer
from fairshoe.keys import RoleKey
from fairshoe.messages import Message
from fairshoe.observe.observer import Mode, Watch

REST_S = 1.5  # what a session begins with comes within this after its welcome


class Snapshot:
    """What was seen; `watch` is still open until the block ends."""

    def __init__(self, url: str, key: RoleKey | None, answer_s: float, **watch: Any) -> None:
        self.watch = Watch(url, key, **watch)
        self.seen: list[Message] = []
        self._answer_s = answer_s

    def __enter__(self) -> Snapshot:
        try:
            self.watch.open()
            self._wait(self._answered, self._answer_s)
            if not self._answered():
                raise self._why_not()
            self._wait(self._complete, REST_S)
        except BaseException:
            self.watch.close()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        self.watch.close()

    def more(self, seconds: float) -> list[Message]:
        """What comes within so many seconds."""
        before = len(self.seen)
        self._wait(lambda: False, seconds)
        return self.seen[before:]

    def _wait(self, done: Any, seconds: float) -> None:
        end = self.watch.clock() + seconds
        hard_end = time.monotonic() + seconds + 5  # of a clock that stands still
        while not done() and self.watch.clock() < end and time.monotonic() < hard_end:
            self.seen += self.watch.step()
            wrong = self.watch.problem or self.watch.halted
            if wrong is not None:
                raise wrong

    def _answered(self) -> bool:
        return self.watch.known.status is not None

    def _complete(self) -> bool:
        known = self.watch.known
        journal = known.journal is not None or not self.watch.readable()
        return known.meters is not None and known.counters is not None and journal

    def _why_not(self) -> FairshoeError:
        watch = self.watch
        if watch.link.frames or watch.mode is Mode.LIVE:
            return NoAnswer(
                f"{watch.url} talks, but not to us, and tells no state.",
                "A host is in session with it: look on there, or end that host.",
            )
        if watch.link.drops.total():
            return NoAnswer(
                f"something talks on {watch.url}, but not as a shoe does.",
                "Check that this is the shoe's table port: `fairshoe ports` asks all of them.",
            )
        return NoAnswer(
            f"nothing on {watch.url} answered as a shoe within {self._answer_s:g} s.",
            "Check that it is powered and that this is its table port: `fairshoe ports` asks all of them.",
        )
