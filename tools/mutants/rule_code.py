"""Mutants of the rule code: each change of a statement in firmware/games that names a rule, in each dealing mode.

A statement that names RULE_X carries out the clauses that the game profiles give for x. In each mode the mutant has to
be caught by a test that claims one of these clauses in that mode. `BROKEN` adds whole rules that are computed
elsewhere: the clause, where it is carried out, and a plausible wrong version of that. Where no such test of a mode
reaches the statement at all, the mode does not count: a statement is put there that always fails, to find out.
"""

from __future__ import annotations

import ast
import copy
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from rules.claims import Claim, read_trace

from mutants import code
from mutants.copied_tree import ROOT
from mutants.mutant import Mutant

GAMES = "firmware/games"
_NO_RULES = ("games/profile.py", "games/pages.py", "games/drawn/pages.py")  # numbers of rules, and what people read
_OVERRIDES = {"automated": "shoe", "manual": "manual", "hand": "hand"}  # mode of a clause: key of a profile


@dataclass(frozen=True)
class Broken:
    """One rule, broken by hand."""

    clause: str
    mode: str
    path: str  # from firmware/games
    old: str
    new: str


FOLDED = "(facts.word(NOT_IN) & facts.word(SECONDS))"  # void; in NOT_IN alone a hand has folded

BROKEN = (
    Broken("DAB-15i", "manual", "drawn/round.py", "self.missed += 2 - b", "self.missed += 1"),
    Broken("DAB-15i", "manual", "shoe_facts.py", "MISSED if b else DEAD", "0"),
    Broken("DAB-7g", "manual", "drawn/steps.py", "play.served(flow) and not", "not"),
    Broken("CS-13b", "automated", "hands.py", "return not (profile.mode or", "return not (True or"),
    Broken("CS-13b", "automated", "hands.py", "facts.row[SHORT if flow.tail else EXTRA]", "facts.row[SHORT]"),
    Broken("CS-13b", "automated", "table_facts.py", "row[SHORT], row[EXTRA] = row[EXTRA], 0", "row[EXTRA] = 0"),
    Broken("DCP-12c", "automated", "hands.py", FOLDED, "facts.word(NOT_IN)"),
    Broken("B5-12d", "automated", "hands.py", FOLDED, "facts.word(NOT_IN)"),
    Broken("CS-13d", "hand", "hands.py", FOLDED, "facts.word(NOT_IN)"),
    Broken(
        "B5-12d",
        "hand",
        "table_facts.py",
        "profile, final = self.profile, self.in_final(seat)",
        "profile, final = self.profile, self.row[FINAL] > 1",
    ),
    Broken("B5-12d", "manual", "drawn/plan.py", "return U8_MAX  # its cards", "return 0  # its cards"),
    Broken(
        "B5-10c", "automated", "prerequisites.py", "final_each and not row", "final_each and profile.mode and not row"
    ),
    Broken(
        "B5-9e",
        "automated",
        "settling.py",
        "counts = need == ids.NEED_COUNT or need == ids.NEED_DECISIONS",
        "counts = need == ids.NEED_COUNT",
    ),
    Broken("DAB-11b", "manual", "drawn/hole_card.py", "== ACE and not reader.insured and (", "== ACE and ("),
    Broken("DAB-11b", "manual", "drawn/hole_card.py", "row[ANSWER] & INSURED != 0", "False"),
    Broken("DAB-11b", "manual", "drawn/round.py", "a, reader.insured and reader.up_card == a", "a, False"),
    Broken("DAB-7d", "manual", "drawn/round.py", "return (self.draws - 1) % boxes + 1", "return boxes"),
    Broken("DDS-8a", "manual", "drawn/steps.py", "flow.play.flag(flow, RULE_CLOSING)  # drawn in error", "pass  #"),
    Broken("CS-4b", "hand", "table_facts.py", "self._set(a, SOURCE, b)", "pass"),
    Broken("CS-4b", "hand", "table_facts.py", "self._set(deck, SOURCE, ids.FROM_MACHINE)", "pass"),
    Broken("DDS-4b", "manual", "table_facts.py", "return bool(self.profile.cut_after >> ", "return bool(2 >> "),
    Broken("DCP-7e", "manual", "prerequisites.py", "_stub_rounds(flow, deck) + 1 >=", "_stub_rounds(flow, deck) >="),
    Broken("B5-7d", "manual", "drawn/round.py", "+ plan_final(flow) < 0", "+ plan_final(flow) < -1"),
    Broken("CS-7e", "manual", "drawn/round.py", "+ plan_final(flow) < 0", "+ plan_final(flow) < -1"),
    Broken("DCP-7c", "manual", "drawn/round.py", "+ plan_final(flow) < 0", "+ plan_final(flow) < -1"),
)


