"""What every real board promises of the dealer's display, seen by a fake one at its bus."""

import sys

import micropython
from promises import ROLLERS, promise

from hal.sim.rng import mix

SLICE_BYTES = 30  # 31 with the address: 0.7 ms at 400 kHz
PAGE = ("Shuffling", "", "Please wait", "12345678901234567890")


def padded(lines):
    return tuple("%-20s" % line for line in lines)


def idle(board, ms):
    """For so long, with a scan whenever the port has news."""
    until_us = board.plant.now_us + ms * 1000
    while board.plant.now_us < until_us:
        before_us = board.plant.now_us
        board.hal.idle(2)
        board.sample()
        if board.plant.now_us == before_us:
            board.run(1000)


def shown(driver, kind, lines=PAGE):
    board = driver.make(kind)
    board.hal.show(lines)
    idle(board, 200)
    assert board.world.lcd.screen() == padded(lines)
    board.world.lcd.texts()
    del board.world.lcd.writes[:]
    return board


@promise(ROLLERS, "fake")
def a_dealer_reads_what_was_shown_last(driver, kind):
    board = driver.make(kind)
    idle(board, 100)
    assert board.world.lcd.screen() == padded(("",) * 4)
    for page in range(40):
        lines = []
        for line in range(4):
            size = mix(7, page, line) % 21
            lines.append("".join(chr(32 + mix(page, line, at) % 95) for at in range(size)))
        board.hal.show(tuple(lines))
        idle(board, 60)
        assert board.world.lcd.screen() == padded(lines), page


@promise(ROLLERS, "fake")
def a_page_is_replaced_while_it_is_still_on_its_way(driver, kind):
    board = driver.make(kind)
    lcd = board.world.lcd
    for slices in range(21):
        board.hal.show(("abcdefghijklmnopqrst",) * 4)
        for _ in range(slices):
            board.hal.idle(0)
        board.hal.show(PAGE)
        idle(board, 60)
        assert lcd.screen() == padded(PAGE), slices


@promise(ROLLERS, "fake")
def showing_itself_uses_neither_bus_nor_time(driver, kind):
    board = shown(driver, kind)
    before_us = board.plant.now_us
    board.hal.show(("other", "lines", "on", "it"))
    assert board.world.lcd.writes == [] and board.plant.now_us == before_us


@promise(ROLLERS, "fake")
def a_display_gets_a_slice_at_a_time(driver, kind):
    board = driver.make(kind)
    lcd = board.world.lcd
    board.hal.show(PAGE)
    for _ in range(60):
        before = len(lcd.writes)
        board.hal.idle(0)
        assert len(lcd.writes) - before <= 1
    assert lcd.screen() == padded(PAGE)
    assert max(lcd.writes) <= SLICE_BYTES


class QuietBus:
    """What the fake one keeps would be on the heap."""

    def __init__(self):
        self.slices = 0

    def writeto(self, address, buf):
        self.slices += 1
        if self.slices == 30:
            raise UNPLUGGED


UNPLUGGED = OSError(5)


@promise(ROLLERS, "fake")
def sending_allocates_nothing(driver, kind):
    board = driver.make(kind)
    display, module = board.hal._display, sys.modules["hal.board.lcd"]
    bus = display._i2c = QuietBus()
    kept = module.ticks_ms, module.ticks_diff
    module.ticks_ms = lambda: 0
    module.ticks_diff = lambda end, start: 0
    micropython.heap_lock()
    try:
        for _ in range(60):
            display.send()
    finally:
        micropython.heap_unlock()
        module.ticks_ms, module.ticks_diff = kept
    assert bus.slices == 60


@promise(ROLLERS, "fake")
def only_what_changed_is_sent(driver, kind):
    board = shown(driver, kind)
    lcd = board.world.lcd
    for lines, sent in (
        (PAGE, ""),
        (("Shuffling", "", "Please wait", "12345678X01234567890"), "X012"),
        (("Shuffling 7", "", "Please wait", "12345678X01234567890"), "g 7 "),
        (("Shuffling 7", "", "Please", "12345678X01234567890"), "se      "),
    ):
        board.hal.show(lines)
        idle(board, 60)
        assert lcd.screen() == padded(lines)
        assert lcd.texts() == sent


@promise(ROLLERS, "fake")
def a_display_at_rest_is_asked_with_a_byte_a_second(driver, kind):
    board = shown(driver, kind)
    idle(board, 10000)
    writes = board.world.lcd.writes
    assert 9 <= len(writes) <= 11 and max(writes) == 1
    assert board.world.lcd.orders == []


