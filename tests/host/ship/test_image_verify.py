"""Images in a release, and a flash held against one: every byte counts, and a boot signature is checked."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import built_once
import pytest
from built_once import IMAGE_BOARD
from flash_image import FRONT, uf2_of
from in_process import output, refusal
from signed_image import new_key, public_bytes, sealed

from fairshoe import __version__
from fairshoe.ship.board_folder import board_folder
from fairshoe.ship.build import Built
from fairshoe.ship.errors import ImageError, ManifestError
from fairshoe.ship.flash_image import whole_sectors
from fairshoe.ship.identity import Identity
from fairshoe.ship.manifest import make_manifest, parse_manifest, pick_board
from fairshoe.ship.release_images import images_of
from fairshoe.ship.signed_boot import find_signature

FLASH_BYTES = 2 << 20
VERSION = __version__


def identity_of(built: Built, rollback: int = 0) -> Identity:
    return board_folder(built, VERSION, rollback, True)[1]


def image_of(identity: Identity) -> bytes:
    """A UF2 of some sectors that carries the identity."""
    return uf2_of(FRONT + identity.line().ljust(256, b"\0") + bytes(range(256)) * 40)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An unsigned release of one board with an image."""
    folder = tmp_path_factory.mktemp("release")
    built = built_once.built(IMAGE_BOARD)
    uf2 = image_of(identity_of(built, 2))
    images = images_of([uf2], [built], VERSION)
    entries = {name: entry for name, (entry, _uf2) in images.items()}
    (folder / "manifest.json").write_bytes(make_manifest([built], VERSION, {}, entries))
    (folder / f"{IMAGE_BOARD}.uf2").write_bytes(uf2)
    return folder


def flash_of(release: Path) -> bytearray:
    """The whole flash of a device that has the image and nothing else."""
    flash = whole_sectors((release / f"{IMAGE_BOARD}.uf2").read_bytes())
    return bytearray(flash.ljust(FLASH_BYTES, b"\xff"))


def verifying(release: Path, tmp_path: Path, flash: bytes | bytearray) -> list[str]:
    path = tmp_path / "flash.bin"
    path.write_bytes(flash)
    return ["firmware", "verify", "--release", str(release), "--unsigned", "--image", str(path)]


def verify(release: Path, tmp_path: Path, flash: bytes | bytearray, *more: str, code: int = 0) -> str:
    return output(*verifying(release, tmp_path, flash), *more, code=code)


# --- a flash against a release -----------------------------------------------------------------


def test_a_device_with_the_image_and_nothing_else_is_the_same(release: Path, tmp_path: Path) -> None:
    told = verify(release, tmp_path, flash_of(release))
    sectors = len(whole_sectors((release / f"{IMAGE_BOARD}.uf2").read_bytes())) // 4096
    assert f"compared {sectors} sectors of the image, and all that lies behind it: THE SAME" in told
    assert f"board={IMAGE_BOARD}" in told and "signed for the boot ROM" not in told


@pytest.mark.parametrize("where", [0, 5000, len(FRONT) + 300])
def test_one_altered_bit_is_found_and_its_sector_named(release: Path, tmp_path: Path, where: int) -> None:
    flash = flash_of(release)
    flash[where] ^= 1
    start = 0x10000000 + where // 4096 * 4096
    assert f"altered  flash {start:#010x} to {start + 4095:#010x}" in verify(release, tmp_path, flash, code=6)


@pytest.mark.parametrize("where", [0x80000, 0xA0000, FLASH_BYTES - 1])
def test_one_byte_behind_the_image_is_found(release: Path, tmp_path: Path, where: int) -> None:
    flash = flash_of(release)
    flash[where] = 0
    assert f"extra    flash {0x10000000 + where // 4096 * 4096:#010x}" in verify(release, tmp_path, flash, code=6)


def test_a_flash_that_was_read_only_in_part_is_refused(release: Path, tmp_path: Path) -> None:
    words = verifying(release, tmp_path, flash_of(release)[:-4096])
    assert "picotool save -a" in refusal(ImageError.exit_code, *words)


