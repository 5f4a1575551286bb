"""Starting up: what the package gives, and an interrupt before the first command is even loaded."""

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import fairshoe

ROOT = Path(__file__).resolve().parents[3]

# Ctrl-C in the middle of an import, at a place of our choice.
INTERRUPTED = """
import sys, runpy, importlib.abc
class Finger(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finger())
sys.argv = ["fairshoe", "status", "no-port"]
{start}
"""
MODULE = 'runpy.run_module("fairshoe", run_name="__main__", alter_sys=True)'


def script() -> str:
    """What the installed command does."""
    toml: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    entry = toml.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]["fairshoe"]
    module, _, function = entry.partition(":")
    return f"from {module} import {function}; sys.exit({function}())"


@pytest.mark.parametrize("start", [MODULE, script()], ids=["module", "script"])
@pytest.mark.parametrize("module", ["fairshoe.cli.command_line", "fairshoe.arguments.look", "fairshoe.messages"])
def test_an_interrupt_while_starting_is_no_traceback(start: str, module: str) -> None:
    program = INTERRUPTED.format(module=module, start=start)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\nfairshoe: interrupted\n")


def test_the_package_gives_what_it_lists() -> None:
    for name in fairshoe.__all__:
        assert name in ("Command", "Event", "__version__") or getattr(fairshoe, name).__name__ == name
    assert set(fairshoe.__all__) <= set(dir(fairshoe))
    with pytest.raises(AttributeError, match="no attribute 'Shoes'"):
        fairshoe.Shoes  # type: ignore[attr-defined]  # noqa: B018


def test_importing_the_package_loads_little() -> None:
    program = "import sys, fairshoe; assert not {'fairshoe.messages', 'asyncio'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], timeout=600, check=True)


def test_ctrl_c_while_python_executes_a_text_ends_with_the_status_of_an_interruption(tmp_path: Path) -> None:
    """A dataclass is made by `exec`, and Python then ends by SIGINT even if the interruption was handled."""
    program = (
        "import sys\nfrom fairshoe import __main__\nfrom fairshoe.cli import command_line\n"
        "def interrupted():\n    try:\n        exec('raise KeyboardInterrupt')\n"
        "    except KeyboardInterrupt:\n        return 130\n"
        "command_line.main = interrupted\nsys.exit(__main__.main())\n"
    )
    (tmp_path / "started.py").write_text(program)
    command = [sys.executable, "-m", "started"]  # as `python -m fairshoe` is started: with -c Python ends another way
    assert subprocess.run(command, cwd=tmp_path, timeout=600, check=False).returncode == 130
