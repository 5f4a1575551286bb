"""fairshoe imports its own firmware, hal and rig, whatever else has those names."""

import subprocess
import sys
from pathlib import Path

import pytest

from fairshoe import _device

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("firmware", "hal", "rig")
PRINT_BUILD = (
    "from fairshoe.ship.build import build; from hashlib import sha256; files = build('pico-shoe').files; "
    "print([(name, sha256(files[name]).hexdigest()) for name in sorted(files)])"
)
PRINT_ORIGINS = "import firmware, hal, rig, micropython; print(firmware.__file__, hal.__file__, rig.__file__)"


def python(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run code with the current folder first on sys.path, as `python -c` does."""
    return subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A folder with packages of other people under our names."""
    for name in ("firmware", "hal", "rig", "micropython"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    return tmp_path


def test_root_of_a_checkout() -> None:
    assert _device.root() == ROOT


def test_foreign_folders_do_not_shadow_ours(foreign: Path) -> None:
    done = python(foreign, f"import fairshoe; {PRINT_ORIGINS}")
    assert done.stdout.split() == [str(ROOT / name / "__init__.py") for name in PACKAGES], done.stderr


def test_load_twice_keeps_the_modules(tmp_path: Path) -> None:
    code = "from fairshoe import _device; import firmware as a; _device.load(); import firmware as b; print(a is b)"
    assert python(tmp_path, code).stdout == "True\n"


@pytest.mark.parametrize("name", ["firmware", "hal", "rig", "micropython"])
def test_a_foreign_package_already_imported_is_named(foreign: Path, name: str) -> None:
    done = python(foreign, f"import {name}; import fairshoe")
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: fairshoe: a different")
    assert str(foreign / name / "__init__.py") in last
    assert "import fairshoe before it" in last


def test_the_stand_in_for_micropython(tmp_path: Path) -> None:
    code = "import fairshoe; from micropython import *; print(const(5), heap_lock(), heap_unlock())"
    assert python(tmp_path, code).stdout == "5 0 0\n"


@pytest.mark.full
def test_the_wheel_carries_the_device_packages(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-compile", "--target"]
    subprocess.run([*install, str(site), str(wheel)], check=True, capture_output=True)
    installed = {path.name for path in site.iterdir() if path.suffix != ".dist-info"}
    assert installed == {"bin", "fairshoe", "fairshoe_floor", "fairshoe_table"}
    done = python(tmp_path, f"import sys; sys.path.insert(0, {str(site)!r}); import fairshoe; {PRINT_ORIGINS}")
    bundle = site / "fairshoe" / "_bundle"
    assert done.stdout.split() == [str(bundle / name / "__init__.py") for name in PACKAGES], done.stderr
    for folder in ("firmware", "hal", "rig", "board_configs"):
        assert files_below(bundle, folder) == files_below(ROOT, folder)
    # From either the same files for a device, down to the byte.
    built = python(tmp_path, f"import sys; sys.path.insert(0, {str(site)!r}); {PRINT_BUILD}")
    assert built.stdout == python(tmp_path, PRINT_BUILD).stdout != "", built.stderr


def files_below(root: Path, folder: str) -> set[Path]:
    paths = (root / folder).rglob("*")
    return {path.relative_to(root) for path in paths if path.is_file() and "__pycache__" not in path.parts}
