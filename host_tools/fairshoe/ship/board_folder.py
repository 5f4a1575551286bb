"""The board definition that MicroPython's build is given for one image, as files by path: `board_folder()`.

Our part of it is in ship/micropython; the rest is written here: the modules to freeze under their own names, the data
files as constants of `image_data`, and the list of what is frozen. The same sources give the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fairshoe import _device
from fairshoe.ship.build import BENCH_ONLY, GAME_DEFAULT, Built
from fairshoe.ship.errors import NoImage
from fairshoe.ship.frozen_scripts import scripts
from fairshoe.ship.identity import Identity, game_name
from fairshoe.ship.image_sum import link_header
from fairshoe.ship.linker_script import IN_RAM

HERE = Path(__file__).parent / "micropython"
DEFINITION = ("fairshoe_board.c", "fairshoe_sum.c", "mpconfigboard.cmake", "mpconfigboard.h")
MODULES = "modules/"
MANIFEST = "manifest.py"
ENTRY = "hal.boot_main"  # what main.py of an image calls
# Optimisation 2 drops asserts and keeps line numbers, which cost no memory in frozen code.
_OPTIMISE = 2


@dataclass(frozen=True)
class Chip:
    """A chip that images are built for: names in the SDK, its flash, and where MicroPython's storage begins."""

    board: str
    platform: str
    flash_bytes: int
    storage: int
    signs: bool  # its boot ROM checks signatures


# By mcu.board of the config.
CHIPS = {
    "Raspberry Pi Pico": Chip("pico", "rp2040", 2 << 20, (2 << 20) - (1408 << 10), False),
    "Raspberry Pi Pico 2": Chip("pico2", "rp2350-arm-s", 4 << 20, 1 << 20, True),
}


def chip_of(config: Mapping[str, Mapping[str, str]]) -> Chip:
    """The chip of a board config; refused if no image is built for it."""
    port, board = config["mcu"]["port"], config["mcu"]["board"]
    chip = CHIPS.get(board)
    if port == "rp2" and chip is not None:
        return chip
    known = " and ".join(sorted(CHIPS))
    raise NoImage(
        f"no image is built for {board} ({port}): its flash is not known here.",
        f"Images are for {known}. This board runs a downloaded MicroPython: fairshoe firmware flash, docs/FIRMWARE.md.",
    )


def board_folder(built: Built, version: str, rollback: int, release: bool) -> tuple[dict[str, bytes], Identity]:
    """The files of the folder by path, and the identity that is frozen with them."""
    chip = chip_of(built.config)
    files = {name: (HERE / name).read_bytes() for name in DEFINITION}
    files["image.cmake"] = (
        f"set(PICO_BOARD {chip.board})\nset(PICO_PLATFORM {chip.platform})\nset(FAIRSHOE_RELEASE {int(release)})\n"
        f"# In RAM: {' '.join(IN_RAM)}\n"
    ).encode()
    files["fairshoe_link.h"] = link_header(built.config["link"])
    for name, text in {**built.modules, ENTRY: _entry(built)}.items():
        if release and name in BENCH_ONLY:
            continue
        files[MODULES + built.source_path(name)] = text.encode()
    files |= {MODULES + name: script for name, script in scripts(release).items()}
    game = game_name(built.config, GAME_DEFAULT)
    identity = Identity(str(built.config["name"]), game, version, rollback, release, content_hash(files, built.data))
    files[f"{MODULES}image_data.py"] = image_data(built.data, identity)
    frozen = sorted(name.removeprefix(MODULES) for name in files if name.startswith(MODULES))
    files[MANIFEST] = manifest(frozen)
    return dict(sorted(files.items())), identity


def _entry(built: Built) -> str:
    given = built.modules.get(ENTRY)
    return given or (_device.root() / "hal" / "device.py").read_text(encoding="utf-8")


def content_hash(files: Mapping[str, bytes], data: Mapping[str, bytes]) -> str:
    """Over board definition, modules and data, by name."""
    total = hashlib.sha256()
    for name, content in sorted({**files, **{f"data/{name}": content for name, content in data.items()}}.items()):
        total.update(f"{hashlib.sha256(content).hexdigest()} {name}\n".encode())
    return total.hexdigest()


def image_data(data: Mapping[str, bytes], identity: Identity) -> bytes:
    """The module that holds the data files. Constants of frozen code stay in flash."""
    lines = ["FILES = {", *(f"    {name!r}: {content!r}," for name, content in sorted(data.items())), "}"]
    lines += [f"RELEASE = {identity.release}", f"IDENTITY = {identity.line()!r}", ""]
    return "\n".join(lines).encode()


def manifest(frozen: list[str]) -> bytes:
    """What MicroPython's build freezes: the port's rp2 module, which assembles PIO programs, and our modules, each by
    name, since a whole folder would be frozen in the order that its file system lists it in."""
    names = "".join(f'    "{name}",\n' for name in frozen)
    return (
        f'freeze("$(PORT_DIR)/modules", "rp2.py")\nfreeze("$(BOARD_DIR)/modules", (\n{names}), opt={_OPTIMISE})\n'
    ).encode()


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make the folder hold exactly these files. What is right already keeps its time, for make."""
    for path in sorted(folder.rglob("*"), reverse=True):
        name = path.relative_to(folder).as_posix()
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif name not in files:
            path.unlink()
    for name, content in files.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
