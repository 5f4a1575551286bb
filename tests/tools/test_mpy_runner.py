"""The MicroPython runner reports every way a test can go wrong as a failure, and goes on after it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[2]
NODE = Path(sys.executable).with_name("node")
LIMIT_S = "1.5"


class Runner:
    """A small tree of its own, and the runner on it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("firmware/__init__.py", "X = 1\n")
        self.write("tests/unit/support.py", "def two():\n    return 2\n")

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def node(self, script: str, *args: str) -> subprocess.CompletedProcess[bytes]:
        command = [str(NODE), str(ROOT / "tools/mpy" / script), "--root", str(self.root), "--limit-s", LIMIT_S, *args]
        return subprocess.run(command, cwd=self.root, capture_output=True, timeout=600)

    def test(self, source: str) -> dict[str, str]:
        """Run one test file; each test's failure by its name, "" for a pass."""
        self.write("tests/unit/test_it.py", source)
        done = self.node("test.mjs", "--json", "out.json", "tests/unit")
        report: dict[str, Any] = json.loads((self.root / "out.json").read_text())
        outcome = {test["name"]: test["failure"] for test in report["tests"]}
        bad = sum(1 for failure in outcome.values() if failure)
        assert (report["passed"], report["failed"]) == (len(outcome) - bad, bad)
        assert done.stdout.decode().splitlines()[-1] == f"{len(outcome) - bad} passed, {bad} failed"
        assert done.returncode == (1 if bad else 0), done.stderr
        return outcome


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


GOOD = "def test_good():\n    assert True\n"
LAST = "def test_last():\n    assert True\n"


def test_a_list_leaves_tests_out_and_says_how_many(runner: Runner) -> None:
    runner.write("tests/unit/test_it.py", "def test_bad():\n    assert False\n" + GOOD)
    runner.write("list.txt", "# why\ntests/unit/test_it.py::test_bad\n")
    done = runner.node("test.mjs", "--without", "list.txt", "tests/unit")
    assert done.stdout.decode().splitlines()[-1] == "1 passed, 0 failed, 1 left out by list.txt"
    assert done.returncode == 0


def test_a_list_that_names_no_test_fails(runner: Runner) -> None:
    runner.write("tests/unit/test_it.py", GOOD)
    runner.write("list.txt", "tests/unit/test_it.py::test_gone\n")
    done = runner.node("test.mjs", "--without", "list.txt", "tests/unit")
    assert b"FAIL  test_it.py::test_gone" in done.stdout and done.returncode == 1
    runner.write("list.txt", "tests/unit/test_other.py::test_good\n")
    done = runner.node("test.mjs", "--without", "list.txt", "tests/unit")
    assert b"there is no test tests/unit/test_other.py::test_good" in done.stderr and done.returncode == 2


def test_only_the_tests_of_a_list_run_and_a_name_that_is_gone_fails(runner: Runner) -> None:
    runner.write("tests/unit/test_it.py", "def test_bad():\n    assert False\n" + GOOD)
    runner.write("tests/unit/test_other.py", "def test_bad():\n    assert False\n")
    runner.write("list.txt", "tests/unit/test_it.py::test_good\n")
    done = runner.node("test.mjs", "--only", "list.txt", "tests/unit")
    assert done.stdout.decode().splitlines()[-1] == "1 passed, 0 failed" and done.returncode == 0
    runner.write("list.txt", "tests/unit/test_it.py::test_gone\ntests/unit/test_it.py::test_good\n")
    done = runner.node("test.mjs", "--only", "list.txt", "tests/unit")
    assert b"FAIL  test_it.py::test_gone" in done.stdout and b"PASS  test_it.py::test_good" in done.stdout
    assert done.returncode == 1
    assert runner.node("test.mjs", "--only", "list.txt", "--without", "list.txt", "tests/unit").returncode == 2


def test_a_file_in_a_folder_below_runs_with_the_helpers_of_all_folders(runner: Runner) -> None:
    """A folder with the name of a package of the device does not hide it."""
    runner.write("tests/unit/kit/beside.py", "def three():\n    return 3\n")
    runner.write("tests/unit/test_top.py", "from support import two\n" + GOOD)
    imports = "from beside import three\nfrom firmware import X\nfrom support import two\n"
    source = imports + "def test_below():\n    assert two() + three() + X == 6\n"
    runner.write("tests/unit/firmware/test_below.py", source)
    done = runner.node("test.mjs", "tests/unit")
    assert done.stdout.decode().splitlines()[-1] == "2 passed, 0 failed", done.stdout


def test_a_good_test_passes_and_sees_firmware_and_its_helper(runner: Runner) -> None:
    source = "from firmware import X\nfrom support import two\ndef test_good():\n    assert two() == X + 1\n"
    assert runner.test(source) == {"test_good": ""}


