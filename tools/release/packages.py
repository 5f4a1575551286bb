"""Wheel, source archive, package for JavaScript and site, each the same bytes from the same commit."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
# A page of each kind that the wheel must have.
PAGES = {
    "bench": "fairshoe/web/page/index.html",
    "live": "fairshoe/web/page/live.html",
    "dealer": "fairshoe_table/desk/page/table.html",
    "floor": "fairshoe_floor/page/index.html",
    "receipt": "fairshoe/web/receipt/receipt.html",
    "the bench page's VM": "fairshoe/_bundle/vm/micropython.wasm",
}


class ReleaseError(Exception):
    """Why there is no release, and what to do."""


def call(command: list[str | Path], folder: Path = ROOT) -> str:
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        words = " ".join(str(word) for word in command)
        raise ReleaseError(f"{words} failed:\n{(done.stderr or done.stdout)[-2000:]}")
    return done.stdout


def build(parts: Path, work: Path) -> None:
    """Wheel and source archive, built twice, and the wheel once more from the source archive: all equal."""
    for folder in (parts, work / "again"):
        call([BIN / "hatchling", "build", "-d", folder])
    (archive,) = parts.glob("*.tar.gz")
    (wheel,) = parts.glob("*.whl")
    with tarfile.open(archive) as tar:
        tar.extractall(work / "unpacked", filter="data")
    (source,) = (work / "unpacked").iterdir()
    call([BIN / "hatchling", "build", "-t", "wheel", "-d", work / "from-source"], source)
    for first, second in (
        (archive, work / "again" / archive.name),
        (wheel, work / "again" / wheel.name),
        (wheel, work / "from-source" / wheel.name),
    ):
        compare(first, second)
    with zipfile.ZipFile(wheel) as zipped:
        lacking = [page for page, name in PAGES.items() if name not in zipped.namelist()]
    if lacking:
        raise ReleaseError(f"the wheel lacks {', '.join(lacking)}: see [tool.hatch.build.targets.wheel]")


def compare(first: Path, second: Path) -> None:
    if first.read_bytes() != second.read_bytes():
        raise ReleaseError(f"{second} is not the same bytes as {first}: `diffoscope` names what differs")


def pack_javascript(parts: Path, work: Path) -> None:
    """As `npm pack` makes it, with the licence, which the sources have once, at their top."""
    package = work / "fairshoe-js"
    shutil.copytree(ROOT / "host_tools" / "fairshoe-js", package)
    shutil.copy(ROOT / "LICENSE", package)
    call([BIN / "npm", "pack", "--offline", "--pack-destination", parts.resolve()], package)


def pack_folder(folder: Path, name: str, archive: Path) -> None:
    """A tar.gz of a folder under another name: names in order, one owner, one time, plain modes."""
    plain = ("--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=a-x,u=rwX,go=rX", "--format=pax")
    when = ("--pax-option=delete=atime,delete=ctime", f"--mtime=@{os.environ['SOURCE_DATE_EPOCH']}")
    call(["tar", "-C", folder.resolve(), *plain, *when, f"--transform=s,^[.],{name},", "-czf", archive.resolve(), "."])
