"""make mutants: what is changed in code, what is caught, and a slice of the mutants of protocol and deck."""

import ast
import json
import random
from pathlib import Path

import pytest
from mutants import code_run
from mutants import measure as measuring
from mutants.code import Module, read_module
from mutants.code_run import Choice, choose
from mutants.copied_tree import ROOT
from mutants.forked import Bench, Outcome, within
from mutants.measure import measure
from mutants.results import Results
from mutants.sources import digests

pytestmark = pytest.mark.full

SLICE_S = 4  # of processor time
# Modules whose own tests catch every mutant that is not equivalent, and those tests.
SLICE = ("protocol/cobs.py", "protocol/frame.py", "deck/ledger.py", "deck/drbg.py", "deck/permutation.py")
SLICE_TESTS = [
    "tests/unit/protocol/test_frame.py",
    *(f"tests/unit/deck/test_{name}.py" for name in ("ledger", "drbg", "shoe")),
]

SOURCE = '''
"""Text."""
LIMIT = const(3)
TYPE_CHECKING = False
if TYPE_CHECKING:
    from x import y


class Shoe:
    def __init__(self) -> None:
        self.cards = 0

    def add(self, count: int = 1) -> bool:
        """More text."""
        if count < 0 and not self.cards:
            return False
        self.cards += count & 0x0F
        log(self.cards)
        while self.cards == LIMIT:
            self.cards = 0
        return self.cards >= 2
'''
CHANGES = """(module): LIMIT = const(3): 3 -> 4
Shoe.__init__: self.cards = 0: 0 -> 1
Shoe.add: def add: 1 -> 2
Shoe.add: if count < 0 and (not self.cards) -> if True
Shoe.add: if count < 0 and (not self.cards) -> if False
Shoe.add: count < 0 and (not self.cards) -> count < 0 or not self.cards
Shoe.add: count < 0 -> count <= 0
Shoe.add: if count < 0 and (not self.cards): 0 -> 1
Shoe.add: not self.cards -> self.cards
Shoe.add: without return False
Shoe.add: return False: False -> True
Shoe.add: without self.cards += count & 15
Shoe.add: self.cards += count & 15 -> self.cards -= count & 15
Shoe.add: count & 15 -> count | 15
Shoe.add: self.cards += count & 15: 15 -> 7
Shoe.add: self.cards += count & 15: 15 -> 14
Shoe.add: without log(self.cards)
Shoe.add: while self.cards == LIMIT -> while False
Shoe.add: self.cards == LIMIT -> self.cards != LIMIT
Shoe.add: self.cards == LIMIT -> self.cards >= LIMIT
Shoe.add: without self.cards = 0
Shoe.add: self.cards = 0: 0 -> 1
Shoe.add: return self.cards >= 2 -> return not self.cards >= 2
Shoe.add: self.cards >= 2 -> self.cards > 2
Shoe.add: self.cards >= 2 -> self.cards == 2
Shoe.add: return self.cards >= 2: 2 -> 3"""


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Bench:
    """What is measured for one module is not kept."""
    monkeypatch.setattr(measuring, "KEPT", tmp_path)
    monkeypatch.chdir(ROOT)  # and back, afterwards
    return Bench()


def drbg() -> Module:
    return read_module("deck/drbg.py", (ROOT / "firmware/deck/drbg.py").read_text(encoding="utf-8"))


def ticks() -> Module:
    return read_module("ticks.py", (ROOT / "firmware/ticks.py").read_text(encoding="utf-8"))


def test_each_kind_of_change_is_made_once_for_each_place_and_types_and_texts_are_left_alone() -> None:
    module = read_module("x.py", SOURCE)
    assert [change.name.removeprefix("x.py ") for change in module.changes] == CHANGES.splitlines()
    before = ast.unparse(module.tree)
    for change in module.changes:
        with change.applied():
            compile(module.tree, "x", "exec")
            assert ast.unparse(module.tree) != before, change.name
    assert ast.unparse(module.tree) == before


