"""Operation numbers in a file that several programs share and that may be damaged."""

from pathlib import Path

import pytest

from fairshoe.errors import StoreError
from fairshoe.operations import Operations


def test_numbers_rise_over_programs_and_over_what_the_device_knows(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "operations.json"
    assert Operations(path).begin(1, 2, 0, "shuffle", {}) == 1
    Operations(path).finish(1, 2, 1)
    assert Operations(path).begin(1, 2, 40, "release", {}) == 41
    assert Operations(path).begin(1, 3, 0, "release", {}) == 1


def test_two_programs_do_not_overwrite_each_others_lanes(tmp_path: Path) -> None:
    path = tmp_path / "operations.json"
    first, second = Operations(path), Operations(path)
    second.begin(7, 2, 0, "shuffle", {})
    first.begin(8, 2, 0, "release", {})
    for store in (first, second, Operations(path)):
        found = store.unfinished(7, 2)
        assert found is not None
        assert found.command == "shuffle"


@pytest.mark.parametrize("text", ["[]", "3", "{", '{"a": 3}', '{"a": {"op": 1, "unfinished": {"op": 1}}}'])
def test_a_damaged_file_is_told_and_not_overwritten(tmp_path: Path, text: str) -> None:
    path = tmp_path / "operations.json"
    path.write_text(text)
    with pytest.raises(StoreError, match="cannot be read"):
        Operations(path)
    assert path.read_text() == text


def test_a_finish_that_cannot_be_written_does_not_say_that_nothing_was_sent(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "operations.json"
    store = Operations(path)
    store.begin(1, 2, 0, "shuffle", {})
    path.with_suffix(".new").mkdir()
    with pytest.raises(StoreError, match="cannot write") as caught:
        store.finish(1, 2, 1)
    assert "was answered" in caught.value.advice
