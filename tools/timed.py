"""What tools share that draw and try until a time is over: --minutes, --seed, progress, and the replay line."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable

import fairshoe

TELL_S = 5.0
TERMINAL_S = 0.5  # on a terminal one line is written over


class Tool:
    """The command line of `python -m NAME`, and the clock of its run: `begin` starts it, `more` asks it."""

    def __init__(self, name: str, about: str | None, minutes: float = 1, seed: str = "of what is drawn") -> None:
        self.name = name
        layout = argparse.RawDescriptionHelpFormatter
        parser = argparse.ArgumentParser(name, description=about, formatter_class=layout)
        parser.add_argument("--minutes", type=float, default=minutes, help="how long (%(default)s)")
        parser.add_argument("--seed", type=int, default=random.randrange(1, 1 << 30), help=f"{seed} (any)")
        self.parser = parser
        self.add = parser.add_argument
        self.options = argparse.Namespace()
        self.began = self._printed = time.monotonic()

    def begin(self, more: str = "") -> argparse.Namespace:
        """Read the command line, say the seed, and start the clock."""
        self.options = self.parser.parse_args()
        print(f"{self.name} {fairshoe.__version__}: seed {self.options.seed}{more}", flush=True)
        self.restart()
        return self.options

    def restart(self) -> None:
        self.began = self._printed = time.monotonic()

    @property
    def passed_s(self) -> float:
        return time.monotonic() - self.began

    def more(self, progress: Callable[[], str], share: float = 1) -> bool:
        """Whether there is time, of that share of it. Says how far the run is, every few seconds."""
        terminal = sys.stdout.isatty()
        if time.monotonic() - self._printed > (TERMINAL_S if terminal else TELL_S):
            self._printed = time.monotonic()
            line = f"  {progress()} in {self.passed_s:.0f} s"
            print(f"{line:78}" if terminal else line, end="\r" if terminal else "\n", flush=True)
        return self.passed_s < self.options.minutes * 60 * share

    def replay(self, more: str) -> str:
        return replay(self.name, f"--seed {self.options.seed} {more}")


def replay(name: str, options: str) -> str:
    return f"replay: PYTHONPATH=tools .venv/bin/python -m {name} {options}"
