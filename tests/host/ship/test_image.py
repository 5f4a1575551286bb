"""`fairshoe firmware image`: what it asks of checkout and toolchain, what it prepares, and what it refuses."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import built_once
import pytest
from built_once import IMAGE_BOARD
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from fake_checkout import make_checkout, make_tools
from in_process import refusal

from fairshoe import __version__
from fairshoe.cli import command_line
from fairshoe.ship import board_folder as folders
from fairshoe.ship.board_folder import board_folder, chip_of, write_folder
from fairshoe.ship.build import BENCH_ONLY, Built
from fairshoe.ship.checkout import SUBMODULES, find_toolchain, read_checkout
from fairshoe.ship.errors import ImageError, NoImage, OlderRelease
from fairshoe.ship.flash_image import flash_of_uf2
from fairshoe.ship.identity import ROLLBACK_MAX, Identity, find_identity, refuse_older
from fairshoe.ship.image_build import refuse_newer_there
from fairshoe.ship.signed_boot import find_signature

IDENTITY = Identity("pico-shoe", "war", "0.1.0", 3, True, "ab" * 32)


@pytest.fixture(autouse=True)
def built(monkeypatch: pytest.MonkeyPatch) -> Built:
    """The board that is built once for all tests, instead of again."""

    def build(_board: str, game: str | None = None) -> Built:
        return built_once.built(IMAGE_BOARD)

    monkeypatch.setattr("fairshoe.commands.image.build", build)
    monkeypatch.delenv("PICOTOOL", raising=False)
    return built_once.built(IMAGE_BOARD)


def image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *more: str, out: str = "out", seals: bool = False) -> int:
    """The command, with a fake checkout and fake tools."""
    checkout = make_checkout(tmp_path / "micropython")
    monkeypatch.setenv("PATH", str(make_tools(tmp_path / "tools", seals=seals)))
    words = ["firmware", "image", "--board", IMAGE_BOARD, "--micropython", str(checkout), "-o", str(tmp_path / out)]
    return command_line.main([*words, *more])


# --- checkout and toolchain --------------------------------------------------------------------


def test_a_folder_that_is_not_there_or_no_checkout_is_refused_with_the_command_that_gets_one(tmp_path: Path) -> None:
    for path, words in ((tmp_path / "none", "there is no folder"), (tmp_path, "is not a MicroPython source tree")):
        with pytest.raises(NoImage, match=words) as caught:
            read_checkout(path)
        assert "git clone --branch v1.28.0" in caught.value.advice


def git(path: Path, *words: str) -> None:
    who = ("-c", "user.name=n", "-c", "user.email=e", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *who, "-C", str(path), *words], check=True, capture_output=True)


def test_an_altered_library_is_a_modified_checkout_and_every_tree_has_its_hash(tmp_path: Path) -> None:
    top = make_checkout(tmp_path / "micropython")
    for name in SUBMODULES:
        shutil.move(top / name, tmp_path / name)
        git(tmp_path / name, "init", "-q")
        git(tmp_path / name, "add", "-A")
        git(tmp_path / name, "commit", "-qm", "library")
    git(top, "init", "-q")
    for name in SUBMODULES:
        git(top, "submodule", "add", "-q", str(tmp_path / name), name)
    git(top, "add", "-A")
    git(top, "commit", "-qm", "top")
    clean = read_checkout(top)
    assert not clean.modified and set(clean.trees) == {"micropython", *SUBMODULES}
    assert all(re.fullmatch("[0-9a-f]{40}", tree) for tree in clean.trees.values())
    for name, file in SUBMODULES.items():
        text = (top / name / file).read_text()
        (top / name / file).write_text(text + "altered")
        assert read_checkout(top).modified, name
        (top / name / file).write_text(text)
        assert not read_checkout(top).modified
        (top / name / "added.h").write_text("")
        assert read_checkout(top).modified, name
        (top / name / "added.h").unlink()
    git(top / "lib/pico-sdk", "commit", "--allow-empty", "-qm", "another")
    assert read_checkout(top).modified  # another commit than the one that MicroPython names


def test_a_wrong_checkout_is_refused_before_anything_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("fairshoe.commands.image.build")  # calling it would be an internal error
    words = ["firmware", "image", "--board", IMAGE_BOARD, "--micropython", str(tmp_path / "none"), "-o", str(tmp_path)]
    assert "there is no folder" in refusal(NoImage.exit_code, *words)


@pytest.mark.parametrize(
    ("version", "prerelease"), [((1, 27, 0), 0), ((1, 29, 1), 0), ((1, 28, 0), 1), ((2, 28, 0), 0)]
)
def test_another_release_is_refused_with_the_command_that_brings_the_right_one(
    tmp_path: Path, version: tuple[int, int, int], prerelease: int
) -> None:
    path = make_checkout(tmp_path / "mp", version, prerelease)
    with pytest.raises(NoImage, match=r"images are built from 1\.28\.x") as caught:
        read_checkout(path)
    assert "checkout v1.28.0" in caught.value.advice


def test_any_patch_of_the_release_is_taken(tmp_path: Path) -> None:
    assert read_checkout(make_checkout(tmp_path / "mp", (1, 28, 4))).version == "1.28.4"


@pytest.mark.parametrize("missing", sorted(SUBMODULES))
def test_a_missing_submodule_is_named_with_the_command_that_brings_it(tmp_path: Path, missing: str) -> None:
    path = make_checkout(tmp_path / "mp")
    (path / missing / SUBMODULES[missing]).unlink()
    with pytest.raises(NoImage, match=f"lacks the submodules {missing}") as caught:
        read_checkout(path)
    assert caught.value.advice.endswith(f"submodule update --init {missing}")


@pytest.mark.parametrize(
    ("missing", "package"), [("arm-none-eabi-gcc", "gcc-arm-none-eabi"), ("cmake", "cmake"), ("make", "make")]
)
def test_a_missing_program_is_named_with_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str, package: str
) -> None:
    monkeypatch.setenv("PATH", str(make_tools(tmp_path / "tools", (missing,))))
    with pytest.raises(NoImage, match=f"lacks {missing}") as caught:
        find_toolchain(None)
    assert caught.value.advice.endswith(f"apt-get install {package}")


def test_a_compiler_without_a_c_library_is_told_with_the_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = make_tools(tmp_path / "tools")
    compiler = tools / "arm-none-eabi-gcc"
    compiler.write_text(compiler.read_text().replace('"/lib/" + ', ""))
    monkeypatch.setenv("PATH", str(tools))
    with pytest.raises(NoImage, match=r"lacks nosys\.specs, libstdc\+\+\.a") as caught:
        find_toolchain(None)
    assert "libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib" in caught.value.advice


@pytest.mark.parametrize("missing", ["picotool", "picotoolConfig.cmake"])
def test_without_picotool_or_its_config_nothing_is_built_since_the_sdk_would_download_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setenv("PATH", str(make_tools(tmp_path / "tools", (missing,))))
    with pytest.raises(NoImage, match="picotool") as caught:
        find_toolchain(None)
    assert "--picotool" in caught.value.advice


@pytest.mark.parametrize("place", [".", "lib/cmake/picotool", "share/picotool"])
def test_picotool_is_found_by_its_prefix_wherever_its_config_lies_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("PATH", str(make_tools(tmp_path / "tools")))
    config = tmp_path / "prefix" / place / "picotoolConfig.cmake"
    config.parent.mkdir(parents=True)
    config.touch()
    assert find_toolchain(tmp_path / "prefix").picotool_folder == config.parent


# --- the board folder --------------------------------------------------------------------------


def test_the_folder_of_an_image_is_the_same_bytes_each_time(built: Built) -> None:
    files, identity = board_folder(built, "0.1.0", 0, True)
    shuffled = replace(
        built,
        modules=dict(reversed(built.modules.items())),
        data=dict(reversed(built.data.items())),
    )
    again, same = board_folder(shuffled, "0.1.0", 0, True)
    assert (again, same) == (files, identity) and list(again) == list(files)


def test_whatever_is_frozen_changes_the_identity(built: Built) -> None:
    content = board_folder(built, "0.1.0", 0, True)[1].content
    module = next(iter(built.modules))
    changes: list[dict[str, Any]] = [
        {"modules": {**built.modules, module: built.modules[module] + "\n"}, "data": built.data},
        {"modules": built.modules, "data": {**built.data, "board.json": built.data["board.json"] + b" "}},
    ]
    for change in changes:
        assert board_folder(replace(built, **change), "0.1.0", 0, True)[1].content != content
    assert board_folder(built, "0.1.0", 0, False)[1].content != content


def test_every_module_and_the_start_are_frozen_in_order_and_by_name(built: Built) -> None:
    files, _identity = board_folder(built, "0.1.0", 0, True)
    frozen = [name.removeprefix("modules/") for name in files if name.startswith("modules/")]
    assert {"main.py", "_boot.py", "image_data.py", "hal/boot_main.py", "firmware/main.py"} < set(frozen)
    assert len(frozen) == len({*built.modules, "hal.boot_main"} - set(BENCH_ONLY)) + 3
    # What moves motors in the diagnostic mode is for a bench.
    assert "modules/firmware/motion.py" not in files
    assert "modules/firmware/motion.py" in board_folder(built, "0.1.0", 0, False)[0]
    listed = [line.strip(' ",') for line in files["manifest.py"].decode().splitlines() if line.startswith("    ")]
    assert listed == sorted(frozen)


def test_the_data_of_an_image_is_what_the_stock_path_copies(built: Built) -> None:
    files, identity = board_folder(built, "0.1.0", 7, True)
    found: dict[str, Any] = {}
    exec(files["modules/image_data.py"], found)
    assert found["FILES"] == built.data and found["RELEASE"] is True and found["IDENTITY"] == identity.line()
    assert identity.rollback == 7


def test_a_bench_image_has_no_main_and_mounts_files_behind_the_frozen_modules(built: Built) -> None:
    files, identity = board_folder(built, "0.1.0", 0, False)
    assert "modules/main.py" not in files and not identity.release
    assert b'sys.path[:] = [".frozen", "", "/lib"]' in files["modules/_boot.py"]
    assert b"FAIRSHOE_RELEASE 0" in files["image.cmake"]


def test_a_board_without_an_image_is_refused_with_the_way_that_it_has() -> None:
    with pytest.raises(NoImage, match="no image is built for Other") as caught:
        chip_of({"mcu": {"port": "rp2", "board": "Other"}})
    assert "fairshoe firmware flash" in caught.value.advice


def test_storage_in_flash_begins_where_that_of_a_downloaded_micropython_begins() -> None:
    """The sizes of mpconfigboard.h, which must be those of MicroPython's own boards, and of board_folder.py."""
    header = (folders.HERE / "mpconfigboard.h").read_text()
    assert "(1408 * 1024)" in header and "(PICO_FLASH_SIZE_BYTES - 1024 * 1024)" in header
    pico, pico2 = folders.CHIPS["Raspberry Pi Pico"], folders.CHIPS["Raspberry Pi Pico 2"]
    assert (pico.storage, pico2.storage) == (0xA0000, 0x100000)
    assert (pico.flash_bytes - pico.storage, pico2.flash_bytes - pico2.storage) == (1408 * 1024, 3072 * 1024)


