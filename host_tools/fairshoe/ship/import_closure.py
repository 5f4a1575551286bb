"""Find all modules that an entry module reaches by imports that run."""

import ast
from collections.abc import Iterator
from pathlib import Path

from fairshoe.ship.errors import ShipError

OURS = ("firmware", "hal", "rig")
NEVER_SHIPPED = ("hal.sim", "rig")
KINDS = "firmware.machines.kinds"


def port_modules(port: str, root: Path) -> list[str]:
    return [module_at(path, root) for path in (root / "hal" / port).rglob("*.py")]


def modules_of(entries: list[str], excluded: list[str], root: Path) -> list[str]:
    """The modules to ship, sorted: all that imports reach from the entries, without the excluded ones."""
    todo = list(entries)
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        if name in seen or any(is_within(name, other) for other in excluded):
            continue
        path = find_module(name, root)
        if any(is_within(name, never) for never in NEVER_SHIPPED):
            raise ShipError(f"{name} is imported by what a device ships; it belongs to the simulator")
        seen.add(name)
        # A package runs before what is inside it.
        if "." in name:
            todo.append(name.rpartition(".")[0])
        todo.extend(imported_by(path, root))
    return sorted(seen)


def is_within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def module_at(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def find_module(name: str, root: Path) -> Path:
    path = module_path(name, root)
    if path is None:
        raise ShipError(f"no source for {name} (every package needs an __init__.py)")
    return path


def module_path(name: str, root: Path) -> Path | None:
    base = root.joinpath(*name.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


def imported_by(path: Path, root: Path) -> Iterator[str]:
    """Our own modules that a source imports when it runs."""
    return imported_in(path.read_text(encoding="utf-8"), root)


def imported_in(source: str, root: Path) -> Iterator[str]:
    return _imported(ast.parse(source), root)


def chosen_by_name(path: Path, root: Path) -> dict[str, str]:
    """The module that a source imports for each name it tests for: `if kind == "carousel": from ...carousel import`."""
    tests = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.If))
    return {
        name.value: module
        for test in tests
        if isinstance(test.test, ast.Compare)
        and isinstance(name := test.test.comparators[0], ast.Constant)
        and isinstance(name.value, str)
        for module in _imported(test.body[0], root)
    }


def _imported(node: ast.AST, root: Path) -> Iterator[str]:
    if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "False"):
        for child in node.orelse:
            yield from _imported(child, root)
        return
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module:
        # `from a import b`: b may be a module, or just a name in a.
        names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    yield from (name for name in names if name.split(".")[0] in OURS and module_path(name, root))
    for child in ast.iter_child_nodes(node):
        yield from _imported(child, root)
