"""`fairshoe proof shuffle-test`: test statistically whether the firmware's shuffle is uniform."""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
import time
from pathlib import Path
from typing import TextIO

from fairshoe.boards import configs
from fairshoe.errors import FairshoeError, UsageError
from fairshoe.printable import say
from fairshoe.shuffle.stats import CELL_MIN
from fairshoe.shuffle.trial import Plan, execute
from fairshoe.shuffle.wording import as_json, as_text

SHUFFLES_MIN = 1000  # with fewer the bad shufflers are not all caught

_BAR = 30


def run(options: argparse.Namespace) -> int:
    plan = _plan(options)
    if options.html:
        _writable(Path(options.html))
    progress = Progress(plan.total)
    try:
        outcome = execute(plan, progress.update)
    finally:
        progress.finish()
    if options.html or options.plots:
        from fairshoe.shuffle.report_page import page, plots

        if options.html:
            Path(options.html).write_text(page(outcome), encoding="utf-8")
        if options.plots:
            folder = Path(options.plots)
            folder.mkdir(parents=True, exist_ok=True)
            for name, svg in plots(outcome).items():
                (folder / f"shuffle-{name}.svg").write_text(svg, encoding="utf-8")
    if options.json:
        say(json.dumps(as_json(outcome), indent=2))
    else:
        for line in as_text(outcome, _coloured(sys.stdout)):
            say(line)
    return 0 if outcome.passes else 1


def _plan(options: argparse.Namespace) -> Plan:
    from fairshoe.shuffle.firmware_decks import check_shuffles, deck_cards

    config, _ = configs.load_board(options.board)
    check_shuffles(config)
    cards = deck_cards(options.game)
    least = max(SHUFFLES_MIN, CELL_MIN * cards)
    if options.shuffles < least:
        raise UsageError(f"{options.shuffles} shuffles are too few to tell anything.", f"Give --shuffles {least}.")
    if options.full < 0 or options.processes < 1:
        raise UsageError("--full or --processes is too small.", "--full from 0, --processes from 1.")
    seed = secrets.randbits(32) if options.seed is None else options.seed
    return Plan(
        options.board, config, options.game, cards, options.shuffles, options.full, seed, options.processes,
        options.thorough,
    )  # fmt: skip


def _writable(path: Path) -> None:
    """Now, and not after minutes of work."""
    try:
        path.open("a").close()
    except OSError as error:
        raise FairshoeError(f"{path}: {error.strerror or error}.", "Give --html a file that can be written.") from error


def _coloured(out: TextIO) -> bool:
    return out.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR")


class Progress:
    """A bar on a terminal, a line now and then elsewhere; nothing for what takes less than a second."""

    EVERY_S = 10.0

    def __init__(self, total: int, out: TextIO = sys.stderr) -> None:
        self.total = total
        self.out = out
        self.live = out.isatty() and os.environ.get("TERM") != "dumb"
        self._started = time.monotonic()
        self._shown = self._started
        self._drawn = False

    def update(self, done: int) -> None:
        now = time.monotonic()
        if now - self._started < 1 or now - self._shown < (0.1 if self.live else self.EVERY_S):
            return
        self._shown = now
        share = done / self.total
        left = (now - self._started) * (1 - share) / share if share else 0
        text = f"{share:4.0%}  {done:,} of {self.total:,} shuffles, {left:.0f} s left"
        if self.live:
            filled = round(share * _BAR)
            self.out.write(f"\r\x1b[K[{'#' * filled}{'.' * (_BAR - filled)}] {text}")
            self._drawn = True
        else:
            self.out.write(f"shuffle-test: {text}\n")
        self.out.flush()

    def finish(self) -> None:
        if self._drawn:
            self.out.write("\r\x1b[K")
            self.out.flush()
