"""Operation numbers in a file that several programs share."""

import subprocess
import sys
from pathlib import Path

import pytest

from fairshoe.client.operation_numbers import OP_MAX, MemoryNumbers, Unfinished
from fairshoe.client.store import Store, default_path
from fairshoe.errors import StoreError, UsageError


def test_numbers_rise_over_programs_and_over_what_the_device_knows(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "store.db"
    assert Store(path).begin(1, 2, 0, "shuffle", {}) == 1
    Store(path).finish(1, 2, 1)
    assert Store(path).begin(1, 2, 40, "release", {}) == 41
    assert Store(path).begin(1, 3, 0, "release", {}) == 1


def test_two_programs_do_not_overwrite_each_others_lanes(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    first, second = Store(path), Store(path)
    second.begin(7, 2, 0, "shuffle", {})
    first.begin(8, 2, 0, "record", {"what": 3, "a": 1})
    for numbers in (first, second, Store(path)):
        assert numbers.unfinished(7, 2) == Unfinished(1, "shuffle", {})
        assert numbers.unfinished(8, 2) == Unfinished(1, "record", {"what": 3, "a": 1})


@pytest.mark.parametrize("kept", [True, False])
def test_a_lane_has_one_command_at_a_time_whoever_gives_it(tmp_path: Path, kept: bool) -> None:
    numbers = Store(tmp_path / "store.db") if kept else MemoryNumbers()
    numbers.begin(1, 2, 0, "shuffle", {})
    for other in (numbers, Store(tmp_path / "store.db")) if kept else (numbers,):
        with pytest.raises(UsageError, match=r"shuffle \(operation 1\) is not known yet"):
            other.begin(1, 2, 0, "release", {})
    numbers.finish(1, 2, 7)  # of another one: nothing happens
    assert numbers.unfinished(1, 2) is not None
    numbers.finish(1, 2, 1)
    assert numbers.unfinished(1, 2) is None
    assert numbers.begin(1, 2, 0, "release", {}) == 2


def test_numbers_that_run_out_are_told() -> None:
    with pytest.raises(StoreError, match="no operation number is left"):
        MemoryNumbers().begin(1, 2, OP_MAX, "shuffle", {})


def test_many_programs_at_once_get_different_numbers(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    script = (
        "import sys; from fairshoe.client.store import Store; store = Store(sys.argv[1], busy_s=60)\n"
        "for _ in range(20):\n"
        "    op = store.begin(1, int(sys.argv[2]), 0, 'shuffle', {}); store.finish(1, int(sys.argv[2]), op)"
    )
    # The file does not exist: all of them create it at the same moment.
    running = [subprocess.Popen([sys.executable, "-c", script, path, str(role)]) for role in (1, 2, 3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert [Store(path).begin(1, role, 0, "shuffle", {}) for role in (1, 2, 3)] == [21, 21, 21]


def test_the_default_is_the_users_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_path() == tmp_path / "fairshoe" / "store.db"
    with Store() as store:
        assert store.path.exists()
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", "/somewhere")
    assert default_path() == Path("/somewhere/.local/share/fairshoe/store.db")
