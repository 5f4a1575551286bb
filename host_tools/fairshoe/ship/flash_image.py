"""Read a flash image: the interpreter in front, and the file system behind it with all its files.

`picotool save -a` writes such a file, as .bin or .uf2. It comes from a device that may have been tampered with: every
field is checked before it is used.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairshoe.files import read_regular
from fairshoe.os_errors import os_errors_as
from fairshoe.ship.errors import ImageError, need

BLOCK = 4096
PAGE = 256
FLASH_START = 0x10000000  # where an RP2040 and an RP2350 see it
IMAGE_BYTES_MAX = 64 << 20
ERASED = b"\xff"
_MAGIC = b"littlefs"
_UF2 = struct.Struct("<8I476sI")
UF2_BLOCK = _UF2.size
_UF2_BEGIN, _UF2_SECOND, _UF2_END = 0x0A324655, 0x9E5D5157, 0x0AB16F30
UF2_BEGIN = _UF2_BEGIN.to_bytes(4, "little")
_NOT_MAIN_FLASH = 0x00000001
_ERRATUM = 0x10FFFF00  # RP2350-E10: images for it begin with a block for a place that is not there
_READ_AGAIN = "Read the flash again: hold BOOTSEL at power-up, then picotool save -a FILE."


@dataclass(frozen=True)
class Image:
    """What is in a flash: all before the file system, the files, and how many bytes lie behind."""

    front: bytes
    files: dict[str, bytes]
    folders: tuple[str, ...]
    start: int
    behind: int


def read_image(path: Path) -> Image:
    """The flash in a file, whole."""
    data = read_bytes(path)
    try:
        return parse_image(data)
    except ImageError as error:
        raise ImageError(f"{path}: {error.what}", error.advice) from error


def read_bytes(path: Path) -> bytes:
    """A file that may be an image."""
    with os_errors_as(ImageError, f"cannot read {path}", "Name the file that picotool wrote."):
        data = read_regular(path, IMAGE_BYTES_MAX)
    if not data:
        raise ImageError(f"{path} is empty.", _READ_AGAIN)
    return data


def parse_image(data: bytes) -> Image:
    if data[:4] == UF2_BEGIN:
        data = flash_of_uf2(data)
    problems: list[ImageError] = []
    found: list[Image] = []
    for starts, block_count in _file_systems(data):
        try:
            found.append(_first(data, starts, block_count))
        except ImageError as error:
            problems.append(error)
    if len(found) > 1:
        # One may be there to be looked at while the other one runs.
        places = ", ".join(f"{image.start:#x}" for image in found)
        raise ImageError(
            f"several file systems, at {places}: which one the device uses is unknown.",
            "Erase the whole flash, flash the device again (docs/FIRMWARE.md) and find out how the other one came "
            "there.",
        )
    if found:
        return found[0]
    if problems:
        raise problems[0]
    raise ImageError(
        f"no file system in its {len(data)} bytes.",
        f"Only MicroPython's littlefs is known here; the image must begin where the flash begins. {_READ_AGAIN}",
    )


def _first(data: bytes, starts: list[int], block_count: int) -> Image:
    """The file system that begins at one of these places."""
    problem: ImageError | None = None
    for start in starts:
        end = start + BLOCK * block_count
        try:
            if end > len(data):
                raise ImageError(
                    f"cut off: its file system ends at byte {end}, the image at {len(data)}.",
                    f"The whole flash is needed. {_READ_AGAIN}",
                )
            files, folders = _read_files(data[start:end], block_count)
            return Image(data[:start], files, tuple(folders), start, len(data) - end)
        except ImageError as error:
            problem = problem or error
    raise problem or ImageError("no file system.", _READ_AGAIN)


def flash_of_uf2(data: bytes) -> bytes:
    """The flash that a UF2 file describes, from its first byte; what it leaves out counts as erased."""
    if len(data) % _UF2.size:
        raise ImageError(f"cut off: {len(data)} bytes are not whole blocks of UF2.", _READ_AGAIN)
    parts: dict[int, bytes] = {}
    total = seen = 0
    for at in range(0, len(data), _UF2.size):
        begin, second, _flags, address, size, _number, count, _family, body, end = _UF2.unpack_from(data, at)
        if (begin, second, end) != (_UF2_BEGIN, _UF2_SECOND, _UF2_END) or size > len(body):
            raise ImageError(f"byte {at} is not a block of UF2.", _READ_AGAIN)
        if not is_flash_block(data[at : at + UF2_BLOCK]):
            continue
        parts[address - FLASH_START] = body[:size]
        seen += 1
        total = max(total, count)
    if not parts:
        raise ImageError("nothing in it is for a flash.", "Name the file that picotool wrote.")
    if seen < total:
        raise ImageError(f"cut off: {seen} of {total} blocks of UF2.", _READ_AGAIN)
    flash = bytearray(ERASED * max(at + len(part) for at, part in parts.items()))
    for at, part in parts.items():
        flash[at : at + len(part)] = part
    return bytes(flash)


def is_flash_block(block: bytes) -> bool:
    flags, address = struct.unpack_from("<2I", block, 8)
    placed = address != _ERRATUM and FLASH_START <= address < FLASH_START + IMAGE_BYTES_MAX
    return placed and not flags & _NOT_MAIN_FLASH


def uf2_block(model: bytes, number: int, count: int, page: bytes) -> bytes:
    """The block for one page, with flags and family of another block."""
    flags, family = (struct.unpack_from("<I", model, at)[0] for at in (8, 28))
    words = _UF2_BEGIN, _UF2_SECOND, flags, FLASH_START + PAGE * number, len(page), number, count, family
    return _UF2.pack(*words, page, _UF2_END)


def whole_sectors(uf2: bytes) -> bytes:
    """What a UF2 makes of the flash. Boot ROMs erase whole sectors: what is behind its last byte there is erased."""
    flash = flash_of_uf2(uf2)
    return flash + ERASED * (-len(flash) % BLOCK)


def _file_systems(data: bytes) -> Iterator[tuple[list[int], int]]:
    """Where littlefs may begin, and how many blocks it has.

    Its first two blocks both carry its name. Where one stands alone the other is worn out, and it is not known whether
    that was the first or the second; a wrong guess reads other bytes, and those are never taken for right ones."""
    named = _named_blocks(data)
    for block, block_count in named.items():
        if block - BLOCK in named:
            continue
        alone = block + BLOCK not in named and block >= BLOCK
        yield [block, block - BLOCK] if alone else [block], block_count


def _named_blocks(data: bytes) -> dict[int, int]:
    """Blocks that carry the name and say how many there are, in order."""
    found: dict[int, int] = {}
    at = data.find(_MAGIC)
    while at >= 0:
        block = at - 8
        fields = data[block + 20 : block + 32]
        if block % BLOCK == 0 and len(fields) == 12:
            # After the name: a tag, version, size of a block, how many.
            _version, block_bytes, block_count = struct.unpack("<3I", fields)
            if block_bytes == BLOCK and 2 <= block_count <= IMAGE_BYTES_MAX // BLOCK:
                found[block] = block_count
        at = data.find(_MAGIC, at + 1)
    return found


def _read_files(data: bytes, block_count: int) -> tuple[dict[str, bytes], list[str]]:
    littlefs: Any = need("littlefs", "release")
    context = littlefs.UserContext(buffsize=len(data))
    context.buffer[:] = data  # a copy: mounting may repair, and an image is evidence
    system = littlefs.LittleFS(context=context, block_size=BLOCK, block_count=block_count, mount=False)
    files: dict[str, bytes] = {}
    folders: list[str] = []
    try:
        system.mount()
        for top, inside, names in system.walk("/"):
            prefix = f"{str(top).strip('/')}/".lstrip("/")
            folders += [prefix + name for name in inside]
            for name in names:
                with system.open(prefix + name, "rb") as file:
                    files[prefix + name] = file.read()
    except (littlefs.LittleFSError, OSError, UnicodeDecodeError, ValueError) as error:
        raise ImageError(
            f"its file system is damaged ({error}).",
            f"Read the flash again; if it stays so, the device is not what was shipped. {_READ_AGAIN}",
        ) from error
    return files, folders
