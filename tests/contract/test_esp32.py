"""What only the ESP32's port has to get right: handlers that wait for the VM, and a UART that must not be filled."""

from drivers import LINE, OUTPUT, Esp32Driver
from promises import MASK


def test_an_edge_during_a_long_call_comes_late_but_comes():
    board = Esp32Driver.make("shoe")
    start_us = board.hal.ticks_us()
    board.set_line("throat_a", 1)
    board.world.run_busy(3000)
    edges = [(name, level, (us - start_us) & MASK) for name, level, us in board.sample()]
    assert edges == [("throat_a", 1, 3000)]


def test_an_edge_whose_handler_found_no_room_is_seen_at_the_next_look():
    board = Esp32Driver.make("shoe")
    world = board.world
    world.busy = True
    for i in range(9):
        board.set_line("hopper", (i + 1) % 2, then_us=50)
    board.set_line("exit", 1, then_us=50)
    world.busy = False
    world.handle()
    assert world.dropped == 2
    edges = board.sample()
    assert [(name, level) for name, level, _ in edges if name == "exit"] == [("exit", 1)]
    assert board.raw("hopper") == 1 and board.raw("exit") == 1
    assert [us for _, _, us in edges] == sorted([us for _, _, us in edges])


def full_queue():
    """A board whose queue of handlers is full when the exit beam is blocked."""
    board = Esp32Driver.make("shoe")
    board.world.busy = True
    for _ in range(8):
        board.world.schedule(lambda nothing: None, None)
    board.set_line("exit", 1, then_us=10)
    return board


def test_catching_up_waits_its_turn_and_never_comes_between_two_steps_of_a_handler():
    board = full_queue()
    world = board.world
    assert world.dropped == 1
    # Still busy, and the queue still full: the look finds no room, and nothing breaks.
    assert board.sample() == []
    world.busy = False
    world.handle()
    world.handling = True  # in the midst of another handler
    assert board.sample() == []
    world.handling = False
    world.handle()
    assert [(name, level) for name, level, _ in board.sample()] == [("exit", 1)]


def test_idle_ends_for_an_edge_whose_handler_found_no_room():
    board = full_queue()
    world = board.world
    world.busy = False
    world.handle()
    assert world.dropped == 1
    before_us = board.plant.now_us
    board.hal.idle(200)
    assert board.plant.now_us == before_us
    assert [(name, level) for name, level, _ in board.sample()] == [("exit", 1)]


def test_a_stop_whose_handler_found_no_room_comes_with_the_next_look():
    board = Esp32Driver.make("shoe")
    world = board.world
    board.drive(pick=1)
    board.hal.stop_after(OUTPUT["pick"], LINE["throat_a"], 0)
    world.busy = True
    for _ in range(8):
        world.schedule(lambda nothing: None, None)
    board.set_line("throat_a", 1, then_us=10)
    world.busy = False
    world.handle()
    assert board.outputs()[0] == 1
    board.sample()
    assert board.outputs()[0] == 0


def test_the_dark_is_not_more_than_the_queue_holds():
    """Every beam at one instant, while the VM is in the call that switches the light."""
    board = Esp32Driver.make("shoe")
    board.world.busy = True
    board.drive(dark=1)
    board.world.busy = False
    board.world.handle()
    assert board.world.dropped == 0
    assert len(board.sample()) == 6


def test_bytes_that_are_all_the_same_are_no_noise():
    board = Esp32Driver.make("shoe")
    board.fail_noise("stuck")
    assert not board.hal.entropy_into(bytearray(64))


def test_the_uart_is_given_nothing_before_it_is_empty():
    board = Esp32Driver.make("shoe")
    data = bytes(range(256)) * 3
    assert board.hal.link_write(memoryview(data), 0, len(data)) == 256
    board.world.uart.sent = board.world.uart.sent[200:]  # so much is on the wire
    assert board.hal.link_write(memoryview(data), 256, len(data)) == 0
    assert len(board.sent()) == 56
    assert board.hal.link_write(memoryview(data), 256, len(data)) == 256
