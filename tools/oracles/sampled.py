"""Returns of which a part is sampled, and how long to sample."""

from __future__ import annotations

import time
from dataclasses import dataclass

ERROR_MOST = 0.0002  # standard error of a return that is good enough


@dataclass(frozen=True)
class Estimate:
    """A return, and the standard error of the part that was sampled."""

    mean: float
    error: float


class Clock:
    """Sampling goes on for so many seconds of processor time, and longer while an error is too large."""

    def __init__(self, seconds: float) -> None:
        self._end = time.process_time() + seconds

    def over(self, error: float) -> bool:
        return error <= ERROR_MOST and time.process_time() >= self._end
