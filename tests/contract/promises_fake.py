"""What every real board promises that can be seen only at the pins and chips of a fake one."""

import sys

import micropython
from drivers import LINE, OUTPUT, read_board
from promises import ALL, LOST, REST, ROLLERS, promise


def _spare_pin(board):
    """A pin that nothing uses: that of a line which a draw shoe lacks."""
    return read_board(board.family + "-shoe")["outputs"]["pick"]


@promise(("draw",), "fake")
def all_off_leaves_the_lamps_alone(driver, kind):
    config = driver.make(kind).config
    pin = _spare_pin(driver)
    config["outputs"]["lamp_red"] = pin
    board = driver.started(config)
    board.drive(lamp_red=1, lamp_green=1, dark=1)
    board.hal.all_off()
    assert board.world.pad(pin).level == 1
    assert board.world.expander[0x15] == 1 and board.outputs()[5] == 0


@promise(("draw",), "fake")
def a_button_on_a_pin_is_an_input_like_any_other(driver, kind):
    config = driver.make(kind).config
    config["inputs"]["button_ack"] = _spare_pin(driver)
    board = driver.started(config)
    board.plant.press(LINE["button_ack"])
    board.run(200000)
    assert [(name, level) for name, level, _ in board.sample()] == [("button_ack", 1), ("button_ack", 0)]


def _broken():
    raise RuntimeError("broken")


@promise(ALL, "fake")
def all_off_is_off_though_a_part_of_it_raises(driver, kind):
    for part, verb in (("_stop", "cancel"), ("axis", "halt")):
        board = driver.make(kind)
        board.hal.stop_after(OUTPUT["pick"], LINE["throat_a"], 50000)
        board.drive(pick=1, transport=1, ejector=1, outfeed=1, reverse=1, dark=1)
        if "axis" in board.config:
            board.hal.move(0, True)
        board.run(30000)
        setattr(getattr(board.hal, part), verb, _broken)
        raised = False
        try:
            board.hal.all_off()
        except RuntimeError:
            raised = True
        assert raised and board.outputs() == [0] * 6, part
        if part == "_stop":
            board.sample()
            assert board.inp.axis == REST
        else:
            assert board.hal._stop.line == -1


@promise(("draw",), "fake")
def the_line_driver_is_enabled_once_the_uart_is_open_and_stays_enabled(driver, kind):
    config = driver.make(kind).config
    pin = config["link"]["de"] = _spare_pin(driver)
    board = driver.started(config)
    world = board.world
    seen = []
    world.uart = None
    world.pad(pin).level = 0  # as a reset leaves it
    world.pad(pin).listener = lambda level: seen.append((level, world.uart is not None))
    board.restart()
    assert seen == [(1, True)]
    assert board.hal.link_write(memoryview(b"frame"), 0, 5) == 5
    board.run(5000)
    board.sent()
    board.link_service(True)
    board.hal.all_off()
    assert seen == [(1, True)] and world.pad(pin).level == 1


@promise(ROLLERS, "fake")
def a_roller_stops_at_a_pulse_too_short_to_be_read(driver, kind):
    board = driver.make(kind)
    board.drive(pick=1)
    pad = board.world.pad(board.config["inputs"]["throat_a"])
    pad.handler()
    assert board.outputs()[0] == 1
    board.hal.stop_after(OUTPUT["pick"], LINE["throat_a"], 0)
    pad.handler()
    assert board.outputs()[0] == 0
    assert board.sample() == []


@promise(ROLLERS, "fake")
def a_held_roller_does_not_even_twitch(driver, kind):
    board = driver.make(kind)
    board.drive(pick=1)
    board.hal.stop_after(OUTPUT["pick"], LINE["throat_a"], 0)
    board.set_line("throat_a", 1, then_us=10)
    switches = board.world.switches
    board.drive(pick=1, lamp_red=1)
    assert board.world.switches == switches


class Roller:
    """A pin; with its being switched on an interrupt comes, just before or just after."""

    def __init__(self, pin, interrupt, after):
        self.pin = pin
        self.interrupt = interrupt
        self.after = after

    def value(self, level):
        if level and not self.after:
            self.interrupt()
        self.pin.value(level)
        if level and self.after:
            self.interrupt()


