"""What a release contains of others, from the locks: as CycloneDX, for programs that watch for known defects."""

from __future__ import annotations

import importlib
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from release.packages import BIN, ROOT, call

_NAME = re.compile(r"[A-Za-z0-9._-]+")
VM = "node_modules/@micropython/micropython-webassembly-pyscript"
SBOM = "sbom.cdx.json"


@dataclass(frozen=True)
class Locked:
    """One entry of a lock: a version may have several, for different Pythons. `via` names what needs it."""

    name: str
    version: str
    via: frozenset[str]
    text: str


def read_lock(path: Path) -> list[Locked]:
    """The entries of a lock as uv writes it."""
    found: list[Locked] = []
    for text in re.split(r"\n(?=[a-z0-9])", path.read_text(encoding="utf-8"))[1:]:
        pinned, _, comment = text.partition("    # via")
        name, _, rest = pinned.partition("==")
        via = frozenset(line.strip("# ").strip() for line in comment.splitlines())
        found.append(Locked(name, rest.split()[0], via, pinned.strip() + "\n"))
    return found


def needed(extras: bool = True) -> list[Locked]:
    """What an installed fairshoe needs, with all of its extras or without any, from the lock of setup."""
    toml: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    project: dict[str, Any] = toml.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted: list[str] = list(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        wanted += extra if extras else []
    names = {found[0].lower() for line in wanted if (found := _NAME.match(line))}
    lock = read_lock(ROOT / "requirements" / "dev.txt")
    while more := {it.name for it in lock if it.via & names} - names:
        names |= more
    return [it for it in lock if it.name in names]


def bill(work: Path, version: str, records: list[dict[str, Any]]) -> str:
    """The software bill of materials: packages of the lock, the VM in the wheel, and what images were built from."""
    listed = work / "needed.txt"
    listed.write_text("".join(it.text for it in needed()), encoding="utf-8")
    command = [BIN / "cyclonedx-py", "requirements", listed, "--pyproject", ROOT / "pyproject.toml"]
    out = work / SBOM
    call([*command, "--output-reproducible", "--of", "JSON", "-o", out])
    bom: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    bom["metadata"]["component"]["version"] = version
    for component in bom["components"]:
        component.pop("description", None)  # the lines of the lock once more
    vm = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"][VM]
    name = VM.partition("/")[2]
    bom["components"].append(
        _component(name, vm["version"], f"pkg:npm/{name.replace('@', '%40')}@{vm['version']}", {"in": "the wheel"})
    )
    bom["components"] += of_images(records)
    return json.dumps(bom, indent=1, sort_keys=True) + "\n"


def of_images(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """MicroPython and the libraries that its build links, once for all images of one checkout."""
    found: dict[str, dict[str, Any]] = {}
    for record in records:
        about = {"git commit": record["micropython_commit"], "compiler": record["compiler"]}
        for name, tree in record["trees"].items():
            version = record["micropython"] if name == "micropython" else tree
            purl = f"pkg:github/micropython/micropython@{record['micropython_commit']}"
            purl += "" if name == "micropython" else f"#{name}"
            facts = {"in": "images", "git tree": tree, **(about if name == "micropython" else {})}
            found[f"{name} {tree}"] = _component(name, version, purl, facts)
    return list(found.values())


def _component(name: str, version: str, purl: str, facts: dict[str, str]) -> dict[str, Any]:
    properties = [{"name": f"fairshoe:{word}", "value": value} for word, value in facts.items()]
    said = {"type": "library", "name": name, "version": version, "purl": purl, "properties": properties}
    return {"bom-ref": purl, **said}