def test_samples_and_shards_are_those_of_the_seed_and_small_modules_are_whole() -> None:
    modules = [read_module(f"{folder}/x.py", SOURCE) for folder in ("games", "link", "protocol")]
    first, again, other = (choose(modules, Choice(seed=seed, sample=10)) for seed in (1, 1, 2))
    assert [change.name for _, change in first] == [change.name for _, change in again]
    assert {change.name for _, change in first} != {change.name for _, change in other}
    assert len(first) == 10 + 10 + len(CHANGES.splitlines())
    shards = [choose(modules, Choice(seed=1, sample=10, shard=(part, 3))) for part in (1, 2, 3)]
    assert sorted(change.name for shard in shards for _, change in shard) == sorted(change.name for _, change in first)


def test_a_mutant_that_raises_fails_ends_or_hangs_is_caught_by_a_test_that_runs_it(bench: Bench) -> None:
    module = ticks()
    coverage = measure(bench, [module], ["tests/unit/app/test_ticks.py"])
    change = module.changes[-1]
    tests = coverage.tests(change)
    assert tests and change.where.scope == "ticks_diff"
    assert bench.judge("ticks.py", module.tree, tests, 10).caught_by == ""
    function = next(node for node in module.tree.body if getattr(node, "name", "") == "ticks_diff")
    assert isinstance(function, ast.FunctionDef)
    for broken in ("return 12345", "raise OSError", "raise SystemExit", "while True: pass", "raise MemoryError"):
        function.body = ast.parse(broken).body
        outcome = bench.judge("ticks.py", module.tree, tests[:1], 10)
        assert outcome.caught_by.startswith(tests[0][0]), broken


def test_a_test_that_fails_without_a_mutant_is_named(bench: Bench) -> None:
    module = ticks()
    file = ROOT / "tests/unit/app/test_ticks.py"
    bench.code[str(file)] = compile("def test_it():\n    raise OSError", str(file), "exec")
    with pytest.raises(RuntimeError, match=r"test_ticks\.py::test_it fails while nothing is changed"):
        measure(bench, [module], ["tests/unit/app/test_ticks.py"])


