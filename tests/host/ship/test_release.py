"""Releases: built the same anywhere, signed by keys that are trusted, and told apart from what they are not."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import built_once
import pytest
from flash_image import FRONT, flash_image, uf2_of
from flashed_board import FakeBoard
from in_process import output, refusal, run
from pty_board import PtyBoard

from fairshoe.cli import command_line
from fairshoe.ship import start_check
from fairshoe.ship.board_folder import board_folder
from fairshoe.ship.build import Built, build
from fairshoe.ship.checkout import KNOWN_TREES
from fairshoe.ship.errors import ManifestError
from fairshoe.ship.manifest import canonical, make_manifest, parse_manifest, sha256
from fairshoe.ship.release_images import check_origin
from firmware.version import VERSION_TEXT

FILES = {"a.mpy": b"M\x06\x00" + bytes(range(256)) * 20, "board.json": b"{}", "main.py": b"from a import b\nb()\n"}
MCU = {"port": "rp2", "board": "Raspberry Pi Pico 2"}


def small(name: str = "b", files: dict[str, bytes] | None = None) -> Built:
    built = Built(name, {"name": name, "mcu": MCU})
    for path, data in (files or FILES).items():
        built.put(path, data, path, len(data))
    return built


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A signed release of one small board; signing.key and signing.key.pub beside it."""
    folder = tmp_path / "release"
    folder.mkdir()
    raw = make_manifest([small()], "0.1.0", {})
    (folder / "manifest.json").write_bytes(raw)
    key = tmp_path / "signing.key"
    assert command_line.main(["firmware", "release", "keygen", str(key)]) == 0
    assert command_line.main(["firmware", "release", "sign", str(folder), "--key", str(key)]) == 0
    return folder


def verifying(release: Path, *arguments: str) -> list[str]:
    return ["firmware", "verify", "--release", str(release), "--key", f"{release.parent}/signing.key.pub", *arguments]


def verify(release: Path, *arguments: str, code: int = 0) -> str:
    """The report of the command when it ends with this status, or, where it has none, why."""
    done = run(*verifying(release, *arguments))
    assert done.returncode == code, done
    return done.stdout or done.stderr


def image(release: Path, data: bytes) -> str:
    path = release.parent / "flash.bin"
    path.write_bytes(data)
    return str(path)


# --- building ----------------------------------------------------------------------------------


@pytest.mark.full
def test_a_release_is_the_same_bytes_in_another_process_another_folder_and_another_order(tmp_path: Path) -> None:
    out = tmp_path / "release"
    command = [
        sys.executable,
        "-m",
        "fairshoe",
        "firmware",
        "release",
        "build",
        "--board",
        built_once.BOARD,
        "-o",
        str(out),
    ]
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, timeout=600)
    built = built_once.built()
    top = out / built_once.BOARD
    there = {path.relative_to(top).as_posix(): path.read_bytes() for path in top.rglob("*") if path.is_file()}
    assert there == built.files
    assert (out / "manifest.json").read_bytes() == make_manifest([built], VERSION_TEXT.decode(), {})


def test_a_folder_with_something_in_it_is_never_overwritten(release: Path) -> None:
    assert "never overwritten" in refusal(
        3, "firmware", "release", "build", "--board", built_once.BOARD, "-o", str(release)
    )


@pytest.mark.parametrize("out", ["/proc/release", "/dev/null"])
def test_a_folder_that_cannot_be_made_is_told(out: str) -> None:
    assert "Traceback" not in refusal(3, "firmware", "release", "build", "--board", built_once.BOARD, "-o", out)