def test_a_folder_is_made_exact_and_what_is_right_keeps_its_time(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a/b.py": b"1", "c.py": b"2"})
    before = (tmp_path / "c.py").stat().st_mtime_ns
    (tmp_path / "a" / "old.py").write_text("left over")
    write_folder(tmp_path, {"c.py": b"2", "d.py": b"3"})
    assert {path.name for path in tmp_path.rglob("*.py")} == {"c.py", "d.py"}
    assert (tmp_path / "c.py").stat().st_mtime_ns == before


# --- identity ----------------------------------------------------------------------------------


def test_an_identity_is_found_in_a_flash_as_it_was_written() -> None:
    assert find_identity(b"\xff" * 100 + IDENTITY.line() + b"\xff" * 100) == IDENTITY
    assert find_identity(b"\xff" * 100) is None


@pytest.mark.parametrize(
    "spoiled", [b"rollback=3000000", b"kind=other", b"content=AB", b"board=PICO", b"version=\x1b[2J"]
)
def test_what_is_not_written_like_an_identity_is_none(spoiled: bytes) -> None:
    word = spoiled.partition(b"=")[0]
    line = b" ".join(spoiled if part.startswith(word + b"=") else part for part in IDENTITY.line().split(b" "))
    assert find_identity(line) is None


def test_two_identities_in_one_flash_are_refused() -> None:
    other = Identity("pico-shoe", "war", "0.2.0", 3, True, "ab" * 32)
    with pytest.raises(ImageError, match="2 identities"):
        find_identity(IDENTITY.line() + other.line())


@pytest.mark.parametrize(
    ("new", "there", "refused"),
    [
        ((0, "0.1.0"), (0, "0.1.0"), False),
        ((0, "0.2.0"), (0, "0.10.0"), True),
        ((0, "0.10.0"), (0, "0.2.0"), False),
        ((1, "0.1.0"), (0, "9.0.0"), False),
        ((0, "9.0.0"), (1, "0.1.0"), True),
    ],
)
def test_a_release_is_older_by_rollback_number_and_then_by_version(
    new: tuple[int, str], there: tuple[int, str], refused: bool
) -> None:
    if not refused:
        refuse_older(new, there, "there", None)
        return
    for older in (None, there[1], "yes"):
        with pytest.raises(OlderRelease) as caught:
            refuse_older(new, there, "there", older)
        assert f"--older {new[1]}" in caught.value.advice
    refuse_older(new, there, "there", new[1])


# --- the command -------------------------------------------------------------------------------


def test_an_image_is_one_uf2_with_a_record_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("CFLAGS_EXTRA", "CPATH", "CMAKE_TOOLCHAIN_FILE", "PICO_DEFAULT_BOOT_STAGE2_FILE"):
        monkeypatch.setenv(name, "anything")  # of which no record would tell
    assert image(tmp_path, monkeypatch, "--rollback", "2", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    path = tmp_path / "out" / f"fairshoe-{__version__}-pico-shoe.uf2"
    assert record["uf2"] == str(path) and record["rollback"] == 2 and record["kind"] == "release"
    identity = find_identity(flash_of_uf2(path.read_bytes()))
    assert identity is not None and identity.line().decode().strip() == record["identity"]
    assert json.loads(path.with_suffix(".json").read_text())["flash_sha256"] == record["flash_sha256"]
    arguments = next(tmp_path.rglob("cmake/arguments")).read_text()
    assert "FETCHCONTENT_FULLY_DISCONNECTED=ON" in arguments and "picotool_DIR=" in arguments


@pytest.mark.parametrize(
    ("symbols", "words"),
    [
        ("10031db8 t fun_data_a\n10031dba t fun_data_b\n", "not aligned to 4 bytes: b"),
        ("10031dba T main\n10031dbb r fun_data_bytecode\n", "none was found"),
    ],
)
def test_machine_code_that_would_read_its_constants_two_bytes_off_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], symbols: str, words: str
) -> None:
    """MicroPython 1.28 aligns frozen Thumb code to 2 bytes: edges then had wild stamps, in one build of two."""
    make_tools(tmp_path / "tools")
    (tmp_path / "tools" / "symbols").write_text(symbols)
    assert image(tmp_path, monkeypatch) != 0
    assert words in capsys.readouterr().err
    assert not list((tmp_path / "out").glob("*.uf2"))


