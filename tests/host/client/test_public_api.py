"""What a program may import: docs/INTEGRATE.md lists it, the package exports it, docs and examples use nothing else."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import fairshoe

ROOT = Path(__file__).resolve().parents[3]
SECTION = (ROOT / "docs" / "INTEGRATE.md").read_text(encoding="utf-8").partition("## What is public")[2]
ROWS = dict(re.findall(r"^\| `(fairshoe[\w.]*)` \| (.*) \|$", SECTION, re.MULTILINE))
# Modules of which the row lists the public names one by one.
SINGLE = {
    *("fairshoe.keys", "fairshoe.files", "fairshoe.printable"),
    *("fairshoe.games.record_kinds", "fairshoe.games.profiles", "fairshoe.wear"),
}
PAGES = [*(ROOT / "docs").glob("*.md"), ROOT / "README.md"]
DOTTED = re.compile(r"`(fairshoe(?:\.[a-z_]+)+)`")


def programs() -> Iterator[tuple[str, str]]:
    """Every Python program that readers copy, with its place."""
    for page in PAGES:
        blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        yield from ((f"{page.name}, program {number}", block) for number, block in enumerate(blocks, 1))
    for path in sorted((ROOT / "host_tools" / "examples").glob("*.py")):
        yield path.name, path.read_text(encoding="utf-8")
    for package in ("fairshoe_table", "fairshoe_floor"):
        for path in sorted((ROOT / "host_tools" / package).rglob("*.py")):
            yield f"{package}/{path.name}", path.read_text(encoding="utf-8")


def imports() -> Iterator[tuple[str, str, str]]:
    """Place, module and name of everything that these programs import of fairshoe."""
    for place, program in programs():
        for node in ast.walk(ast.parse(program)):
            if isinstance(node, ast.Import):
                yield from ((place, alias.name, "") for alias in node.names if alias.name.split(".")[0] == "fairshoe")
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "fairshoe":
                yield from ((place, node.module or "", alias.name) for alias in node.names)


def public_names(module: str) -> set[str]:
    if module == "fairshoe":
        return set(fairshoe.__all__)
    if module in SINGLE:
        return set(re.findall(r"`(\w+)`", ROWS[module]))
    return {name for name in vars(importlib.import_module(module)) if not name.startswith("_")}


def test_everything_public_exists() -> None:
    assert set(ROWS) > {"fairshoe", "fairshoe.messages", "fairshoe.errors", "fairshoe.keys"}
    for module in ROWS:
        loaded = importlib.import_module(module)
        assert [name for name in public_names(module) if not hasattr(loaded, name)] == [], module


def test_docs_and_examples_import_only_what_is_public() -> None:
    found = list(imports())
    assert len(found) > 30
    wrong = [
        f"{place}: {module}.{name}"
        for place, module, name in found
        if module not in ROWS or (name and f"{module}.{name}" not in ROWS and name not in public_names(module))
    ]
    assert wrong == []


def test_every_public_module_is_used_by_a_page_or_an_example() -> None:
    named = {match for page in PAGES for match in DOTTED.findall(page.read_text(encoding="utf-8").replace(SECTION, ""))}
    used = {module for _place, module, _name in imports()} | named
    assert [module for module in ROWS if module not in used] == []