def broken_rules() -> Iterator[Mutant]:
    claims = _claims()
    for broken in BROKEN:
        path = f"{GAMES}/{broken.path}"
        text = (ROOT / path).read_text(encoding="utf-8")
        if text.count(broken.old) != 1:
            raise ValueError(f"tools/mutants/rule_code.py: {path} has no single {broken.old!r}: where is it now?")
        name = f"code {broken.clause} ({broken.mode}): {broken.old} -> {broken.new}"
        tests = _tests(claims, {broken.clause}, broken.mode)
        yield Mutant(name, path, text.replace(broken.old, broken.new), broken.clause, tests)


def statement_mutants(under: str = "games/") -> Iterator[Mutant]:
    clauses = _clauses_by_rule()
    claims = _claims()
    for module in code.modules():
        if module.path.startswith(under) and module.path not in _NO_RULES:
            yield from _of_module(module, clauses, claims)


def _claims() -> list[Claim]:
    return [claim for clause in read_trace().clauses.values() for claim in _in_modes(clause.claims, clause.modes)]


def _of_module(module: code.Module, clauses: dict[tuple[str, str], set[str]], claims: list[Claim]) -> Iterator[Mutant]:
    rules = _rules_by_line(module.tree)
    for change in module.changes:
        for mode in _OVERRIDES:
            about = set[str]().union(*(clauses.get((rule, mode), set()) for rule in rules.get(change.where.line, ())))
            tests = _tests(claims, about, mode)
            if tests:
                with change.applied():
                    text = ast.unparse(module.tree)
                probe = failing_at(module.tree, change.where.line)
                name = f"code {change.name} ({mode})"
                yield Mutant(name, f"firmware/{module.path}", text, ", ".join(sorted(about)), tests, probe)


def failing_at(tree: ast.Module, line: int, failing: str = "raise SystemError") -> str:
    """The module with a statement in that place that fails; empty for what runs when it is imported."""
    broken = copy.deepcopy(tree)
    for node in ast.walk(broken):
        if isinstance(node, ast.Module | ast.ClassDef | ast.Lambda | ast.IfExp):
            continue
        for name in ("body", "orelse", "finalbody"):
            block = cast("list[ast.stmt]", getattr(node, name, []))
            for at, statement in enumerate(block):
                if statement.lineno == line:
                    block.insert(at, ast.copy_location(ast.parse(failing).body[0], statement))
                    return ast.unparse(ast.fix_missing_locations(broken))
    return ""


def _rules_by_line(tree: ast.Module) -> dict[int, set[str]]:
    """Rules that a statement names, by its line: its own words, and for a condition what it decides at once."""
    found: dict[int, set[str]] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt) or isinstance(node, ast.ClassDef | ast.FunctionDef | ast.ImportFrom):
            continue
        if isinstance(node, ast.If | ast.While | ast.For):
            head = node.iter if isinstance(node, ast.For) else node.test
            parts = [head, *(it for it in node.body if not isinstance(it, ast.If | ast.While | ast.For))]
        else:
            parts = [node]
        words = {it.id for part in parts for it in ast.walk(part) if isinstance(it, ast.Name)}
        found[node.lineno] = {word[5:].lower() for word in words if re.match("RULE_", word)}
    return found


def _clauses_by_rule() -> dict[tuple[str, str], set[str]]:
    """By rule and mode."""
    found: dict[tuple[str, str], set[str]] = {}
    for path in sorted((ROOT / "game_profiles").glob("*.json")):
        profile = json.loads(path.read_text(encoding="utf-8"))
        for rule, entry in profile.get("rules", {}).items() if "code" in profile else ():
            for mode, key in _OVERRIDES.items():
                clause = profile.get(key, {}).get(rule) or (entry if isinstance(entry, str) else entry[0])
                found.setdefault((rule, mode), set()).add(clause)
    return found


def _in_modes(claims: list[Claim], modes: tuple[str, ...]) -> list[Claim]:
    return [Claim(it.clause, it.part, it.modes or modes, it.path, it.test) for it in claims]


def _tests(claims: list[Claim], clauses: set[str], mode: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(it.name for it in claims if it.clause in clauses and mode in it.modes))
