"""Load scenario files and play them on the simulated machine, on CPython or on the MicroPython VM."""

from __future__ import annotations

import copy
import json
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairshoe import _device
from fairshoe.boards import configs
from fairshoe.errors import Exit, FairshoeError
from fairshoe.sim.scenario_cases import name_of, places, read_place
from rig.scenario import Scenario, change, check

VM_LIMIT_S = 600
_MARK = "== "  # between scenarios in what the VM prints
_SCRIPT = '''\
"""Made by fairshoe scenario run."""
import json
from rig.scenario import Scenario
for data, config in json.loads({text!r}):
    scenario = Scenario(data, config)
    problems = scenario.play()
    print({mark!r} + json.dumps(problems))
    for line in scenario.lines:
        print(line)
'''


class ScenarioError(FairshoeError):
    """A scenario file that cannot be played."""

    exit_code = Exit.INPUT


@dataclass(frozen=True)
class Result:
    """How one scenario went. A case has the path FILE:CASE."""

    path: Path
    title: str
    problems: list[str]
    transcript: list[str] = field(repr=False)
    seconds: float = 0.0

    @property
    def name(self) -> str:
        return name_of(self.path)


def load(path: Path, **own: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """The checked scenario and the config of its board; what is given here stands in place of the file's."""
    try:
        data = read_place(path) | own
        check(data)
    except OSError as error:
        advice = "Give a name that `fairshoe scenario list` prints, or the path of a file."
        raise ScenarioError(f"{path}: {error.strerror or error}.", advice) from error
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise ScenarioError(f"{path}: {error}.", "docs/SCENARIOS.md describes the file.") from error
    return data, _board(path, data)


def _board(path: Path, data: dict[str, Any]) -> dict[str, Any]:
    """The config of its board. What a scenario changes of it must exist and be of the right kind; whether such a board
    should be built is not asked: stories of bad boards are wanted too."""
    config = copy.deepcopy(configs.load_board(data["board"])[0])
    changed = copy.deepcopy(config)
    try:
        for place, value in data.get("changes", {}).items():
            change(changed, place, value)
    except (TypeError, AttributeError) as error:
        raise ScenarioError(f"{path}: changes: {error}.", "Give places like mechanism.jog_max with values.") from error
    problems = [text for text in configs.check_board(changed) if _senseless(text)]
    if problems:
        raise ScenarioError(f"{path}: changes: " + "; ".join(problems) + ".", "docs/BOARDS.md explains the rules.")
    return config


def _senseless(problem: str) -> bool:
    """Nothing that exists, or no number where one is needed; where a line is wired does not matter here."""
    return "is not known" in problem or (problem.startswith("mechanism.") and " must be " in problem)


def play(paths: Iterable[Path]) -> Iterator[Result]:
    """Every scenario of these files and folders, one after the other, in this process."""
    for path in places(paths):
        data, config = load(path)
        started = time.monotonic()
        try:
            scenario = Scenario(data, config)
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise ScenarioError(f"{path}: {error}.", "docs/SCENARIOS.md describes the file.") from error
        problems = scenario.play()
        yield Result(path, data["title"], problems, scenario.lines, time.monotonic() - started)


def play_on_micropython(paths: Iterable[Path]) -> Iterator[Result]:
    """In one VM after the other, a few scenarios each: a VM takes its time to start."""
    found = places(paths)
    for first in range(0, len(found), 8):
        chunk = found[first : first + 8]
        loaded = [load(path) for path in chunk]
        started = time.monotonic()
        blocks = _run_vm(_SCRIPT.format(text=json.dumps(loaded), mark=_MARK)).split(_MARK)[1:]
        if len(blocks) != len(chunk):
            raise ScenarioError(f"the VM played {len(blocks)} of {len(chunk)} scenarios.", "Run them one by one.")
        each = (time.monotonic() - started) / len(chunk)
        for path, (data, _config), block in zip(chunk, loaded, blocks, strict=True):
            figures, *lines = block.splitlines()
            yield Result(path, data["title"], json.loads(figures), lines, each)


def _run_vm(script: str) -> str:
    root = _device.root()
    node, runner = root / ".venv" / "bin" / "node", root / "tools" / "mpy" / "exec.mjs"
    if not node.exists() or not runner.exists():
        raise ScenarioError("no MicroPython VM here.", "It comes with a checkout: run `make setup` there.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "play.py"
        path.write_text(script, encoding="utf-8")
        command = [str(node), str(runner), "--limit-s", str(VM_LIMIT_S), "--heap-mb", "32", str(path)]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=VM_LIMIT_S + 30, check=False)
    if done.returncode:
        raise ScenarioError(f"the VM ended with {done.returncode}: {done.stderr.strip()[-600:]}", "")
    return done.stdout
