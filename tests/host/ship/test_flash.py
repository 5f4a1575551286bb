"""Files of a board onto a device: only what changed, nothing of two builds together, and cut anywhere it can go on."""

import random
from dataclasses import replace
from typing import Any

import pytest
from flashed_board import CONFIG, FakeBoard, at_prompt, no_progress, put, sha

from fairshoe.errors import PortError, PortLost
from fairshoe.ship import flash
from fairshoe.ship.device_files import Identity, OnDevice
from fairshoe.ship.errors import DeviceFailed, NoPrompt, NotForDevice
from fairshoe.ship.file_plan import BLOCKS_FOLDER, BLOCKS_SPARE, make_plan
from fairshoe.ship.flash import FlashPermissions

MPY = b"M\x06\x00\x1f"
NATIVE = b"M\x06\x13\x1f"  # armv6m
FILES = {
    "firmware/a.mpy": MPY + bytes(range(256)) * 5,
    "hal/rp2/b.mpy": NATIVE + b"native",
    "board.json": b'{"name":"b"}',
    "words.txt": b"message 1 hello\n" * 100,
    "main.py": b"from firmware.a import b\nb()\n",
}
FOLDERS = {"firmware", "hal", "hal/rp2"}
NEWER = {**FILES, "firmware/a.mpy": MPY + b"other", "firmware/c/d.mpy": MPY + b"more", "main.py": b"import hal\n"}
del NEWER["hal/rp2/b.mpy"]
CUT_STEP = 11  # bytes; not a divisor of anything in the protocol


# --- writing -----------------------------------------------------------------------------------


def test_an_empty_device_gets_everything_and_main_last() -> None:
    board = FakeBoard()
    plan = put(board, FILES)
    assert board.files == FILES
    assert set(plan.write) == set(FILES)
    assert board.folders == FOLDERS
    assert board.history[:3] == ["mkdir firmware", "mkdir hal", "mkdir hal/rp2"]
    assert board.history[-2:] == ["write main.new", "rename main.new main.py"]
    assert not board.overrun


def test_nothing_is_written_when_nothing_changed() -> None:
    board = FakeBoard(FILES)
    plan = put(board, FILES)
    assert not plan.changes
    assert board.history == []


def test_only_what_changed_is_written_and_what_is_not_shipped_any_more_goes() -> None:
    board = FakeBoard(FILES)
    put(board, NEWER)
    assert board.files == NEWER
    assert board.folders == {"firmware", "firmware/c"}
    assert board.history == [
        "remove main.py",
        "remove hal/rp2/b.mpy",
        "rmdir hal/rp2",
        "rmdir hal",
        "mkdir firmware/c",
        "write firmware/a.mpy",
        "write firmware/c/d.mpy",
        "write main.new",
        "rename main.new main.py",
    ]


def test_a_main_that_did_not_change_is_still_gone_while_files_are_written() -> None:
    board = FakeBoard(FILES)
    put(board, {**FILES, "firmware/a.mpy": MPY})
    assert board.history == ["remove main.py", "write firmware/a.mpy", "write main.new", "rename main.new main.py"]


def test_a_byte_that_was_written_wrong_is_written_again() -> None:
    board = FakeBoard()
    board.flips = {"firmware/a.mpy", "words.txt"}
    put(board, FILES)
    assert board.files == FILES
    assert board.history.count("write firmware/a.mpy") == 2


def test_flash_that_stays_wrong_is_an_error_and_leaves_no_main() -> None:
    board = FakeBoard()

    class Stubborn(set[str]):
        def remove(self, element: str) -> None:
            pass

    board.flips = Stubborn({"firmware/a.mpy"})
    with pytest.raises(DeviceFailed, match=r"firmware/a\.mpy is not what was written"):
        put(board, FILES)
    assert "main.py" not in board.files


def mixed(board: FakeBoard) -> bool:
    """main.py is there, and something beside it is neither all of the old nor all of the new."""
    return "main.py" in board.files and board.files not in (FILES, NEWER)


def test_cut_at_any_byte_it_never_runs_a_mixture_and_the_next_run_finishes() -> None:
    """Proves the order of steps: the cable is pulled after every so many bytes, from a random one on."""
    whole = FakeBoard(FILES)
    put(whole, NEWER)
    first = random.randrange(CUT_STEP)
    print(f"cuts from byte {first} on, every {CUT_STEP}")
    lost = 0
    for cut in range(first, whole.received, CUT_STEP):
        board = FakeBoard(FILES)
        board.cut_after = cut
        try:
            put(board, NEWER)
        except PortLost:
            lost += 1
        assert not mixed(board), f"cut after {cut} bytes"
        put(board, NEWER)
        assert board.files == NEWER, f"cut after {cut} bytes"
        assert board.folders == {"firmware", "firmware/c"}, f"cut after {cut} bytes"
    assert lost > 100


