"""The start of a frozen image, and the watchdog at every start: a hang ends in a reset, and three of them in words."""

import json

from device_boot import BOARD, Firmware, Image, Machine, boot, frozen, told, whole
from support import raises


def test_a_release_image_reads_no_file_and_never_listens_for_ctrl_c():
    firmware = Firmware()
    files = {"board.json": b"{", "words.txt": b"planted", "x.mpy": b"planted"}
    machine = boot(files, firmware, image=Image(frozen(), True))
    assert sorted(machine.done) == [("off", 11, 0), ("off", 28, 0), ("over",)]
    assert machine.interrupts == [-1] and machine.system.opened == []
    assert firmware.prompt_ms == 0
    with firmware.open_data("words.txt") as file:
        assert file.read() == b"frozen"


def test_a_bench_image_takes_files_first_and_keeps_the_prompt():
    firmware = Firmware()
    machine = boot({"words.txt": b"of a file"}, firmware, image=Image(frozen(), False))
    assert firmware.started == 1 and firmware.prompt_ms == 2000
    assert machine.interrupts == [-1, 3]
    assert firmware.open_data("words.txt").read() == b"of a file"
    assert json.loads(firmware.open_data("board.json").read()) == BOARD
    machine = Machine()
    machine.interrupted = True
    assert raises(KeyError, boot, {}, Firmware(KeyError("nv")), machine, "rp2", Image(frozen(), False))


def test_a_release_image_that_cannot_start_says_so_for_ever():
    for error in (KeyError("nv"), MemoryError(), KeyboardInterrupt(), SystemExit()):
        machine = Machine()
        machine.interrupted = True
        boot({}, Firmware(error), machine, image=Image(frozen(), True))
        assert told(machine).startswith("start: " + repr(error)[:8])
        assert len(machine.sent()) == 3 and machine.sent()[0][1] == (1, 9600, 4, 5)
        assert machine.interrupts == [-1] and machine.system.opened == []


def test_the_memory_error_of_a_release_image_that_says_why_is_no_end_either():
    machine = Machine()
    machine.memory_errors = 2
    boot({}, Firmware(KeyError("nv")), machine, image=Image(frozen(), True))
    assert told(machine).startswith("start: KeyError('nv'") and machine.memory_errors == 0


def test_an_image_without_a_config_is_told():
    machine = boot({}, Firmware(), image=Image({}, True))
    assert told(machine) == "board: KeyError('board.json'" + ("," if ",)" in repr(KeyError(1)) else "") + ")"


# -- the watchdog ------------------------------------------------------------------------------------------------------

CHIPS = {
    "rp2 Raspberry Pi Pico with RP2040": 0x4005800C,
    "rp2 Raspberry Pi Pico 2 with RP2350": 0x400D800C,
}
REFUSED = "start: reset 3 times while starting"


def powered(chip):
    """A chip whose power has just come: its registers hold anything."""
    machine = Machine()
    at = CHIPS[chip]
    machine.mem32 = {at: 0x0FA15E03, at + 16: 0x6AB73121}
    return machine


def bitten(machine, cause=3):
    """The same chip after a reset by its watchdog."""
    machine.cause = cause
    machine.done, machine.dogs, machine.rounds = [], [], 3
    return machine


def test_a_device_that_hangs_before_its_first_scan_is_started_three_times_and_then_says_so():
    for chip in CHIPS:
        for image in (None, Image(frozen(), True), Image(frozen(), False)):
            machine = powered(chip)
            for _ in range(3):
                firmware = Firmware(scans=0)
                boot(whole(), firmware, machine, chip, image)
                assert firmware.started == 1 and not machine.sent()
                bitten(machine)
            for _ in range(2):  # it stays so, also if saying it is ended by the watchdog
                firmware = Firmware()
                boot(whole(), firmware, machine, chip, image)
                assert told(machine) == REFUSED and firmware.started == 0
                bitten(machine)


def test_a_first_scan_that_ends_forgets_the_starts_before_it():
    for chip in CHIPS:
        machine = powered(chip)
        for scans in (0, 0, 1, 0, 0, 1, 1, 1, 1):
            firmware = Firmware(scans=scans)
            boot(whole(), firmware, machine, chip)
            assert firmware.started == 1
            bitten(machine)


def test_power_or_a_reset_that_was_asked_for_lets_it_try_again():
    for chip in CHIPS:
        for cause, magic in ((1, 0x6AB73121), (3, 0)):
            machine = powered(chip)
            for _ in range(3):
                boot(whole(), Firmware(scans=0), machine, chip)
                bitten(machine)
            assert told(boot(whole(), Firmware(), machine, chip)) == REFUSED
            bitten(machine, cause)
            machine.mem32[CHIPS[chip] + 16] = magic
            firmware = Firmware()
            boot(whole(), firmware, machine, chip)
            assert firmware.started == 1


def test_a_chip_without_such_a_register_counts_nothing():
    machine = Machine()
    for _ in range(9):
        firmware = Firmware(scans=0)
        boot(whole(), firmware, machine, "another board")
        assert firmware.started == 1
        bitten(machine)


def test_a_register_that_another_program_has_left_is_no_count():
    machine = powered("rp2 Raspberry Pi Pico with RP2040")
    machine.mem32[0x4005800C] = 0x12345603
    firmware = Firmware()
    boot(whole(), firmware, bitten(machine), "rp2 Raspberry Pi Pico with RP2040")
    assert firmware.started == 1


def test_in_a_release_image_the_watchdog_runs_before_all_else_and_is_fed_while_it_says_why():
    machine = boot({}, Firmware(KeyError("nv")), image=Image(frozen(), True))
    assert machine.dogs == [(0, 8388)], "before the outputs, once, as long as an RP2 can"
    assert machine.fed == 3 == len(machine.sent())


def test_where_there_is_a_prompt_no_watchdog_runs_that_would_end_it():
    for image in (None, Image(frozen(), False)):
        machine = boot(whole(), Firmware(KeyError("nv")), image=image)
        assert machine.dogs == [] and machine.fed == 0
