"""What protects an image whose writing is cut short: sums behind its end, and the order of the blocks in its UF2.

An RP2040 starts with fairshoe_reset (ship/micropython/fairshoe_sum.c), which compares the sums: `with_sums`.

A boot ROM erases a flash sector when the first block for it comes, and writes blocks as they come. In the order of
addresses the first block would make the flash bootable again, with all others missing. So the file begins with a block
of the first sector that is not its first page, and ends with that page: `in_safe_order`. Until the last block is there
the ROM finds no second stage (RP2040) or no vectors (RP2350), and stays in BOOTSEL. The ROM of an RP2040 erases once
for each 16 block numbers and not once for each sector, so a block's number is its page whatever its place in the file,
and an operating system that writes the file in another order gets the same flash.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from itertools import accumulate

from fairshoe.link.framing import encode
from fairshoe.messages import Halted
from fairshoe.ship.errors import NoImage
from fairshoe.ship.flash_image import BLOCK, ERASED, FLASH_START, PAGE, UF2_BLOCK, is_flash_block, uf2_block

DAMAGED = b"image: damaged, write it again with BOOTSEL"
MAGIC = 0x6D757366
_RESET_VECTOR = 0x104  # of an RP2040: behind the second stage and the stack pointer
_CRYSTAL_HZ = 12_000_000
_WORD = 0xFFFFFFFF


def link_header(link: Mapping[str, int]) -> bytes:
    """fairshoe_link.h: the table port, and what is said there about an image that is not whole."""
    divisor = (_CRYSTAL_HZ * 8 // link["baud"] + 1) // 2  # 64ths of a sixteenth of a bit
    lines = [f"#define FAIRSHOE_{word.upper()} {link[word]}" for word in ("uart", "tx", "de") if word in link]
    frame = ", ".join(map(str, encode(Halted(DAMAGED))))
    return "\n".join(
        [*lines, f"#define FAIRSHOE_DIVISOR {divisor}", f'#define FAIRSHOE_HALTED ".byte {frame}"', ""]
    ).encode()


def with_sums(flash: bytes, symbols: str) -> bytes:
    """The flash of an RP2040 with our code in its reset vector and the sums in a page behind it."""
    start, end = (_symbol(symbols, name) for name in ("fairshoe_reset", "__flash_binary_end"))
    pages_end = -(-end // PAGE) * PAGE
    if start > BLOCK or not pages_end - BLOCK < len(flash) <= pages_end:
        raise NoImage(
            f"the code that checks the image lies at {start:#x}, and the image of {len(flash)} bytes ends at {end:#x}.",
            "Use MicroPython 1.28 as it was released, and report this with your compiler's version.",
        )
    body = bytearray(flash.ljust(pages_end, ERASED))  # the last bytes may hold nothing, and are not in the file then
    entry = body[_RESET_VECTOR : _RESET_VECTOR + 4]
    struct.pack_into("<I", body, _RESET_VECTOR, FLASH_START + start | 1)
    body += struct.pack("<I", MAGIC) + entry
    return bytes(body) + struct.pack("<2I", *sums(bytes(body))).ljust(PAGE - 8, ERASED)


def sums(body: bytes) -> tuple[int, int]:
    """The sum of all words, and the sum of all sums on the way there."""
    every = list(accumulate(word for (word,) in struct.iter_unpack("<I", body)))
    return every[-1] & _WORD, sum(every) & _WORD


def _symbol(symbols: str, name: str) -> int:
    found = re.search(rf"^([0-9a-f]+) \w {name}$", symbols, re.MULTILINE)
    if found is None:
        raise NoImage(f"the build has no {name}.", "Use MicroPython 1.28 as it was released.")
    return int(found[1], 16) - FLASH_START


def in_safe_order(uf2: bytes, flash: bytes) -> bytes:
    """The UF2 that writes `flash`, of the same family as `uf2`. Blocks that are for no flash stay in front."""
    blocks = [uf2[at : at + UF2_BLOCK] for at in range(0, len(uf2), UF2_BLOCK)]
    front = [block for block in blocks if not is_flash_block(block)]
    model = next(block for block in blocks if is_flash_block(block))
    count = -(-len(flash) // PAGE)
    last = min(BLOCK // PAGE, count) - 1  # page of the first sector
    order = [last, *range(last + 1, count), *range(last - 1, -1, -1)]
    pages = [flash[PAGE * number :][:PAGE].ljust(PAGE, ERASED) for number in range(count)]
    return b"".join([*front, *(uf2_block(model, number, count, pages[number]) for number in order)])