def test_two_images_in_two_folders_are_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for out in ("one", "two/deeper"):
        assert image(tmp_path, monkeypatch, out=out) == 0
    name = f"fairshoe-{__version__}-pico-shoe.uf2"
    assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two/deeper" / name).read_bytes()


def test_a_bench_image_has_another_name_and_is_not_taken_for_a_newer_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert image(tmp_path, monkeypatch, "--bench", "--rollback", "5") == 0
    assert f"fairshoe-{__version__}-pico-shoe-bench.uf2" in capsys.readouterr().out
    assert image(tmp_path, monkeypatch) == 0


def test_an_image_older_than_the_one_that_is_there_is_refused_unless_its_version_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert image(tmp_path, monkeypatch, "--rollback", "2") == 0
    assert image(tmp_path, monkeypatch, "--rollback", "1") == OlderRelease.exit_code
    assert f"--older {__version__}" in capsys.readouterr().err
    assert image(tmp_path, monkeypatch, "--rollback", "1", "--older", __version__) == 0


def test_an_image_is_compared_with_those_of_its_own_board_alone(tmp_path: Path) -> None:
    """A board named `shoe` finds the record of pico-shoe by its file's name, too."""
    record = {"board": "pico-shoe", "rollback": 9, "firmware": "9.0.0"}
    (tmp_path / "fairshoe-9.0.0-pico-shoe.json").write_text(json.dumps(record))
    refuse_newer_there(tmp_path, replace(IDENTITY, board="shoe"), None)
    with pytest.raises(OlderRelease, match="has version 9"):
        refuse_newer_there(tmp_path, IDENTITY, None)
    (tmp_path / "fairshoe-9.0.0-shoe.json").write_text(json.dumps({**record, "board": "shoe"}))
    with pytest.raises(OlderRelease, match=r"fairshoe-9\.0\.0-shoe\.json"):
        refuse_newer_there(tmp_path, replace(IDENTITY, board="shoe"), None)


