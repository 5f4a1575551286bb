"""`fairshoe proof noise`: capture raw noise in the format that NIST's SP 800-90B tool reads."""

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
from fairshoe.files import check_writable, write_whole
from fairshoe.noise import capture
from fairshoe.noise.claim import NOTE, SIMULATED, Note
from fairshoe.printable import say
from fairshoe.text.progress import Progress
from fairshoe.transport.urls import PortAddress

POWER_S_MAX = 120


def run(options: argparse.Namespace) -> int:
    if (options.port is None) == (options.simulate is None):
        raise UsageError("noise captures one source.", "Give a PORT, or --simulate KIND.")
    check_prompt_port(options.port)
    if options.samples < 1 or options.restarts < 0:
        raise UsageError("nothing to capture.", "--samples from 1, --restarts from 1.")
    out = Path(options.out)
    note_path = out.with_name(out.name + NOTE)
    for path in (out, note_path):
        check_writable(path)
    config, _ = configs.load_board(options.board)
    name = config["entropy"]["source"]
    width = capture.width_of(name)
    progress = Progress()
    try:
        source, taken_from = _open(options, config, progress)
        try:
            samples, sound = _take(source, options, width, progress)
        finally:
            source.close()
    finally:
        progress.finish()
    out.write_bytes(samples)
    note = Note(
        board=config["name"],
        source=name,
        taken_from=taken_from,
        at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        version=__version__,
        samples=len(samples),
        width=width,
        restarts=options.restarts,
        sound=sound,
        sha256=sha256(samples).hexdigest(),
    )
    write_whole(note_path, json.dumps(note.to_json(), indent=1) + "\n")
    tool = "ea_restart -n" if options.restarts else "ea_non_iid -i -a"
    unit = "bit" if width == 1 else "bits"
    say(f"{len(samples):,} samples of {width} {unit} from {taken_from}: {out}, described by {note_path}")
    if not sound:
        say("the source REPORTED A FAILURE while it was captured")
    say(f"judge them in the same folder: {tool} -o REPORT.json {out.name} {width}{' H' if options.restarts else ''}")
    return 0 if sound else 1


def _take(
    source: capture.Simulated | capture.AtPrompt, options: argparse.Namespace, width: int, progress: Progress
) -> tuple[bytes, bool]:
    """One sample a byte: a sequence, or the first samples after each restart."""
    rows, count = options.restarts, options.restarts or options.samples
    if not rows:
        raw, sound = capture.take(source.read, capture.raw_bytes(count, width), progress.at)
        return capture.samples_of(raw, width)[:count], sound
    samples, sound = bytearray(), True
    for raw, good in capture.take_restarts(source, rows, capture.raw_bytes(count, width), progress.at):
        samples += capture.samples_of(raw, width)[:count]
        sound &= good
    return bytes(samples), sound


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
        capture.AtPrompt(source, PortAddress(options.port).open, options.port, options.wait_s, progress.say, power),
        str(options.port),
    )


def _switch(command: str) -> None:
    """Have the machine's power switched off and on by the user's own command."""
    try:
        subprocess.run(command, shell=True, check=True, timeout=POWER_S_MAX, stdout=sys.stderr)
    except (subprocess.SubprocessError, OSError) as error:
        raise FairshoeError(f"--power: {error}.", "Run the command by hand and see why it fails.") from error
