"""What of the emulator is compiled on this machine: burst.c, and rp2040py's own C sources for this one Python.

The package comes built for Python's stable interface, which takes four times as long. Nothing here changes what is
emulated: without a compiler the same runs, slowly.
"""

import ctypes
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "build" / "emulator"
SOURCE = Path(__file__).with_name("burst.c")
COMPILER = "gcc"
NO_BURSTS = "NO_BURSTS"  # set in the environment: every instruction is rp2040py's
_PACKAGE = "rp2040py"

Say = Callable[[str], None]


def aloud(text: str) -> None:
    print(f"hil: {text}", file=sys.stderr)


def load_burst() -> ctypes.CDLL | None:
    """burst.c as a library, compiled now if it was not before; None without a compiler, or if it is not wanted."""
    if os.environ.get(NO_BURSTS):
        return None
    made = FOLDER / f"burst-{hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]}.so"
    if not made.is_file():
        if shutil.which(COMPILER) is None:
            return None
        FOLDER.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=FOLDER) as work:
            _compile(SOURCE, Path(work) / made.name, "-std=gnu11", "-Wall", "-Wextra", "-Werror")
            (Path(work) / made.name).replace(made)
    return ctypes.CDLL(str(made))


def prepare(say: Say = aloud) -> None:
    """Compile what can be compiled, once, and have it imported. Says what is missing, and goes on."""
    if load_burst() is None:
        say(f"no {COMPILER}: the emulator runs ten times slower (Debian: apt-get install gcc python3-dev)")
        return
    package = _package()
    if package is None or _PACKAGE in sys.modules:
        return
    made = FOLDER / f"{_PACKAGE}-{_key(package)}"
    if not made.is_dir():
        if not Path(sysconfig.get_path("include"), "Python.h").is_file():
            say("no Python.h: rp2040py runs as it was installed, slower (Debian: apt-get install python3-dev)")
            return
        say("compiling rp2040py for this Python, once: a minute")
        _compile_package(package, made)
    sys.path.insert(0, str(made))


def _package() -> Path | None:
    spec = importlib.util.find_spec(_PACKAGE)
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def _key(package: Path) -> str:
    digest = hashlib.sha256(f"{sys.version} {sysconfig.get_config_var('EXT_SUFFIX')}".encode())
    for source in sorted((package / "native").glob("*.c")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _compile_package(package: Path, made: Path) -> None:
    """A copy of the package with libraries of its own. It appears under its name when it is whole."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
    include = f"-I{sysconfig.get_path('include')}"
    with tempfile.TemporaryDirectory(dir=FOLDER) as work:
        copy = Path(work) / "made" / _PACKAGE
        shutil.copytree(package, copy, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        with ThreadPoolExecutor(2) as pool:
            sources = sorted((copy / "native").glob("*.c"))
            jobs = [pool.submit(_compile, c, c.with_suffix(suffix), include, "-fwrapv", "-w") for c in sources]
            for job in jobs:
                job.result()
        if not made.is_dir():
            copy.parent.rename(made)


def _compile(source: Path, made: Path, *options: str) -> None:
    command = [COMPILER, "-O2", "-fPIC", "-shared", *options, str(source), "-o", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"{source.name} cannot be compiled:\n{done.stderr[-2000:]}\nInstall gcc and python3-dev.")
