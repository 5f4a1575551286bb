"""Makes the device packages importable in every test, compares claims of clauses with what a test has played, and
builds what a board ships once for all tests."""

import inspect
import os
import signal
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from fairshoe import _device

_device.load()

# A developer may have a shoe attached.
for _name in [name for name in os.environ if name.startswith("FAIRSHOE_")]:
    del os.environ[_name]

# A shell that runs the tests in the background has Ctrl-C ignored, and every program they start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

from rules.claims import MARK, false_claims, read_clauses  # noqa: E402
from rules.played import noting  # noqa: E402

from fairshoe.ship.build import Shipped  # noqa: E402


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
