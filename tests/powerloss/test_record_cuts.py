"""Power cut at every write of a record: what it orders comes, once. The whole is `make powerloss-records`."""

import itertools
import random
import time

import pytest
from powerloss import records

SLICE = 2


@pytest.fixture(scope="module")
def cases() -> list[records.Case]:
    """Some of the setups, each with every record that it takes."""
    seed = random.randrange(1 << 30)
    print(f"seed {seed}: python -m powerloss.records --seed {seed} plays all of them")
    some = random.Random(seed).sample(records.setups(), SLICE)
    return [case for setup in some for case in records.cases_of(setup)]


def test_a_record_that_voids_the_round_does_so_after_a_power_cut_too(cases: list[records.Case]) -> None:
    kinds = ("misdeal", "face_up", "hole_card_seen", "stub_counted", "ten_found")
    voids = [case for case in cases if case.what in kinds]
    for case in random.sample(voids, SLICE):
        assert not records.problems(case, random.Random(1)), case


def test_a_record_that_voids_nothing_changes_no_deck_by_a_power_cut(cases: list[records.Case]) -> None:
    for case in random.sample(cases, SLICE):
        assert not records.problems(case, random.Random(2)), case


@pytest.mark.parametrize(
    ("setup", "what", "a", "b"),
    [
        (records.Setup("boston-5-stud", "carousel"), "misdeal", 0, 2),
        (records.Setup("double-cross-poker", "carousel", (("dealing", "hand"),)), "misdeal", 1, 4),
        (records.Setup("caribbean-stud", "carousel", (("decks", 2),)), "misdeal", 0, 2),
        (records.Setup("double-down-stud", "carousel"), "hole_card_seen", 0, 0),
    ],
)
def test_a_void_keeps_its_clause_and_its_hands(setup: records.Setup, what: str, a: int, b: int) -> None:
    found = [case for case in records.cases_of(setup) if (case.what, case.a, case.b) == (what, a, b)]
    assert found and records.tell(found[-1]).voids
    assert not records.problems(found[-1], random.Random(3))


def test_the_minutes_of_a_run_begin_when_its_cases_are_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = itertools.count()

    def listed() -> list[records.Case]:
        for _ in range(100):  # longer than the run may take
            next(seconds)
        return [records.Case(records.Setup("", ""), moves, "fold", 1, 0) for moves in range(3)]

    monkeypatch.setattr(time, "monotonic", lambda: next(seconds))
    monkeypatch.setattr(records, "all_cases", listed)
    monkeypatch.setattr(records, "problems", lambda *_: ())  # type: ignore[reportUnknownLambdaType]
    monkeypatch.setattr("sys.argv", ["records", "--minutes", "1", "--seed", "4"])
    assert records.main() == 0
    assert capsys.readouterr().out.endswith("3 of 3 cases, 0 findings\n")
