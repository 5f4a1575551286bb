"""What every port promises of time, the two ports of its link, noise, watchdog, display and identity."""

from promises import ALL, MASK, ROLLERS, promise

from hal.sim.rng import mix

PORTS = ("table", "service")


class Ports:
    """Both ports of a device, from outside."""

    def __init__(self, board):
        self.board = board

    def switch(self, port):
        self.board.link_service(port == "service")

    def send(self, port, data):
        if port == "table":
            self.board.receive(data)
        else:
            self.board.service_receive(data)

    def heard(self, port):
        """What the device said there, and its host reads now."""
        return self.board.sent() if port == "table" else self.board.service_sent()

    def read(self, size=64):
        buf = bytearray(size)
        got = self.board.hal.link_readinto(buf)
        return bytes(buf[:got])

    def read_all(self):
        data = b""
        got = self.read()
        while got:
            data += got
            got = self.read()
        return data

    def write(self, data):
        return self.board.hal.link_write(memoryview(data), 0, len(data))


# -- time --------------------------------------------------------------------------------------------------------------


@promise(ROLLERS)
def clocks_count_milliseconds_and_microseconds_and_wrap_at_2_to_the_30(driver, kind):
    board = driver.make(kind)
    hal = board.hal
    before_us, before_ms, at_us = hal.ticks_us(), hal.ticks_ms(), board.plant.now_us
    wrapped_us = wrapped_ms = False
    for _ in range(500):
        board.rest()
        was_us, was_ms = hal.ticks_us(), hal.ticks_ms()
        board.run(37001)
        now_us, now_ms = hal.ticks_us(), hal.ticks_ms()
        assert 0 <= now_us <= MASK and 0 <= now_ms <= MASK
        assert 37001 <= (now_us - was_us) & MASK <= 37001 + 2 * board.verb_us
        assert 37 <= (now_ms - was_ms) & MASK <= 38 + 2 * board.verb_us // 1000
        wrapped_us = wrapped_us or now_us < was_us
        wrapped_ms = wrapped_ms or now_ms < was_ms
    assert wrapped_us and wrapped_ms
    past_us = board.plant.now_us - at_us
    assert 0 <= ((hal.ticks_us() - before_us) & MASK) - past_us <= 3 * board.verb_us
    assert -1 <= ((hal.ticks_ms() - before_ms) & MASK) - past_us // 1000 <= 1 + 3 * board.verb_us // 1000


@promise(ROLLERS)
def idle_ends_when_its_time_is_over_and_not_before(driver, kind):
    board = driver.make(kind)
    for ms in (1, 7, 200):
        board.run(300)  # not on a whole millisecond
        before_us = board.plant.now_us
        board.hal.idle(ms)
        past_us = board.plant.now_us - before_us
        assert (ms - 1) * 1000 <= past_us <= (ms + 1) * 1000 + board.verb_us


@promise(ROLLERS)
def idle_ends_early_when_there_is_something_to_scan_for(driver, kind):
    board = driver.make(kind)
    board.plant.press(5)  # anything that is over after a while; the line is of no interest here
    board.hal.idle(200)
    board.sample()
    board.sample(after_us=200000)
    board.plant.door(True)
    before_us = board.plant.now_us
    board.hal.idle(200)
    assert board.plant.now_us - before_us <= 10000 + board.verb_us
    assert [(name, level) for name, level, _ in board.sample() if name == "door"] == [("door", 1)]


# -- the link ----------------------------------------------------------------------------------------------------------


@promise(ROLLERS)
def the_link_reads_what_is_there_and_never_waits(driver, kind):
    board = driver.make(kind)
    buf = bytearray(4)
    before_us = board.plant.now_us
    assert board.hal.link_readinto(buf) == 0
    assert board.at_once(before_us)
    board.receive(b"abcdef")
    before_us = board.plant.now_us
    assert board.hal.link_readinto(buf) == 4 and bytes(buf) == b"abcd"
    assert board.hal.link_readinto(buf) == 2 and bytes(buf[:2]) == b"ef"
    assert board.hal.link_readinto(buf) == 0
    assert board.at_once(before_us, 3)


@promise(ROLLERS)
def the_link_takes_what_it_can_and_says_how_much(driver, kind):
    board = driver.make(kind)
    data = bytes([i % 251 for i in range(board.sent_max + 20)])
    view = memoryview(data)
    at = 5
    before_us = board.plant.now_us
    assert board.hal.link_write(view, at, len(data)) == board.sent_max
    assert board.hal.link_write(view, at + board.sent_max, len(data)) == 0
    assert board.at_once(before_us, 2)
    got = board.sent()
    at += board.sent_max
    assert board.hal.link_write(view, at, len(data)) == len(data) - at
    assert got + board.sent() == data[5:]


@promise(ROLLERS)
def after_a_boot_the_table_port_is_the_link(driver, kind):
    ports = Ports(driver.make(kind))
    ports.send("table", b"from the table")
    assert ports.read_all() == b"from the table"
    assert ports.write(b"to the table") == 12
    assert ports.heard("table") == b"to the table"
    assert ports.heard("service") == b""


@promise(ROLLERS)
def one_port_is_the_link_and_the_other_deaf_and_silent(driver, kind):
    for port, other in (("table", "service"), ("service", "table")):
        ports = Ports(driver.make(kind))
        ports.switch(other)
        ports.switch(port)
        ports.send(other, b"the other one")
        ports.send(port, b"the link port")
        assert ports.read_all() == b"the link port"
        assert ports.write(b"hello") == 5
        assert ports.heard(port) == b"hello"
        assert ports.heard(other) == b""