def test_an_altered_image_is_found_without_the_uf2_beside_the_manifest(release: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bare"
    folder.mkdir()
    (folder / "manifest.json").write_bytes((release / "manifest.json").read_bytes())
    flash = flash_of(release)
    flash[1] ^= 1
    assert "altered  the image" in verify(folder, tmp_path, flash, code=6)


@pytest.mark.parametrize(("rollback", "word"), [(1, "OLDER"), (3, "NEWER")])
def test_a_device_with_an_older_or_newer_image_is_told_so(
    release: Path, tmp_path: Path, rollback: int, word: str
) -> None:
    other = whole_sectors(image_of(identity_of(built_once.built(IMAGE_BOARD), rollback)))
    told = verify(release, tmp_path, other.ljust(FLASH_BYTES, b"\xff"), "--json", code=6)
    assert word in json.loads(told)["note"]


def test_a_release_without_an_image_for_the_board_does_not_pass_one(release: Path, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "manifest.json").write_bytes(make_manifest([built_once.built(IMAGE_BOARD)], VERSION, {}))
    told = verify(folder, tmp_path, flash_of(release), code=6)
    assert "the release has none for this board" in told
    assert "nothing to compare the image with: DIFFERENT" in told and "sectors" not in told


def test_cells_that_a_board_keeps_in_flash_may_hold_anything_and_nothing_beside_them_may(
    tmp_path: Path, release: Path
) -> None:
    built = built_once.built(IMAGE_BOARD)
    built = replace(built, config={**built.config, "nv": {"kind": "flash", "start": 0x10000, "blocks": 2}})
    uf2 = (release / f"{IMAGE_BOARD}.uf2").read_bytes()
    ((entry, _uf2),) = images_of([uf2], [built], VERSION).values()
    assert entry.cells == (0xB0000, 0xB2000)
    folder = tmp_path / "cells"
    folder.mkdir()
    (folder / "manifest.json").write_bytes(make_manifest([built], VERSION, {}, {IMAGE_BOARD: entry}))
    for where, status in ((0xAFFFF, 6), (0xB0000, 0), (0xB1FFF, 0), (0xB2000, 6)):
        flash = flash_of(release)
        flash[where] = 0
        verify(folder, tmp_path, flash, code=status)


# --- which images a release takes --------------------------------------------------------------


def test_an_image_is_in_the_manifest_with_its_hashes(release: Path) -> None:
    board = pick_board(parse_manifest((release / "manifest.json").read_bytes()), None)
    assert board.image is not None and board.image.identity.endswith(identity_of(built_once.built(IMAGE_BOARD)).content)
    uf2 = (release / f"{IMAGE_BOARD}.uf2").read_bytes()
    assert board.image.uf2 == hashlib.sha256(uf2).hexdigest()
    assert board.image.flash.sha256 == hashlib.sha256(whole_sectors(uf2)).hexdigest()


def test_a_bench_image_another_board_other_sources_or_two_images_are_refused() -> None:
    built = built_once.built(IMAGE_BOARD)
    right = identity_of(built)
    wrong = {
        "bench image": [board_folder(built, VERSION, 0, False)[1]],
        "is for pico-other": [replace(right, board="pico-other")],
        "other sources": [replace(right, content="00" * 32)],
        "two images": [right, right],
    }
    for words, identities in wrong.items():
        with pytest.raises(ManifestError, match=words):
            images_of([image_of(identity) for identity in identities], [built], VERSION)
    with pytest.raises(ImageError, match="no fairshoe image"):
        images_of([uf2_of(FRONT)], [built], VERSION)


# --- signatures for the boot ROM ---------------------------------------------------------------


def test_a_signature_is_found_with_its_key_and_rollback_number() -> None:
    key = new_key()
    found = find_signature(sealed(FRONT, key, 5))
    assert found is not None and found.good and found.rollback == 5
    assert found.fingerprint == hashlib.sha256(public_bytes(key)).hexdigest()


def test_a_flash_without_a_signature_has_none() -> None:
    assert find_signature(FRONT) is None and find_signature(b"\xff" * 100_000) is None


def test_no_altered_byte_passes_for_signed() -> None:
    flash = sealed(FRONT, new_key())
    for where in [*range(0, len(FRONT), 997), *range(len(FRONT), len(FRONT) + 4 * 45, 4)]:
        altered = bytearray(flash)
        altered[where] ^= 4
        found = find_signature(bytes(altered))
        assert found is None or not found.good, hex(where)


def test_a_signature_over_a_part_of_the_image_is_not_good() -> None:
    found = find_signature(sealed(FRONT, new_key(), hashed=len(FRONT) - 4))
    assert found is not None and not found.good


def test_verify_says_by_which_key_an_image_is_signed_and_refuses_a_bad_signature(tmp_path: Path) -> None:
    built = built_once.built(IMAGE_BOARD)
    key = new_key()
    flash = sealed(FRONT + identity_of(built).line().ljust(4096, b"\0"), key)
    bad = bytearray(flash)
    bad[5000] ^= 1
    for image, status in ((flash, 0), (bytes(bad), 6)):
        folder = tmp_path / str(status)
        folder.mkdir()
        entries = {name: entry for name, (entry, _) in images_of([uf2_of(image)], [built], VERSION).items()}
        (folder / "manifest.json").write_bytes(make_manifest([built], VERSION, {}, entries))
        told = verify(folder, tmp_path, whole_sectors(uf2_of(image)).ljust(FLASH_BYTES, b"\xff"), code=status)
        fingerprint = hashlib.sha256(public_bytes(key)).hexdigest()
        assert (f"signed for the boot ROM by key {fingerprint}" in told) == (status == 0)
    assert "altered  its signature for the boot ROM" in told