def outcomes(runner: Runner, **sources: str) -> dict[str, bool]:
    """Run several files in the order of their names; whether each test passed. One lane has one file at a time."""
    for name, source in sources.items():
        runner.write(f"tests/unit/test_{name}.py", source)
    runner.node("test.mjs", "--lanes", "1", "--json", "out.json", "tests/unit")
    report: dict[str, Any] = json.loads((runner.root / "out.json").read_text())
    return {test["name"]: test["ok"] for test in report["tests"]}


MARK = "import firmware\ndef test_mark():\n    firmware.X += 1\n"
MARKED = "import firmware\ndef test_marked():\n    assert firmware.X == 2\n"


def test_files_of_a_folder_share_a_vm(runner: Runner) -> None:
    assert outcomes(runner, a=MARK, b=MARKED) == {"test_mark": True, "test_marked": True}


@pytest.mark.parametrize("why", ["a failure", "a hang", "the file's wish"])
def test_a_vm_is_new_after_a_failure_and_where_a_file_needs_it(runner: Runner, why: str) -> None:
    first, second = MARK, MARKED.replace("2", "1")
    if why == "a failure":
        first += "def test_zero():\n    assert False\n"
    elif why == "a hang":
        first += "def test_zero():\n    while True:\n        pass\n"
    else:
        second = "# Needs a fresh VM: planted\n" + second
    assert outcomes(runner, a=first, b=second)["test_marked"]


def test_it_is_the_micropython_vm(runner: Runner) -> None:
    source = "import sys\ndef test_good():\n    assert sys.implementation.name == 'micropython'\n"
    assert runner.test(source) == {"test_good": ""}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("    assert 1 == 2, 'planted'\n", 'File "tests/unit/test_it.py", line 4, in test_bad\nAssertionError: plan'),
        ("    {}['key']\n", "KeyError"),
        ("    import sys\n    sys.exit(0)\n", "SystemExit"),
        ("    raise SystemExit\n", "SystemExit"),
        ("    raise KeyboardInterrupt\n", "KeyboardInterrupt"),
        ("    test_bad()\n", "recursion depth"),
        ("    import typing\n", "ImportError"),
        ("    micropython.heap_lock()\n    micropython.heap_lock()\n", "left the heap locked, 2 deep"),
        ("    yield 1\n", "would not have run"),
        ("    return False\n", "returned False"),
    ],
)
def test_a_failing_test_is_reported_and_the_next_one_runs(runner: Runner, body: str, reason: str) -> None:
    outcome = runner.test("import micropython\n\ndef test_bad():\n" + body + GOOD)
    assert reason in outcome.pop("test_bad")
    assert outcome == {"test_good": ""}


def test_a_test_with_arguments_cannot_pass(runner: Runner) -> None:
    assert "TypeError" in runner.test("def test_bad(tmp_path):\n    pass\n")["test_bad"]


def test_a_class_of_tests_is_not_passed_over(runner: Runner) -> None:
    outcome = runner.test(GOOD + "class TestMore:\n    def test_x(self):\n        assert False\n")
    assert "plain functions" in outcome["TestMore"]


def test_a_hang_is_reported_and_the_rest_goes_on_in_a_fresh_vm(runner: Runner) -> None:
    source = (
        "count = []\n"
        "def test_good():\n    assert True\n"
        "def test_hang():\n    count.append(1)\n    print('so far')\n    while True:\n        pass\n"
        "def test_last():\n    assert count == []\n"
    )
    outcome = runner.test(source)
    assert list(outcome) == ["test_good", "test_hang", "test_last"]
    assert "hang" in outcome["test_hang"]
    assert (outcome["test_good"], outcome["test_last"]) == ("", "")
    report = json.loads((runner.root / "out.json").read_text())
    assert report["tests"][1]["output"] == "so far\n"


@pytest.mark.parametrize(
    "body",
    [
        "    raise ValueError(str(12345678901))\n",
        "    def f(n):\n        return f(n + 1)\n    f(0)\n",
        "    try:\n        x = [1] * 1000\n    finally:\n        {}['no']\n",
        "    while True:\n        try:\n            bytearray(100)\n        except MemoryError:\n            pass\n",
    ],
)
def test_an_exception_under_a_locked_heap_fails_at_once_or_by_the_limit(runner: Runner, body: str) -> None:
    outcome = runner.test("import micropython\ndef test_bad():\n    micropython.heap_lock()\n" + body + LAST)
    assert outcome.pop("test_bad") != ""
    assert outcome == {"test_last": ""}


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("1 / 0\n" + GOOD, 'File "tests/unit/test_it.py", line 1, in <module>\nZeroDivisionError'),
        ("import sys\nsys.exit(0)\n" + GOOD, "SystemExit"),
        ("def test_bad(:\n    pass\n", "SyntaxError"),
        ("match 1:\n    case 1:\n        pass\n", "SyntaxError"),
        ("while True:\n    pass\n" + GOOD, "hang"),
        ("import micropython\nmicropython.heap_lock()\n", "heap locked"),
    ],
)
def test_a_file_that_does_not_import_is_a_failure(runner: Runner, source: str, reason: str) -> None:
    outcome = runner.test(source)
    assert list(outcome) == ["(import)"]
    assert reason in outcome["(import)"]