@promise(ROLLERS)
def what_came_while_a_port_was_not_the_link_is_gone(driver, kind):
    """A message planted at a port must not wait there until the switch is turned."""
    for port, other in (("table", "service"), ("service", "table")):
        ports = Ports(driver.make(kind))
        ports.switch(other)
        ports.send(port, bytes(range(1, 201)))
        ports.switch(port)
        assert ports.read_all() == b""
        ports.send(port, b"now")
        assert ports.read_all() == b"now"


@promise(ROLLERS)
def a_host_that_does_not_read_is_not_waited_for(driver, kind):
    for port in PORTS:
        ports = Ports(driver.make(kind))
        ports.switch(port)
        room = ports.board.sent_max if port == "table" else ports.board.service_max
        data = bytes(range(256)) * (room // 256 + 2)
        before_us = ports.board.plant.now_us
        taken = calls = 0
        for _ in range(400):
            got = ports.write(data[taken:])
            taken += got
            calls += 1
            if not got:
                break
        assert ports.board.at_once(before_us, calls)
        if room:
            assert taken == room
            assert ports.write(b"more") == 0
            assert ports.heard(port) == data[:taken]
        else:
            assert data.startswith(ports.heard(port))  # the rest found no room, without an error
        assert ports.write(b"more") == 4
        assert ports.heard(port) == b"more"


@promise(ROLLERS)
def a_read_takes_no_more_than_it_is_given_room_for(driver, kind):
    for port in PORTS:
        ports = Ports(driver.make(kind))
        ports.switch(port)
        assert ports.read() == b""
        ports.send(port, b"abcdefgh")
        assert ports.read(3) == b"abc"
        assert ports.read(3) == b"def"
        assert ports.read(3) == b"gh"
        assert ports.read(3) == b""


@promise(ROLLERS)
def a_flood_at_the_port_that_is_turned_to_does_not_hold_the_device_up(driver, kind):
    """More than any port keeps: the switch is over all the same, and what is left is read as it comes."""
    ports = Ports(driver.make(kind))
    ports.send("service", bytes(range(1, 256)) * 40)
    ports.switch("service")
    assert len(ports.read()) <= 64


@promise(ROLLERS)
def bytes_of_one_port_never_show_on_the_other_whatever_the_order(driver, kind):
    seed = 20261115
    print("seed", seed)
    ports = Ports(driver.make(kind))
    link = "table"
    heard = {"table": 0, "service": 0}
    wrote = {"table": 0, "service": 0}
    for turn in range(200):
        dice = mix(seed, 1, turn)
        port = PORTS[dice & 1]
        size = 1 + (dice >> 8) % 19
        action = (dice >> 16) % 5
        if action == 0:
            link = port
            ports.switch(link)
        elif action == 1:
            ports.send(port, (b"T" if port == "table" else b"S") * size)
        elif action == 2:
            strange = b"S" if link == "table" else b"T"
            assert strange not in ports.read(), turn
        elif action == 3:
            wrote[link] += ports.write((b"t" if link == "table" else b"s") * size)
        else:
            for port in PORTS:
                data = ports.heard(port)
                assert data == (b"t" if port == "table" else b"s") * len(data), turn
                heard[port] += len(data)
    for port in PORTS:
        heard[port] += len(ports.heard(port))
    assert heard["table"] == wrote["table"]
    assert heard["service"] == wrote["service"] or not ports.board.service_max


# -- the board ---------------------------------------------------------------------------------------------------------


@promise(ALL)
def noise_is_never_twice_the_same(driver, kind):
    board = driver.make(kind)
    buf, other = bytearray(64), bytearray(64)
    assert board.hal.entropy_into(buf) and board.hal.entropy_into(other)
    assert buf != other and len(set(buf)) > 20
    odd = bytearray(13)
    assert board.hal.entropy_into(odd) and len(odd) == 13 and len(set(odd)) > 3


@promise(ROLLERS)
def a_source_that_is_dead_is_known_to_be_broken(driver, kind):
    """Where the source can tell; that it is stuck, the firmware's tests see in the bytes, whatever the verb says."""
    board = driver.make(kind)
    board.fail_noise("dead")
    assert not board.hal.entropy_into(bytearray(64)) or not board.noise_tells
    board = driver.make(kind)
    board.fail_noise("stuck")
    buf = bytearray(64)
    assert not board.hal.entropy_into(buf) or len(set(buf)) == 1


@promise(ROLLERS)
def only_feeding_feeds_the_watchdog(driver, kind):
    board = driver.make(kind)
    for _ in range(20):
        board.sample()
        board.drive(pick=1)
        board.hal.idle(5)
        board.hal.show(("a", "b", "c", "d"))
        board.hal.link_readinto(bytearray(8))
        board.hal.all_off()
    assert board.fed() == 0
    board.hal.watchdog_feed()
    board.hal.watchdog_feed()
    assert board.fed() == 2


@promise(ROLLERS)
def why_it_started_is_told(driver, kind):
    board = driver.make(kind)
    assert board.hal.reset_cause() == 0
    for cause in (1, 2, 0):
        board.resets(cause)
        assert board.hal.reset_cause() == cause


@promise(ROLLERS)
def a_board_has_one_number_below_2_to_the_30(driver, kind):
    board = driver.make(kind)
    number = board.hal.unique_id()
    assert 0 <= number < 1 << 30
    board.restart()
    assert board.hal.unique_id() == number


@promise(ROLLERS)
def the_display_shows_the_last_four_lines(driver, kind):
    board = driver.make(kind)
    for lines in (("one", "two", "three", "four"), ("", "", "", "%20d" % 7)):
        before_us = board.plant.now_us
        board.hal.show(lines)
        assert board.at_once(before_us)
        assert tuple(board.hal.lines) == lines
