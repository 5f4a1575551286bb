"""The oracles that need one hand of a deal; `make table-oracles` has those that need both."""

from oracles import table


def test_every_quick_oracle_is_counted_to_a_millionth() -> None:
    found = list(table.quick())
    assert len(found) == 38
    assert [oracle for oracle in found if not oracle.good] == []


def test_a_wrong_number_is_noticed() -> None:
    assert not table.Oracle("x", 0.915475, 0.915477).good