def test_files_of_others_stay_and_are_named() -> None:
    others = {"notes.txt": b"mine", "data/log.csv": b"1,2", "hal/rp2/notes.txt": b"why"}
    board = FakeBoard({**FILES, **others})
    plan = put(board, NEWER)
    assert board.files == {**NEWER, **others}
    assert plan.others == ("data", "data/log.csv", "hal", "hal/rp2", "hal/rp2/notes.txt", "notes.txt")


@pytest.mark.parametrize(
    "name", ["boot.py", "firmware.py", "lib/json.mpy", "c.py", "machine.py", "firmware/a.py", "firmware/__init__.py"]
)
def test_code_of_others_that_could_run_in_its_place_is_refused(name: str) -> None:
    board = FakeBoard({name: b"print('mine now')"})
    with pytest.raises(NotForDevice, match=name):
        put(board, FILES)
    assert board.history == []


def test_a_folder_that_hides_a_module_of_ours_goes() -> None:
    board = FakeBoard()
    board.folders = {"firmware", "firmware/a"}
    put(board, FILES)
    assert board.folders == FOLDERS


def test_a_file_where_a_folder_of_ours_has_to_be_is_refused() -> None:
    board = FakeBoard({"firmware": b"version 3"})
    with pytest.raises(NotForDevice, match="could run in its place: firmware"):
        put(board, FILES)
    put(board, FILES, FlashPermissions(clean=True))
    assert board.files == FILES


def test_clean_deletes_all_that_is_not_ours_folders_after_what_is_in_them() -> None:
    board = FakeBoard({**FILES, "boot.py": b"", "lib/json.mpy": b"", "notes.txt": b""})
    put(board, FILES, FlashPermissions(clean=True))
    assert board.files == FILES
    assert board.folders == FOLDERS
    removed = [line for line in board.history if line.startswith(("remove", "rmdir"))]
    assert removed == ["remove main.py", "remove notes.txt", "remove lib/json.mpy", "rmdir lib", "remove boot.py"]


# --- no room -----------------------------------------------------------------------------------


def test_a_device_without_room_is_left_as_it_is() -> None:
    board = FakeBoard({**FILES, "film.bin": bytes(4096 * 8)})
    board.blocks = board.used_blocks() + 2
    with pytest.raises(DeviceFailed, match=r"are free. Others have film.bin \(32768 bytes\)"):
        put(board, {**NEWER, "firmware/e.mpy": MPY + bytes(20_000)})
    assert board.history == []


def test_a_file_system_that_fills_up_in_the_middle_says_so_and_leaves_no_main() -> None:
    board = FakeBoard(FILES)
    device = at_prompt(board)
    plan = flash.plan_for(device, NEWER, FlashPermissions())
    board.blocks = board.used_blocks()
    with pytest.raises(DeviceFailed, match="file system is full") as error:
        flash.apply(device, {**NEWER, "firmware/a.mpy": bytes(30_000)}, plan, no_progress)
    assert "--clean" in error.value.advice
    assert "main.py" not in board.files


def test_room_counts_what_goes_away_first() -> None:
    there = {"hal/a.mpy": OnDevice(9000, "old"), "hal/b.mpy": OnDevice(4096, "gone"), "hal": OnDevice(-1, "")}
    plan = make_plan({"hal/a.mpy": bytes(5000)}, there, False, 4096)
    assert plan.blocks_needed == 2 - 3 - 1 + BLOCKS_SPARE
    empty = make_plan({"hal/a.mpy": bytes(5000)}, {}, False, 4096)
    assert empty.blocks_needed == 2 + BLOCKS_FOLDER + BLOCKS_SPARE


# --- to the prompt -----------------------------------------------------------------------------


def test_a_device_at_its_prompt_is_reached_at_once_and_without_a_word() -> None:
    board, told = FakeBoard(), list[str]()
    at_prompt(board, told=told)
    assert told == []
    assert board.now < 1.0


def test_a_shoe_that_runs_is_waited_for_and_caught_when_it_starts_anew() -> None:
    board, told = FakeBoard(FILES), list[str]()
    board.now += 10.0
    assert board.runs

    def restart() -> None:
        if board.now > 30.0:
            board.on_tick = lambda: None
            board.power_on()

    board.on_tick = restart
    device = at_prompt(board, told=told)
    assert device.identity.machine == board.machine
    assert 30.0 < board.now < 33.0
    assert len(told) == 1
    assert "switch the machine's power off and on" in told[0]
    assert "up to 60 s" in told[0]


