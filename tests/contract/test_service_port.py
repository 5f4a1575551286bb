"""Two ports, one link: what hal/api.py promises of `link_service`, in the simulator and on the RP2040."""

import importlib
import random
from collections.abc import Callable

import pytest
from drivers import Driver, Rp2Driver, SimDriver
from test_hal import board
from usb_host import UsbHost

Make = Callable[[], "Ports"]
PORTS = ("table", "service")


class Ports:
    """Both ports of a device, from outside."""

    def __init__(self, driver: Driver, usb: UsbHost | None) -> None:
        self.driver = driver
        self.usb = usb

    def switch(self, port: str) -> None:
        self.driver.hal.link_service(port == "service")

    def send(self, port: str, data: bytes) -> None:
        if port == "table":
            self.driver.receive(data)
        elif self.usb is not None:
            self.usb.received += data
        else:
            self.driver.hal.service_received.extend(data)

    def heard(self, port: str) -> bytes:
        """What the device said there."""
        if port == "table":
            return self.driver.sent()
        if self.usb is not None:
            return self.usb.take()
        data = bytes(self.driver.hal.service_sent)
        self.driver.hal.service_sent = bytearray()
        return data

    def read(self, size: int = 64) -> bytes:
        buf = bytearray(size)
        got = self.driver.hal.link_readinto(buf)
        return bytes(buf[:got])

    def read_all(self) -> bytes:
        data = b""
        while got := self.read():
            data += got
        return data

    def write(self, data: bytes) -> int:
        return self.driver.hal.link_write(memoryview(data), 0, len(data))


@pytest.fixture(params=["sim", "rp2"])
def ports(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Ports:
    if request.param == "sim":
        return Ports(SimDriver(board("carousel"), 7, monkeypatch), None)
    driver = Rp2Driver(board("carousel"), 7, monkeypatch)
    usb = UsbHost()
    module = importlib.import_module("hal.board.usb")
    monkeypatch.setattr(module, "sys", usb)
    monkeypatch.setattr(module, "select", usb)
    return Ports(driver, usb)


def other(port: str) -> str:
    return PORTS[1 - PORTS.index(port)]


def test_after_a_boot_the_table_port_is_the_link(ports: Ports) -> None:
    ports.send("table", b"from the table")
    assert ports.read_all() == b"from the table"
    assert ports.write(b"to the table") == 12
    assert ports.heard("table") == b"to the table"
    assert ports.heard("service") == b""


@pytest.mark.parametrize("port", PORTS)
def test_one_port_is_the_link_and_the_other_deaf_and_silent(ports: Ports, port: str) -> None:
    ports.switch(other(port))
    ports.switch(port)
    ports.send(other(port), b"nobody listens")
    ports.send(port, b"somebody does")
    assert ports.read_all() == b"somebody does"
    assert ports.write(b"hello") == 5
    assert ports.heard(port) == b"hello"
    assert ports.heard(other(port)) == b""


@pytest.mark.parametrize("port", PORTS)
def test_what_came_while_a_port_was_not_the_link_is_gone(ports: Ports, port: str) -> None:
    """A message planted at a port must not wait there for somebody to turn the switch."""
    ports.switch(other(port))
    ports.send(port, bytes(range(1, 201)))
    ports.switch(port)
    assert ports.read_all() == b""
    ports.send(port, b"now")
    assert ports.read_all() == b"now"


@pytest.mark.parametrize("port", PORTS)
def test_a_host_that_does_not_read_is_not_waited_for(ports: Ports, port: str) -> None:
    ports.switch(port)
    data = bytes(range(256)) * 40
    taken = 0
    for _ in range(400):
        got = ports.write(data[taken:])
        taken += got
        if not got:
            break
    assert taken < len(data)
    assert ports.write(b"more") == 0
    assert ports.heard(port) == data[:taken]
    assert ports.write(b"more") == 4


@pytest.mark.parametrize("port", PORTS)
def test_a_read_takes_no_more_than_it_is_given_room_for_and_never_waits(ports: Ports, port: str) -> None:
    ports.switch(port)
    assert ports.read() == b""
    ports.send(port, b"abcdefgh")
    assert ports.read(3) == b"abc"
    assert ports.read(3) == b"def"
    assert ports.read(3) == b"gh"
    assert ports.read(3) == b""


def test_a_flood_at_the_port_that_is_turned_to_does_not_hold_the_device_up(ports: Ports) -> None:
    """More than any port keeps: the switch is over all the same, and what is left is read as it comes."""
    ports.send("service", bytes(range(1, 256)) * 40)
    ports.switch("service")
    assert len(ports.read()) <= 64


def test_bytes_of_one_port_never_show_on_the_other_whatever_the_order(ports: Ports) -> None:
    seed = random.randrange(1 << 32)
    print(f"replay with random.Random({seed})")
    dice = random.Random(seed)
    link = "table"
    heard = dict.fromkeys(PORTS, b"")
    wrote = dict.fromkeys(PORTS, b"")
    for _ in range(400):
        action = dice.choice(("switch", "send", "read", "write", "host"))
        if action == "switch":
            link = dice.choice(PORTS)
            ports.switch(link)
        elif action == "send":
            port = dice.choice(PORTS)
            ports.send(port, (b"T" if port == "table" else b"S") * dice.randrange(1, 20))
        elif action == "read":
            assert set(ports.read()) <= {ord("T" if link == "table" else "S")}, seed
        elif action == "write":
            data = (b"t" if link == "table" else b"s") * dice.randrange(1, 20)
            wrote[link] += data[: ports.write(data)]
        else:
            for port in PORTS:
                heard[port] += ports.heard(port)
    for port in PORTS:
        heard[port] += ports.heard(port)
    assert heard == wrote


def test_the_console_is_the_link_on_no_board_before_somebody_turns_the_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    """hal/board/usb.py is not even loaded: what types at the console of a shoe types into nothing."""
    import sys

    driver = Rp2Driver(board("carousel"), 7, monkeypatch)
    driver.run(5000)
    driver.sample()
    assert "hal.board.usb" not in sys.modules
