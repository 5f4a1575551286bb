"""Find and check a MicroPython checkout and the tools that its build needs; say what to do if something is missing.

Downloads and installs nothing.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from fairshoe.ship.errors import NoImage

VERSION = (1, 28)  # the release that images are built from and were tried with
REPOSITORY = "https://github.com/micropython/micropython"
# A file of each submodule that the build of an RP2 board needs.
SUBMODULES = {
    "lib/mbedtls": "include/mbedtls/version.h",
    "lib/micropython-lib": "README.md",
    "lib/pico-sdk": "pico_sdk_init.cmake",
    "lib/tinyusb": "src/tusb.h",
}
# git's hashes of the trees that a release may be built from: those of the tag v1.28.0 and of its submodules. A newer
# MicroPython is added here once its sources have been looked at and an image of it has been tried (docs/TESTING.md).
KNOWN_TREES = {
    "micropython": ("6c48c290ce7e85916892549933ffea4daaedd331",),
    "lib/mbedtls": ("b5e49e1c0647cf293b0d4e53fedf57520eca9571",),
    "lib/micropython-lib": ("8871dc3794f8dffbf7a266efaa67de5636ab5599",),
    "lib/pico-sdk": ("7c4ec0c34e48dae8196e5b54c9f635b39ee3424b",),
    "lib/tinyusb": ("dbe99b7878c2bd022b074bffacffa725e323b654",),
}
COMPILER = "arm-none-eabi-gcc"
_LIBRARIES = {
    "nosys.specs": "libnewlib-arm-none-eabi",
    "libstdc++.a": "libstdc++-arm-none-eabi-newlib",
}
_PICOTOOL_CONFIG = "picotoolConfig.cmake"
_DEFINED = re.compile(r"^#define MICROPY_VERSION_(MAJOR|MINOR|MICRO|PRERELEASE) +([0-9]+)", re.MULTILINE)


@dataclass(frozen=True)
class Checkout:
    """A MicroPython tree. `commit` is empty if git does not know it, as for an archive. `trees` has git's hashes
    of MicroPython and of every library that is linked; `modified` says whether any file differs from these."""

    path: Path
    version: str
    commit: str
    modified: bool
    trees: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def port(self) -> Path:
        return self.path / "ports" / "rp2"


@dataclass(frozen=True)
class Toolchain:
    """The programs of a build, and the folder with picotool's CMake config."""

    compiler: str
    cmake: str
    picotool: str
    picotool_folder: Path
    picotool_version: str = ""


def read_checkout(path: Path) -> Checkout:
    """Refuses what is no MicroPython tree of the right release with the submodules that the build needs."""
    get = f"Get one: git clone --branch v{VERSION[0]}.{VERSION[1]}.0 {REPOSITORY}"
    if not path.is_dir():
        raise NoImage(f"there is no folder {path}.", f"Name a checkout of MicroPython with --micropython. {get}")
    path = path.resolve()
    try:
        text = (path / "py" / "mpconfig.h").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        text = ""
    numbers = {name: int(value) for name, value in _DEFINED.findall(text)}
    if len(numbers) != 4 or not (path / "ports" / "rp2" / "CMakeLists.txt").is_file():
        raise NoImage(f"{path} is not a MicroPython source tree.", f"Name the top of a checkout. {get}")
    version = f"{numbers['MAJOR']}.{numbers['MINOR']}.{numbers['MICRO']}"
    if numbers["PRERELEASE"]:
        version += "-preview"
    if (numbers["MAJOR"], numbers["MINOR"], numbers["PRERELEASE"]) != (*VERSION, 0):
        raise NoImage(
            f"{path} is MicroPython {version}; images are built from {VERSION[0]}.{VERSION[1]}.x.",
            f"Check that release out: git -C {path} checkout v{VERSION[0]}.{VERSION[1]}.0",
        )
    missing = [name for name, file in SUBMODULES.items() if not (path / name / file).is_file()]
    if missing:
        raise NoImage(
            f"{path} lacks the submodules {', '.join(missing)}.",
            f"Bring them: git -C {path} submodule update --init {' '.join(missing)}",
        )
    commit = _git(path, "rev-parse", "HEAD")
    # Libraries too: what is linked from an altered pico-sdk or mbedtls is as altered as MicroPython itself.
    changed = bool(commit) and bool(_git(path, "status", "--porcelain", "--ignore-submodules=none"))
    trees = {name: _git(path / name, "rev-parse", "HEAD^{tree}") for name in (".", *SUBMODULES)}
    return Checkout(path, version, commit, changed, {("micropython" if n == "." else n): t for n, t in trees.items()})


def find_toolchain(picotool: Path | None) -> Toolchain:
    """Every program that the build calls. All that is missing is named at once."""
    wanted = {COMPILER: "gcc-arm-none-eabi", "cmake": "cmake", "make": "make"}
    missing = [(name, package) for name, package in wanted.items() if shutil.which(name) is None]
    if COMPILER not in dict(missing):
        missing += [(file, package) for file, package in _LIBRARIES.items() if not _has_library(file)]
    if missing:
        names = ", ".join(name for name, _package in missing)
        packages = " ".join(package for _name, package in missing)
        raise NoImage(f"the toolchain lacks {names}.", f"On Debian or Ubuntu: apt-get install {packages}")
    folder = _picotool_folder(picotool)
    program = _picotool_program(folder)
    compiler, cmake = _first_line(COMPILER, "--version"), _first_line("cmake", "--version")
    return Toolchain(compiler, cmake, program, folder, _first_line(program, "version"))


def _picotool_program(folder: Path) -> str:
    """Beside its CMake config, or where an installation puts it, or on the PATH."""
    for path in (folder / "picotool", folder.parents[2] / "bin" / "picotool"):
        if path.is_file():
            return str(path)
    return shutil.which("picotool") or "picotool"


def _picotool_folder(named: Path | None) -> Path:
    """The folder with picotool's CMake config. Without one the SDK would download and build picotool by itself."""
    build = "Build picotool 2.x from https://github.com/raspberrypi/picotool and install it (cmake --install), or name "
    build += "the prefix that it was installed into with --picotool."
    program = shutil.which("picotool")
    if named is not None:
        places = [named.resolve()]
    elif program is not None:
        beside = Path(program).resolve().parent
        places = [beside, beside.parent]
    else:
        raise NoImage("picotool is not installed.", build)
    for place in places:
        for folder in (place, place / "lib" / "cmake" / "picotool", place / "share" / "picotool"):
            if (folder / _PICOTOOL_CONFIG).is_file():
                return folder
    raise NoImage(f"{named or program} has no {_PICOTOOL_CONFIG}.", build)


def _has_library(name: str) -> bool:
    """The compiler prints a path for a file that it finds, and the bare name for one that it does not."""
    return _first_line(COMPILER, "-mcpu=cortex-m0plus", "-mthumb", f"-print-file-name={name}") != name


def _first_line(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""
    return done.splitlines()[0].strip() if done else ""


def _git(path: Path, *words: str) -> str:
    if shutil.which("git") is None or not (path / ".git").exists():
        return ""
    done = subprocess.run(["git", "-C", str(path), *words], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""