@promise(ROLLERS, "fake")
def a_stop_in_the_very_moment_of_switching_on_is_no_roller_left_on(driver, kind):
    for after in (False, True):
        board = driver.make(kind)
        pins, pick = board.hal._pins, OUTPUT["pick"]
        pins[pick] = Roller(pins[pick], board.world.pad(board.config["inputs"]["throat_a"]).handler, after)
        board.hal.stop_after(pick, LINE["throat_a"], 0)
        board.drive(pick=1)
        assert board.outputs()[0] == 0
        board.drive(pick=0)
        assert board.outputs()[0] == 0


@promise(ALL, "fake")
def outputs_are_off_before_anything_else_is_set_up(driver, kind):
    """A board whose storage chip, panel and axis fail to answer has its motors off all the same."""
    board = driver.make(kind)
    board.drive(pick=1, transport=1, dark=1, lamp_red=1)
    board.world.panel_there = board.world.fram_there = False
    board.restart()
    assert board.outputs() == [0] * 6
    config = board.config
    board.drive(pick=1, dark=1)
    source, config["entropy"]["source"] = config["entropy"]["source"], "dice"
    try:
        board.restart()
    except ValueError as error:
        assert "dice" in str(error)
    else:
        raise AssertionError("a source that the chip does not have")
    config["entropy"]["source"] = source
    assert board.outputs() == [0] * 6


@promise(ROLLERS, "fake")
def without_the_panels_chip_buttons_read_0_until_it_is_back(driver, kind):
    board = driver.make(kind)
    board.set_line("button_ack", 1)
    for there, pressed in ((False, 0), (True, 1), (False, 0)):
        board.world.panel_there = there
        for _ in range(150):
            board.hal.idle(10)
            board.sample()
        assert board.raw("button_ack") == pressed


@promise(ROLLERS, "fake")
def lamps_that_were_lit_without_the_panels_chip_are_lit_when_it_is_back(driver, kind):
    board = driver.make(kind)
    board.world.panel_there = False
    board.drive(lamp_amber=1)
    board.hal.idle(20)
    board.world.panel_there = True
    for _ in range(120):
        board.hal.idle(10)
        board.sample()
    assert board.world.expander[0x15] == 2


@promise(ROLLERS, "fake")
def a_contact_that_bounces_is_one_press(driver, kind):
    board = driver.make(kind)
    bit = 1 << board.config["inputs"]["button_green"]["expander"]
    edges = []
    for closed in (0, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0):  # as the polls find it, ten milliseconds apart
        board.world.contacts = bit if closed else 0
        before_us = board.plant.now_us
        board.hal.idle(10)
        board.run(max(0, before_us + 10000 - board.plant.now_us))
        edges += [level for name, level, _ in board.sample() if name == "button_green"]
    assert edges == [1, 0]


class RestlessBus:
    """A panel on which two contacts flutter, one is pressed now and then, and time goes on. Allocates nothing."""

    def __init__(self, mask):
        self.mask = mask
        self.ms = 0

    def ticks_ms(self):
        self.ms += 3
        return self.ms

    def readfrom_mem_into(self, address, register, buf):
        levels = self.mask if register == 0 else self.ms * 5 >> 3 & 3 | self.ms >> 5 & 16
        buf[0] = levels & 0xFF
        buf[1] = levels >> 8


@promise(ROLLERS, "fake")
def polling_the_panel_allocates_nothing(driver, kind):
    board = driver.make(kind)
    panel, module = board.hal._panel, sys.modules["hal.board.expander"]
    bus = panel._i2c = RestlessBus(panel._mask)
    kept = module.ticks_ms, module.ticks_diff, module.ticks_add
    module.ticks_ms = bus.ticks_ms
    module.ticks_diff = lambda end, start: end - start
    module.ticks_add = lambda ticks, delta: ticks + delta
    panel._poll_ms = 0
    seen = 0
    micropython.heap_lock()
    try:
        for _ in range(1000):
            seen |= panel.poll()
    finally:
        micropython.heap_unlock()
        module.ticks_ms, module.ticks_diff, module.ticks_add = kept
    assert seen == 16


@promise(("draw",), "fake")
def a_board_without_a_panel_has_no_buttons(driver, kind):
    config = driver.make(kind).config
    del config["expander"]
    for group in ("inputs", "outputs"):
        for name in list(config[group]):
            if isinstance(config[group][name], dict):
                del config[group][name]
    board = driver.started(config)
    board.drive(lamp_red=1)
    board.hal.idle(10)
    board.plant.door(True)
    board.run(10)
    assert [(name, level) for name, level, _ in board.sample()] == [("door", 1)]