def test_the_port_may_go_away_and_come_back_while_it_waits() -> None:
    board = FakeBoard(FILES)
    board.now += 10.0

    def unplug() -> None:
        if board.now > 15.0:
            board.on_tick = lambda: None
            board.absent_until = board.now + 5.0
            board._booted_at = board.absent_until  # pyright: ignore[reportPrivateUsage]

    board.on_tick = unplug
    assert at_prompt(board).files().keys() == FILES.keys() | FOLDERS
    assert 20.0 < board.now < 22.0


def test_a_shoe_that_nobody_restarts_is_given_up_in_time() -> None:
    board = FakeBoard(FILES)
    board.now += 10.0
    with pytest.raises(NoPrompt, match="within 60 s") as error:
        at_prompt(board)
    assert "BOOTSEL" in error.value.advice
    assert 70.0 <= board.now < 73.0
    assert board.history == []


def test_a_port_that_is_not_there_is_told_at_once() -> None:
    board = FakeBoard()
    board.plugged = False
    with pytest.raises(PortError):
        at_prompt(board)
    assert board.now < 1.0


# --- the right device --------------------------------------------------------------------------


def identity(**changes: Any) -> Identity:
    return replace(at_prompt(FakeBoard()).identity, **changes)


def test_what_the_device_says_about_itself() -> None:
    pico = identity()
    assert (pico.machine, pico.release, pico.platform) == ("Raspberry Pi Pico 2 with RP2350", "1.28.0", "rp2")
    assert flash.check_device(pico, CONFIG, FILES, FlashPermissions()) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"platform": "esp32", "machine": "Generic ESP32 module with ESP32"}, "the device is Generic ESP32"),
        ({"machine": "Raspberry Pi Pico 2 W with RP2350"}, "says that it is Raspberry Pi Pico 2 W with RP2350"),
        ({"version": (1, 19, 1)}, "has MicroPython 1.19.1; fairshoe was tried with 1.28, 1.29"),
        ({"mpy": 5}, "loads .mpy files of format 5.0, ours have 6"),
        ({"mpy": 5 | 3 << 8 | 4 << 10}, "format 5.3, ours have 6"),
        ({"mpy": 6 | 2 << 8 | 4 << 10}, "format 6.2, ours have 6.3"),
        ({"mpy": 6 | 3 << 8 | 10 << 10}, "hal/rp2/b.mpy has native code for another processor"),
        ({"name": "circuitpython"}, "runs circuitpython"),
    ],
)
def test_a_device_that_the_files_are_not_for_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(NotForDevice, match=message):
        flash.check_device(identity(**changes), CONFIG, FILES, FlashPermissions())


def test_a_board_is_known_however_its_name_is_spelled() -> None:
    config = {"mcu": {"port": "rp2", "board": "Raspberry Pi Pico 2"}}
    one = identity(machine="Raspberry Pi Pico2 with RP2350", mpy=6 | 3 << 8 | 7 << 10)
    assert flash.check_device(one, config, FILES, FlashPermissions()) == []
    other = identity(machine="Raspberry Pi Pico 2 W with RP2350", mpy=6 | 3 << 8 | 7 << 10)
    with pytest.raises(NotForDevice, match="Pico 2 W"):
        flash.check_device(other, config, FILES, FlashPermissions())


def test_what_may_be_allowed_is_noted() -> None:
    odd = identity(machine="My board with RP2350", version=(1, 30, 0))
    notes = flash.check_device(odd, CONFIG, FILES, FlashPermissions(other_board=True, other_micropython=True))
    assert len(notes) == 2
    assert "1.30.0 was never tried" in notes[0]
    assert "My board" in notes[1]


def test_an_rp2040_runs_an_image_alone() -> None:
    pico = identity(machine="Raspberry Pi Pico with RP2040", mpy=6 | 3 << 8 | 4 << 10)
    with pytest.raises(NotForDevice, match="Raspberry Pi Pico with RP2040 runs an image alone") as error:
        flash.check_device(pico, CONFIG, FILES, FlashPermissions(other_board=True))
    assert "fairshoe firmware image" in error.value.advice


def test_a_larger_arm_core_runs_the_native_code_of_a_smaller_one() -> None:
    flash.check_code(identity(mpy=6 | 3 << 8 | 7 << 10), FILES)


def test_a_prompt_that_is_not_micropythons_is_told() -> None:
    board = FakeBoard()
    board._machine = lambda: None  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(NotForDevice, match="not what MicroPython has"):
        at_prompt(board)


def test_hashes_are_those_of_the_files() -> None:
    there = at_prompt(FakeBoard(FILES)).files()
    hashes = {name: file.sha256 for name, file in there.items() if not file.is_folder}
    assert hashes == {name: sha(data) for name, data in FILES.items()}
