"""`fairshoe noise`: capture raw noise and judge it by the estimators of SP 800-90B."""

from __future__ import annotations

import argparse
import json
import secrets
import subprocess
import sys
from datetime import datetime, timezone
from hashlib import sha256
from pathlib import Path

from fairshoe import __version__
from fairshoe.boards import configs
from fairshoe.cli.options import check_prompt_port
from fairshoe.errors import FairshoeError, UsageError
from fairshoe.files import check_writable, read_regular, write_whole
from fairshoe.noise import capture
from fairshoe.noise.assessment import assess, assess_restarts
from fairshoe.noise.trial import SIMULATED, Trial, as_json, as_text
from fairshoe.printable import say
from fairshoe.ship.repl import open_line
from fairshoe.text.progress import Progress

SAMPLES_MIN = 5_000  # the longest window of a predictor, and some
RESTARTS_MIN = 75  # squared
POWER_S_MAX = 120
RAW_BYTES_MAX = 64 << 20


def run(options: argparse.Namespace) -> int:
    if (options.port is not None) + (options.simulate is not None) + (options.raw is not None) != 1:
        raise UsageError("noise judges one source.", "Give a PORT, or --simulate KIND, or --raw FILE.")
    check_prompt_port(options.port)
    if options.samples < SAMPLES_MIN or 0 < options.restarts < RESTARTS_MIN or options.restarts < 0:
        raise UsageError(
            "too few samples or restarts.", f"--samples from {SAMPLES_MIN}, --restarts 0 or from {RESTARTS_MIN}."
        )
    if options.raw is not None and options.restarts:
        raise UsageError("a file cannot be restarted.", "Leave --restarts out.")
    for name in filter(None, (options.html, options.keep)):
        check_writable(Path(name))
    config, _ = configs.load_board(options.board)
    progress = Progress()
    try:
        trial = _try(options, config, progress)
    finally:
        progress.finish()
    if options.html:
        from fairshoe.noise.report_page import page

        write_whole(Path(options.html), page(trial))
    if options.json:
        say(json.dumps(as_json(trial), indent=1))
    else:
        for line in as_text(trial):
            say(line)
    return 0 if trial.passes else 1


def _try(options: argparse.Namespace, config: configs.Config, progress: Progress) -> Trial:
    name, claim = config["entropy"]["source"], config["entropy"]["millibits_per_byte"]
    width = capture.width_of(name)
    size = capture.raw_bytes(options.samples, width)
    matrix: list[bytes] = []
    if options.raw is not None:
        raw, good, taken_from = _read_file(Path(options.raw), size), True, str(options.raw)
    else:
        source, taken_from = _open(options, config, progress)
        try:
            raw, good = capture.take(source.read, size, progress.at)
            row = capture.raw_bytes(options.restarts, width)
            restarted = capture.take_restarts(source, options.restarts, row, progress.at)
            matrix = [capture.samples_of(each, width)[: options.restarts] for each in restarted]
        finally:
            source.close()
    if options.keep:
        Path(options.keep).write_bytes(raw)
    found = assess(capture.samples_of(raw, width)[: options.samples], width, progress.at)
    worth = min(found.entropy, claim * width / 8000)
    return Trial(
        board=config["name"],
        source=name,
        taken_from=taken_from,
        at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        version=__version__,
        sha256=sha256(raw).hexdigest(),
        sound=good,
        claim_millibits=claim,
        assessment=found,
        restarts=assess_restarts(matrix, width, worth, progress.at) if matrix else None,
    )


def _open(
    options: argparse.Namespace, config: configs.Config, progress: Progress
) -> tuple[capture.Simulated | capture.AtPrompt, str]:
    if options.simulate is not None:
        seed = secrets.randbits(31) if options.seed is None else options.seed
        return capture.Simulated(config, options.simulate, seed), f"{SIMULATED} {options.simulate}, seed {seed}"
    progress.say(f"looking for the prompt at {options.port} ...")
    power = (lambda: _switch(options.power)) if options.power else None
    source = config["entropy"]["source"]
    return (
        capture.AtPrompt(source, lambda: open_line(options.port), options.port, options.wait_s, progress.say, power),
        str(options.port),
    )


def _switch(command: str) -> None:
    """Have the machine's power switched off and on by the user's own command."""
    try:
        subprocess.run(command, shell=True, check=True, timeout=POWER_S_MAX, stdout=sys.stderr)
    except (subprocess.SubprocessError, OSError) as error:
        raise FairshoeError(f"--power: {error}.", "Run the command by hand and see why it fails.") from error


def _read_file(path: Path, size: int) -> bytes:
    try:
        raw = read_regular(path, RAW_BYTES_MAX)
    except OSError as error:
        raise FairshoeError(f"{path}: {error.strerror or error}.", "Give --raw a file of raw noise.") from error
    if len(raw) < size:
        raise FairshoeError(f"{path} has {len(raw):,} bytes, {size:,} are needed.", "Give --samples fewer.")
    return raw[:size]
