"""`fairshoe firmware flash`: write the firmware onto a device, only what changed, and check that it runs."""

from __future__ import annotations

import argparse
import contextlib
import json
from collections.abc import Generator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fairshoe.boards.configs import load_board
from fairshoe.cli.options import check_prompt_port
from fairshoe.errors import FairshoeError, UsageError
from fairshoe.printable import printable, say
from fairshoe.ship import flash, start_check
from fairshoe.ship.build import build
from fairshoe.ship.device_files import Device
from fairshoe.ship.file_plan import Plan
from fairshoe.ship.game_fit import check_with_game
from fairshoe.ship.identity import refuse_below
from fairshoe.ship.manifest import pick_board, read_manifest, released_files
from fairshoe.ship.prompt import reach
from fairshoe.ship.signing import check_signature, read_public_key
from fairshoe.text.progress import Progress
from fairshoe.transport.urls import PortAddress

Payload = tuple[dict[str, Any], dict[str, bytes], str]  # config, files, firmware


@dataclass
class Report:
    """What was found and done, for people and for --json."""

    board: str
    game: str
    firmware: str
    files: int
    bytes: int
    device: str = ""
    micropython: str = ""
    unique_id: str = ""
    written: list[str] = field(default_factory=list[str])
    deleted: list[str] = field(default_factory=list[str])
    unchanged: int = 0
    others: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])
    done: bool = False
    runs: bool = False
    table: dict[str, Any] | None = None


def run(options: argparse.Namespace) -> int:
    check_prompt_port(options.port)
    if options.release is None and (options.key or options.unsigned):
        raise UsageError(
            "--key and --unsigned are about a release, and there is none.", "Name the release with --release."
        )
    if options.table_port and not options.port:
        raise UsageError("--table-port without PORT: nothing would be written.", "Give the device's own port too.")
    if options.table_port and options.table_port == options.port:
        raise UsageError("PORT and --table-port are the same.", "The table port is the shoe's UART, not its USB.")
    progress = Progress()
    config, files, firmware = _released(options, progress) if options.release is not None else _built(options, progress)
    wanted = start_check.expected(files, firmware)
    report = Report(options.board, wanted.game, wanted.firmware, len(files), sum(map(len, files.values())))
    what = printable(f"firmware {report.firmware}, game {report.game}")
    progress.say(f"  {report.files} files, {report.bytes} bytes; {what}")
    if options.port:
        try:
            _flash(options, config, files, wanted, report, progress)
        finally:
            progress.finish()
    if options.json:
        say(json.dumps(asdict(report), indent=1))
    else:
        _print(report, options.dry_run)
    return 0


def _built(options: argparse.Namespace, progress: Progress) -> Payload:
    from firmware.version import VERSION_TEXT

    check_with_game(options.board, options.game)
    flash.check_board(load_board(options.board)[0])
    progress.say(f"building {options.board} ...")
    built = build(options.board, game=options.game)
    return built.config, built.files, VERSION_TEXT.decode()


def _released(options: argparse.Namespace, progress: Progress) -> Payload:
    if options.game:
        raise UsageError("a release is as it was built.", "Leave out --game, or build without --release.")
    if options.key and options.unsigned:
        raise UsageError("--key or --unsigned, not both.", "--key checks the signature; --unsigned goes without.")
    path = Path(options.release)
    release = read_manifest(path)
    refuse_below(release.version, options.at_least)
    if options.key:
        signer = check_signature(path, release, [read_public_key(Path(key)) for key in options.key])
        progress.say(f"release {printable(release.version)}, signed by {signer[:16]}...")
    elif options.unsigned:
        progress.say(f"release {printable(release.version)}, its signature NOT CHECKED")
    else:
        raise UsageError(
            "no key was given: whose signature counts?", "Give the public key with --key, or say --unsigned."
        )
    board = pick_board(release, options.board)
    flash.check_board(dict(board.config))
    return dict(board.config), released_files(path, board), release.firmware


