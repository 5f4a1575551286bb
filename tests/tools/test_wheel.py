"""The wheel alone is enough: in a clean environment, without a network, it plays the quick start."""

import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "QUICKSTART.md").read_text("utf-8")
LISTEN, INSIDE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("FAIRSHOE_", "PYTHON"))}


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the wheel; its dependencies are those of this one, without our sources."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [str(Path(sys.executable).with_name("hatchling")), "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, timeout=600, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "env", with_pip=False)
    installed = next((folder / "env").glob("lib/python*/site-packages"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    # A folder that is added by a .pth file adds none itself: the editable install of this checkout stays out.
    (installed / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return folder / "env" / "bin" / "python"


def run(python: Path, folder: Path, *words: str) -> str:
    done = subprocess.run(
        [str(python), *words], cwd=folder, env=CLEAN, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_the_package_is_that_of_the_wheel(python: Path, tmp_path: Path) -> None:
    where = run(python, tmp_path, "-c", "import fairshoe, firmware; print(fairshoe.__file__, firmware.__file__)")
    assert str(ROOT) not in where and where.count("site-packages/fairshoe/") == 2


def test_pages_examples_scenarios_and_keys_come_with_it(python: Path, tmp_path: Path) -> None:
    assert run(python, tmp_path, "-m", "fairshoe", "docs", "QUICKSTART") == PAGE
    assert "print_events.py" in run(python, tmp_path, "-m", "fairshoe", "docs")
    assert "carousel-card-under-the-rail" in run(python, tmp_path, "-m", "fairshoe", "scenario", "list")
    run(python, tmp_path, "-m", "fairshoe", "keys", "new", "keys")
    assert (tmp_path / "keys" / "table.key").exists()


def test_the_quick_start_plays_from_it(python: Path, tmp_path: Path) -> None:
    told = run(python, tmp_path, "-m", "fairshoe", "demo", "--board", "pico-draw", "--speed", "50")
    assert "0 missing" in told
    (tmp_path / "inside.py").write_text(INSIDE)
    assert run(python, tmp_path, "inside.py").splitlines()[-1] == "1 round_ended"
    (tmp_path / "listen.py").write_text(LISTEN)
    url = "sim://pico-carousel?dealer=auto"
    listener = subprocess.Popen(
        [str(python), "-u", "listen.py", url], cwd=tmp_path, env=CLEAN, stdout=subprocess.PIPE, text=True
    )
    assert listener.stdout
    try:
        assert listener.stdout.readline() == "deck 1: 52 cards, counted twice\n"
    finally:
        listener.kill()
        listener.communicate()
