"""The clauses of rules/ and what the tests claim of them. rules/README.md says how a test names a clause; tests are
read, never imported."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

from fairshoe.sim.scenario_cases import read_cases

ROOT = Path(__file__).resolve().parents[2]
MARK = "Proves:"
PART = "(in part)"
_CLAIM = re.compile(r"([A-Z0-9]+-\d+[a-z]?\d*)( \(in part\))?")
_NEARLY = re.compile(r"\bprove[sd]?\b[ :]*[A-Z0-9]+-\d", re.IGNORECASE)
# What keeps pytest from running a test: a claim must not hang on one that only may run.
_UNSURE = {"skip", "skipif", "xfail", "importorskip"}
# Run only where tshark is installed.
_SOMETIMES = "tests/dissector/"


@dataclass(frozen=True)
class Claim:
    """One test says of one clause that it proves it."""

    clause: str
    path: str  # of the file, from the root of the repository
    test: str  # name of the function; empty for a scenario
    part: bool

    @property
    def name(self) -> str:
        return f"{self.path}::{self.test}" if self.test else self.path


@dataclass
class Clause:
    id: str
    topic: str
    device: str
    also: list[str]
    remark: str
    why: str = ""  # why nothing of ours bears on it, if so
    claims: list[Claim] = field(default_factory=list[Claim])

    @property
    def game(self) -> str:
        return self.id.partition("-")[0]

    @property
    def proved(self) -> bool:
        return any(not claim.part for claim in self.claims)


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


# -- what tests claim -------------------------------------------------------------------------------------------------


def claims_of(text: str, where: str, problems: list[str]) -> list[tuple[str, bool]]:
    """Clauses of one claim, `CS-9a, CS-9d (in part)`, and whether each is proved in part only."""
    found: list[tuple[str, bool]] = []
    for word in text.split(","):
        match = _CLAIM.fullmatch(word.strip())
        if match is None:
            problems.append(f"{where}: {word.strip()!r} is no clause, nor a clause {PART}")
        else:
            found.append((match[1], match[2] is not None))
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
                found += [Claim(clause, path, name, part) for clause, part in claims_of(text, where, problems)]
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
    found = claims_of(", ".join(data["clauses"]), path, problems) if data["clauses"] else []
    return [Claim(clause, path, "", part) for clause, part in found]


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


# -- clauses and claims together --------------------------------------------------------------------------------------


def read_trace(root: Path = ROOT) -> Trace:
    rules = _read(root / "rules" / "clauses.json")
    clauses = {
        entry["id"]: Clause(
            entry["id"], entry["topic"], entry["device"], entry.get("also", []), entry.get("remark", "")
        )
        for entry in rules["clauses"]
    }
    trace = Trace(clauses, rules["games"], _read(root / "rules" / "differences.json")["rows"], [])
    for claim in collect(root, trace.problems):
        if claim.clause in clauses:
            clauses[claim.clause].claims.append(claim)
        else:
            trace.problems.append(f"{claim.name}: there is no clause {claim.clause}")
    for entry in _read(root / "rules" / "exceptions.json")["exceptions"]:
        _except(trace, entry)
    return trace


def _except(trace: Trace, entry: dict[str, str]) -> None:
    clause = trace.clauses.get(entry["clause"])
    if clause is None:
        trace.problems.append(f"rules/exceptions.json: there is no clause {entry['clause']}")
    elif clause.claims:
        trace.problems.append(f"rules/exceptions.json: {clause.id} has a test, {clause.claims[0].name}")
    else:
        clause.why = entry["why"]


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def summary(trace: Trace) -> str:
    proved = sum(clause.proved for clause in trace.clauses.values())
    excepted = sum(bool(clause.why) for clause in trace.clauses.values())
    missing, part = len(trace.missing()), len(trace.in_part())
    return (
        f"{len(trace.clauses)} clauses: {proved} proved, {excepted} excepted, "
        f"{missing} missing ({part} of them proved in part)"
    )