def test_a_file_without_tests_is_a_failure(runner: Runner) -> None:
    assert "no tests" in runner.test("x = 1\n")["(file)"]


def test_a_file_whose_tests_are_all_in_the_list_is_no_failure(runner: Runner) -> None:
    runner.write("tests/unit/test_a.py", GOOD)
    runner.write("tests/unit/test_b.py", GOOD)
    runner.write("list.txt", "tests/unit/test_a.py::test_good\n")
    done = runner.node("test.mjs", "--without", "list.txt", "tests/unit")
    assert done.returncode == 0, done.stdout
    assert done.stdout.decode().splitlines()[-1] == "1 passed, 0 failed, 1 left out by list.txt"


def test_a_crash_of_the_vm_is_a_failure_and_the_rest_goes_on(runner: Runner) -> None:
    # An exception thrown by JavaScript that passes through no Python handler: the VM is gone.
    source = "import js\n" + GOOD + "def test_crash():\n    js.process.exit(0)\n" + LAST
    outcome = runner.test(source)
    assert "ended by itself" in outcome.pop("test_crash")
    assert outcome == {"test_good": "", "test_last": ""}


@pytest.mark.parametrize("path", ["tests/empty", "tests/missing", "tests/missing.py"])
def test_a_path_without_tests_is_a_failure(runner: Runner, path: str) -> None:
    (runner.root / "tests/empty").mkdir()
    done = runner.node("test.mjs", path)
    assert done.returncode == 1
    assert done.stdout.decode().splitlines()[-1] == "0 passed, 1 failed"


def test_files_are_reported_in_order(runner: Runner) -> None:
    slow = "def test_slow():\n    import time\n    time.sleep_ms(400)\n"
    runner.write("tests/unit/test_a.py", slow)
    runner.write("tests/unit/test_b.py", GOOD)
    runner.write("tests/unit/test_c.py", GOOD)
    lines = runner.node("test.mjs", "tests/unit").stdout.decode().splitlines()
    assert [line.split()[1] for line in lines[:3]] == [
        "test_a.py::test_slow",
        "test_b.py::test_good",
        "test_c.py::test_good",
    ]
    assert all(line.startswith("PASS  ") and line.endswith(" ms") for line in lines[:3])


@pytest.mark.parametrize("args", [[], ["--limit-s", "none", "tests/unit"], ["--nonsense", "tests/unit"]])
def test_wrong_usage_is_not_success(runner: Runner, args: list[str]) -> None:
    done = runner.node("test.mjs", *args)
    assert done.returncode == 2
    assert b"usage:" in done.stderr


# --- exec.mjs ----------------------------------------------------------------------------------


def test_exec_passes_arguments_and_bytes(runner: Runner) -> None:
    runner.write(
        "tests/unit/script.py",
        "import sys\nfrom firmware import X\nfrom support import two\n"
        "assert __name__ == '__main__' and X + 1 == two()\n"
        "sys.stdout.buffer.write(bytes(range(256)) * 100)\nprint(sys.argv[1:])\n",
    )
    done = runner.node("exec.mjs", "tests/unit/script.py", "a b", "--limit-s")
    assert done.stdout == bytes(range(256)) * 100 + b"['a b', '--limit-s']\n"
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("source", "code", "error"),
    [
        ("import sys\nsys.exit(7)\n", 7, b""),
        ("import sys\nsys.exit()\n", 0, b""),
        ("import sys\nsys.exit('why')\n", 1, b"why\n"),
        ("def f():\n    1 / 0\nf()\n", 1, b'File "s.py", line 2, in f\nZeroDivisionError'),
        ("x = [\n", 1, b"SyntaxError"),
        ("print('so far')\nwhile True:\n    pass\n", 124, b"not done after 1.5 s"),
    ],
)
def test_exec_exit_status(runner: Runner, source: str, code: int, error: bytes) -> None:
    runner.write("s.py", source)
    done = runner.node("exec.mjs", "s.py")
    assert done.returncode == code
    assert error in done.stderr
    if code == 124:
        assert done.stdout == b"so far\n"


def test_exec_of_a_missing_script_says_so(runner: Runner) -> None:
    done = runner.node("exec.mjs", "nope.py")
    assert done.returncode == 2
    assert b"no such file: nope.py" in done.stderr
