"""The outermost loop of the firmware, and what a device does that cannot start."""

from device_boot import File
from support import raises, replaced

from firmware import main
from firmware.image import OUT_LAMP_RED, OUTPUTS


class Stop(Exception):
    """Ends a loop that has no end."""


class Port:
    def __init__(self):
        self.done = []
        self.now_ms = 0

    def all_off(self):
        self.done.append("off")

    def drive(self, level, axis):
        self.done.append((bytes(level), axis))

    def ticks_ms(self):
        return self.now_ms

    def idle(self, ms):
        self.done.append(ms)
        self.now_ms += ms


class Scans:
    """An app whose scans take and return what a test says: (took_ms, wake_ms)."""

    scan_ms_max = 4

    def __init__(self, scans, rests=True):
        self.hal = Port()
        self.scans = scans
        self.rests = rests
        self.overruns = []

    def scan(self, now_ms):
        assert now_ms == self.hal.now_ms
        if not self.scans:
            raise Stop()
        took_ms, wake_ms = self.scans.pop(0)
        self.hal.now_ms += took_ms
        return wake_ms

    def overran(self, took_ms):
        self.overruns.append(took_ms)

    def resting(self):
        return self.rests


def collections(app):
    """How often memory is collected while it runs. After each collection but the first the start is said to be good."""
    done = []
    with replaced(main, collect=lambda: done.append("collected")):
        assert raises(Stop, main.run, app, lambda: done.append("started"))
    count = done.count("collected")
    assert done == ["collected"] + ["collected", "started"] * (count - 1)
    return count


class Off(Exception):
    """Leaves main, which does not return: it waits for the watchdog."""


class LastPort(Port):
    def watchdog_feed(self):
        self.done.append("fed")

    def all_off(self):
        raise Off()


def test_main_scans_without_a_prompt_until_an_exception_switches_all_off():
    app = Scans([(1, 5), (main.COLLECT_MS, 0), (1, 7)])
    app.hal = LastPort()
    done = app.hal.done

    class Micropython:
        @staticmethod
        def kbd_intr(char):
            done.append(("interrupt", char))

    with replaced(main, start=lambda open_data: app if open_data == "files" else None, micropython=Micropython):
        assert raises(Off, main.main, "files", 3, lambda: done.append("started"))
    assert done == [1, 1, 1, ("interrupt", -1), "fed", "started", 7], "a start is good after five seconds"


def test_a_device_out_of_service_has_its_motors_off_and_its_red_lamp_on():
    port = Port()
    main.out_of_service(port)
    level = bytearray(len(OUTPUTS))
    level[OUT_LAMP_RED] = 1
    assert port.done == ["off", (bytes(level), False)]


def test_the_loop_waits_as_long_as_a_scan_says_but_never_longer_than_a_beat():
    app = Scans([(1, 5), (1, 0), (1, -3), (1, 1), (1, main.BEAT_MS), (1, main.BEAT_MS + 1)])
    collections(app)
    assert app.hal.done == [5, 1, main.BEAT_MS, main.BEAT_MS]
    assert (main.BEAT_MS, main.COLLECT_MS) == (200, 5000)  # the watchdog barks at 500 ms


def test_only_a_scan_that_took_longer_than_allowed_is_an_overrun():
    app = Scans([(3, 0), (4, 0), (5, 0), (9, 1)])
    collections(app)
    assert app.overruns == [5, 9]


def test_memory_is_collected_at_the_start_and_then_at_rest_when_it_is_time():
    wait = main.COLLECT_MS
    assert collections(Scans([(1, 1), (1, 1)])) == 1
    assert collections(Scans([(wait - 1, 0), (0, 1)])) == 1
    assert collections(Scans([(wait, 0), (0, 1)])) == 2
    assert collections(Scans([(wait + 5, 0), (0, 1), (0, 1)])) == 2
    assert collections(Scans([(wait, 0), (0, 0)])) == 1, "not while another scan is due at once"
    assert collections(Scans([(wait, 0), (0, 1)], rests=False)) == 1


def test_a_board_without_a_game_file_plays_the_house_game_and_another_file_is_refused():
    opened = []

    def open_data(name):
        opened.append(name)
        return File("")

    class Json:
        @staticmethod
        def load(_file):
            return {"name": "some-game"}

    def app(_hal, _config, profile, _crc, _words):
        return profile

    with replaced(main, App=app, find_profile=lambda game: game, WordFile=lambda file: file, json=Json):
        assert main.make_app(None, {"game": "house"}, 0, open_data) == "house"
        assert main.GAME_FILE not in opened
        assert main.make_app(None, {"game": {"name": "x"}}, 0, open_data) == {"name": "x"}
        assert main.GAME_FILE not in opened
        assert main.make_app(None, {"game": "some-game"}, 0, open_data) == {"name": "some-game"}
        assert raises(ValueError, main.make_app, None, {"game": "other"}, 0, open_data)


def test_a_port_that_does_not_exist_is_refused():
    assert raises(ValueError, main.make_port, {"mcu": {"port": "z80"}})


class Gc:
    count = 0

    @staticmethod
    def collect():
        Gc.count += 1


def test_a_device_whose_app_cannot_be_made_is_out_of_service_and_says_why():
    port = Port()
    made = []

    def make_app(_hal, _config, _crc, _open_data):
        made.append(Gc.count)
        raise ValueError("no game")

    Gc.count = 0
    with replaced(main, make_port=lambda _config: port, make_app=make_app, crc32=lambda _board: 0, gc=Gc):
        assert raises(ValueError, main.start, lambda _name: File("{}"))
    assert made == [2]  # memory was collected before the port was made and after it
    assert port.done[0] == "off" and port.done[1][0][OUT_LAMP_RED] == 1


def test_memory_is_collected_before_holes_are_filled():
    Gc.count = 0
    with replaced(main, gc=Gc):
        main.collect()
    assert Gc.count == 1