@promise(ROLLERS, "fake")
def nothing_goes_to_the_display_while_a_motor_runs(driver, kind):
    board = shown(driver, kind)
    for name in ("pick", "transport", "reverse", "dark"):
        board.drive(**{name: 1})
        board.hal.show((name, "", "", ""))
        del board.world.lcd.writes[:]
        idle(board, 1500)
        assert board.world.lcd.writes == [], name
        board.drive(**{name: 0, "lamp_red": 1})
        idle(board, 60)
        assert board.world.lcd.screen() == padded((name, "", "", ""))


@promise(("carousel", "shelves"), "fake")
def nothing_goes_to_the_display_while_the_axis_moves(driver, kind):
    config = driver.make(kind).config
    config["display"] = {"kind": "lcd2004", "address": 39}
    board = driver.started(config)
    idle(board, 200)
    board.hal.show(PAGE)
    del board.world.lcd.writes[:]
    board.hal.move(0, True)
    for _ in range(2500):
        board.hal.idle(2)
        if board.hal.axis.state != 1 or board.hal.axis.resting:
            break
        assert board.world.lcd.writes == []
    board.settle_axis()
    idle(board, 60)
    assert board.world.lcd.screen() == padded(PAGE)


@promise(ROLLERS, "fake")
def a_display_that_was_unplugged_begins_anew_when_it_is_back(driver, kind):
    board = shown(driver, kind)
    lcd = board.world.lcd
    for lines in (PAGE, ("new", "while", "it was", "away")):
        lcd.unplug()
        idle(board, 1200)
        board.hal.show(lines)
        idle(board, 700)
        lcd.there = True
        idle(board, 1300)
        assert lcd.screen() == padded(lines)


@promise(ROLLERS, "fake")
def a_display_that_goes_in_the_middle_of_a_page_begins_anew(driver, kind):
    board = shown(driver, kind)
    lcd = board.world.lcd
    for slices in range(24):
        board.hal.show(("%d" % slices * 10,) * 4)
        for _ in range(slices):
            board.hal.idle(0)
        lcd.unplug()
        idle(board, 1100)
        lcd.there = True
        idle(board, 1300)
        assert lcd.screen() == padded(("%d" % slices * 10,) * 4), slices


@promise(ROLLERS, "fake")
def a_display_that_has_half_of_an_order_finds_its_way_back(driver, kind):
    """The processor was reset in the midst of a slice; the display had power all the time."""
    for half in range(-1, 16):
        board = shown(driver, kind)
        board.world.lcd.half = half
        board.restart()
        board.hal.show(PAGE)
        idle(board, 200)
        assert board.world.lcd.screen() == padded(PAGE), half


@promise(ROLLERS, "fake")
def a_display_that_is_plugged_in_later_is_found(driver, kind):
    config = driver.make(kind).config
    board = driver(config)
    board.world.lcd.unplug()
    board.restart()
    board.hal.show(PAGE)
    idle(board, 3000)
    assert board.world.lcd.writes == [SLICE_BYTES] * 3  # before it was pulled
    board.world.lcd.there = True
    idle(board, 1300)
    assert board.world.lcd.screen() == padded(PAGE)


@promise(ROLLERS, "fake")
def display_and_panel_do_not_need_each_other(driver, kind):
    board = shown(driver, kind)
    board.world.lcd.unplug()
    for lamp in (1, 0, 1):
        board.drive(lamp_red=lamp)
        board.set_line("button_ack", lamp)
        idle(board, 1200)
        assert board.world.expander[0x15] == lamp << 2 and board.raw("button_ack") == lamp
    board.world.lcd.there = True
    board.world.panel_there = False
    board.hal.show(("without", "a", "panel", ""))
    idle(board, 1300)
    assert board.world.lcd.screen() == padded(("without", "a", "panel", ""))


@promise(ROLLERS, "fake")
def a_board_without_a_display_sends_nothing_for_one(driver, kind):
    config = driver.make(kind).config
    del config["display"]
    board = driver.started(config)
    board.hal.show(PAGE)
    idle(board, 200)
    assert board.hal.lines == PAGE and board.world.lcd.writes == []


@promise(ROLLERS, "fake")
def what_keeps_a_device_from_starting_can_be_read(driver, kind):
    """By what needs nothing of this, on a display that was never told how, and on one with a page or half of it."""
    lines = ("OUT OF SERVICE", "ValueError('no sourc", "e of noise')", "CALL A TECHNICIAN")
    for slices in (-1, 0, 1, 50):
        board = driver.make(kind)
        lcd = board.world.lcd
        if slices < 0:
            lcd.power_on()
        board.hal.show(PAGE)
        for _ in range(slices):
            board.hal.idle(0)
        with board.world:
            sys.modules.pop("hal.device", None)
            import hal.device as device
        device.display(board.config, "".join(padded(lines)))
        assert lcd.screen() == padded(lines)
