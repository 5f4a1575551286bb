"""Makes the device packages importable in every test, compares claims of clauses with what a test has played, builds
what a board ships once for all tests, runs async tests, and lets all tests draw from the commit."""

import asyncio
import gc
import hashlib
import inspect
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from draws import amount
from inputs import unnamed, watch

from fairshoe import _device

OPENED = watch()
_device.load()

# Helpers and tests are imported by name from any folder of their suite; tests/tools/test_stages.py holds names unique.
TESTS = Path(__file__).resolve().parent
for _suite in ("unit", "host"):
    sys.path += sorted(str(path) for path in (TESTS / _suite).rglob("*/") if path.name != "__pycache__")

# A developer may have a shoe attached, settings, and a store of another version.
for _name in [name for name in os.environ if name.startswith("FAIRSHOE_")]:
    del os.environ[_name]
_HOME = tempfile.TemporaryDirectory(prefix="fairshoe-home-")
for _name in ("config", "data", "state"):
    os.environ[f"XDG_{_name.upper()}_HOME"] = f"{_HOME.name}/{_name}"

# A shell that runs the tests in the background has Ctrl-C ignored, and every program they start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

from rules.claims import MARK, false_claims, read_clauses  # noqa: E402
from rules.played import noting  # noqa: E402
from waits import LIMIT_S  # noqa: E402

from fairshoe.ship.build import Shipped  # noqa: E402
from rig.rig import Rig  # noqa: E402

# Of one simulated device in a test: some seconds of processor time, or twenty hours of a device at rest.
Rig.scans_max = 300_000


def source_of_draws() -> str:
    """SEED, or the content of the last commit: a commit that has passed draws the same when it is tested again."""
    command = ["git", "rev-parse", "HEAD^{tree}"]
    root = Path(__file__).parents[1]
    head = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return os.environ.get("SEED") or head.stdout.strip() or "no commit"


DRAWS = source_of_draws()
LONG = TESTS / "long.txt"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--without", metavar="LIST", help="leave out the tests that a file lists, as the VM's runner does")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests and files of the list. A name in it that a collected file does not have is an error."""
    leave_cases_to_the_full_set(items)
    name = config.getoption("--without")
    if not name:
        return
    listed = {line for line in Path(name).read_text().split("\n") if line and not line.startswith("#")}
    files = {item.nodeid.partition("::")[0] for item in items}
    unknown = {test for test in listed if test.partition("::")[0] in files} - {item.nodeid for item in items} - files
    if unknown:
        raise pytest.UsageError(f"{name}: there is no test {min(unknown)}")
    left_out = [item for item in items if {item.nodeid, item.nodeid.partition("::")[0]} & listed]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def leave_cases_to_the_full_set(items: list[pytest.Item]) -> None:
    """Of a test in long.txt the gate runs so many cases, drawn from the commit; the others get the mark `full`."""
    lines = (line.split() for line in LONG.read_text().splitlines() if not line.startswith("#"))
    kept = {name: int(number) for number, name in lines}
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for name in kept.keys() & cases.keys():
        some = random.Random(f"{DRAWS} {name}").sample(cases[name], min(kept[name], len(cases[name])))
        for item in cases[name]:
            if item not in some:
                item.add_marker("full")


def pytest_pycollect_makemodule(module_path: Path) -> None:
    """Before a module imports Hypothesis: its settings inherit from the profile. Most runs never import it."""
    if b"hypothesis" in module_path.read_bytes():
        load_hypothesis_profile()


def load_hypothesis_profile() -> None:
    """A busy machine fails no test: there is no deadline, and drawing may be slow. All is drawn from the commit, unless
    --hypothesis-seed is given, also where Hypothesis would load a profile of its own for CI."""
    from hypothesis import HealthCheck, core, settings

    settings.register_profile(
        "fairshoe",
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        derandomize=False,
        database=None,
        print_blob=True,
        max_examples=amount(50, 400),
    )
    settings.load_profile("fairshoe")
    if core.global_force_seed is None:
        core.global_force_seed = int.from_bytes(hashlib.sha256(DRAWS.encode()).digest()[:8], "big")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A stage that reads what it does not name fails. Then the process ends: looking for garbage among all that it made
    took a third of the time of tests/style."""
    for path in unnamed(OPENED):
        print(f"\nread and not among the inputs of its stage in tools/gate.py: {path}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    gc.freeze()


def pytest_report_header() -> str:
    return f"draws: from {DRAWS}; others with SEED="


@pytest.fixture(autouse=True)
def draw_from_the_commit(request: pytest.FixtureRequest) -> None:
    random.seed(f"{DRAWS} {request.node.nodeid}")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """A test that claims a clause fails if it has not played its game in the mode it claims: see rules/README.md."""
    docstring = inspect.getdoc(pyfuncitem.obj) or ""
    if MARK not in docstring:
        return (yield)
    with noting() as played:
        result = yield
    wrong = false_claims(docstring, played, read_clauses())
    assert not wrong, f"claims what it has not played: {', '.join(wrong)}; it has played {sorted(played)}"
    return result


@pytest.hookimpl(specname="pytest_pyfunc_call")
def pytest_run_async_test(pyfuncitem: pytest.Function) -> bool | None:
    """An async test has a loop of its own and leaves no task in it; the limit is for a test that hangs."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}

    async def whole() -> None:
        await asyncio.wait_for(pyfuncitem.obj(**arguments), LIMIT_S)
        assert asyncio.all_tasks() == {asyncio.current_task()}, "a task is left"

    asyncio.run(whole())
    return True


@pytest.fixture(scope="session")
def ship_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[list[Shipped], Path]]:
    """What a board ships, and the folder with its files: a build takes seconds. Leave the folder as it is."""
    import size

    built: dict[str, tuple[list[Shipped], Path]] = {}

    def once(board: str) -> tuple[list[Shipped], Path]:
        if board not in built:
            folder = tmp_path_factory.mktemp(board)
            built[board] = (size.ship(board, folder), folder)
        return built[board]

    return once
