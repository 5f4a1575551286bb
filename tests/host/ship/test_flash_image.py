"""Flash images: every file is found, and a damaged image is reported and never taken for a good one."""

import pytest
from draws import seeded
from flash_image import BLOCK, BLOCKS, FRONT, flash_image, uf2_of

from fairshoe.ship.errors import ImageError
from fairshoe.ship.flash_image import flash_of_uf2, parse_image

FILES = {"main.py": b"from a import b\n", "a.mpy": bytes(range(256)) * 40, "lib/x.mpy": b"M", "empty.txt": b""}


def test_every_file_of_an_image_is_found_with_its_bytes() -> None:
    image = parse_image(flash_image(FILES, behind=8192))
    assert image.files == FILES
    assert image.folders == ("lib",)
    assert (image.front, image.start, image.behind) == (FRONT, len(FRONT), 8192)


def test_a_uf2_of_the_same_flash_is_the_same() -> None:
    flash = flash_image(FILES)
    assert flash_of_uf2(uf2_of(flash)) == flash
    assert parse_image(uf2_of(flash)) == parse_image(flash)


def test_the_name_of_the_file_system_in_the_interpreter_is_not_a_file_system() -> None:
    """MicroPython has that text too, once even where it could be one."""
    front = bytearray(FRONT)
    front[100:108] = b"littlefs"
    front[8:16] = b"littlefs"
    front[20:32] = b"\x01\x00\x02\x00\x00\x10\x00\x00\x10\x00\x00\x00"
    image = parse_image(flash_image(FILES, bytes(front)))
    assert image.files == FILES
    assert image.start == len(FRONT)


@pytest.mark.parametrize("worn", [0, 1])
def test_one_worn_superblock_is_no_reason_to_find_nothing(worn: int) -> None:
    """The one that is left may be the older of the two, and then lacks what was written last: an error or less, but no
    other bytes under a name."""
    data = bytearray(flash_image(FILES))
    at = len(FRONT) + BLOCK * worn
    data[at : at + BLOCK] = b"\xff" * BLOCK
    files = parse_image(bytes(data)).files
    assert files.keys() <= FILES.keys()


def test_a_second_file_system_is_told_wherever_it_is() -> None:
    """One with the right files could lie in front of the one that the device uses, or behind it."""
    decoy, real = flash_image(FILES), flash_image({"main.py": b"cheat()"}, b"")
    with pytest.raises(ImageError, match="several file systems, at 0x4000, 0x44000"):
        parse_image(decoy + real)
    with pytest.raises(ImageError, match="several file systems"):
        parse_image(FRONT + real + decoy)


@pytest.mark.parametrize("keep", [len(FRONT) + BLOCK * BLOCKS - 1, len(FRONT) + BLOCK * 2, len(FRONT) + 100])
def test_an_image_that_was_cut_off_is_told(keep: int) -> None:
    with pytest.raises(ImageError, match="cut off: its file system ends at byte"):
        parse_image(flash_image(FILES)[:keep])


@pytest.mark.parametrize("keep", [-512, 512 * 3])
def test_a_uf2_that_lacks_blocks_is_told(keep: int) -> None:
    with pytest.raises(ImageError, match=r"cut off: \d+ of \d+ blocks"):
        parse_image(uf2_of(flash_image(FILES))[:keep])


def test_a_uf2_that_ends_inside_a_block_is_told() -> None:
    with pytest.raises(ImageError, match="not whole blocks"):
        parse_image(uf2_of(flash_image(FILES))[:-1])


def test_the_first_block_of_an_image_for_an_rp2350_is_not_part_of_its_flash() -> None:
    flash = flash_image(FILES)
    assert flash_of_uf2(uf2_of(b"\xef" * 256, 0x10FFFF00) + uf2_of(flash)) == flash


@pytest.mark.parametrize("data", [b"\xff" * 100_000, FRONT, b"littlefs", bytes(8) + b"littlefs" + bytes(3)])
def test_an_image_without_a_file_system_is_told(data: bytes) -> None:
    with pytest.raises(ImageError, match="no file system"):
        parse_image(data)


def test_whatever_is_damaged_is_an_error_or_a_difference_and_never_a_crash() -> None:
    chance = seeded()
    whole = flash_image(FILES)
    for _ in range(60):
        data = bytearray(whole)
        for _flip in range(chance.choice((1, 3, 200))):
            data[chance.randrange(len(FRONT), len(FRONT) + BLOCK * 20)] = chance.randrange(256)
        try:
            parse_image(bytes(data))
        except ImageError as error:
            assert error.advice
