"""`firmware verify`: compare a device, or a release folder, with a signed release, and say how much that proves."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fairshoe.cli.options import check_prompt_port
from fairshoe.errors import UsageError
from fairshoe.printable import printable, say
from fairshoe.ship import signing, verify
from fairshoe.ship.device_files import Device
from fairshoe.ship.errors import Differs, ImageError
from fairshoe.ship.flash_image import UF2_BEGIN, flash_of_uf2, read_bytes, read_image
from fairshoe.ship.identity import find_identity, refuse_below
from fairshoe.ship.manifest import (
    BoardRelease,
    Manifest,
    find_manifest,
    pick_board,
    read_manifest,
    released_image,
    sha256,
)
from fairshoe.ship.prompt import reach
from fairshoe.ship.verify import Finding
from fairshoe.text.progress import Progress
from fairshoe.transport.urls import PortAddress

WORTH = {
    "image": "evidence, if the boot ROM read the flash and the file was not changed since",
    "port": "SELF-REPORTED: the device says so itself, and altered code can lie; read its flash for evidence",
    "folder": "about the files in this folder and no device",
    "release": "about the release itself and no device",
}


def run(options: argparse.Namespace) -> int:
    advice = "Give the public key of the release's maker with --key; --unsigned goes without, and proves less."
    if options.key and options.unsigned:
        raise UsageError("--key or --unsigned, not both.", advice)
    sources = [word for word in ("image", "port", "folder") if getattr(options, word) is not None]
    if len(sources) > 1 or not all(getattr(options, source) for source in sources):
        raise UsageError(
            "verify compares one thing with the release.",
            "Give a PORT, or --image FILE, or --folder FOLDER; or none of them, for the release itself.",
        )
    source = sources[0] if sources else "release"
    check_prompt_port(options.port)
    manifest = read_manifest(Path(options.release))
    if not options.key and not options.unsigned:  # asked of a release that is there
        raise UsageError("no key was given: whose signature counts?", advice)
    trusted = [signing.read_public_key(Path(path)) for path in options.key]
    signer = signing.check_signature(Path(options.release), manifest, trusted) if trusted else None
    refuse_below(manifest.version, options.at_least)
    if source == "release":
        return _check_release(options, manifest, signer)
    release = pick_board(manifest, options.board)
    finding = _look(options, release)
    if options.json:
        say(json.dumps(_report(manifest, release, finding, source, signer), indent=1))
    else:
        _print(manifest, release, finding, source, signer)
    if not finding.same:
        raise Differs(
            f"not what release {manifest.version} has for {release.name}.",
            "Take the device out of use and find the reason; docs/FIRMWARE.md describes how to flash it again.",
        )
    return 0


def _check_release(options: argparse.Namespace, manifest: Manifest, signer: str | None) -> int:
    """Every file of the release folder: what a person does first who has downloaded one."""
    finding = verify.compare_release(manifest, find_manifest(Path(options.release)).parent)
    if options.json:
        say(json.dumps(_report(manifest, None, finding, "release", signer), indent=1))
    else:
        _print_head(manifest, ", ".join(sorted(manifest.boards)), finding, signer)
        result = "THE SAME" if finding.same else "DIFFERENT"
        say(f"  {finding.compared} files there, {len(manifest.hashes())} listed: {result}")
        say(f"  worth: {WORTH['release']}")
    if not finding.same:
        raise Differs(f"the folder is not release {manifest.version}.", "Do not use it: get the whole release again.")
    return 0


def _look(options: argparse.Namespace, release: BoardRelease) -> Finding:
    if options.image:
        return _look_at_flash(Path(options.image), Path(options.release), release)
    if options.folder:
        return verify.compare(release, verify.folder_files(Path(options.folder)))
    progress = Progress()
    progress.say(f"looking for the prompt at {options.port} ...")
    prompt = reach(PortAddress(options.port).open, options.port, options.wait_s, progress.say)
    try:
        device = Device(prompt)
        about = printable(f"{device.identity.machine}, MicroPython {device.identity.release}")
        progress.say(f"  {about}; reading its files ...")
        finding = verify.compare(release, device.files())
        device.reset()
    finally:
        prompt.close()
    return finding


def _look_at_flash(path: Path, folder: Path, release: BoardRelease) -> Finding:
    """An image says so itself, and then every byte counts; anything else is MicroPython with a file system."""
    data = read_bytes(path)
    try:
        identity = find_identity(flash_of_uf2(data) if data[:4] == UF2_BEGIN else data)
        if identity is not None:
            flash = verify.whole_flash(data, release)
            return verify.compare_flash(release, flash, identity, released_image(folder, release))
    except ImageError as error:
        raise ImageError(f"{path}: {error.what}", error.advice) from error
    return verify.compare_image(release, read_image(path))


def _report(
    manifest: Manifest, release: BoardRelease | None, finding: Finding, source: str, signer: str | None
) -> dict[str, Any]:
    return {
        "same": finding.same,
        **asdict(finding),
        "source": source,
        "worth": WORTH[source],
        "signed_by": signer,
        "board": release.name if release else None,
        "version": manifest.version,
        "manifest": sha256(manifest.raw),
    }


def _print_head(manifest: Manifest, boards: str, finding: Finding, signer: str | None) -> None:
    signed = f"signed by {signer[:16]}..." if signer else "NOT SIGNED: its author is unknown"
    say(f"release {printable(manifest.version)} for {boards}, manifest {sha256(manifest.raw)[:16]}..., {signed}")
    for word, names in (("altered", finding.altered), ("missing", finding.missing), ("extra", finding.extra)):
        for name in names:
            say(f"  {word:8s} {printable(name)}")


def _print(manifest: Manifest, release: BoardRelease, finding: Finding, source: str, signer: str | None) -> None:
    _print_head(manifest, release.name, finding, signer)
    if finding.image:
        _print_image(finding)
        say(f"  worth: {WORTH[source]}")
        return
    if finding.interpreter == verify.ALTERED:
        say("  altered  MicroPython itself, or something between it and the files")
    elif finding.interpreter == verify.UNKNOWN:
        why = "the release names none" if source == "image" else "it cannot be read this way"
        say(f"  MicroPython itself was not compared: {why}")
    else:
        say("  MicroPython is the one of the release")
    right = finding.compared - len(finding.altered)
    say(f"  {right} of {len(release.files)} files are right: {'THE SAME' if finding.same else 'DIFFERENT'}")
    say(f"  worth: {WORTH[source]}")


def _print_image(finding: Finding) -> None:
    say(f"  {printable(finding.image)}")
    if finding.note:
        say(f"  {printable(finding.note)}")
    if finding.boot_key:
        say(f"  signed for the boot ROM by key {finding.boot_key}")
    if not finding.compared:
        say("  nothing to compare the image with: DIFFERENT")
        return
    result = "THE SAME" if finding.same else "DIFFERENT"
    say(f"  compared {finding.compared} sectors of the image, and all that lies behind it: {result}")
