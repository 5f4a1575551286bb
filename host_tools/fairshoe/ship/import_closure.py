"""Find all modules that an entry module reaches by imports that run."""

import ast
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from fairshoe.ship.errors import ShipError

OURS = ("firmware", "hal", "rig")
NEVER_SHIPPED = ("hal.sim", "rig")
KINDS = "firmware.machines.kinds"
SOURCES_MAX = 400  # whose imports are remembered: one build asks several times, and boards share most modules


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
    return (name for name in _named_in(source) if module_path(name, root))


@lru_cache(SOURCES_MAX)
def _named_in(source: str) -> tuple[str, ...]:
    return tuple(_named(ast.parse(source)))


def chosen_by_name(path: Path, root: Path) -> dict[str, str]:
    """The module that a source imports for each name it tests for: `if kind == "carousel": from ...carousel import`."""
    tests = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.If))
    return {
        name.value: module
        for test in tests
        if isinstance(test.test, ast.Compare)
        and isinstance(name := test.test.comparators[0], ast.Constant)
        and isinstance(name.value, str)
        for module in _named(test.body[0])
        if module_path(module, root)
    }


def _named(node: ast.AST) -> Iterator[str]:
    """What a node imports of ours when it runs; `from a import b`: b may be a module, or just a name in a."""
    match node:
        case ast.If(ast.Name("TYPE_CHECKING") | ast.Constant(False), _, otherwise):
            for child in otherwise:
                yield from _named(child)
            return
        case ast.Import(aliases):
            names = [alias.name for alias in aliases]
        case ast.ImportFrom(str(module), aliases):
            names = [module, *(f"{module}.{alias.name}" for alias in aliases)]
        case _:
            names = []
    yield from (name for name in names if name.split(".")[0] in OURS)
    for child in ast.iter_child_nodes(node):
        yield from _named(child)
