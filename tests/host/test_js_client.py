"""The JavaScript client, host_tools/fairshoe-js: its tests run under node, against vectors and a simulated shoe."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NODE = ROOT / ".venv" / "bin" / "node"
FILES = sorted((ROOT / "tests" / "js").glob("*.test.mjs"))


@pytest.mark.parametrize("path", FILES, ids=[path.name.partition(".")[0] for path in FILES])
def test_the_javascript_client_passes(path: Path) -> None:
    # vm-modules: one test loads the core where there are only the globals of a browser.
    command = [NODE, "--experimental-vm-modules", "--test", "--test-timeout=60000", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "fail 0" in done.stdout


def test_there_are_tests_to_run() -> None:
    assert [path.name for path in FILES] == [
        "package.test.mjs",
        "shoe.test.mjs",
        "simulation.test.mjs",
        "vectors.test.mjs",
    ]
