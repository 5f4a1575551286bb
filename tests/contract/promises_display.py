"""What every real board promises of the dealer's display, seen by a fake one at its bus."""

import sys

import micropython
from promises import ROLLERS, promise

from hal.sim.rng import mix

SLICE_BYTES = 30  # 31 with the address: 0.7 ms at 400 kHz
SLICE_MS = 20
PAGE_MS = 20 * SLICE_MS + 10
BEGIN_MS = 150
TICK_US = 2000
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


def send(board, slices):
    """So many, each as soon as it is due."""
    for _ in range(slices):
        board.hal.idle(0)
        board.run(SLICE_MS * 1000)


def shown(driver, kind, lines=PAGE):
    board = driver.make(kind)
    board.hal.show(lines)
    idle(board, BEGIN_MS + PAGE_MS)
    assert board.world.lcd.screen() == padded(lines)
    board.world.lcd.texts()
    del board.world.lcd.writes[:]
    return board


@promise(ROLLERS, "fake")
def a_dealer_reads_what_was_shown_last(driver, kind):
    board = driver.make(kind)
    idle(board, BEGIN_MS + PAGE_MS)
    assert board.world.lcd.screen() == padded(("",) * 4)
    for page in range(12):
        lines = []
        for line in range(4):
            size = mix(7, page, line) % 21
            lines.append("".join(chr(32 + mix(page, line, at) % 95) for at in range(size)))
        board.hal.show(tuple(lines))
        idle(board, PAGE_MS)
        assert board.world.lcd.screen() == padded(lines), page


@promise(ROLLERS, "fake")
def a_page_is_replaced_while_it_is_still_on_its_way(driver, kind):
    board = driver.make(kind)
    lcd = board.world.lcd
    for slices in range(0, 21, 4):
        board.hal.show(("abcdefghijklmnopqrst",) * 4)
        send(board, slices)
        board.hal.show(PAGE)
        idle(board, PAGE_MS)
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
    for _ in range(30):
        before = len(lcd.writes)
        send(board, 1)
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


class DeadBus:
    def __init__(self):
        self.tries = 0

    def writeto(self, address, buf):
        self.tries += 1
        raise UNPLUGGED


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
        idle(board, PAGE_MS)
        assert lcd.screen() == padded(lines)
        assert lcd.texts() == sent


@promise(ROLLERS, "fake")
def a_display_at_rest_is_asked_with_a_byte_a_second(driver, kind):
    board = shown(driver, kind)
    idle(board, 10000)
    writes = board.world.lcd.writes
    assert 9 <= len(writes) <= 11 and max(writes) == 1
    assert board.world.lcd.orders == []


def instants_us(board, ms):
    """When slices go out in so many milliseconds from now."""
    lcd, began_us, found = board.world.lcd, board.plant.now_us, []
    write = lcd.write

    def noted(buf):
        if len(buf) == SLICE_BYTES:
            found.append(board.plant.now_us - began_us)
        write(buf)

    lcd.write = noted
    idle(board, ms)
    lcd.write = write
    return found


def at_its_pace(board):
    """A page goes out at the same instants whatever happens, to the tick of the clock and of `idle`."""
    board.hal.show(("abcdefghijklmnopqrst",) * 4)
    found_us = instants_us(board, PAGE_MS)
    assert board.world.lcd.screen() == ("abcdefghijklmnopqrst",) * 4
    assert len(found_us) == 20
    for at in range(20):
        assert -1000 <= found_us[at] - at * SLICE_MS * 1000 <= TICK_US, found_us


@promise(ROLLERS, "fake")
def slices_come_at_the_same_instants_whatever_turns(driver, kind):
    for moved in ({}, {"pick": 1}, {"transport": 1}, {"transport": 1, "reverse": 1}, {"dark": 1}):
        board = shown(driver, kind)
        board.drive(**moved)
        at_its_pace(board)


@promise(("carousel", "shelves"), "fake")
def slices_come_at_the_same_instants_while_the_axis_moves(driver, kind):
    board = shown(driver, kind)
    board.hal.move(0, True)
    at_its_pace(board)
    board.settle_axis()


@promise(ROLLERS, "fake")
def a_slice_that_is_late_does_not_delay_the_next(driver, kind):
    board = shown(driver, kind)
    lcd = board.world.lcd
    board.hal.show(("abcdefghijklmnopqrst",) * 4)
    board.run(3 * SLICE_MS * 1000)
    before = len(lcd.writes)
    for sent in range(1, 5):
        board.hal.idle(0)
        assert len(lcd.writes) - before == sent  # one at a time
    board.hal.idle(0)
    assert len(lcd.writes) - before == 4
    idle(board, PAGE_MS - 3 * SLICE_MS)
    assert lcd.screen() == ("abcdefghijklmnopqrst",) * 4


@promise(ROLLERS, "fake")
def a_bus_that_does_not_answer_is_tried_once_a_second_while_motors_run(driver, kind):
    board = shown(driver, kind)
    bus = board.hal._display._i2c = DeadBus()
    board.drive(transport=1)
    for second in range(5):
        board.hal.show(("second %d" % second, "", "", ""))
        idle(board, 1000)
    assert 5 <= bus.tries <= 6


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
        idle(board, 1000 + BEGIN_MS + PAGE_MS)
        assert lcd.screen() == padded(lines)


@promise(ROLLERS, "fake")
def a_display_that_goes_in_the_middle_of_a_page_begins_anew(driver, kind):
    board = shown(driver, kind)
    lcd = board.world.lcd
    for slices in range(0, 24, 4):
        board.hal.show(("%d" % slices * 10,) * 4)
        send(board, slices)
        lcd.unplug()
        idle(board, 1100)
        lcd.there = True
        idle(board, 1000 + BEGIN_MS + PAGE_MS)
        assert lcd.screen() == padded(("%d" % slices * 10,) * 4), slices


@promise(ROLLERS, "fake")
def a_display_that_has_half_of_an_order_finds_its_way_back(driver, kind):
    """The processor was reset in the midst of a slice; the display had power all the time."""
    for half in range(-1, 16):
        board = shown(driver, kind)
        board.world.lcd.half = half
        board.restart()
        board.hal.show(PAGE)
        idle(board, BEGIN_MS + PAGE_MS)
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
    idle(board, 1000 + BEGIN_MS + PAGE_MS)
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
    idle(board, 1000 + BEGIN_MS + PAGE_MS)
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
            board.run(20000)
        with board.world:
            sys.modules.pop("hal.boot_main", None)
            import hal.boot_main as device
        device.display(board.config, "".join(padded(lines)))
        assert lcd.screen() == padded(lines)
