"""What only the STM32's port has to get right: a UART fed by a timer, an alarm, and the status of its generator."""

from drivers import LINE, OUTPUT, Stm32Driver


def test_what_was_written_goes_out_by_itself_and_in_order():
    board = Stm32Driver.make("shoe")
    data = bytes([i % 251 for i in range(600)])
    assert board.hal.link_write(memoryview(data), 0, 300) == 300
    assert board.world.uart.sent == bytearray()
    board.run(1000)
    assert 0 < len(board.world.uart.sent) <= 32
    got = board.sent()
    assert board.hal.link_write(memoryview(data), 300, 600) == 300
    assert got + board.sent() == data


def test_a_line_that_is_slower_than_the_pump_loses_nothing():
    board = Stm32Driver.make("shoe")
    data = bytes([i % 251 for i in range(300)])
    board.world.uart_room = 1
    assert board.hal.link_write(memoryview(data), 0, 300) == 300
    assert board.sent() == data


def test_the_pump_rests_when_there_is_nothing_to_send():
    board = Stm32Driver.make("shoe")
    pump = next(part for part in board.world.parts if part.number == 4)
    assert pump.handler is None
    board.hal.link_write(memoryview(b"abc"), 0, 3)
    assert pump.handler is not None
    board.run(2000)
    assert pump.handler is None and board.sent() == b"abc"
    board.hal.link_write(memoryview(b"def"), 0, 3)
    assert board.sent() == b"def"


def test_the_ring_goes_round():
    board = Stm32Driver.make("shoe")
    seen = b""
    wrote = b""
    for turn in range(12):
        data = bytes([turn]) * 300
        assert board.hal.link_write(memoryview(data), 0, 300) == 300
        wrote += data
        seen += board.sent()
    assert seen == wrote


def test_an_alarm_comes_once():
    board = Stm32Driver.make("shoe")
    board.drive(pick=1)
    board.hal.stop_after(OUTPUT["pick"], LINE["throat_a"], 500)
    board.set_line("throat_a", 1, then_us=600)
    assert board.outputs()[0] == 0
    assert next(part for part in board.world.parts if part.number == 2).handler is None
    board.drive(pick=0)
    board.drive(pick=1)
    board.run(5000)
    assert board.outputs()[0] == 1


def test_every_alarm_has_its_own_time_however_long_the_one_before_it_was():
    board = Stm32Driver.make("shoe")
    for delay_us in (2000, 300, 9000, 50):
        board.drive(pick=0)
        board.set_line("throat_a", 0, then_us=5000)
        board.drive(pick=1)
        board.hal.stop_after(OUTPUT["pick"], LINE["throat_a"], delay_us)
        board.set_line("throat_a", 1, then_us=delay_us - 2)
        assert board.outputs()[0] == 1, delay_us
        board.run(4)
        assert board.outputs()[0] == 0, delay_us


def test_a_generator_whose_status_shows_an_error_is_broken():
    for error in (2, 4):
        board = Stm32Driver.make("shoe")
        assert board.hal.entropy_into(bytearray(64))
        board.world.rng_status = error
        assert not board.hal.entropy_into(bytearray(64))
        board.world.rng_status = 1
        assert board.hal.entropy_into(bytearray(64))