def _flash(
    options: argparse.Namespace,
    config: dict[str, Any],
    files: dict[str, bytes],
    wanted: start_check.Expected,
    report: Report,
    progress: Progress,
) -> None:
    open_port = PortAddress(options.port).open
    leave = flash.FlashPermissions(options.other_board, options.other_micropython, options.clean, options.older)
    progress.say(f"looking for the prompt at {options.port} ...")
    prompt = reach(open_port, options.port, options.wait_s, progress.say)
    try:
        device = Device(prompt)
        with _restarted(device):
            plan = _look(device, config, files, leave, report, progress)
        if not options.dry_run:
            _write(device, files, plan, progress)
            report.done = True
        progress.say("restarting the device ...")
        device.reset()
    finally:
        prompt.close()
    if options.dry_run:
        return
    start_check.stays_silent(open_port, options.port)
    report.runs = True
    if options.table_port:
        progress.say(f"saying hello at {options.table_port} ...")
        answer = start_check.greet(PortAddress(options.table_port).open, options.table_port, wanted)
        report.table = asdict(answer)


@contextlib.contextmanager
def _restarted(device: Device) -> Generator[None, None, None]:
    """After a refusal before any change, restart the device as it was."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(FairshoeError):
            device.reset()
        raise


def _look(
    device: Device,
    config: dict[str, Any],
    files: dict[str, bytes],
    leave: flash.FlashPermissions,
    report: Report,
    progress: Progress,
) -> Plan:
    _describe(device, report, progress)
    report.notes += flash.check_device(device.identity, config, files, leave)
    for note in report.notes:
        progress.say(f"  note: {printable(note)}")
    flash.check_installed(device, report.firmware, leave)
    progress.say("comparing files ...")
    plan = flash.plan_for(device, files, leave)
    _tell_plan(plan, report, progress)
    return plan


def _write(device: Device, files: dict[str, bytes], plan: Plan, progress: Progress) -> None:
    try:
        flash.apply(device, files, plan, progress.at)
        flash.check(device.files(), files)
    except KeyboardInterrupt:
        progress.say("interrupted: the device waits at its prompt; the same command goes on from here")
        raise


def _describe(device: Device, report: Report, progress: Progress) -> None:
    identity = device.identity
    report.device, report.micropython, report.unique_id = identity.machine, identity.release, identity.unique_id
    about = f"{identity.machine}, MicroPython {identity.release}, number {identity.unique_id}"
    progress.say(f"  {printable(about)}")


def _tell_plan(plan: Plan, report: Report, progress: Progress) -> None:
    report.written = list(plan.write)
    report.deleted = [name for name, _is_folder in plan.delete]
    report.unchanged = len(plan.unchanged)
    report.others = list(plan.others)
    progress.say(f"  {len(report.written)} to write, {len(report.deleted)} to delete, {report.unchanged} unchanged")


def _print(report: Report, dry_run: bool) -> None:
    if not report.device:
        say(f"{report.board}: {report.files} files, {report.bytes} bytes; not written anywhere (no PORT)")
        return
    if dry_run:
        for name in report.written:
            say(f"would write  {printable(name)}")
        for name in report.deleted:
            say(f"would delete {printable(name)}")
        say(f"nothing was changed; {report.unchanged} of {report.files} files are right already")
        return
    changed = f"{len(report.written)} written, {len(report.deleted)} deleted, {report.unchanged} unchanged"
    device = printable(f"{report.device} ({report.unique_id})")
    # Silence is what a shoe that scans keeps, and what a dead one keeps as well: only its own word says that it runs.
    verb = "runs" if report.table else "has"
    say(f"{device} {verb} fairshoe {printable(report.firmware)}, game {printable(report.game)}: {changed}")
    asked = "" if report.table else "; to hear from it that it runs, give --table-port"
    say(f"  every file was read back and is right; no prompt after the restart{asked}")
    if report.others:
        say(f"  also on it, and not fairshoe's: {printable(', '.join(report.others))}")
    if report.table:
        crc = report.table["board_crc"]
        board = "" if crc is None else f", board config {crc:08x}"
        firmware, game = printable(report.firmware), printable(report.game)
        say(f"  its table port says the same: firmware {firmware}, game {game}{board}")
