"""The stages of the gate: all run, a failure fails the whole, and what the failed one printed is shown. Every test file
is in the gate, and every test that it leaves out is in the full set."""

import os
import re
import subprocess
import sys
from pathlib import Path

import gate
import pytest
import quick
import small
import stages
from floor.__main__ import SLICE as CHAOS
from stages import ROOT, Stage, run_stages


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs and notes of these tests are their own, and nothing from outside decides what is skipped."""
    monkeypatch.setattr(stages, "LOGS", tmp_path / "logs")
    for name in ("CI", "SEED"):
        monkeypatch.delenv(name, raising=False)


def python(name: str, source: str, *inputs: str) -> Stage:
    return Stage(name, [sys.executable, "-c", source], inputs)


def test_one_failure_fails_the_whole_and_the_others_run(capsys: pytest.CaptureFixture[str]) -> None:
    parts = [
        python("bad", "print('why'); raise SystemExit(3)"),
        python("good", "print('SKIPPED [1] test_it.py:3: no promtool\\n12 passed')"),
    ]
    assert run_stages("all", parts, 1) == 1
    said = capsys.readouterr().out
    assert "\n== bad\nwhy\n" in said and said.endswith("all FAILED: bad\n")
    assert re.search(r"ok      good, \d+ s, processor \d+ s: 12 passed\n", said) and "== good" not in said
    assert re.search(r"  12 tests, \d+\.\d s of processor time\n", said)
    assert "\n          good: SKIPPED [1] test_it.py:3: no promtool\n" in said, "what a test lacked is said aloud"
    assert len(re.findall(r"s  (?:before|after): load \d+\.\d, a loop of 10,000,000 \d+\.\d\d s\n", said)) == 2
    assert run_stages("all", [python("chip", "print('NOT RUN: no image')"), *parts[1:]], 1) == 0
    said = capsys.readouterr().out
    assert re.search(r"s  left out: 2\n {10}chip: NOT RUN: no image\n {10}good: SKIPPED", said)
    assert run_stages("all", [python("good", "")], 1) == 0
    said = capsys.readouterr().out
    assert "s  left out: nothing\n" in said and said.endswith("all passed\n")


def test_the_time_of_a_stage_is_that_of_its_processes() -> None:
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    one = python("burn", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}])")
    (stages.LOGS).mkdir()
    assert stages._run(0.0, one).processor_s >= 0.3  # pyright: ignore[reportPrivateUsage]


def test_bytecode_is_kept_where_the_environment_forbids_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    found = stages.environment(python("any", ""))
    assert "PYTHONDONTWRITEBYTECODE" not in found and found["PYTHONPYCACHEPREFIX"].endswith("/build/pycache")


def test_a_stage_is_skipped_while_its_inputs_are_those_it_passed_with(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    (clone / "requirements").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(clone)], check=True)
    monkeypatch.setattr(stages, "ROOT", clone)
    (clone / "input").write_text("1")

    def runs(source: str = "print('1 passed')") -> bool:
        run_stages("all", [python("it", source, "input")], 1)
        said = capsys.readouterr().out
        assert ("skipped it: unchanged" in said) != ("begin   it" in said)
        return "begin   it" in said

    assert runs() and not runs(), "the second time nothing has changed"
    (clone / "input").write_text("2")
    assert runs() and not runs()
    (clone / "requirements" / "lock").write_text("another version of a tool")
    assert runs() and not runs()
    for name in ("CI", "SEED"):
        monkeypatch.setenv(name, "7")
        assert runs(), f"with {name} everything runs"
        monkeypatch.delenv(name)
    fails = "raise SystemExit(1)"
    assert runs(fails) and runs(fails), "what failed runs again"
    lacks = "print('NOT RUN: no tshark')"
    assert runs(lacks) and runs(lacks), "and what could not run"


def test_tests_that_read_a_file_which_their_stage_does_not_name_fail(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("def test_it():\n    import frames\n    assert open('README.md').read()\n")
    (tmp_path / "conftest.py").symlink_to(ROOT / "tests" / "conftest.py")

    def says(*places: str) -> list[str]:
        env = stages.environment(python("any", "", *places)) | {"PYTHONPATH": str(ROOT / "tools")}
        command = [sys.executable, "-m", "pytest", "-q", "-c", "pyproject.toml", str(tmp_path)]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
        found = re.findall(r"not among the inputs of its stage in tools/gate.py: (.*)", done.stdout)
        assert "1 passed" in done.stdout and done.returncode == bool(found), done.stdout
        return found

    assert says(".") == []
    assert says(".", ":!README.md", ":!tools/frames.py") == ["README.md", "tools/frames.py"]


def test_what_is_skipped_in_a_fresh_clone_is_nothing() -> None:
    assert stages.passed() == {} and not stages.LOGS.exists()


def test_the_gate_runs_every_test_file() -> None:
    """Files by folder: each belongs to one stage, so that a new file, in a folder of any depth, is in the gate."""
    first, second = gate.host_tests()
    known = {str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py")}
    host = {path for path in known if path.startswith("tests/host/")}
    host -= {path for path in host if path.startswith((*gate.PAGES, *gate.WITH_TABLES))}
    assert host == set(first) | set(second) and not set(first) & set(second)
    commands = {stage.name: stage.command for stage in gate.gate_stages()}
    assert all((ROOT / path).exists() for path in gate.PAGES) and commands["pages"][4:] == gate.PAGES
    assert all((ROOT / path).exists() for path in gate.WITH_TABLES)
    elsewhere = ["tests/style", "tests/host", "tests/unit", "tests/table", *gate.WITH_PROGRAMS]
    elsewhere += [*gate.CHANCE, *gate.PAGES, *gate.WITH_TABLES]
    for name, words in (("others", elsewhere), ("table", gate.PAGES), ("chance", gate.PAGES)):
        left_out = [word.partition("=")[2] for word in commands[name] if word.startswith("--ignore=")]
        assert sorted(left_out) == sorted(words), name
    assert commands["table"][-1 - len(gate.WITH_TABLES) :] == ["tests/table", *gate.WITH_TABLES]
    for name in ("style", "unit"):
        assert commands[name][-1] == f"tests/{name}"
    in_full = {stage.name: stage.command for stage in gate.full_stages()}
    for name in ("floor", "web", "dissector"):
        assert in_full[name][1:] == ["-m", name, "--if-possible"]
    assert commands["chance"][-len(gate.CHANCE) :] == gate.CHANCE
    unit = {path for path in known if path.startswith("tests/unit/")}
    assert unit == {name for part in quick.shards(ROOT / "tests" / "unit") for name in part}


@pytest.mark.parametrize(
    ("changed", "run"),
    [
        ("docs/TABLE.md", {"style"}),
        ("README.md", {"pages"}),
        ("host_tools/fairshoe_table/rules/pay_tables.ini", {"table"}),
        ("host_tools/fairshoe_floor/database.py", {"host-1", "host-2", "table", "others", "types"}),
        ("tests/table/test_books.py", {"table", "others", "trace"}),
        ("game_profiles/boston-5-stud.json", {"host-1", "host-2", "unit", "mpy", "table", "chance", "trace", "others"}),
    ],
)
def test_a_change_runs_the_stages_that_it_decides(changed: str, run: set[str]) -> None:
    assert stages.files_below([changed]) == [changed]
    found = {stage.name for stage in gate.gate_stages() if stage.inputs and changed in stages.files_below(stage.inputs)}
    assert run | {"pages", "style"} == found


def test_what_the_gate_leaves_out_is_in_the_full_set() -> None:
    """By the same mark and by the same list, over all folders."""
    of_gate = {stage.name: stage.command for stage in gate.gate_stages()}
    of_full = {stage.name: stage.command for stage in gate.full_stages()}
    for command in (each for each in of_gate.values() if each[0].endswith("/pytest")):
        assert command[2:4] == ["-m", "not full"]
    for name in ("full-host", "full-chance", "full-table", "full-others"):
        assert of_full[name][2:4] == ["-m", "full or drawn"]
    left_out = {word.partition("=")[2] for word in of_full["full-others"] if word.startswith("--ignore=")}
    assert left_out == {"tests/host", "tests/table", *gate.WITH_PROGRAMS, *gate.CHANCE}
    assert of_full["full-host"][4:] == ["tests/host"] and of_full["full-table"][4:] == ["tests/table"]
    assert of_full["full-chance"][4:] == gate.CHANCE
    assert not any(test.startswith(gate.WITH_PROGRAMS) for _, test in long_tests()), "all of them are in the full set"
    without, only = (command[-4:] for command in (of_gate["mpy"], of_full["mpy-long"]))
    assert without == ["--without", gate.LONG_ON_VM, *gate.BOTH_VMS]
    assert only == ["--only", gate.LONG_ON_VM, *gate.BOTH_VMS]


def long_tests() -> list[tuple[int, str]]:
    lines = (line.split() for line in (ROOT / "tests" / "long.txt").read_text().splitlines() if line[0] != "#")
    return [(int(number), name) for number, name in lines]


def test_of_a_long_test_the_gate_runs_some_cases_and_the_full_set_the_others() -> None:
    kept, name = next(line for line in long_tests() if line[0])
    found: list[set[str]] = []
    for chosen in (["-m", "not full"], ["-m", "full or drawn"], []):
        command = [sys.executable, "-m", "pytest", "-q", "--collect-only", *chosen, name]
        lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
        found.append({line for line in lines if line.startswith(name)})
    gate_runs, full_set_runs, all_cases = found
    assert len(gate_runs) == kept and full_set_runs == all_cases - gate_runs


def test_every_long_target_has_a_small_run_in_the_full_set_or_a_reason() -> None:
    targets: dict[str, set[str]] = {}
    target = ""
    for line in (ROOT / "Makefile").read_text().splitlines():
        begin = re.match(r"([a-z0-9-]+):.*## .*(MINUTES|ROUNDS|SEED|UF2|RESTARTS|N)=", line)
        if begin or not line.startswith("\t"):
            target = begin[1] if begin else ""
        if target:
            targets.setdefault(target, set()).update(re.findall(r"\$\(TOOL\) ([a-z_.]+)", line))
    assert {"soak", "hil", "fleet-chaos", "mutants"} <= targets.keys()
    run = {words[0] for of_target in small.SMALL.values() for words in of_target}
    run |= {stage.command[2] for stage in gate.full_stages() if stage.command[1:2] == ["-m"]}
    run |= {CHAOS[1]} if "--chaos" in {word for stage in gate.full_stages() for word in stage.command} else set()
    without = {target for target, modules in targets.items() if not modules <= run or not modules}
    with_command = {"run", "growth", "hil-smoke"}  # `fairshoe demo`, a test, and hil by another name
    assert without - with_command <= small.NOT_SMALL.keys() and not small.NOT_SMALL.keys() & small.SMALL.keys()


def test_a_small_run_that_fails_fails_the_stage(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(small, "SMALL", {"good": (("draws",),), "bad": (("fuzz", "--hours", "1"),)})
    assert small.main(["good"]) == 0
    capsys.readouterr()
    assert small.main([]) == 1
    said = capsys.readouterr().out
    assert "\nFAILED  bad, " in said and "unrecognized arguments: --hours" in said
    assert "\nNOT RUN: make release: it wants" in said


def test_every_long_test_is_there() -> None:
    for _, test in long_tests():
        file, _, name = test.partition("::")
        assert f"def {name}(" in (ROOT / file).read_text(), test


def test_names_of_test_files_and_helpers_are_unique_in_a_suite() -> None:
    """A suite's files are imported by name, on both VMs: of two with one name one would never run."""
    for suite in ("unit", "host", "contract"):
        names = [path.name for path in (ROOT / "tests" / suite).rglob("*.py") if path.name != "conftest.py"]
        assert sorted(set(names)) == sorted(names), suite


def test_ci_runs_the_gate_and_then_the_full_set() -> None:
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert lines[-2:] == ["make test", "make test-all"] and "set -euo pipefail" in lines


def test_a_list_leaves_tests_out_on_cpython_too(tmp_path: Path) -> None:
    found = next(line for line in (ROOT / gate.LONG_ON_VM).read_text().splitlines() if line.startswith("tests/unit/"))
    file = found.partition("::")[0]
    (tmp_path / "list").write_text(f"{found}\n")
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "--without", str(tmp_path / "list"), file]
    left = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=dict(os.environ), check=False)
    assert "1 deselected" in left.stdout.splitlines()[-1] and found not in left.stdout
    (tmp_path / "list").write_text(f"{file}::test_gone\n")
    left = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=dict(os.environ), check=False)
    assert left.returncode != 0 and f"there is no test {file}::test_gone" in left.stdout + left.stderr
