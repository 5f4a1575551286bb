"""The repository keeps its own rules."""

import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import style_checks as checks

from fairshoe.cli.registry import ABOVE, ACTIONS, BELOW, COMMANDS, arguments_module

ROOT = Path(__file__).resolve().parents[2]
CODE = ("firmware", "hal", "rig", "host_tools", "tools", "tests")
# Without git (an unpacked archive) these are the folders that are not ours.
MADE = {".git", ".venv", "node_modules", "__pycache__", "build", "dist", ".pytest_cache", ".ruff_cache", ".hypothesis"}
MADE_FILES = {".setup.log", ".setup.lock"}

Check = Callable[[str, str], list[str]]


@cache
def repository_files() -> dict[str, str]:
    """Every text file of the repository, new ones included, by its path."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        names = {name for name in listing.split("\0") if name}
    except (OSError, subprocess.CalledProcessError):
        names = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*")}
        names = {name for name in names if not MADE.intersection(name.split("/")) and name not in MADE_FILES}
    texts: dict[str, str] = {}
    for name in sorted(names):
        try:
            texts[name] = (ROOT / name).read_text(encoding="utf-8")
        except (UnicodeDecodeError, IsADirectoryError, FileNotFoundError):
            continue
    return texts


def python_files() -> dict[str, str]:
    return {
        path: text for path, text in repository_files().items() if path.endswith(".py") and path.split("/")[0] in CODE
    }


@pytest.mark.parametrize(
    "check",
    [
        checks.check_layers,
        checks.check_device_imports,
        checks.check_sizes,
        checks.check_output,
        checks.check_device_syntax,
        checks.check_mpy_cross,
    ],
)
def test_every_python_file_passes(check: Check) -> None:
    report([finding for path, text in python_files().items() for finding in check(path, text)])


def test_no_module_imports_itself_by_way_of_others() -> None:
    files = {path: text for path, text in python_files().items() if not path.startswith("tests/")}
    report([f"a circle of imports: {', '.join(circle)}" for circle in checks.import_circles(files)])


@pytest.mark.parametrize("check", [checks.check_marks, checks.check_private])
def test_every_text_file_passes(check: Check) -> None:
    report([finding for path, text in repository_files().items() for finding in check(path, text)])


def test_the_scan_sees_the_device_code() -> None:
    assert "firmware/ticks.py" in python_files()
    assert "tools/setup.py" in python_files()


def test_every_package_of_the_layer_table_exists() -> None:
    names = {checks.module_name(path) for path in python_files()}
    assert [name for name in checks.LAYERS if name not in names] == []


def test_host_packages_stand_above_what_they_import() -> None:
    """The table is a stack: what an entry may import has its own entry above it, so no circle can come in."""
    order = list(checks.HOST_LAYERS)
    findings: list[str] = []
    for name, words in checks.HOST_LAYERS.items():
        for word in words:
            entries = [key for key in order if checks.is_within(word, key) and key != "fairshoe"]
            entry = max(entries, key=len, default=None)
            if entry and not checks.is_within(word, name) and order.index(entry) >= order.index(name):
                findings.append(f"HOST_LAYERS: {name} may import {word}, whose entry is not above it")
    report(findings)


def test_importing_a_host_package_loads_nothing_else() -> None:
    """`fairshoe --help` stays fast, and a package says in its docstring alone what it is."""
    findings = [
        f"{path}: imports {item.name}; leave the __init__.py of a package empty but for its docstring"
        for path, text in python_files().items()
        if path.startswith("host_tools/fairshoe/") and path.endswith("/__init__.py")
        if path not in ("host_tools/fairshoe/__init__.py", "host_tools/fairshoe/serial_urls/__init__.py")
        for item in checks.imports_of(path, text)
    ]
    report(findings)


OWN = {f"{name}_{action}" for name, actions in ACTIONS.items() for action in actions}


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("host_tools/fairshoe/arguments/", {arguments_module(name) for name in COMMANDS} | OWN),
        (
            "host_tools/fairshoe/commands/",
            {name.replace("-", "_") for name in {*COMMANDS, *ABOVE} - BELOW.keys()} | OWN,
        ),
    ],
    ids=["arguments", "commands"],
)
def test_every_command_has_its_two_modules_and_no_other_is_there(folder: str, expected: set[str]) -> None:
    modules = {path.removeprefix(folder).removesuffix(".py") for path in python_files() if path.startswith(folder)}
    assert modules - {"__init__"} == expected


def report(findings: list[str]) -> None:
    if findings:
        pytest.fail(f"{len(findings)} findings\n" + "\n".join(findings), pytrace=False)
