"""Writes host_tools/fairshoe/ship/micropython_names.json: what MicroPython calls its own, from its type stubs.

To be run when the stubs in requirements/typings.txt are renewed; a test fails until that is done.
"""

import ast
import json
import sys
from collections.abc import Iterable
from pathlib import Path

from fairshoe.ship.foreign import TABLE

ROOT = Path(__file__).resolve().parents[1]
TYPINGS = ROOT / ".venv" / "typings"
OTHER_PORTS = ROOT / "tools" / "typings"


def names_of(stubs: Iterable[str]) -> set[str]:
    """What stubs define: attributes, functions, and arguments that may be keywords."""
    names: set[str] = set()
    for stub in stubs:
        for node in ast.walk(ast.parse(stub)):
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    names.add(name)
                case ast.arg(arg=name) if name not in ("self", "cls"):
                    names.add(name)
                case ast.Name(id=name, ctx=ast.Store()):
                    names.add(name)
                case _:
                    pass
    return names


def table(typings: Path = TYPINGS) -> str:
    """The table as text, one module a line."""
    roots = (typings, typings / "stdlib", OTHER_PORTS)
    places = [path for root in roots for path in sorted(root.iterdir())]
    # The folder of the standard library is no module; whoever imports it by that name finds nothing.
    modules = sorted({path.name.removesuffix(".pyi") for path in places if path.suffix in ("", ".pyi")})
    names: dict[str, str] = {}
    for module in modules:
        files = [path for root in roots for path in _files(root, module)]
        found = names_of(path.read_text(encoding="utf-8") for path in files)
        if found:
            names[module] = " ".join(sorted(found))
    top = ast.parse((typings / "stdlib" / "builtins.pyi").read_text(encoding="utf-8")).body
    builtins = sorted({node.name for node in top if isinstance(node, ast.FunctionDef | ast.ClassDef)})
    words = {"modules": " ".join(modules), "builtins": " ".join(builtins), "names": names}
    return json.dumps(words, indent=0) + "\n"


def _files(root: Path, module: str) -> list[Path]:
    if (root / module).name == "stdlib":
        return []
    return [path for path in (root / f"{module}.pyi", *sorted((root / module).rglob("*.pyi"))) if path.is_file()]


def main() -> int:
    if not TYPINGS.is_dir():
        print("gen_micropython_names: no types of MicroPython in .venv/typings; `make ready` installs them")
        return 1
    TABLE.write_text(table(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
