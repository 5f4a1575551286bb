"""Writes what other languages and readers need from the firmware's message table; `--check` only compares.

docs/PROTOCOL.md            the specification: prose from page.md, tables and examples from the table
docs/protocol/vectors.json  golden vectors for implementers
docs/protocol/golden.bin    a capture with noise and damage
docs/protocol/messages.schema.json    the JSON form of messages
docs/protocol/fairshoe.lua  the Wireshark dissector: code from dissector.lua, tables from the table
host_tools/fairshoe-js/src/ messages.js and messages.d.ts: the dictionary and the types of the JavaScript client
host_tools/fairshoe/web/page/lines.js    the names of inputs and outputs, for the bench page
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, cast

from protocol import javascript
from protocol.dissector import dissector
from protocol.golden import golden
from protocol.page import page
from protocol.schema import schema
from protocol.table import MESSAGES, ROOT
from protocol.vectors import TABLE, vectors

FOLDER = ROOT / "docs" / "protocol"


def render() -> dict[Path, bytes]:
    """What every generated file must hold."""
    capture = bytes(golden(TABLE).data)
    found = vectors(capture)
    return {
        ROOT / "docs" / "PROTOCOL.md": page().encode(),
        FOLDER / "vectors.json": _rows(found, 2),
        FOLDER / "golden.bin": capture,
        FOLDER / "messages.schema.json": _rows(schema(), 2),
        FOLDER / "fairshoe.lua": dissector().encode(),
        javascript.FOLDER / "messages.js": javascript.module().encode(),
        javascript.FOLDER / "messages.d.ts": javascript.types().encode(),
        javascript.PAGE / "lines.js": javascript.lines().encode(),
    }


def _rows(value: dict[str, Any], levels: int) -> bytes:
    """As JSON, with a line for each entry down to so many levels: one for each message or vector."""
    return (_indented(value, levels, "\n") + "\n").encode()


def _indented(value: Any, levels: int, end: str) -> str:
    if levels == 0 or not isinstance(value, (dict, list)) or not value:
        return json.dumps(value)
    line = end + " "
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        rows = [f"{json.dumps(key)}: {_indented(entry, levels - 1, line)}" for key, entry in items]
        return "{" + line + f",{line}".join(rows) + end + "}"
    rows = [_indented(entry, levels - 1, line) for entry in cast("list[Any]", value)]
    return "[" + line + f",{line}".join(rows) + end + "]"


def stale(files: dict[Path, bytes]) -> list[str]:
    """The generated files that are missing or hold something else."""
    return [
        str(path.relative_to(ROOT)) for path, data in files.items() if not path.is_file() or path.read_bytes() != data
    ]


def main() -> int:
    files = render()
    if "--check" in sys.argv:
        late = stale(files)
        if late:
            print(f"out of step with firmware/protocol: {', '.join(late)}; run make generate")
        return 1 if late else 0
    for path, data in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    print(f"wrote {len(files)} files for {len(MESSAGES)} messages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
