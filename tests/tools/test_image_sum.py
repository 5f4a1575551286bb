"""An image whose writing is cut short: the order of its blocks at the boot ROM, and the sums that its start checks."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest
from emulator.boot_rom import BootRom, boot_crc
from flash_image import uf2_of
from hil import cuts

from fairshoe.link.framing import decode_messages
from fairshoe.messages import Halted
from fairshoe.ship.errors import NoImage
from fairshoe.ship.flash_image import BLOCK, FLASH_START, PAGE, UF2_BLOCK, flash_of_uf2
from fairshoe.ship.image_sum import DAMAGED, MAGIC, in_safe_order, link_header, sums, with_sums

SECTORS = 5
SEED = 20261118


def program(seed: int, pages: int = SECTORS * 16 - 3) -> bytes:
    """A flash that the boot ROM starts."""
    flash = random.Random(seed).randbytes(PAGE * pages)
    return flash[: PAGE - 4] + boot_crc(flash[: PAGE - 4]).to_bytes(4, "little") + flash[PAGE:]


def symbols(flash: bytes, start: int = 0x1E0, end: int | None = None) -> str:
    end = FLASH_START + (len(flash) - 7 if end is None else end)
    return f"{FLASH_START + start:x} T fairshoe_reset\n{end:x} R __flash_binary_end\n"


def image(seed: int) -> bytes:
    flash = program(seed)
    return with_sums(flash, symbols(flash))


def is_whole(flash: bytes) -> bool:
    """As fairshoe_sum.c, which knows the end of its own image."""
    tail = len(program(1))
    magic, _entry, first, second = struct.unpack_from("<4I", flash, tail)
    total = total_of_totals = 0
    for (word,) in struct.iter_unpack("<I", flash[: tail + 8]):
        total = (total + word) & 0xFFFFFFFF
        total_of_totals = (total_of_totals + total) & 0xFFFFFFFF
    return (magic, first, second) == (MAGIC, total, total_of_totals)


def blocks_of(uf2: bytes) -> list[bytes]:
    return [uf2[at : at + UF2_BLOCK] for at in range(0, len(uf2), UF2_BLOCK)]


OLD, NEW = image(1), image(2)
SAFE = blocks_of(in_safe_order(uf2_of(NEW), NEW))


def test_no_cut_leaves_a_flash_that_the_boot_rom_starts() -> None:
    rom = BootRom(OLD)
    assert rom.starts()
    for block in SAFE[:-1]:
        rom.write(block)
        assert not rom.starts() and not rom.restarts
    rom.write(SAFE[-1])
    assert rom.starts() and rom.restarts and rom.flash[: len(NEW)] == NEW


def test_blocks_in_the_order_of_addresses_would_start_nearly_everywhere() -> None:
    rom = BootRom(OLD)
    started = 0
    for block in blocks_of(uf2_of(NEW)):
        rom.write(block)
        started += rom.starts()
    assert started == len(SAFE)


@pytest.mark.parametrize("order", cuts.ORDERS)
def test_the_flash_is_the_same_whatever_order_the_blocks_come_in(order: str) -> None:
    rom = BootRom(OLD + b"\0" * BLOCK)
    for block in cuts.in_order(SAFE, order, SEED):
        rom.write(block)
    assert rom.flash[: len(NEW)] == NEW and rom.restarts
    every = list(SAFE)
    random.Random(SEED).shuffle(every)
    rom = BootRom(OLD)
    for block in every + every[:9]:  # some twice
        rom.write(block)
    assert rom.flash[: len(NEW)] == NEW


@pytest.mark.parametrize("order", cuts.ORDERS[1:])
@pytest.mark.parametrize("before", [OLD, b"\xff" * len(OLD)])
def test_whatever_the_boot_rom_would_start_has_other_sums_until_it_is_whole(order: str, before: bytes) -> None:
    rom = BootRom(before)
    assert is_whole(before) == (before is OLD)
    for block in cuts.in_order(SAFE, order, SEED):
        rom.write(block)
        assert is_whole(bytes(rom.flash)) == (rom.flash[: len(NEW)] == NEW)


def test_any_changed_word_changes_the_sums_but_for_what_is_behind_them() -> None:
    draw = random.Random(SEED)
    for _ in range(60):
        at = draw.randrange(len(program(1)) + 16)
        wrong = bytearray(NEW)
        wrong[at] ^= 1 << draw.randrange(8)
        assert not is_whole(bytes(wrong)), f"byte {at}, seed {SEED}"
    assert sums(struct.pack("<3I", 1, 2, 0xFFFFFFFF)) == (2, 6)


def test_the_reset_vector_is_ours_and_the_old_one_stands_behind_the_image() -> None:
    flash = program(2)
    assert NEW[0x104:0x108] == (FLASH_START + 0x1E0 | 1).to_bytes(4, "little")
    assert NEW[len(flash) + 4 :][:4] == flash[0x104:0x108]
    assert NEW[:0x104] + NEW[0x108 : len(flash)] == flash[:0x104] + flash[0x108:]


@pytest.mark.parametrize("more", [0, 1, 32, PAGE, PAGE + 1])
def test_an_image_whose_last_bytes_are_in_no_file_is_filled_up_with_erased_ones(more: int) -> None:
    flash = program(1)
    made = with_sums(flash, symbols(flash, end=len(flash) + more))
    tail = -(-(len(flash) + more) // PAGE) * PAGE
    assert len(made) == tail + PAGE and made[tail : tail + 4] == MAGIC.to_bytes(4, "little")
    assert made[0x108:tail] == flash[0x108:].ljust(tail - 0x108, b"\xff")
    assert made[tail + 8 :][:8] == struct.pack("<2I", *sums(made[: tail + 8]))


@pytest.mark.parametrize(("start", "end"), [(0x1004, None), (0x1E0, 7 * BLOCK), (0x1E0, 1024)])
def test_a_build_that_does_not_fit_the_check_is_refused(start: int, end: int | None) -> None:
    with pytest.raises(NoImage, match="the code that checks the image"):
        with_sums(program(1), symbols(program(1), start, end))
    with pytest.raises(NoImage, match="no fairshoe_reset"):
        with_sums(program(1), "")


def test_a_pico_2_keeps_the_block_of_its_erratum_in_front_and_its_family() -> None:
    erratum = uf2_of(b"\xef" * PAGE, 0x10FFFF00)
    uf2 = (erratum + uf2_of(NEW)).replace((0xE48BFF56).to_bytes(4, "little"), (0xE48BFF59).to_bytes(4, "little"))
    laid = in_safe_order(uf2, NEW)
    assert laid[:UF2_BLOCK] == uf2[:UF2_BLOCK] and flash_of_uf2(laid) == NEW
    assert {block[28:32] for block in blocks_of(laid)} == {b"\x59\xff\x8b\xe4"}


@pytest.mark.parametrize(("baud", "divisor"), [(115200, 417), (1000000, 48), (9600, 5000)])
def test_the_start_knows_the_table_port_and_says_what_to_do(baud: int, divisor: int) -> None:
    lines = link_header({"uart": 1, "tx": 4, "rx": 5, "baud": baud, "de": 6}).decode().splitlines()
    assert lines[:4] == [
        "#define FAIRSHOE_UART 1",
        "#define FAIRSHOE_TX 4",
        "#define FAIRSHOE_DE 6",
        f"#define FAIRSHOE_DIVISOR {divisor}",
    ]
    frame = bytes(int(word) for word in lines[4].split(".byte ")[1].rstrip('"').split(", "))
    assert decode_messages(frame) == [Halted(DAMAGED)]


def test_without_images_the_cuts_on_the_chip_are_not_run_aloud(capsys: pytest.CaptureFixture[str]) -> None:
    assert cuts.main(["--if-possible"]) == 0 and cuts.main([]) == 2
    assert capsys.readouterr().out.count("NOT RUN: updates cut short") == 2


def test_images_of_no_release_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.uf2"
    path.write_bytes(uf2_of(NEW))
    assert cuts.main(["--uf2", str(path), "--old", str(path)]) == 2
    assert "two release images of one board" in capsys.readouterr().err


def test_the_drawn_cuts_have_the_first_and_the_last_block_of_every_kind() -> None:
    found = cuts.cases(100, 4, SEED)
    assert len({case.name for case in found}) == len(found) and found == cuts.cases(100, 4, SEED)
    for order in cuts.ORDERS[1:]:
        for erased in (False, True):
            assert {1, 99} <= {case.blocks for case in found if (case.order, case.erased) == (order, erased)}
    assert [case.blocks for case in found if case.order == "file"] == list(range(1, 100))
