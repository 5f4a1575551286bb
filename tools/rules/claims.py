"""The clauses of rules/ with the dealing modes in which they bind, and what the tests claim of them.

rules/README.md says how a test names a clause. Tests are read, never imported; false_claims compares the claims of a
test with what it has played, when it is run.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeGuard

from fairshoe.sim.scenario_cases import read_cases
from rig.law import DRAWN, IN_PART, Row, law_of
from rig.law import HOUSE as NO_CLAUSE
from rules.played import HOST, MODES, Played, scenario_plays  # this makes the device importable

ROOT = Path(__file__).resolve().parents[2]
LAW = "rules/law"
LAW_TEST = "tests/unit/games/test_law.py"  # plays the rows, clause by clause
MARK = "Proves:"
PART = "in part"
_CLAIM = re.compile(r"([A-Z0-9]+-\d+[a-z]?\d*)(?: \(([^()]+)\))?")
_COMMA = re.compile(r",(?![^()]*\))")  # between claims, not in brackets
_NEARLY = re.compile(r"\bprove[sd]?\b[ :]*[A-Z0-9]+-\d", re.IGNORECASE)
# What keeps pytest from running a test: a claim must not hang on one that only may run.
_UNSURE = {"skip", "skipif", "xfail", "importorskip"}
# Run only where tshark is installed.
_SOMETIMES = "tests/dissector/"


@dataclass(frozen=True)
class Claim:
    """One test says of one clause that it proves it."""

    clause: str
    part: bool
    modes: tuple[str, ...]  # of dealing, as named or played; empty: wherever the clause binds
    path: str = ""  # of the file, from the root of the repository
    test: str = ""  # name of the function; empty for a scenario; of a row the whole node

    @property
    def name(self) -> str:
        return self.test if self.of_law else f"{self.path}::{self.test}" if self.test else self.path

    @property
    def of_law(self) -> bool:
        return self.path.startswith(f"{LAW}/")


@dataclass
class Clause:
    id: str
    topic: str
    device: str
    also: list[str]
    remark: str
    modes: tuple[str, ...]  # in which it binds
    excepted: dict[str, str] = field(default_factory=dict[str, str])  # modes in which nothing of ours bears on it: why
    claims: list[Claim] = field(default_factory=list[Claim])

    @property
    def game(self) -> str:
        return self.id.partition("-")[0]

    @property
    def proved(self) -> bool:
        """In one mode at least."""
        return any(not claim.part for claim in self.claims)

    @property
    def why(self) -> str:
        """Why nothing of ours bears on it in any mode, if so."""
        return "" if set(self.modes) - set(self.excepted) else self.excepted[self.modes[0]]

    @property
    def modes_missing(self) -> list[str]:
        """In which it binds, and no test proves it."""
        proved = {mode for claim in self.claims if not claim.part for mode in claim.modes}
        return [mode for mode in self.modes if mode not in proved and mode not in self.excepted]


@dataclass
class Trace:
    """Everything that is known: the clauses with their tests, and what is wrong with what was claimed."""

    clauses: dict[str, Clause]
    games: list[dict[str, str]]
    differences: list[dict[str, Any]]
    problems: list[str]

    def missing(self) -> list[Clause]:
        return [clause for clause in self.clauses.values() if not clause.proved and not clause.why]

    def in_part(self) -> list[Clause]:
        return [clause for clause in self.missing() if clause.claims]

    def in_some_modes(self) -> list[Clause]:
        return [clause for clause in self.clauses.values() if clause.proved and clause.modes_missing]


# -- what tests claim -------------------------------------------------------------------------------------------------


def claims_of(text: str, where: str, problems: list[str]) -> list[Claim]:
    """The claims of one line: `CS-9a, CS-9d (in part), CS-13d (manual, hand, in part)`."""
    found: list[Claim] = []
    for word in _COMMA.split(text):
        match = _CLAIM.fullmatch(word.strip())
        words = match[2].split(", ") if match and match[2] else []
        if match is None or set(words) - {*MODES, HOST, PART}:
            problems.append(f"{where}: {word.strip()!r} is no clause, nor a clause with its modes or ({PART})")
        else:
            found.append(Claim(match[1], PART in words, tuple(word for word in words if word != PART)))
    return found


def marks(docstring: str) -> Iterator[str]:
    """What stands behind each mark; a line that ends with a comma goes on in the next. What only looks like a mark is
    given as it stands, and will be no clause."""
    lines = iter(docstring.splitlines())
    for line in lines:
        _, mark, text = line.partition(MARK)
        if mark:
            while text.rstrip().endswith(","):
                text += " " + next(lines, "?").strip()
            yield text
        elif _NEARLY.search(line):
            yield line


def python_claims(path: str, source: str, problems: list[str]) -> list[Claim]:
    """Claims in the docstrings of the test functions of one file. A claim that stands anywhere else is a problem."""
    if MARK not in source and not _NEARLY.search(source):
        return []  # most files: parsing them takes seconds
    tree = ast.parse(source)
    collected = {} if not Path(path).name.startswith("test_") or path.startswith(_SOMETIMES) else dict(_tests(tree))
    found: list[Claim] = []
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)):
            continue
        for text in marks(ast.get_docstring(node) or ""):
            where = f"{path}:{getattr(node, 'lineno', 1)}"
            if node not in collected:
                problems.append(f"{where}: claims a clause, but is no test that is always collected")
            elif _unsure(node) or _unsure_module(tree):
                problems.append(f"{where}: {collected[node]} claims a clause, but may be skipped")
            else:
                name = collected[node]
                found += [replace(claim, path=path, test=name) for claim in claims_of(text, where, problems)]
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and any(marks(token.string)):
            problems.append(f"{path}:{token.start[0]}: a claim belongs in the docstring of the test")
    return found


def _tests(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """What pytest collects: functions test_* of the module, and of its classes Test*."""
    for node in tree.body:
        if _is_test(node):
            yield node, node.name
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            for child in node.body:
                if _is_test(child):
                    yield child, f"{node.name}::{child.name}"


def _is_test(node: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    # Not a coroutine: nothing here would run it.
    return isinstance(node, ast.FunctionDef) and node.name.startswith("test_")


def _unsure(node: ast.AST) -> bool:
    """Whether pytest.skip, pytest.mark.skipif or the like stands anywhere in it."""
    return any(
        isinstance(part, ast.Attribute) and part.attr in _UNSURE and ast.unparse(part).startswith(("pytest.", "mark."))
        for part in ast.walk(node)
    )


def _unsure_module(tree: ast.Module) -> bool:
    """Whether something outside of functions and classes may keep the whole file from running."""
    rest = [node for node in tree.body if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))]
    return any(_unsure(node) for node in rest)


def scenario_claims(path: str, data: dict[str, Any], problems: list[str]) -> list[Claim]:
    if "clauses" not in data:
        return []
    if not data.get("expect"):
        problems.append(f"{path}: claims clauses, but expects nothing")
        return []
    if Path(path).parent.as_posix() != "tests/scenarios":
        problems.append(f"{path}: claims clauses, but only files right in tests/scenarios are played")
        return []
    found: list[Claim] = []
    game, mode = scenario_plays(data)
    for claim in claims_of(", ".join(data["clauses"]), path, problems) if data["clauses"] else []:
        if claim.modes:
            problems.append(f"{path}: {claim.clause} names a mode; that of a scenario is the one it plays, {mode}")
        elif claim.clause.partition("-")[0] != game:
            problems.append(f"{path}: claims {claim.clause}, but plays {game}")
        else:
            found.append(replace(claim, path=path, modes=(mode,)))
    return found


def collect(root: Path, problems: list[str]) -> list[Claim]:
    found: list[Claim] = []
    for file in sorted((root / "tests").rglob("*.py")):
        path = file.relative_to(root).as_posix()
        found += python_claims(path, file.read_text(encoding="utf-8"), problems)
    for file in sorted((root / "tests" / "scenarios").rglob("*.json")):
        path = file.relative_to(root).as_posix()
        for name, data in read_cases(file).items():
            found += scenario_claims(path if name == file.stem else f"{path}:{name}", data, problems)
    return found


def test_of(row: Row) -> str:
    """The test that plays it, with the other rows that begin with its clause."""
    return f"{LAW_TEST}::test_{row.clause.replace('-', '_')}"


def law_claims(root: Path) -> Iterator[Claim]:
    """Those of the rows of the law. A draw shoe is a manual shoe."""
    for file in sorted((root / LAW).glob("*.law")):
        for row in law_of(file.stem, f"{file.parent}/"):
            for mode, clauses in row.claims:
                for clause in clauses:
                    if clause != NO_CLAUSE:
                        played = MODES[1] if mode == DRAWN else mode
                        part = clause.endswith(IN_PART)
                        yield Claim(clause.rstrip(IN_PART), part, (played,), f"{LAW}/{file.name}", test_of(row))


# -- clauses and claims together --------------------------------------------------------------------------------------


def read_clauses(root: Path = ROOT) -> dict[str, Clause]:
    rules = _read(root / "rules" / "clauses.json")
    sections = {game["code"]: game["modes"] for game in rules["games"]}
    return {
        entry["id"]: Clause(
            entry["id"],
            entry["topic"],
            entry["device"],
            entry.get("also", []),
            entry.get("remark", ""),
            tuple(entry["modes"] if "modes" in entry else binding_modes(entry, sections)),
        )
        for entry in rules["clauses"]
    }


def binding_modes(entry: dict[str, Any], sections: dict[str, dict[str, list[str]]]) -> list[str]:
    """In which modes a clause binds: a paragraph of a section about one mode in that one, any other in all modes that
    the game allows; a clause of several paragraphs in those of each."""
    code, _, paragraph = entry["id"].partition("-")
    modes: set[str] = set()
    for name in [paragraph, *entry.get("also", [])]:
        of_one = {
            mode
            for mode, starts in sections[code].items()
            for start in starts
            if re.match(start + r"(?!\d)", name)  # 1 is not the start of 12a
        }
        modes |= of_one or set(sections[code])
    return [mode for mode in MODES if mode in modes]


def read_trace(root: Path = ROOT) -> Trace:
    clauses = read_clauses(root)
    games = _read(root / "rules" / "clauses.json")["games"]
    trace = Trace(clauses, games, _read(root / "rules" / "differences.json")["rows"], [])
    for claim in [*law_claims(root), *collect(root, trace.problems)]:
        problem = claim_problem(claim, clauses)
        if problem:
            trace.problems.append(f"{claim.name}: {problem}")
        else:
            clause = clauses[claim.clause]
            clause.claims.append(replace(claim, modes=claim.modes or clause.modes))
    for entry in _read(root / "rules" / "exceptions.json")["exceptions"]:
        _except(trace, entry)
    trace.problems += (problem for clause in clauses.values() for problem in told_twice(clause))
    return trace


def told_twice(clause: Clause) -> Iterator[str]:
    """Tests that claim a clause in a mode in which rows of the law show it whole."""
    whole = {mode for claim in clause.claims if claim.of_law and not claim.part for mode in claim.modes}
    for claim in clause.claims:
        twice = sorted(whole & set(claim.modes))
        if twice and not claim.of_law:
            yield f"{claim.name}: claims {clause.id} of {', '.join(twice)}, which rows of {LAW} show whole"


def claim_problem(claim: Claim, clauses: dict[str, Clause]) -> str:
    """What is wrong with a claim before its test runs, or nothing."""
    clause = clauses.get(claim.clause)
    if clause is None:
        return f"there is no clause {claim.clause}"
    elsewhere = [mode for mode in claim.modes if mode not in clause.modes]
    if elsewhere:
        return f"claims {clause.id} of {', '.join(elsewhere)}, but it binds in {', '.join(clause.modes)}"
    if HOST in (claim.modes or clause.modes) and not claim.path.startswith("tests/host/"):
        return f"claims {clause.id} of host, but only a test in tests/host is about host tools"
    return ""


def false_claims(docstring: str, played: set[Played], clauses: dict[str, Clause]) -> list[str]:
    """Of a test that has run: the clauses it claims of a game and mode that it has not played."""
    found = [claim for text in marks(docstring) for claim in claims_of(text, "", [])]
    wrong: list[str] = []
    for claim in found:
        if claim.clause in clauses:  # if not, make trace says so
            game = claim.clause.partition("-")[0]
            modes = [mode for mode in claim.modes or clauses[claim.clause].modes if mode != HOST]
            wrong += [f"{claim.clause} ({mode})" for mode in modes if (game, mode) not in played]
    return wrong


def _except(trace: Trace, entry: dict[str, Any]) -> None:
    clause = trace.clauses.get(entry["clause"])
    if clause is None:
        trace.problems.append(f"rules/exceptions.json: there is no clause {entry['clause']}")
        return
    for mode in entry.get("modes", clause.modes):
        tests = [claim.name for claim in clause.claims if mode in claim.modes]
        if mode not in clause.modes:
            trace.problems.append(f"rules/exceptions.json: {clause.id} does not bind in {mode}")
        elif tests:
            trace.problems.append(f"rules/exceptions.json: {clause.id} ({mode}) has a test, {tests[0]}")
        else:
            clause.excepted[mode] = entry["why"]


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def summary(trace: Trace) -> str:
    some = len(trace.in_some_modes())
    every = sum(clause.proved for clause in trace.clauses.values()) - some
    excepted = sum(bool(clause.why) for clause in trace.clauses.values())
    missing, part = len(trace.missing()), len(trace.in_part())
    return (
        f"{len(trace.clauses)} clauses: {every} proved in every mode they bind, {some} in some, {excepted} excepted, "
        f"{missing} missing ({part} of them proved in part)"
    )