def test_what_survives_is_named_and_fails_unless_it_is_shown_to_be_equivalent(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(code_run, "EQUIVALENT", tmp_path / "equivalent_code.json")
    monkeypatch.setattr(code_run, "RESULTS", tmp_path / "results.jsonl")
    monkeypatch.setattr(code_run, "modules", lambda: [drbg(), ticks()])
    monkeypatch.setattr(code_run, "Bench", lambda: bench)
    name = "deck/drbg.py Drbg._update: without wipe(data)"  # no output of the generator depends on it
    entry = {"mutant": name, "why": "."}
    for known, status, text in (
        ([], 1, f": {name} ("),
        ([entry], 0, " 1      1       0           1         0     100.0"),
        (
            [entry, {"mutant": "deck/drbg.py y", "why": "."}],
            1,
            "equivalent_code.json: there is no mutant deck/drbg.py y",
        ),
        ([entry, {"mutant": "app.py y", "why": "."}], 0, "deck/drbg.py "),
    ):
        code_run.EQUIVALENT.write_text(json.dumps(known), encoding="utf-8")
        choice = Choice(module="deck/drbg.py", only="_update: without wipe(data)")
        assert code_run.run(choice, 0, 5, ["tests/unit/deck/test_drbg.py"], False) == status
        assert text in capsys.readouterr().out
    caught = {"mutant": "ticks.py ticks_diff: if delta >= TICKS_HALF -> if False", "why": "."}
    code_run.EQUIVALENT.write_text(json.dumps([caught]), encoding="utf-8")
    choice = Choice(module="ticks.py", only="TICKS_HALF -> if False")
    assert code_run.run(choice, 0, 5, ["tests/unit/app/test_ticks.py"], False) == 1
    assert f"{caught['mutant']} is caught by tests/unit/app/test_ticks.py::test_" in capsys.readouterr().out


def test_a_slow_test_is_passed_over_for_those_that_fit_behind_it() -> None:
    """One test of four seconds that named the function was once all that a mutant was tried with."""
    tests = [("slow", 4.0), ("a", 1.0), ("b", 2.5), ("c", 2.0)]
    assert within(tests, 3) == [("a", 1.0), ("c", 2.0)]
    assert within(tests, 0.5) == [("a", 1.0)] and within([], 3) == []


def test_every_entry_of_what_is_equivalent_names_a_mutant_and_says_why() -> None:
    entries = json.loads(code_run.EQUIVALENT.read_text(encoding="utf-8"))
    names = {change.name for module in code_run.modules() for change in module.changes}
    assert [entry["mutant"] for entry in entries if entry["mutant"] not in names] == []
    assert len({entry["mutant"] for entry in entries}) == len(entries)
    for entry in entries:
        assert set(entry) == {"mutant", "why"}
        assert len(entry["why"]) > 30, entry["mutant"]


def test_a_run_continues_where_the_last_one_stopped_until_sources_change(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    caught, survived = Outcome("tests/unit/test_a.py::test_x", 2, 1.0), Outcome("", 7, 1.0)
    digests = {"tests/unit/test_a.py": "1", "tests/unit/test_b.py": "1"}
    tests = [(f"{file}::test_x", 0.1) for file in digests]
    results = Results(path, digests)
    assert results.valid("m", tests, 8) is None and results.untried("m", tests, 8) == tests
    results.keep("m", caught, 8)
    with path.open("a", encoding="utf-8") as file:
        file.write('\n{"mutant": "n", "cau')  # the run was ended here
    results.keep("s", survived, 8)
    again = Results(path, digests)
    assert again.valid("m", tests, 60) == Outcome(caught.caught_by, 2, 0)
    assert again.valid("s", tests, 8) == Outcome("", 7, 0)
    assert again.valid("s", tests, 60) is None and again.untried("s", tests, 60) == tests
    other_test = Results(path, {**digests, "tests/unit/test_b.py": "2"})
    assert other_test.valid("m", tests, 8) is not None
    assert other_test.valid("s", tests, 8) is None and other_test.valid("s", tests[:1], 8) is not None
    assert other_test.untried("s", tests, 8) == tests[1:]
    other_code = Results(path, dict.fromkeys(digests, "2"))
    assert other_code.valid("m", tests, 8) is None and other_code.untried("s", tests, 8) == tests


def test_a_verdict_depends_on_the_firmware_and_on_what_its_test_file_imports(bench: Bench) -> None:
    tests = ["tests/unit/app/test_ticks.py", "tests/unit/rig/test_live.py"]
    files = [*tests, "tests/scenarios/carousel-empty-hopper.json"]
    before = digests(bench, files)
    for changed, expected in (
        ("firmware/app.py", files),
        ("rig/live.py", files[1:2]),  # imported by that test
        ("rig/expect.py", files[1:]),  # by a module that it imports
        ("hal/rp2/port.py", []),
        ("tests/unit/app/test_ticks.py", files[:1]),
    ):
        kept = bench.text[str(ROOT / changed)]
        bench.text[str(ROOT / changed)] = kept + b"\n"
        after = digests(bench, files)
        assert [file for file in files if after[file] != before[file]] == expected, changed
        bench.text[str(ROOT / changed)] = kept


def test_a_slice_of_the_mutants_of_protocol_and_deck_is_caught(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(code_run, "RESULTS", tmp_path / "results.jsonl")  # judged again in each gate
    seed = random.randrange(1 << 16)
    module = SLICE[seed % len(SLICE)]
    status = code_run.run(Choice(module=module, seed=seed), SLICE_S / 60, 5, SLICE_TESTS, False)
    said = capsys.readouterr().out
    assert status == 0 and "SURVIVED" not in said, f"replay: make mutants MODULE={module} SEED={seed}\n{said}"
