"""Mutants of the rules: each value of every game profile is changed once, each entry of the table of house policy, and
the rule code of the firmware (rule_code.py).

A mutant of a profile is caught by a test that claims the clause it breaks. House policy has no clause: there it is a
row or a scenario that says HOUSE.
"""

from __future__ import annotations

import copy
import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from rules.claims import read_trace, test_of

from mutants.copied_tree import ROOT, copied_tree
from mutants.mutant import Mutant
from mutants.rule_code import broken_rules
from rig.law import GAMES, law_of

PROFILES = "game_profiles"
POLICY = "firmware/games/profile.py"
HOUSE = "HOUSE"
PROGRESS_S = 20
_NAMES = ("$schema", "name", "code", "about", "pages")  # what people read, and who the game is
_LISTS = {  # keys whose absent words are tried as well: what a game forbids
    "sources": ("machine", "supplier", "hand"),
    "cut_after": ("machine", "supplier", "hand"),
    "cut_by": ("dealer", "player", "floorperson"),
    "stub_exempt": ("shoe", "manual", "hand"),
}


def rule_mutants() -> Iterator[Mutant]:
    """In the order of files and keys."""
    tests = _tests_by_clause()
    values = json.loads((ROOT / "rules" / "values.json").read_text(encoding="utf-8"))["games"]
    for name in sorted(values):
        path = f"{PROFILES}/{name}.json"
        profile = json.loads((ROOT / path).read_text(encoding="utf-8"))
        for place, profile_changed, clauses in _changes(profile, values[name]):
            seen_by = _tests_of(clauses, tests)
            yield Mutant(f"{name} {place}", path, json.dumps(profile_changed), ", ".join(clauses), seen_by)
    yield from _matrix_mutants(tests)
    yield from _policy_mutants()
    yield from broken_rules()


def _tests_by_clause() -> dict[str, list[str]]:
    return {clause.id: [claim.name for claim in clause.claims] for clause in read_trace().clauses.values()}