def test_a_board_with_an_rp2040_is_refused_without_its_image(tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["firmware", "release", "build", "--board", "pico-shoe", "-o", str(out)]
    told = refusal(ManifestError.exit_code, *words)
    assert (
        "an RP2040 runs an image alone" in told
        and "fairshoe firmware image --board pico-shoe" in told
        and "--image" in told
    )
    assert not list(out.iterdir())
    identity = board_folder(build("pico-shoe"), VERSION_TEXT.decode(), 0, True)[1]
    uf2 = tmp_path / "image.uf2"
    uf2.write_bytes(uf2_of(identity.line().ljust(4096, b"\0")))
    write_record(uf2)
    assert command_line.main([*words, "--image", str(uf2)]) == 0


KNOWN = {name: known[0] for name, known in KNOWN_TREES.items()}


def write_record(uf2: Path, **changes: object) -> None:
    """The record that `fairshoe firmware image` writes beside an image, as far as a release looks at it."""
    record = {"compiler": "gcc 12", "picotool": "picotool v2.2.0", "trees": KNOWN, "micropython_modified": False}
    record["uf2_sha256"] = sha256(uf2.read_bytes())
    uf2.with_suffix(".json").write_text(json.dumps({**record, **changes}))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"micropython_modified": True}, "a modified MicroPython, or a modified library"),
        ({"trees": {"micropython": "ab" * 20}}, "unknown micropython, lib/mbedtls"),
        *(({"trees": {**KNOWN, name: "ab" * 20}}, f"unknown {name}.") for name in KNOWN),
        ({"picotool": ""}, "unknown tools"),
        ({"uf2_sha256": "00" * 32}, "the record of another image"),
        ({"trees": 7}, "not the record of an image"),
    ],
)
def test_an_image_of_unknown_or_modified_sources_is_refused(
    changes: dict[str, object], told: str, tmp_path: Path
) -> None:
    uf2 = tmp_path / "image.uf2"
    uf2.write_bytes(b"an image")
    with pytest.raises(ManifestError, match="not the record"):
        check_origin(uf2, b"an image")
    write_record(uf2)
    check_origin(uf2, b"an image")
    write_record(uf2, **changes)
    with pytest.raises(ManifestError, match=told):
        check_origin(uf2, b"an image")


def test_a_release_has_each_file_with_its_size_and_hash() -> None:
    release = parse_manifest(make_manifest([small()], "0.1.0", {}))
    files = release.boards["b"].files
    assert {name: (entry.size, entry.sha256) for name, entry in files.items()} == {
        name: (len(data), sha256(data)) for name, data in FILES.items()
    }


PARTS = {"NOTES.md": b"notes", "protocol/vectors.json": b"{}"}


def test_a_release_folder_is_checked_whole_by_verify_and_by_sha256sum(release: Path, tmp_path: Path) -> None:
    out = tmp_path / "whole"
    words = ["--board", built_once.BOARD, "--with", str(folder_of(tmp_path / "parts", PARTS)), "-o", str(out)]
    assert command_line.main(["firmware", "release", "build", *words]) == 0
    assert command_line.main(["firmware", "release", "sign", str(out), "--key", f"{release.parent}/signing.key"]) == 0
    check = ["firmware", "verify", "--release", str(out), "--key", f"{release.parent}/signing.key.pub"]
    sums = ["sha256sum", "--strict", "--quiet", "-c", "SHA256SUMS"]
    assert command_line.main(check) == 0 and subprocess.run(sums, cwd=out).returncode == 0
    for name in ("NOTES.md", "protocol/vectors.json", f"{built_once.BOARD}/main.py", "SHA256SUMS"):
        right = (out / name).read_bytes()
        (out / name).write_bytes(right + b"x")
        assert f"altered  {name}" in output(*check, code=6)
        assert subprocess.run(sums, cwd=out, capture_output=True).returncode != 0
        (out / name).write_bytes(right)
    (out / "NOTES.md").rename(out / "OTHER.md")
    found = json.loads(output(*check, "--json", code=6))
    assert (found["missing"], found["extra"], found["board"]) == (["NOTES.md"], ["OTHER.md"], None)


# --- what a manifest may look like -------------------------------------------------------------


