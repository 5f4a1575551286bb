"""Each field of Flow, and of the parts that belong to it alone, is assigned in one module."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FLOW = "firmware/games/flow.py"
# What an expression is called that holds one of these objects, and the module of its class.
OBJECTS = {
    "flow": (FLOW, "Flow"),
    "settled": ("firmware/deck/ledger.py", "Settled"),
    "door": ("firmware/games/door.py", "Door"),
    "cover": ("firmware/games/cover_all.py", "CoverAll"),
}
MAKERS = ("__init__", "_clear")
HEADING = re.compile(r"# (?:Written by (?P<module>[\w/]+\.py)|Parts, assigned here alone)\b")


parse = cache(ast.parse)


def class_of(source: str, name: str) -> ast.ClassDef:
    return next(node for node in parse(source).body if isinstance(node, ast.ClassDef) and node.name == name)


@cache
def stores(tree: ast.AST) -> list[ast.Attribute]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)]


def owners(source: str, name: str, path: str) -> dict[str, str]:
    """The module that may assign each field that the constructor of the class makes: the one of the heading above it,
    or that of the class. No module may assign a part again."""
    made = [node for node in class_of(source, name).body if getattr(node, "name", "") in MAKERS]
    fields = {node.lineno: node.attr for maker in made for node in stores(maker) if isinstance(node.value, ast.Name)}
    found: dict[str, str] = {}
    owner = path
    for number, line in enumerate(source.splitlines(), 1):
        heading = HEADING.match(line.strip())
        if heading:
            owner = f"firmware/{heading['module']}" if heading["module"] else ""
        if number in fields:
            found[fields[number]] = owner
    return found


def findings(sources: dict[str, str]) -> list[str]:
    """Assignments of a field in a module that is not its owner."""
    found: list[str] = []
    for word, (home, name) in OBJECTS.items():
        owner_of = owners(sources[home], name, home)
        for path, source in sources.items():
            for node in stores(parse(source)):
                holder = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
                if holder == word and node.attr in owner_of and owner_of[node.attr] != path:
                    found.append(f"{path}:{node.lineno}: assigns {name}.{node.attr}, which {owner_of[node.attr]} owns")
        methods = [node for node in class_of(sources[home], name).body if getattr(node, "name", "") not in MAKERS]
        for node in (node for method in methods for node in stores(method)):
            if getattr(node.value, "id", "") == "self" and owner_of.get(node.attr) != home:
                found.append(f"{home}:{node.lineno}: {name} assigns {node.attr}, which is not its own")
    return found


def device_sources() -> dict[str, str]:
    files = (ROOT / "firmware").rglob("*.py")
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files}


def test_each_field_is_assigned_in_one_module() -> None:
    assert findings(device_sources()) == []


def test_every_field_of_flow_stands_under_a_heading() -> None:
    sources = device_sources()
    owner_of = owners(sources[FLOW], "Flow", FLOW)
    assert len(owner_of) > 35 and set(owner_of.values()) - {""} <= set(sources)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("firmware/recorder.py", "flow.state = 1"),
        ("firmware/recorder.py", "self.flow.hold = 1"),
        ("firmware/games/flow.py", "flow.room += 1"),
        ("firmware/games/flow.py", "flow.machine = None"),
        ("firmware/games/procedure.py", "flow.door.is_open = True"),
        ("firmware/games/settling.py", "settled.dealt = 0"),
    ],
)
def test_an_assignment_in_another_module_is_found(path: str, line: str) -> None:
    sources = device_sources()
    sources[path] += line + "\n"
    assert len(findings(sources)) == 1