def test_a_build_that_fails_shows_its_last_lines_and_where_the_rest_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = board_folder

    def broken(*words: Any) -> Any:
        files, identity = real(*words)
        return {**files, "modules/broken.py": b""}, identity

    monkeypatch.setattr("fairshoe.ship.image_build.board_folder", broken)
    assert image(tmp_path, monkeypatch) == NoImage.exit_code
    told = capsys.readouterr().err
    assert "x.c:1: error: no such thing" in told and "build.log" in told


def test_signing_is_refused_for_a_boot_rom_that_checks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert image(tmp_path, monkeypatch, "--sign", "key.pem") == 2
    assert "checks no signatures" in capsys.readouterr().err


@pytest.fixture
def pico2(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same modules on a chip whose boot ROM checks signatures."""
    one = built_once.built(IMAGE_BOARD)
    config = {**one.config, "mcu": {**one.config["mcu"], "board": "Raspberry Pi Pico 2"}}

    def build(_board: str, game: str | None = None) -> Built:
        return replace(one, config=config)

    monkeypatch.setattr("fairshoe.commands.image.build", build)
    monkeypatch.setattr("fairshoe.commands.image.load_board", {IMAGE_BOARD: (config, 0)}.__getitem__)


def boot_key(path: Path, curve: str = "SECP256K1", password: bytes = b"") -> str:
    """The path of a new private key in PEM."""
    sheet = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    private = ec.generate_private_key(getattr(ec, curve)())
    form = serialization.PrivateFormat.PKCS8
    path.write_bytes(private.private_bytes(serialization.Encoding.PEM, form, sheet))
    return str(path)


@pytest.mark.usefixtures("pico2")
@pytest.mark.parametrize("case", ["no file", "no key", "another curve", "a password"])
def test_a_key_that_cannot_sign_is_refused_before_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    key = tmp_path / "boot.pem"
    if case == "no key":
        key.write_text("-----BEGIN NOTHING-----\n")
    elif case == "another curve":
        boot_key(key, "SECP256R1")
    elif case == "a password":
        boot_key(key, password=b"secret")
    assert image(tmp_path, monkeypatch, "--sign", str(key), seals=True) == NoImage.exit_code
    told = capsys.readouterr().err
    assert ("there is no key" if case == "no file" else "is not a private key of secp256k1") in told
    assert "openssl ecparam -name secp256k1" in told and not (tmp_path / "out").exists()


@pytest.mark.usefixtures("pico2")
def test_a_picotool_that_cannot_seal_is_refused_before_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert image(tmp_path, monkeypatch, "--sign", boot_key(tmp_path / "boot.pem")) == NoImage.exit_code
    told = capsys.readouterr().err
    assert "cannot seal images" in told and "mbedTLS" in told and not (tmp_path / "out").exists()


@pytest.mark.usefixtures("pico2")
def test_a_signed_image_names_its_key_and_has_the_otp_settings_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    key = boot_key(tmp_path / "boot.pem")
    assert image(tmp_path, monkeypatch, "--sign", key, "--rollback", "3", "--json", seals=True) == 0
    record = json.loads(capsys.readouterr().out)
    found = find_signature(flash_of_uf2(Path(record["uf2"]).read_bytes()))
    assert found is not None and found.good and (found.fingerprint, found.rollback) == (record["signed_by"], 3)
    assert Path(record["uf2"]).with_suffix(".otp.json").is_file()


@pytest.mark.parametrize("number", ["-1", "48", "many"])
def test_a_rollback_number_that_no_boot_rom_counts_to_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: str
) -> None:
    assert image(tmp_path, monkeypatch, "--rollback", number) == 2


def test_the_highest_rollback_number_is_the_last_that_two_otp_rows_of_24_bits_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The ROM refuses rows * 24 and above: 48 would never start."""
    assert image(tmp_path, monkeypatch, "--rollback", "47", "--json") == 0
    assert json.loads(capsys.readouterr().out)["rollback"] == 47
    assert ROLLBACK_MAX == 2 * 24 - 1
