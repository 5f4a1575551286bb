"""Installs a release into an empty environment of every Python that the machine has, and starts what people use first.

    python -m release.install FOLDER

Our part comes from the folder alone (`pip install --no-index`). What it needs of others comes from the lock, with
hashes: for the Python of .venv from .venv, for others from pip's own index.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import sysconfig
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from release.contents import needed
from release.packages import ReleaseError

OLDEST = (3, 10)
SECONDS = 600
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("FAIRSHOE_", "PYTHON"))}
DEMO = ("demo", "--board", "pico-draw", "--speed", "50")
SERVERS = (("web", "--no-open", "--port", "0"), ("floor", "gateway", "--demo", "5"), ("table", "serve", "--no-open"))
_URL = re.compile(r"https?://[^\s#]+")
_ASK = "import sys; print(*sys.version_info[:3], sys.base_prefix)"


class NotTried(ReleaseError):
    """A Python for which pip found no packages: without a network, or too new for them."""


def pythons() -> dict[str, Path]:
    """One interpreter of each version that is supported, by version: this one, those on the path, those of pyenv."""
    folders = [Path(word) for word in os.environ.get("PATH", "").split(os.pathsep)]
    folders += sorted((Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions").glob("*/bin"))
    names = [f"python3.{minor}" for minor in range(OLDEST[1], 30)]
    found: dict[str, Path] = {}
    for path in [Path(sys.executable), *(folder / name for folder in folders for name in names)]:
        asked = _run([path, "-c", _ASK]) if path.exists() else None
        if asked is not None and asked.returncode == 0:  # pyenv puts names on the path that lead nowhere
            major, minor, micro = asked.stdout.split()[:3]
            if (int(major), int(minor)) >= OLDEST and not any(it.startswith(f"3.{minor}.") for it in found):
                found[f"{major}.{minor}.{micro}"] = path
    return found


def install(python: Path, release: Path, folder: Path) -> Path:
    """A new environment below `folder` with the release; the interpreter in it."""
    inside = folder / "env" / "bin" / "python"
    pip = [inside, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    _must(_run([python, "-m", "venv", folder / "env"]), "make an environment")
    ours = [*pip, "--no-index", "--no-deps", "--find-links", release, "--only-binary", ":all:", "fairshoe"]
    _must(_run(ours), "install the release")
    if python == Path(sys.executable):
        # A folder that is added by a .pth file adds none itself: the editable install of this checkout stays out.
        (packages,) = (folder / "env").glob("lib/python*/site-packages")
        (packages / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")
    else:
        lock = folder / "needed.txt"
        lock.write_text("".join(it.text for it in needed()), encoding="utf-8")
        _must(_run([*pip, "--require-hashes", "--use-pep517", "-r", lock]), "install what the release needs", NotTried)
    return inside


def start(python: Path, folder: Path) -> Iterator[str]:
    """Run the demonstration, and start each server until it answers; the words of each that did."""
    home = {**CLEAN, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_STATE_HOME": str(folder)}
    fairshoe = [str(python), "-m", "fairshoe"]
    done = subprocess.run([*fairshoe, *DEMO], cwd=folder, env=home, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode or "0 missing" not in done.stdout:
        raise ReleaseError(
            f"fairshoe {' '.join(DEMO)}: status {done.returncode}\n{(done.stdout + done.stderr)[-2000:]}"
        )
    yield DEMO[0]
    for words in SERVERS:
        log = folder / "errors.txt"
        with (
            log.open("w") as errors,
            subprocess.Popen(
                [*fairshoe, *words], cwd=folder, env=home, stdout=subprocess.PIPE, stderr=errors, text=True
            ) as process,
        ):
            try:
                if not _answers(process):
                    raise ReleaseError(f"fairshoe {' '.join(words)} served no page:\n{log.read_text()[-2000:]}")
            finally:
                process.send_signal(signal.SIGINT)
                try:
                    process.communicate(timeout=60)
                except subprocess.TimeoutExpired:
                    process.kill()
        yield " ".join(word for word in words if word.isalpha())


def _answers(process: subprocess.Popen[str]) -> bool:
    """Wait until a server prints its address, and get its page."""
    for line in process.stdout or ():
        found = _URL.search(line)
        if found:
            with urllib.request.urlopen(found[0], timeout=SECONDS) as answer:
                return "<title>" in answer.read().decode()
    return False


def _run(command: list[str | Path]) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    return subprocess.run(words, env=CLEAN, capture_output=True, text=True, timeout=SECONDS)


def _must(done: subprocess.CompletedProcess[str], purpose: str, error: type[ReleaseError] = ReleaseError) -> None:
    if done.returncode:
        raise error(f"could not {purpose}: {done.stderr.strip()[-600:]}")


def try_all(release: Path) -> dict[str, ReleaseError | None]:
    """What came of the release on each Python, by version; printed as it goes."""
    found: dict[str, ReleaseError | None] = {}
    for version, python in pythons().items():
        print(f"Python {version}:", end=" ", flush=True)
        with tempfile.TemporaryDirectory() as name:
            try:
                for words in start(install(python, release.resolve(), Path(name)), Path(name)):
                    print(words, end=", ", flush=True)
                found[version] = None
                print("all work", flush=True)
            except ReleaseError as error:
                found[version] = error
                print(f"{'NOT TRIED' if isinstance(error, NotTried) else 'FAILED'}: {error}", flush=True)
    return found


def main() -> int:
    return int(any(try_all(Path(sys.argv[1])).values()))


if __name__ == "__main__":
    sys.exit(main())
