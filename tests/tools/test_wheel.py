"""The packages alone are enough: in a clean environment, without the clone, they play the quick start and serve."""

import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from release import install, packages

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "QUICKSTART.md").read_text("utf-8")
LISTEN, INSIDE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Wheel and source archive: built twice, the wheel a third time from the source archive, all equal."""
    work = tmp_path_factory.mktemp("packages")
    packages.build(work / "parts", work)
    return work / "parts"


@pytest.fixture(scope="module")
def python(parts: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the wheel; its dependencies are those of this one, without our sources."""
    return install.install(Path(sys.executable), parts, tmp_path_factory.mktemp("wheel"))


def test_every_python_here_installs_it_and_starts_demo_web_gateway_and_table(parts: Path) -> None:
    found = install.try_all(parts)
    for version, error in found.items():
        if isinstance(error, install.NotTried):
            warnings.warn(f"Python {version} was not tried: {error}", stacklevel=1)
        else:
            assert error is None, (version, str(error))
    assert found[".".join(map(str, sys.version_info[:3]))] is None


def run(python: Path, folder: Path, *words: str) -> str:
    done = subprocess.run(
        [str(python), *words], cwd=folder, env=install.CLEAN, capture_output=True, text=True, timeout=600, check=False
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
        [str(python), "-u", "listen.py", url], cwd=tmp_path, env=install.CLEAN, stdout=subprocess.PIPE, text=True
    )
    assert listener.stdout
    try:
        assert listener.stdout.readline() == "deck 1: 52 cards, counted twice\n"
    finally:
        listener.kill()
        listener.communicate()
