"""docs/INTEGRATE.md: its programs run as they stand, each in a folder of its own, and its tables are those of the
code."""

import re
from pathlib import Path

import pytest

import fairshoe
from fairshoe import errors
from fairshoe.keys import write_key
from fairshoe.sim import setup

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "INTEGRATE.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
SAYS = {  # the first time, and the next
    "round_ended": ("RoundEnded(seq=",),
    "shoe.on(WarningLatched": ("round 1 is over",),
    "store.events(": ("round=1", "round=2"),
    "INSERT OR IGNORE": ("42 events booked", "42 events booked"),  # the event in hand is redelivered
    "shoe.command(Shuffle)": ("1 DONE", "3 DONE"),
    "unplug(seconds=3)": ("gone: the cable is out",),
    "def allow(": ("3 close_betting DONE\n4 confirm_lockout DONE\n5 release DONE\n6 end_round DONE",),
    "faults=jam:exit:7": ("CS-13f ALL_VOID_RESHUFFLE_WITH_DEALT JAM_EXIT",),
    "down in mid-round": ("it was round 1 DEALING\nround 1 is void: CS-13f",),
}


def test_the_page_has_a_program_for_everything() -> None:
    assert len(BLOCKS) == 16


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_a_program_of_the_page_runs_as_it_stands(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    block = BLOCKS[number]
    monkeypatch.chdir(tmp_path)
    write_key(tmp_path / "device.key", "device", bytes(range(32)))
    # What leaves a store behind has to run on it again: that is what a store is for.
    for run in range(2 if "table-7.db" in block or "table-9.db" in block else 1):
        exec(compile(block, f"docs/INTEGRATE.md, program {number + 1}", "exec"), {"__name__": "__main__"})
        said = capsys.readouterr().out
        for piece, words in SAYS.items():
            if piece in block:
                assert words[run] in said


def test_the_programs_that_keep_something_run_one_after_the_other_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    kept = [block for block in BLOCKS if "table-7.db" in block]
    assert len(kept) == 2
    for block in kept + kept:
        exec(compile(block, "docs/INTEGRATE.md", "exec"), {"__name__": "__main__"})


def test_every_error_that_a_program_meets_is_in_the_table_with_its_code() -> None:
    table = PAGE[PAGE.index("## Errors") :]
    exported = [getattr(fairshoe, name) for name in fairshoe.__all__]
    kinds = [it for it in exported if isinstance(it, type) and issubclass(it, errors.FairshoeError)]
    for kind in kinds:
        if kind is not errors.FairshoeError:
            rows = [row for row in table.splitlines() if f"`{kind.__name__}`" in row and row.startswith("|")]
            assert len(rows) == 1, kind
            assert rows[0].endswith(f"| {kind.exit_code} |"), kind


def test_every_word_of_a_simulated_shoe_is_in_its_table() -> None:
    table = PAGE[PAGE.index("## Test your program") : PAGE.index("## Errors")]
    words = "game seed speed faults dealer key storage mode audit table truth service"
    for word in words.split():
        assert f"{word}=" in table
        assert word in setup._WORDS  # pyright: ignore[reportPrivateUsage]
    assert len(setup._WORDS) == 12  # pyright: ignore[reportPrivateUsage]
    for dealer in setup.DEALERS:
        assert dealer in table


def test_everything_exported_says_what_it_is() -> None:
    for name in fairshoe.__all__:
        thing = getattr(fairshoe, name)
        assert thing.__doc__ and thing.__doc__.strip(), name
    for cls in (fairshoe.Shoe, fairshoe.AsyncShoe, fairshoe.Store):
        for name in vars(cls):
            if not name.startswith("_"):
                assert getattr(cls, name).__doc__, f"{cls.__name__}.{name}"
    assert re.fullmatch(r"\d+\.\d+\.\d+", fairshoe.__version__)
    assert (ROOT / "host_tools" / "fairshoe" / "py.typed").exists()