def changed(**changes: Any) -> bytes:
    value = json.loads(make_manifest([small()], "0.1.0", {}))
    return canonical({**value, **changes})


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"{",
        b"null",
        b"[" * 100_000,
        b"\xff\xfe",
        changed(boards=[]),
        changed(boards={"b": {"mcu": MCU, "files": {}}}),
        changed(boards={"b": {"mcu": MCU, "files": {"a": {"size": -1, "sha256": "0" * 64}}}}),
        changed(boards={"b": {"mcu": MCU, "files": {"a": {"size": True, "sha256": "0" * 64}}}}),
        changed(boards={"b": {"mcu": MCU, "files": {"a": {"size": 1, "sha256": "0" * 63}}}}),
        changed(boards={"b": {"mcu": MCU, "files": {"../a": {"size": 1, "sha256": "0" * 64}}}}),
        changed(boards={"b": {"mcu": MCU, "files": {"/a": {"size": 1, "sha256": "0" * 64}}}}),
        changed(boards={"b": {"mcu": MCU, "files": {"./a": {"size": 1, "sha256": "0" * 64}}}}),
        changed(boards={"b": {"mcu": MCU, "files": {"a/.": {"size": 1, "sha256": "0" * 64}}}}),
        changed(boards={"../b": {"mcu": MCU, "files": {"a": {"size": 1, "sha256": "0" * 64}}}}),
        changed(boards={"b": {"files": {"a": {"size": 1, "sha256": "0" * 64}}}}),
        changed().replace(b" ", b"  "),
        changed() + b"\n",
        changed(format="fairshoe release 2"),
        *(changed(parts={name: {"size": 1, "sha256": "0" * 64}}) for name in ("../a", "b/main.py", "SHA256SUMS")),
    ],
)
def test_what_is_not_a_manifest_is_refused(raw: bytes) -> None:
    with pytest.raises(ManifestError):
        parse_manifest(raw)


def test_a_word_that_is_there_twice_is_refused() -> None:
    """Two readers could believe two things."""
    raw = changed()
    twice = raw.replace(b'\n "firmware"', b'\n "firmware": "9.9.9",\n "firmware"', 1)
    assert json.loads(twice) == json.loads(raw)
    with pytest.raises(ManifestError, match="not written as a release writes it"):
        parse_manifest(twice)


# --- signatures --------------------------------------------------------------------------------


def test_what_was_signed_and_is_the_same_is_verified(release: Path) -> None:
    out = verify(release, "--image", image(release, flash_image(FILES)))
    assert "3 of 3 files are right: THE SAME" in out
    assert "worth: evidence" in out
    assert "MicroPython itself was not compared: the release names none" in out


def test_every_byte_of_a_manifest_counts(release: Path) -> None:
    path = release / "manifest.json"
    raw = path.read_bytes()
    for at in range(0, len(raw), 37):
        path.write_bytes(raw[:at] + bytes((raw[at] ^ 1,)) + raw[at + 1 :])
        assert run(*verifying(release, "--image", "nothing")).returncode in (3, 6), at
    path.write_bytes(raw.replace(b'"version": "0', b'"version": "1'))
    assert "altered after it was signed" in verify(release, "--image", "nothing", code=6)


def test_a_good_signature_of_somebody_else_is_not_enough(release: Path) -> None:
    other = release.parent / "other.key"
    command_line.main(["firmware", "release", "keygen", str(other)])
    (release / "manifest.json.sig").unlink()
    command_line.main(["firmware", "release", "sign", str(release), "--key", str(other)])
    assert "not by a key that you trust" in verify(release, "--image", "nothing", code=6)
    # Signed by both, either is enough, whichever came first.
    command_line.main(["firmware", "release", "sign", str(release), "--key", str(release.parent / "signing.key")])
    verify(release, "--folder", str(folder_of(release.parent / "x", FILES)))


@pytest.mark.parametrize(
    "signature",
    ["", "ed25519", "ed25519 {key} 00", "ed25519 {key} zz", "ed25519 {key} " + "00" * 64, "rsa {key} 00", "\xff"],
)
def test_a_bad_signature_file_is_told(release: Path, signature: str) -> None:
    key = (release.parent / "signing.key.pub").read_text().split()[1]
    (release / "manifest.json.sig").write_text(signature.format(key=key), "utf-8")
    assert "Traceback" not in verify(release, "--image", "nothing", code=6)


def test_without_a_signature_it_must_be_said_so(release: Path) -> None:
    (release / "manifest.json.sig").unlink()
    folder = str(folder_of(release.parent / "x", FILES))
    assert "is not signed" in verify(release, "--folder", folder, code=6)
    plain = ["firmware", "verify", "--release", str(release), "--folder", folder]
    assert command_line.main(plain) == 2
    assert "NOT SIGNED" in output(*plain, "--unsigned")


def test_a_release_that_is_not_there_is_told_before_its_key_is_asked_for(release: Path) -> None:
    words = ["firmware", "verify", "--folder", str(release), "--release"]
    told = refusal(ManifestError.exit_code, *words, str(release / "nope"))
    assert f"cannot read {release / 'nope'}: No such file or directory" in told and "signature" not in told
    assert "no key was given: whose signature counts?" in refusal(2, *words, str(release))