def _tests_of(clauses: tuple[str, ...], tests: dict[str, list[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for clause in clauses for name in tests.get(clause, [])))


def judged(mutants: list[Mutant], limit_s: float) -> Iterator[tuple[Mutant, str]]:
    """Each mutant with the test that failed, until the time is up. Mutants of code come last: they cost an import."""
    used_s = 0.0
    tried = 0
    shown = time.monotonic()
    for code in (False, True):
        some = [mutant for mutant in mutants if mutant.path.startswith(PROFILES) != code]
        if not some or 0 < limit_s <= used_s:
            continue
        with copied_tree(preload=not code) as tree:
            for mutant in some:
                verdict = tree.judge(mutant)
                used_s += verdict.processor_s
                tried += 1
                if time.monotonic() > shown + PROGRESS_S:
                    shown = time.monotonic()
                    print(f"{tried} of {len(mutants)} tried", file=sys.stderr, flush=True)
                yield mutant, verdict.caught_by
                if 0 < limit_s <= used_s:
                    break


# -- profiles ---------------------------------------------------------------------------------------------------------


def _changes(profile: dict[str, Any], values: dict[str, list[str]]) -> Iterator[tuple[str, Any, tuple[str, ...]]]:
    for key, value in profile.items():
        if key in ("rules", "manual", "hand"):
            for rule in value:
                if value[rule] == HOUSE:  # the clause of another mode
                    clause, _ = profile["rules"][rule]
                    yield f"{key}.{rule} {HOUSE} -> {clause}", _with(profile, [key, rule], clause), (clause,)
                    continue
                for text, new, clause in _rule_changes(value[rule]):
                    yield f"{key}.{rule} {text}", _with(profile, [key, rule], new), (clause,)
        elif key not in _NAMES:
            if key not in values:
                raise ValueError(f"rules/values.json: say which clauses {key} of {profile['name']} comes from")
            for place, text, new in _value_changes(key, value):
                yield f"{'.'.join(map(str, place))} {text}", _with(profile, place, new), tuple(values[key])


def _rule_changes(rule: Any) -> Iterator[tuple[str, Any, str]]:
    """Another clause, and another consequence."""
    clause, order = (rule, "") if isinstance(rule, str) else rule
    yield f"{clause} -> {HOUSE}", [HOUSE, order] if order else HOUSE, clause
    if order:
        yield f"{order} -> {_other(order)}", [clause, _other(order)], clause


def _other(order: str) -> str:
    """A consequence that is near: hands void in another way, or play that goes on."""
    if order == "all_void_reshuffle":
        return "all_void_remove_deck"
    if "void" in order:
        return "all_void_reshuffle"
    return "burn_card" if order == "play_on" else "play_on"


def _value_changes(key: str, value: Any) -> Iterator[tuple[list[str], str, Any]]:
    if isinstance(value, bool):
        yield [key], f"{value} -> {not value}", not value
    elif isinstance(value, int):
        new = value - 1 if value == _most(key) else value + 1
        yield [key], f"{value} -> {new}", new
    elif isinstance(value, str):
        yield [key], f"{value} -> {HOUSE}", HOUSE
    elif isinstance(value, list):
        words = cast("list[str | int]", value)
        for word in words:
            yield [key], f"without {word}", [other for other in words if other != word]
        for word in _LISTS.get(key, ()):
            if word not in words:
                yield [key], f"with {word}", [*words, word]
    else:  # Cover All: columns of payouts
        for column, pays in value.items():
            for at, pay in enumerate(pays):
                new = [*pays[:at], pay + 1, *pays[at + 1 :]]
                yield [key, column], f"payout {at + 1} {pay} -> {pay + 1}", new


def _most(key: str) -> int | None:
    """The greatest number that the schema allows."""
    schema = json.loads((ROOT / PROFILES / "schema.json").read_text(encoding="utf-8"))
    return schema["properties"][key].get("maximum")


def _with(profile: dict[str, Any], place: list[str], new: Any) -> dict[str, Any]:
    changed = copy.deepcopy(profile)
    inner = changed
    for word in place[:-1]:
        inner = inner[word]
    inner[place[-1]] = new
    return changed


# -- tables beside them -----------------------------------------------------------------------------------------------


def _matrix_mutants(tests: dict[str, list[str]]) -> Iterator[Mutant]:
    path = f"{PROFILES}/cover_all.json"
    matrix = json.loads((ROOT / path).read_text(encoding="utf-8"))
    for row, line in enumerate(matrix["rows"]):
        for at, pay in enumerate(line["pays"]):
            changed = copy.deepcopy(matrix)
            changed["rows"][row]["pays"][at] = pay + 1
            name = f"cover_all {line['hand']}, {matrix['players'][at]} players: {pay} -> {pay + 1}"
            yield Mutant(name, path, json.dumps(changed), "CS-12k", _tests_of(("CS-12k",), tests))


def _policy_mutants() -> Iterator[Mutant]:
    """Entries of _CAUTIOUS."""
    text = (ROOT / POLICY).read_text(encoding="utf-8")
    table = re.search(r"_CAUTIOUS = bytes\(\n.*?\n\)\n", text, re.DOTALL)
    rules = re.findall(r"^RULE_(\w+) = const\(\d+\)", text, re.MULTILINE)
    if table is None:
        raise ValueError(f"{POLICY}: no table _CAUTIOUS; say in tools/mutants/rules.py where house policy is")
    tests = _house_tests()
    for number, entry in enumerate(re.finditer(r"ids\.(\w+),", table[0])):
        start, end = table.start() + entry.start(), table.start() + entry.end()
        order = entry[1].lower()
        changed = f"{text[:start]}ids.{_other(order).upper()},{text[end:]}"
        name = f"house policy {rules[number].lower()} {order} -> {_other(order)}"
        yield Mutant(name, POLICY, changed, HOUSE, tests)


def _house_tests() -> tuple[str, ...]:
    """Scenarios, and the rows of the law, that say HOUSE."""
    files = sorted((ROOT / "tests" / "scenarios").glob("*.json"))
    rows = [row for game in GAMES for row in law_of(game) if any(HOUSE in line for line in row.text)]
    names = [str(file.relative_to(ROOT)) for file in files if f'"{HOUSE}"' in _text(file)]
    return tuple(dict.fromkeys([*(test_of(row) for row in rows), *names]))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
