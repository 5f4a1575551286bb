"""Tests that draw what they try: the same for one commit, others for another one or with SEED."""

import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from stages import ROOT

DRAWN = """
import time
from hypothesis import given, settings, strategies as st

drawn = []

def slowly(number):
    time.sleep(0.6)  # drawing may take a second in all
    return number

@settings(max_examples=3)
@given(st.integers().map(slowly))
def test_on_a_busy_machine(number):
    time.sleep(0.3)  # an example may take 0.2 s
    drawn.append(number)

def test_said():
    print("drawn:", drawn)
"""


def test_a_test_draws_the_same_for_one_commit_and_others_with_a_seed(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    conftest: Any = request.config.pluginmanager.get_plugin(str(ROOT / "tests" / "conftest.py"))
    assert random.random() == random.Random(f"{conftest.DRAWS} {request.node.nodeid}").random()
    monkeypatch.delenv("SEED", raising=False)
    assert re.fullmatch("[0-9a-f]{40}|no commit", conftest.source_of_draws())
    monkeypatch.setenv("SEED", "7")
    assert conftest.source_of_draws() == "7"


def test_hypothesis_has_no_limit_of_time_and_no_memory_of_other_runs() -> None:
    drawn = settings.default
    assert drawn is not None and (drawn.deadline, drawn.database, drawn.derandomize) == (None, None, False)
    assert HealthCheck.too_slow in drawn.suppress_health_check and drawn.print_blob


@pytest.mark.full
def test_hypothesis_draws_from_the_commit_or_the_seed_in_ci_too(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(DRAWN)
    (tmp_path / "conftest.py").symlink_to(ROOT / "tests" / "conftest.py")

    def drawn(*options: str, **variables: str) -> str:
        command = [sys.executable, "-m", "pytest", "-qs", "-c", "pyproject.toml", str(tmp_path), *options]
        env = {name: value for name, value in os.environ.items() if name not in ("CI", "SEED")} | variables
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stdout
        return re.findall(r"drawn: (\[.*)", done.stdout)[0]

    commit = drawn()
    assert drawn() == drawn(CI="1") == commit
    assert len({commit, drawn(SEED="7"), drawn(CI="1", SEED="8"), drawn("--hypothesis-seed=9")}) == 4
