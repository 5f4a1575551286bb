"""`make release`: one folder from a clean commit, the same bytes for all who build it but for signatures."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import release_files
import surface

from docs.site import SITE
from docs.site import build as build_site
from fairshoe import __version__
from fairshoe.boards.configs import board_names, load_board
from fairshoe.cli import command_line
from fairshoe.ship.build import is_rp2040
from release import packages
from release.contents import SBOM, bill
from release.packages import ROOT, ReleaseError, call

WORK = ROOT / "build" / "release"
# How to use the folder, for a person who has nothing else.
BEGIN = """\
## Check, install, begin

    sha256sum --quiet -c SHA256SUMS             # nothing was damaged
    python3 -m venv ../env                      # Python 3.10 or newer; outside of this folder, which verify checks
    ../env/bin/pip install --find-links . 'fairshoe[release,floor]=={version}'
    ../env/bin/fairshoe firmware verify --release . --key ../signing.key.pub   # unaltered; get the key elsewhere
    ../env/bin/fairshoe demo                    # a simulated shoe: rounds, a short deck, a jam

`fairshoe docs` lists pages to read in the terminal; `fairshoe docs RELEASE` has the other extras. The same as a site:
unpack `fairshoe-{version}-docs.tar.gz` elsewhere and open `index.html`."""
SCHEMAS = ("board_configs", "game_profiles", "host_tools/fairshoe/bench/plans")


def clean_commit() -> tuple[str, str]:
    """The commit that the release is made from, and its time: nothing may differ from it."""
    changed = call(["git", "status", "--porcelain"]).splitlines()
    if changed:
        raise ReleaseError(
            "a release is made from a commit, and these differ from it:\n  "
            + "\n  ".join(changed[:8])
            + "\ncommit them, or build in a fresh clone"
        )
    commit, when = call(["git", "log", "-1", "--format=%H %ct"]).split()
    return commit, when


def notes(version: str, text: str) -> str:
    """The section of the CHANGELOG about a version, with links that lead into the site's archive or the sources."""
    found = re.search(rf"^## {re.escape(version)}\b.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise ReleaseError(f"CHANGELOG.md has no section `## {version}`: write what is new for those who upgrade")
    return re.sub(r"\[([^\]]+)\]\((?![a-z]+:)([^)]+)\)", r"\1 (\2)", found[0]).strip() + "\n"


def older_files() -> list[str]:
    """A warning unless tests/releases has what exactly these programs leave on disks, for later versions to open."""
    folder = release_files.FILES / __version__
    if not folder.exists():
        raise ReleaseError(f"tests/releases has no files of {__version__}: run `make release-files` and commit them")
    if release_files.is_of(release_files.commit_of(folder)):
        return []
    return [f"tests/releases/{__version__} is not by these programs: run `make release-files`, commit"]


def copy_data(parts: Path) -> None:
    shutil.copytree(ROOT / "docs" / "protocol", parts / "protocol", ignore=shutil.ignore_patterns("*.md"))
    (parts / "schemas").mkdir()
    for folder in SCHEMAS:
        for path in (ROOT / folder).glob("*schema.json"):
            shutil.copy(path, parts / "schemas" / f"{Path(folder).name}.{path.name}")
    for name in ("LICENSE", "CHANGELOG.md", "docs/NOTICES.md"):
        shutil.copy(ROOT / name, parts)


def fairshoe(*words: str) -> None:
    status = command_line.main(list(words))
    if status:
        raise ReleaseError(f"fairshoe {' '.join(words)} ended with status {status}")


def build_images(boards: list[str], options: argparse.Namespace) -> list[Path]:
    """Images of the boards that have one. The checkout must be the one that releases are built from."""
    out = WORK / "image"
    for board in boards:
        picotool = ["--picotool", options.picotool] if options.picotool else []
        fairshoe("firmware", "image", "--board", board, "--micropython", options.micropython, "-o", str(out), *picotool)
    checkout = Path(options.micropython)
    linked = {name: checkout / name for record in records(out) for name in record["trees"] if name != "micropython"}
    (WORK / "parts" / "licences").mkdir()
    for name, folder in {"micropython": checkout, **linked}.items():
        for path in sorted(folder.glob("LICEN[CS]E*")):
            shutil.copy(path, WORK / "parts" / "licences" / f"{Path(name).name}-{path.name}")
    return sorted(out.glob("fairshoe-*.uf2"))


def records(out: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(out.glob("fairshoe-*.json"))]


def step(title: str, what: Callable[[], object]) -> None:
    print(f"release: {title} ...", end=" ", flush=True)
    begin = time.monotonic()
    what()
    print(f"{time.monotonic() - begin:.1f} s", flush=True)


def make(options: argparse.Namespace) -> int:
    out = Path(options.out or ROOT / "dist" / f"release-{__version__}")
    commit, os.environ["SOURCE_DATE_EPOCH"] = clean_commit()
    broken = surface.problems()
    if broken:
        raise ReleaseError(f"a promise is broken: {', '.join(broken)}; run `make surface`, which says what to do")
    if surface.kept_messages() != (__version__, surface.message_table()):
        raise ReleaseError("the messages are not written down: run `make surface WRITE=1` and commit")
    shutil.rmtree(WORK, ignore_errors=True)
    parts = WORK / "parts"
    parts.mkdir(parents=True)
    warnings = older_files()
    said = notes(__version__, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    step("wheel and source archive, built twice and once from each other", lambda: packages.build(parts, WORK))
    step("package for JavaScript", lambda: packages.pack_javascript(parts, WORK))
    step("documentation", lambda: build_site() == 0 or _fail("the documentation was not built: see above"))
    packages.pack_folder(SITE, f"fairshoe-{__version__}-docs", parts / f"fairshoe-{__version__}-docs.tar.gz")
    copy_data(parts)
    lacking: list[str] = []
    boards: list[str] = options.board or board_names()
    configs = {board: load_board(board)[0] for board in boards}
    images: list[Path] = []
    if options.micropython:
        images = build_images([name for name, it in configs.items() if it["mcu"]["port"] == "rp2"], options)
    else:
        boards = [board for board in boards if not is_rp2040(configs[board])]
        lacking.append(
            "no images, and so no board with an RP2040: no MicroPython checkout was given (MICROPYTHON=checkout)"
        )
    step("bill of materials", lambda: _write(parts / SBOM, bill(WORK, __version__, records(WORK / "image"))))
    lines = [f"# fairshoe {__version__}", f"Built from commit {commit}.", *(f"This build has {it}." for it in lacking)]
    _write(parts / "NOTES.md", "\n\n".join([*lines, BEGIN.format(version=__version__), said]))
    words = [word for board in boards for word in ("--board", board)]
    words += [word for image in images for word in ("--image", str(image))]
    fairshoe("firmware", "release", "build", *words, "--with", str(parts), "-o", str(out))
    if options.key:
        fairshoe("firmware", "release", "sign", str(out), "--key", options.key)
    else:
        lacking.append(f"no signature: fairshoe firmware release sign {out} --key signing.key, or KEY=signing.key")
    print("".join(f"release: WARNING: {it}\n" for it in lacking + warnings), end="")
    print(f"release: check it with: (cd {out} && sha256sum --quiet -c SHA256SUMS)")
    return 0


def _fail(words: str) -> None:
    raise ReleaseError(words)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser("release", description=__doc__)
    parser.add_argument("--out", help="a new folder (dist/release-VERSION)")
    parser.add_argument("--board", action="append", help="only these boards; may be repeated")
    parser.add_argument("--micropython", help="a MicroPython checkout: images of the boards that run them")
    parser.add_argument("--picotool", help="folder with picotoolConfig.cmake")
    parser.add_argument("--key", help="the signing key of `fairshoe firmware release keygen`")
    try:
        return make(parser.parse_args())
    except ReleaseError as error:
        print(f"\nrelease: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
