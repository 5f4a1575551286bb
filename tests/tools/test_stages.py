"""The stages of the gate: all run, a failure fails the whole, and what the failed one printed is shown."""

import sys
from pathlib import Path

import pytest
import stages
from gate import CHANCE, host_tests
from gate import stages as gate_stages
from stages import ROOT, Stage, run_stages


def python(name: str, source: str) -> Stage:
    return Stage(name, [sys.executable, "-c", source])


def test_one_failure_fails_the_whole_and_the_others_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages, "LOGS", tmp_path / "logs")
    parts = [python("bad", "print('why'); raise SystemExit(3)"), python("good", "print('12 passed')")]
    assert run_stages("all", parts, 1) == 1
    said = capsys.readouterr().out
    assert "\n== bad\nwhy\n" in said and said.endswith("all FAILED: bad\n")
    assert "ok      good, 0 s: 12 passed" in said and "== good" not in said
    assert run_stages("all", parts[1:], 1) == 0
    assert capsys.readouterr().out.endswith("all passed\n")


def test_the_gate_runs_every_test_file() -> None:
    """Files by folder: each belongs to one stage, so that a new file is in the gate by itself."""
    first, second = host_tests()
    known = {str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py")}
    host = {path for path in known if path.startswith("tests/host/")}
    assert host == set(first) | set(second) and not set(first) & set(second)
    commands = {name: stage.command for name, stage in gate_stages().items()}
    left_out = [word.partition("=")[2] for word in commands["others"] if word.startswith("--ignore=")]
    elsewhere = ["tests/style", "tests/host", "tests/unit", "tests/web", "tests/floor_servers", "tests/table", *CHANCE]
    assert sorted(left_out) == sorted(elsewhere) and commands["floor"][1:] == ["-m", "floor", "--if-possible"]
    assert commands["table"][-1] == "tests/table"
    assert commands["style"][-1] == "tests/style" and commands["unit"][-1] == "tests/unit"
    assert commands["chance"][-len(CHANCE) :] == CHANCE and commands["web"][1:] == ["-m", "web", "--if-possible"]
