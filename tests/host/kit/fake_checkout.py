"""A MicroPython checkout and a toolchain that only look like ones: enough for what `firmware image` itself decides.

The fake build writes a UF2 that holds every file of the board folder, so that what is frozen can be found in it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from fairshoe.ship.checkout import SUBMODULES

HELPERS = Path(__file__).parent
LINKER_SCRIPT = "SECTIONS { .text : { *(EXCLUDE_FILE(*libm.a: *gc.c.obj *vm.c.obj *parse.c.obj) .text*) } > FLASH }\n"
_COMPILER = """\
import sys
asked = sys.argv[-1]
print("arm-none-eabi-gcc (fake) 12.2.1" if asked == "--version" else "/lib/" + asked.rpartition("=")[2])
"""
_NM = """\
import pathlib, sys
symbols = pathlib.Path(sys.argv[0]).with_name("symbols")
end = 0x10000000 + pathlib.Path(sys.argv[1]).with_name("firmware.uf2").stat().st_size // 2
print(f"100001e0 T fairshoe_reset\\n{end:x} T __flash_binary_end")
print(symbols.read_text() if symbols.exists() else "10031db8 t fun_data_hal_rp2_fold")
"""
_CMAKE = """\
import pathlib, sys
if "-B" in sys.argv:
    build = pathlib.Path(sys.argv[sys.argv.index("-B") + 1])
    build.mkdir(parents=True, exist_ok=True)
    (build / "arguments").write_text("\\n".join(sys.argv))
else:
    print("cmake version 3.25.1")
"""
_MAKE = """\
import os, pathlib, sys
sys.path.insert(0, HELPERS)
from flash_image import uf2_of
build = pathlib.Path(sys.argv[sys.argv.index("-C") + 1])
board = build.parent / "board"
assert os.environ["SOURCE_DATE_EPOCH"] and os.environ["PATH"]
foreign = {"CFLAGS_EXTRA", "CPATH", "CMAKE_TOOLCHAIN_FILE", "PICO_DEFAULT_BOOT_STAGE2_FILE"} & {*os.environ}
assert not foreign, foreign
if (board / "modules" / "broken.py").exists():
    print("[ 50%] Building C object x.c.o\\nx.c:1: error: no such thing")
    sys.exit(2)
files = sorted(path for path in board.rglob("*") if path.is_file())
flash = b"".join(path.read_bytes() for path in files)
flash = flash.replace(b"\\\\n", b"\\n")  # as a constant in flash has it
(build / "firmware.uf2").write_bytes(uf2_of(flash + bytes(-len(flash) % 256)))
print("[100%] Built target firmware")
"""
# Seals as signed_image.py does. What it calls an ELF file is the UF2 of the fake build.
_PICOTOOL = """\
import pathlib, shutil, sys
if len(sys.argv) < 2 or sys.argv[1] not in ("help", "seal", "uf2"):
    sys.exit(1)
sys.path.insert(0, HELPERS)
if sys.argv[1] == "seal":
    from cryptography.hazmat.primitives.serialization import load_pem_private_key
    from fairshoe.ship.flash_image import flash_of_uf2
    from flash_image import uf2_of
    from signed_image import sealed
    elf, out, key, otp = (pathlib.Path(word) for word in sys.argv[5:9])
    private = load_pem_private_key(key.read_bytes(), None)
    flash = flash_of_uf2(elf.with_name("firmware.uf2").read_bytes())
    out.write_bytes(uf2_of(sealed(flash, private, int(sys.argv[sys.argv.index("--rollback") + 1]))))
    otp.write_text("{}")
elif sys.argv[1] == "uf2":
    shutil.copy(sys.argv[4], sys.argv[5])
"""


def make_checkout(path: Path, version: tuple[int, int, int] = (1, 28, 0), prerelease: int = 0) -> Path:
    """A tree with the files that are looked at."""
    names = ("MAJOR", "MINOR", "MICRO")
    lines = [f"#define MICROPY_VERSION_{name} {value}" for name, value in zip(names, version, strict=True)]
    lines.append(f"#define MICROPY_VERSION_PRERELEASE {prerelease}")
    files = {"py/mpconfig.h": "\n".join(lines) + "\n", "ports/rp2/CMakeLists.txt": ""}
    files |= {f"ports/rp2/memmap_mp_{chip}.ld": LINKER_SCRIPT for chip in ("rp2040", "rp2350")}
    files |= {f"{folder}/{file}": "" for folder, file in SUBMODULES.items()}
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    return path


def make_tools(folder: Path, without: tuple[str, ...] = (), seals: bool = False) -> Path:
    """Programs for a PATH that has nothing else; picotool with its CMake config beside it. Without mbedTLS it does not
    seal."""
    folder.mkdir(parents=True, exist_ok=True)
    programs = {"arm-none-eabi-gcc": _COMPILER, "arm-none-eabi-nm": _NM, "cmake": _CMAKE, "make": _MAKE}
    programs["picotool"] = _PICOTOOL if seals else "raise SystemExit(1)\n"
    for name, text in programs.items():
        if name not in without:
            path = folder / name
            path.write_text(f"#!{sys.executable}\nHELPERS = {str(HELPERS)!r}\n{text}")
            path.chmod(0o755)
    if "picotoolConfig.cmake" not in without:
        (folder / "picotoolConfig.cmake").write_text("")
    return folder


def only(folder: Path) -> dict[str, str]:
    """An environment in which only these programs are found."""
    return {**os.environ, "PATH": str(folder)}