def test_keys_are_never_overwritten_and_signing_keys_never_shared(release: Path) -> None:
    key = release.parent / "signing.key"
    assert key.stat().st_mode & 0o777 == 0o600
    before = key.read_bytes()
    assert command_line.main(["firmware", "release", "keygen", str(key)]) == 3
    assert key.read_bytes() == before
    key.chmod(0o644)
    sign = ["firmware", "release", "sign", str(release), "--key"]
    assert "can be read by others" in refusal(3, *sign, str(key))
    assert "is a public key, which signs nothing" in refusal(3, *sign, f"{key}.pub")
    assert command_line.main([*sign, "no-such.key"]) == 3
    assert command_line.main(["firmware", "release", "keygen", "/no-such-folder/k"]) == 3


# --- onto a device -----------------------------------------------------------------------------

SHIPPED = {**FILES, "board.json": b'{"game":"house"}', "words.txt": b"message 1 hello\n"}


def test_a_signed_release_goes_onto_a_device_as_it_is(
    release: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(start_check, "SETTLE_S", 0.4)
    monkeypatch.setattr(start_check, "NUDGE_S", 0.2)
    (release / "manifest.json").write_bytes(make_manifest([small(files=SHIPPED)], "0.1.0", {}))
    folder = folder_of(release / "b", SHIPPED)
    key = release.parent / "signing.key"
    command_line.main(["firmware", "release", "sign", str(release), "--key", str(key)])
    board = FakeBoard()
    board.window_s = 1e9
    flash = ["firmware", "flash", "--board", "b", "--release", str(release)]
    with PtyBoard(board) as port:
        assert command_line.main([*flash, port]) == 2
        assert command_line.main([*flash, port, "--key", f"{key}.pub", "--game", "house"]) == 2
        (folder / "a.mpy").write_bytes(FILES["a.mpy"] + b"x")
        assert command_line.main([*flash, port, "--key", f"{key}.pub"]) == 3
        assert board.files == {}
        (folder / "a.mpy").write_bytes(FILES["a.mpy"])
        assert command_line.main([*flash, port, "--key", f"{key}.pub"]) == 0
    assert board.files == SHIPPED
    assert "has fairshoe 0.1.0, game HOUSE: 4 written" in capsys.readouterr().out


def test_a_release_of_no_device_is_not_written(release: Path) -> None:
    assert "has no words.txt for b" in refusal(
        3, "firmware", "flash", "--board", "b", "--release", str(release), "--unsigned", "x"
    )


# --- what differs ------------------------------------------------------------------------------


def folder_of(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


ALTERED = {**FILES, "a.mpy": FILES["a.mpy"][:-1] + b"\x00"}


@pytest.mark.parametrize(
    ("files", "line"),
    [
        (ALTERED, "altered  a.mpy"),
        ({**FILES, "boot.py": b"import os"}, "extra    boot.py"),
        ({**FILES, "lib/a.py": b""}, "extra    lib/a.py"),
        ({name: FILES[name] for name in ("a.mpy", "main.py")}, "missing  board.json"),
    ],
)
@pytest.mark.parametrize("kind", ["bin", "uf2", "folder"])
def test_one_byte_one_file_more_and_one_less_are_found(
    release: Path, files: dict[str, bytes], line: str, kind: str
) -> None:
    flash = flash_image(files)
    if kind == "folder":
        what = ["--folder", str(folder_of(release.parent / "x", files))]
    else:
        what = ["--image", image(release, uf2_of(flash) if kind == "uf2" else flash)]
    done = run(*verifying(release, *what))
    assert done.returncode == 6
    assert f"  {line}\n" in done.stdout
    assert "DIFFERENT" in done.stdout
    assert "Take the device out of use" in done.stderr


@pytest.mark.parametrize(
    ("front", "word"),
    [
        (FRONT, "same"),
        (b"\x01" + FRONT[1:], "altered"),
        (FRONT[:-1] + b"\x00", "altered"),  # something hides between MicroPython and the files
    ],
)
def test_the_interpreter_counts_where_the_release_names_it(tmp_path: Path, front: bytes, word: str) -> None:
    from fairshoe.commands.release import interpreter_entry

    uf2 = tmp_path / "micropython.uf2"
    uf2.write_bytes(uf2_of(FRONT[: -4096 - 256]))
    flash = bytearray(front)
    flash[-4096 - 256 : -4096] = b"\xff" * 256  # the boot ROM erases sectors, and MicroPython ends inside of one
    (tmp_path / "manifest.json").write_bytes(make_manifest([small()], "0.1.0", {"b": interpreter_entry(uf2)}))
    path = tmp_path / "flash.bin"
    path.write_bytes(flash_image(FILES, bytes(flash)))
    command = ["firmware", "verify", "--release", tmp_path, "--unsigned", "--image", path, "--json"]
    report = json.loads(output(*command, code=0 if word == "same" else 6))
    assert report["interpreter"] == word


def test_over_the_prompt_it_is_the_devices_own_word(release: Path) -> None:
    board = FakeBoard(FILES)
    board.window_s = 1e9
    with PtyBoard(board) as port:
        assert "SELF-REPORTED" in verify(release, port)
        board.files["boot.py"] = b""
        report = json.loads(output(*verifying(release, port, "--json"), code=6))
    assert report["extra"] == ["boot.py"]
    assert (report["same"], report["source"]) == (False, "port")
    assert board.history == []
    assert board.resets == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--image", "no-such-file"], 3),
        (["--image", "."], 3),
        (["--folder", "no-such-folder"], 3),
        (["/dev/no-such-port"], 4),
        (["--image", "x", "y"], 2),
        (["--image", ""], 2),
        (["--folder", ""], 2),
        ([""], 2),
        (["sim://pico-shoe"], 2),
        (["--image", ""], 2),
        (["--image", "x", "--board", "other"], 3),
    ],
)
def test_what_is_given_wrong_has_a_status_of_its_own(release: Path, arguments: list[str], code: int) -> None:
    said = verify(release, *arguments, code=code)
    assert said.startswith("fairshoe: ") or "fairshoe: " in said
    assert "Traceback" not in said


