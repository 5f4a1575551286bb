"""make mutants HOST=1: which tests judge a module of library, floor or table, and a slice of its mutants."""

import random
from dataclasses import replace

import pytest
from mutants import host_code
from mutants.copied_tree import ROOT, copied_tree
from mutants.mutant import UNREACHED, Mutant

KEYS = "tests/host/link/test_keys.py"
TOKENS = "tests/floor/test_inventory.py"
CARDS = "tests/table/test_poker.py"
# Of library, floor and table: functions, and the test file that catches each of their mutants.
SLICES = (
    ("fairshoe/keys.py", ("role_key", "read_key", "seal_key", "session_key", "host_sealer", "_sealer"), KEYS),
    ("fairshoe_floor/api/tokens.py", ("Grant.sees", "Tokens.find", "add_token"), TOKENS),
    ("fairshoe_table/rules/cards.py", ("cards", "name"), CARDS),
)
SLICE_MUTANTS = 2


def test_a_module_that_is_not_there_is_named() -> None:
    with pytest.raises(SystemExit, match=r"no module fairshoe/nothing; take one below fairshoe/keys\.py, "):
        host_code.changes("fairshoe/nothing")


def test_a_slice_of_the_mutants_of_library_floor_and_table_is_caught() -> None:
    seed = random.randrange(1 << 16)
    module, functions, tests = SLICES[seed % len(SLICES)]
    some = [pair for pair in host_code.changes(module) if pair[1].where.scope in functions]
    assert {change.where.scope for _, change in some} == set(functions)
    with copied_tree(preload=False) as tree:
        for code, change in random.Random(seed).sample(some, SLICE_MUTANTS):
            mutant = replace(host_code.mutant_of(code, change), tests=(tests,))
            caught_by = tree.judge(mutant, by_files=True).caught_by
            assert caught_by.startswith(tests), f"seed {seed}: {caught_by}; replay: {host_code.replay(change)}"


@pytest.mark.full
def test_what_no_test_reaches_is_told_from_what_survives_and_a_test_that_fails_anyway_is_left_out() -> None:
    path, old = "host_tools/fairshoe/keys.py", '    return hmac.digest(device_key, b"fairshoe seal", hashlib.sha256)\n'
    text = (ROOT / path).read_text(encoding="utf-8")
    ring = "        key = self._source(device)\n        if key is None or"

    def mutant(place: str, new: str, probe: str) -> Mutant:
        assert text.count(place) == 1
        leaving = text.replace(place, f"{probe}__import__('os')._exit(99)\n{place}")
        return Mutant("x", path, text.replace(place, new), "", (KEYS,), leaving)

    with copied_tree(preload=False) as tree:
        file = tree.root / KEYS
        file.write_text("def test_it():\n    raise OSError\n\n\n" + file.read_text(encoding="utf-8"), encoding="utf-8")

        def judge(one: Mutant) -> str:
            return tree.judge(one, by_files=True).caught_by

        assert judge(mutant(old, "    return device_key\n", "    ")).startswith(f"{KEYS}::test_")
        assert tree.unsound == [f"{KEYS}::test_it"]
        assert judge(mutant(old, f"    {old.strip()}  # the same\n", "    ")) == ""
        assert judge(mutant(ring, ring.replace("None or", "None and"), "        ")) == UNREACHED
        assert (tree.root / path).read_text(encoding="utf-8") == text
