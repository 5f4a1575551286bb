"""Makes .venv with everything that `make` needs, from hashed locks.

Standard library only: this runs before anything is installed. Every step leaves a stamp when it
has finished, so a second run has nothing to do and needs no network, and an interrupted run goes on
at the step that was cut short.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
BIN = VENV / "bin"
STAMPS = VENV / "setup"
LOG = ROOT / ".setup.log"
PYTHON_MIN = (3, 10)
LOG_LINES_SHOWN = 12
NEEDS_NETWORK = "the first set-up needs the network, or a mirror named in pip's and npm's own settings: check that"


class SetupError(Exception):
    """What went wrong and what to do next, in one line; then what the failed command wrote, if one did."""


@dataclass(frozen=True)
class Step:
    """One thing to install. It is done when `makes` exists and its stamp holds the hash of `inputs`."""

    name: str
    title: str
    inputs: tuple[str, ...]
    makes: Path
    run: Callable[[], None]

    def key(self) -> str:
        # The interpreter and the folder count: a venv works for one of each only.
        digest = hashlib.sha256(f"{sys.version}\0{sys.base_prefix}\0{ROOT}".encode())
        for name in self.inputs:
            digest.update((ROOT / name).read_bytes())
        return digest.hexdigest()

    def is_done(self) -> bool:
        stamp = STAMPS / self.name
        return self.makes.exists() and stamp.is_file() and stamp.read_text() == self.key()

    def do(self) -> None:
        stamp = STAMPS / self.name
        stamp.unlink(missing_ok=True)
        key = self.key()
        self.run()
        STAMPS.mkdir(parents=True, exist_ok=True)
        stamp.write_text(key)


# --- the steps ---------------------------------------------------------------------------------


def make_venv() -> None:
    # Steps that follow have their stamps in here: a new venv does them all again.
    shutil.rmtree(VENV, ignore_errors=True)
    if importlib.util.find_spec("ensurepip") is None:
        install_ensurepip()
    # With .venv activated sys.executable was inside it, and is gone now.
    python = getattr(sys, "_base_executable", sys.executable)
    call([python, "-m", "venv", str(VENV)], "make a virtual environment")


def install_ensurepip() -> None:
    """Debian and Ubuntu keep the part of Python that `venv` needs in a package of its own."""
    package = f"python3.{sys.version_info.minor}-venv"
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise SetupError(
            f"this Python has no ensurepip, so it cannot make a virtual environment; "
            f"install the package {package} (Debian, Ubuntu: sudo apt-get install {package}) and run make again"
        )
    call(["apt-get", "-q", "update"], "read the package lists", may_fail=True)
    call(["apt-get", "-q", "-y", "install", "--no-install-recommends", package], f"install {package}", NEEDS_NETWORK)


def install_build_tools() -> None:
    pip_install("build.txt")


def install_python_packages() -> None:
    # No isolation: crcmod is built with the setuptools of the lock. Without a C compiler its build
    # falls back to pure Python by itself. --use-pep517 keeps old pips off the legacy installer.
    pip_install("dev.txt", "--no-build-isolation", "--use-pep517")
    # The PyPI package carries the whole of pyright, under the hash in the lock; this shows that it
    # and node start, so that the first `make check` does not have to find out.
    call([str(BIN / "pyright"), "--version"], "start pyright")


def install_typings() -> None:
    target = VENV / "typings"
    shutil.rmtree(target, ignore_errors=True)
    pip_install("typings.txt", "--no-deps", "--target", str(target))


def install_node_packages() -> None:
    command = [str(BIN / "npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    call(command, "install the MicroPython VM with npm", NEEDS_NETWORK)


def install_fairshoe() -> None:
    command = [*PIP_INSTALL, "--no-deps", "--no-build-isolation", "--editable", "."]
    call(command, "install fairshoe itself")


def install_bench() -> None:
    pip_install("bench.txt", "--no-build-isolation", "--use-pep517")


def install_docs() -> None:
    pip_install("docs.txt")


def install_web() -> None:
    pip_install("web.txt")


def install_floor() -> None:
    pip_install("floor.txt")


def install_release() -> None:
    pip_install("release.txt")


STEPS = (
    Step("venv", "virtual environment in .venv", (), BIN / "python", make_venv),
    Step("build", "build tools", ("requirements/build.txt",), BIN / "hatchling", install_build_tools),
    Step("python", "Python packages", ("requirements/dev.txt",), BIN / "pyright", install_python_packages),
    Step("typings", "MicroPython types", ("requirements/typings.txt",), VENV / "typings", install_typings),
    Step(
        "node",
        "MicroPython VM (WebAssembly)",
        ("package.json", "package-lock.json"),
        ROOT / "node_modules/@micropython",
        install_node_packages,
    ),
    Step("fairshoe", "fairshoe, in place", ("pyproject.toml",), BIN / "fairshoe", install_fairshoe),
)
BENCH = Step("bench", "packages to measure against", ("requirements/bench.txt",), BIN / "mavgen.py", install_bench)
WEB = Step("web", "Playwright, for the bench page", ("requirements/web.txt",), BIN / "playwright", install_web)
FLOOR = Step("floor", "NATS server, for the floor", ("requirements/floor.txt",), BIN / "nats-server", install_floor)
RELEASE = Step("release", "CycloneDX", ("requirements/release.txt",), BIN / "cyclonedx-py", install_release)
DOCS = Step("docs", "documentation site", ("requirements/docs.txt",), BIN / "mkdocs", install_docs)


# --- running commands --------------------------------------------------------------------------

PIP_INSTALL = [
    str(BIN / "python"),
    *("-m", "pip", "--disable-pip-version-check", "--no-input", "--retries", "2"),
    "install",
]


def pip_install(lock: str, *options: str) -> None:
    path = f"requirements/{lock}"
    call([*PIP_INSTALL, "--require-hashes", *options, "-r", path], f"install {path}", NEEDS_NETWORK)


def call(command: list[str], purpose: str, advice: str = "see above", may_fail: bool = False) -> None:
    """Run a command with its output in the log; show the end of it if the command fails."""
    with LOG.open("ab") as log:
        log.write(f"\n$ {' '.join(command)}\n".encode())
        log.flush()
        start = log.tell()
        status = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log).returncode
    if status == 0 or may_fail:
        return
    output = LOG.read_bytes()[start:].decode(errors="replace").strip().splitlines()
    shown = "\n".join("  | " + line for line in output[-LOG_LINES_SHOWN:])
    raise SetupError(f"could not {purpose} (full output: {LOG.name}); {advice}, then run make again", shown)


# --- main --------------------------------------------------------------------------------------


@contextmanager
def only_one() -> Generator[None, None, None]:
    """Hold .setup.lock, so that two makes do not share a half-made .venv; the system frees it if we die."""
    with (ROOT / ".setup.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("setup: waiting for another set-up of this checkout to finish", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def set_up(steps: tuple[Step, ...]) -> bool:
    """Do what is not done yet; True if there was anything to do."""
    if all(step.is_done() for step in steps):
        return False
    begin = time.monotonic()
    with only_one():
        LOG.write_bytes(b"")
        for number, step in enumerate(steps, 1):
            # Asked again under the lock and step by step: a new venv undoes the steps after it.
            if not step.is_done():
                say_and_do(step, f"[{number}/{len(steps)}]")
    print(f"setup: ready after {time.monotonic() - begin:.1f} s", flush=True)
    return True


def say_and_do(step: Step, place: str) -> None:
    print(f"setup: {place} {step.title} ...", end=" ", flush=True)
    begin = time.monotonic()
    try:
        step.do()
    except BaseException:
        print("not done", flush=True)
        raise
    print(f"{time.monotonic() - begin:.1f} s", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Install what fairshoe's make targets need into .venv.")
    parser.add_argument("--bench", action="store_true", help="also the packages that make bench compares with")
    parser.add_argument("--docs", action="store_true", help="also the documentation site of make docs")
    parser.add_argument("--release", action="store_true", help="also what lists the contents of make release")
    parser.add_argument("--web", action="store_true", help="also what drives a browser for make test-web")
    parser.add_argument("--floor", action="store_true", help="also the broker of make fleet-chaos")
    parser.add_argument("--quiet", action="store_true", help="say nothing if there is nothing to do")
    args = parser.parse_args()
    try:
        if sys.version_info < PYTHON_MIN:
            raise SetupError(
                "needs Python {}.{} or newer, this is {}; choose one with make PYTHON=...".format(
                    *PYTHON_MIN, sys.version.split()[0]
                )
            )
        extras = [*[BENCH] * args.bench, *[DOCS] * args.docs, *[RELEASE] * args.release, *[WEB] * args.web]
        extras += [FLOOR] * args.floor
        if not set_up((*STEPS, *extras)) and not args.quiet:
            print("setup: nothing to do")
    except SetupError as error:
        message, *output = error.args
        print(*output, f"setup: {message}", sep="\n", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("setup: interrupted; run make again to go on", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
