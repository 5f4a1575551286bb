"""The main.py of a device: motors off first, then what it finds wrong, said at the table port for ever."""

import json

from device_boot import BOARD, Enough, Files, Firmware, Json, Machine, boot, load, told, whole
from support import raises


def test_a_device_that_is_whole_switches_its_outputs_off_and_starts():
    firmware = Firmware()
    machine = boot(whole(), firmware)
    assert sorted(machine.done[:2]) == [("off", 11, 0), ("off", 28, 0)]
    assert machine.done[2:] == [("over",)] and firmware.started == 1
    assert firmware.prompt_ms == 2000 and machine.interrupts == []
    assert firmware.open_data("firmware/a.mpy").read() == b"zeroth", "data comes from the file system"


def test_memory_is_packed_while_modules_are_loaded_and_never_collected_by_itself_later():
    firmware = Firmware()
    boot(whole(), firmware)
    assert 4096 <= firmware.loaded_with <= 32768
    assert firmware.memory.limit == -1, "a collection takes 20 ms, whatever moves"


def test_a_missing_config_is_told_at_the_port_of_the_reference_boards():
    files = whole()
    del files["board.json"]
    machine = boot(files, Firmware())
    assert told(machine).startswith("board: OSError(2")
    assert [entry[1] for entry in machine.sent()] == [(0, 115200, 0, 1)] * 2, "from the second time on"


def test_a_chip_without_reference_pins_has_its_console_left():
    files = whole()
    del files["board.json"]
    machine = boot(files, Firmware(), chip="other")
    assert not machine.sent()
    assert [entry[1][:30] for entry in machine.done] == ["fairshoe halted: board: OSErro"] * 3


def test_the_line_driver_is_enabled_before_the_first_frame():
    files = whole()
    files["board.json"] = json.dumps({"outputs": {}, "link": dict(BOARD["link"], de=6)}).encode()
    machine = boot(files, Firmware(ValueError("x")))
    assert [entry[0] for entry in machine.done[:3]] == ["on", "sent", "said"] and machine.done[0][1] == 6


def test_pins_with_names_are_switched_off_too():
    files = whole()
    files["board.json"] = json.dumps({"outputs": {"pick": "D53", "lamp_red": {"expander": 1}}, "link": {}}).encode()
    assert boot(files, Firmware()).done == [("off", "D53", 0), ("over",)]


def test_a_config_that_is_no_json_or_no_config_is_told():
    for text in (b"{", b"[]", b"{}", b""):
        files = whole()
        files["board.json"] = text
        assert told(boot(files, Firmware())).startswith("board: ")


def test_a_damaged_missing_added_or_swapped_module_is_told_before_any_is_run():
    for change in (
        {"firmware/a.mpy": b"zerotH"},
        {"firmware/a.mpy": None},
        {"hal/rp2/b.mpy": None},
        {"firmware/d.mpy": b"x"},
        {"hal/rp2/b.py": b"x"},
        {"hal/c.mpy": b"second", "hal/rp2/b.mpy": b"first"},
    ):
        files = whole()
        for name, data in change.items():
            files[name] = data
            if data is None:
                del files[name]
        firmware = Firmware()
        machine = boot(files, firmware)
        assert told(machine).startswith("files: ValueError("), change
        assert not firmware.started
        assert machine.sent()[0][1] == (1, 9600, 4, 5), "the board's own port"


def test_files_that_are_no_modules_do_not_count():
    files = whole()
    files["notes.txt"] = b"x"
    firmware = Firmware()
    boot(files, firmware)
    assert firmware.started == 1


def test_a_device_without_its_check_sum_does_not_start():
    files = whole()
    del files["files.crc"]
    assert told(boot(files, Firmware())).startswith("files: OSError(2")


def test_a_firmware_that_cannot_be_imported_is_told():
    assert told(boot(whole(), object())).startswith("import: ")


def test_a_firmware_that_cannot_start_is_told_with_its_own_words():
    machine = boot(whole(), Firmware(KeyError("nv")))
    assert told(machine).startswith("start: KeyError('nv'")
    offs = [at for at, entry in enumerate(machine.done) if entry[0] == "off"]
    assert offs == [0, 1], "and the outputs are off before all else"


def test_a_long_reason_is_cut_to_one_frame():
    text = told(boot(whole(), Firmware(ValueError("x" * 500))))
    assert len(text) == 200 and text.startswith("start: ValueError('xxx")


def test_a_reason_with_zero_bytes_is_stuffed_like_any_frame():
    machine = Machine()
    device = load(machine)
    device.print = lambda *words: machine.done.append(("said", " ".join(words)))
    device.open = Files(whole(), "rp2").open
    device.json = Json
    assert raises(Enough, device.halted, device.open_file, "start: \0\0x\0", device.nothing)
    assert b"\0" not in machine.sent()[0][2][1:-1]
    assert told(machine) == "start: \0\0x\0"


def test_a_port_that_the_board_does_not_have_ends_at_the_reference_port():
    machine = Machine()
    machine.ports_bad = 1
    boot(whole(), Firmware(ValueError("x")), machine)
    assert [entry[1] for entry in machine.sent()] == [(0, 115200, 0, 1)] * 2, "from the second time on"


DISPLAY = {"expander": {"i2c": 1, "sda": 2, "scl": 3, "address": 32}, "display": {"kind": "lcd2004", "address": 39}}
PAGE = "%-20s" * 4 % ("OUT OF SERVICE", "start: ValueError('n", "o noise " + "x" * 12, "CALL A TECHNICIAN")


def with_display(**other):
    files = whole()
    config = dict(BOARD)
    config.update(DISPLAY)
    config.update(other)
    files["board.json"] = json.dumps(config).encode()
    return files


def test_whoever_stands_before_it_reads_why_whatever_is_broken():
    machine = boot(with_display(), Firmware(ValueError("no noise " + "x" * 50)))
    places, text = machine.shown()
    assert places == {(1, 2, 3, 39)} and text == PAGE * 3
    files = with_display()
    del files["firmware/a.mpy"]
    text = boot(files, Firmware()).shown()[1]
    assert text.startswith("OUT OF SERVICE      files: ValueError('")
    text = boot(with_display(outputs=7), Firmware()).shown()[1]
    assert text.startswith("OUT OF SERVICE      board: AttributeErro")


def test_without_a_display_or_one_that_answers_the_rest_is_told():
    machine = Machine()
    machine.display_there = False
    for files in (whole(), with_display(), with_display(display=None), with_display(expander=[])):
        machine.rounds, machine.done = 3, []
        assert told(boot(files, Firmware(ValueError("x")), machine)).startswith("start: ValueError")
        assert len(machine.sent()) == 3


def test_ctrl_c_at_the_console_ends_it_with_what_was_wrong():
    machine = Machine()
    machine.interrupted = True
    assert raises(KeyError, boot, whole(), Firmware(KeyError("nv")), machine)


def test_ctrl_c_while_it_starts_is_no_fault():
    machine = Machine()
    assert raises(KeyboardInterrupt, boot, whole(), Firmware(KeyboardInterrupt()), machine)
    assert not machine.sent()
