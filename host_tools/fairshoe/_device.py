"""Make firmware, hal and rig importable on a host: ours, and no other package of the same name."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

_PACKAGES = ("firmware", "hal", "rig")
_HERE = Path(__file__).resolve().parent


def root() -> Path:
    """The folder that holds firmware/, hal/, rig/ and board_configs/."""
    # An installed wheel carries them beside this file, a checkout has them at its top.
    for folder in (_HERE / "_bundle", _HERE.parents[1]):
        if (folder / "firmware" / "__init__.py").is_file():
            return folder
    raise ImportError(
        f"fairshoe: found no firmware/ for the package in {_HERE}; "
        "install the wheel again, or run from a complete checkout"
    )


def load() -> None:
    """Register firmware, hal and rig, and on CPython a stand-in for micropython. Safe to call again."""
    _load_shim()
    for name in _PACKAGES:
        _load_package(name, root() / name)


def _load_package(name: str, folder: Path) -> None:
    # By file and not through sys.path, where such general names could find another package.
    loaded = sys.modules.get(name)
    if loaded is None:
        _load_file(name, folder / "__init__.py", [str(folder)])
        return
    paths = [Path(entry).resolve() for entry in getattr(loaded, "__path__", [])]
    if paths != [folder.resolve()]:
        origin = getattr(loaded, "__file__", None) or ", ".join(map(str, paths)) or "an unknown place"
        raise ImportError(
            f"fairshoe: a different package called {name!r} is already imported, from {origin}; "
            "import fairshoe before it, rename it, or run fairshoe in a process of its own"
        )


def _load_shim() -> None:
    # Without asking sys.path: a clone of MicroPython in the current folder would be found there.
    loaded = sys.modules.get("micropython")
    if loaded is None:
        _load_file("micropython", _HERE / "_shim" / "micropython.py", None)
    elif not hasattr(loaded, "const"):
        raise ImportError(
            f"fairshoe: a different module called 'micropython' is already imported, from "
            f"{getattr(loaded, '__file__', None) or 'an unknown place'}; import fairshoe before it"
        )


def _load_file(name: str, path: Path, search: list[str] | None) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=search)
    if spec is None or spec.loader is None or not path.is_file():
        raise ImportError(f"fairshoe: {path} is missing; install the wheel again, or repair the checkout")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