def test_an_empty_and_a_cut_image_have_a_status_of_their_own(release: Path) -> None:
    assert "is empty" in verify(release, "--image", image(release, b""), code=3)
    assert "cut off" in verify(release, "--image", image(release, flash_image(FILES)[:-5000]), code=3)


def test_a_release_with_several_boards_wants_to_be_told_which(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(make_manifest([small("b"), small("c", ALTERED)], "0.1.0", {}))
    plain = [
        "firmware",
        "verify",
        "--release",
        str(tmp_path),
        "--unsigned",
        "--folder",
        str(folder_of(tmp_path / "x", ALTERED)),
    ]
    assert "several boards: b, c" in refusal(3, *plain)
    assert command_line.main([*plain, "--board", "b"]) == 6
    assert command_line.main([*plain, "--board", "c"]) == 0


def test_a_bad_line_beside_a_good_signature_takes_nothing_from_it(release: Path, tmp_path: Path) -> None:
    copied = str(folder_of(tmp_path / "copied", FILES))
    path = release / "manifest.json.sig"
    good = path.read_text()
    kind, public, _signature = good.split()
    bad = f"{kind} {public} {'00' * 64}\n"
    for text in (bad + good, good + bad, f"{kind} {public} xyz\n" + good):
        path.write_text(text)
        verify(release, "--folder", copied)
    path.write_text(bad + bad)
    verify(release, "--folder", copied, code=6)


def test_a_release_without_boards_says_so(release: Path) -> None:
    (release / "manifest.json").write_bytes(changed(boards={}))
    command = ["firmware", "verify", "--release", str(release), "--unsigned", "--folder", "."]
    for board in ([], ["--board", "b"]):
        assert "the release has no boards" in refusal(3, *command, *board)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--release", "{}", "--key", "k", "--unsigned"], "not both"),
        (["--key", "k"], "there is none"),
        (["--unsigned"], "there is none"),
        ([""], "PORT is empty"),
        (["sim://pico-shoe"], "a simulated shoe has no MicroPython prompt"),
        (["--release", "", "--unsigned"], "cannot read"),
    ],
)
def test_words_of_flash_that_do_not_go_together(release: Path, words: list[str], hint: str) -> None:
    done = run("firmware", "flash", "--board", "b", *(word.format(release) for word in words))
    assert done.returncode in (2, 3) and hint in done.stderr