@promise(ROLLERS, "fake")
def a_caller_that_never_idles_sees_buttons_too(driver, kind):
    board = driver.make(kind)
    board.set_line("button_green", 1)
    for _ in range(30):
        board.sample(after_us=2000)
    assert board.raw("button_green") == 1


@promise(ROLLERS, "fake")
def whoever_moves_an_axis_that_is_not_there_finds_it_lost(driver, kind):
    board = driver.make(kind)
    assert board.move(1) == LOST


@promise(ROLLERS, "fake")
def the_watchdog_waits_half_a_second_and_does_not_start_before_it_is_fed(driver, kind):
    board = driver.make(kind)
    assert board.world.watchdog_ms == 0
    board.hal.watchdog_feed()
    board.hal.watchdog_feed()
    assert board.world.watchdog_ms == 500


@promise(ROLLERS, "fake")
def the_console_is_not_even_loaded_before_somebody_turns_the_switch(driver, kind):
    """What types at the console of a shoe types into nothing."""
    board = driver.make(kind)
    board.service_receive(b"import os")
    board.sample(after_us=5000)
    assert board.hal.link_readinto(bytearray(16)) == 0
    assert len(board.world.usb.received) == 9


# -- FRAM --------------------------------------------------------------------------------------------------------------

CELL = 96


def _cell(board, number):
    buf = bytearray(CELL)
    assert board.hal.nv_read(number * CELL, buf)
    return bytes(buf)


@promise(ROLLERS, "fake")
def a_bus_without_a_chip_keeps_nothing_and_is_no_empty_storage(driver, kind):
    for floats in (0x00, 0xFF):
        board = driver.make(kind)
        world = board.world
        assert board.hal.nv_prog(CELL, bytearray(b"x" * CELL))
        world.fram_there = False
        world.fram_floats = floats
        for data in (b"\x00", b"\xff", b"x"):
            assert not board.hal.nv_prog(CELL, bytearray(data * CELL))
            assert not board.hal.nv_read(CELL, bytearray(CELL))
        board.restart()
        assert not board.hal.nv_read(CELL, bytearray(CELL))
        world.fram_there = True
        assert board.hal.nv_prog(3 * CELL, bytearray(b"y" * CELL)) and _cell(board, 1) == b"x" * CELL


@promise(ROLLERS, "fake")
def a_chip_that_is_back_is_read_again_but_not_in_the_middle_of_a_start(driver, kind):
    board = driver.make(kind)
    world = board.world
    assert board.hal.nv_prog(CELL, bytearray(b"x" * CELL))
    for started in (True, False):
        if not started:
            board.restart()
        world.fram_there = False
        assert not board.hal.nv_read(CELL, bytearray(CELL))
        world.fram_there = True
        assert board.hal.nv_read(CELL, bytearray(CELL)) == started
    board.restart()
    assert _cell(board, 1) == b"x" * CELL


@promise(ROLLERS, "fake")
def a_cut_leaves_a_prefix_of_the_new_cell_and_no_other_cell_changed(driver, kind):
    board = driver.make(kind)
    chip = board.world.fram
    for number in range(9):
        assert board.hal.nv_prog(number * CELL, bytearray(b"o" * CELL))
    for size in (0, 1, 50, CELL - 1):
        chip.cut_after = size
        assert not board.hal.nv_prog(7 * CELL, bytearray(b"n" * CELL))
        chip.cut_after = -1
        board.restart()
        assert _cell(board, 7) == b"n" * size + b"o" * (CELL - size)
        for number in (0, 6, 8):
            assert _cell(board, number) == b"o" * CELL
        assert board.hal.nv_prog(7 * CELL, bytearray(b"o" * CELL))


@promise(ROLLERS, "fake")
def the_width_of_an_address_follows_the_size(driver, kind):
    for size in (32768, 65536, 131072):
        board = driver.with_cells(kind, size)
        last = bytearray(b"last" * 24)
        assert board.hal.nv_prog(size - CELL, last) and board.world.fram.data[size - CELL :] == last
        assert board.hal.nv_prog(0, bytearray(CELL)) and board.world.fram.data[size - CELL :] == last
