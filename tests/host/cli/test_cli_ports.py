"""`fairshoe ports` and `fairshoe sim --tcp`: who answers, who does not, and simulators that find each other."""

import contextlib
import fcntl
import itertools
import json
import os
import socket
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from types import SimpleNamespace

import pytest
from in_process import output
from test_cli import simulator
from waits import LIMIT_S, wait_until

from fairshoe import __version__
from fairshoe.cli import command_line
from fairshoe.errors import Exit, UsageError
from fairshoe.observe import discovery
from fairshoe.observe.observer import Mode, Watch
from fairshoe.sim import running_shoes
from fairshoe.sim.tcp_server import SPEECHLESS_S, TcpDoor, address
from fairshoe.transport.busy_line import BUSY_LINE


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No simulators but ours, and no serial devices of the machine the test runs on."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(discovery, "serial_ports", list[discovery.Candidate])


@contextlib.contextmanager
def far_end(says: bytes = b"") -> Generator[tuple[str, int]]:
    """A pseudo-terminal: its name, and the end at which a device would be, which says this again and again."""
    near, far = os.openpty()
    over = threading.Event()

    def talk() -> None:
        while says and not over.wait(0.05):
            os.write(near, says)

    thread = threading.Thread(target=talk)
    thread.start()
    try:
        yield os.ttyname(far), near
    finally:
        over.set()
        thread.join()
        os.close(near)
        os.close(far)


def count_steps(monkeypatch: pytest.MonkeyPatch, counted: Callable[[], bool]) -> None:
    """A probe has so many steps as it had seconds, and those that are not counted beside them: however slow this
    machine is, it looks so often at its port."""
    steps = itertools.count()
    read = SimpleNamespace(monotonic=lambda: next(steps) if counted() else 0)
    monkeypatch.setattr(discovery, "time", read)


def test_a_shoe_answers_and_tells_who_it_is() -> None:
    found = discovery.probe("sim://pico-carousel?seed=3&dealer=none", seconds=LIMIT_S)
    assert (found.kind, found.firmware, found.game, found.mode) == ("shoe", __version__, "CS", "report_only")
    assert found.device is not None and len(found.device) == 8 and found.has_key is False


@pytest.mark.parametrize(("says", "kind"), [(b"", "silent"), (b"OK\r\n\0hello\0", "not a shoe")])
def test_what_is_silent_or_talks_otherwise_is_no_shoe(says: bytes, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with far_end() as (path, near):
        count_steps(monkeypatch, lambda: os.write(near, says) == len(says))
        found = discovery.probe(path, seconds=10)
    assert found.kind == kind and found.about
    assert ("nothing answered" in found.about) == (kind == "silent")


def test_a_port_that_sends_nothing_is_given_up_sooner_than_one_that_talks(monkeypatch: pytest.MonkeyPatch) -> None:
    for says, waited_s in ((b"", 3), (b"OK\r\n\0hello\0", 10)):
        with far_end() as (path, near):
            looks: list[int] = []

            def look(near: int = near, says: bytes = says, looks: list[int] = looks) -> int:
                looks.append(os.write(near, says))
                return len(looks)

            monkeypatch.setattr(discovery, "time", SimpleNamespace(monotonic=look))
            discovery.probe(path, seconds=10, silent_s=3)
        assert len(looks) - 1 == waited_s


def test_a_port_that_another_program_has_open_is_left_alone() -> None:
    with far_end() as (path, _near), Watch(path) as other:
        other.open()
        assert discovery.probe(path).kind == "busy"


def test_many_ports_are_asked_at_once(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    together, probe = threading.Barrier(7, timeout=LIMIT_S), discovery.probe

    def probe_together(port: str, about: str, seconds: float, silent_s: float) -> discovery.FoundPort:
        together.wait()
        return probe(port, about, seconds, silent_s)

    monkeypatch.setattr(discovery, "probe", probe_together)
    with contextlib.ExitStack() as stack:
        paths = [stack.enter_context(far_end())[0] for _ in range(6)]
        code = command_line.main(["ports", "--seconds", "0.2", "--json", *paths, "/dev/does-not-exist"])
    kinds = [each["kind"] for each in json.loads(capsys.readouterr().out)]
    assert code == 1
    assert kinds == ["silent"] * 6 + ["cannot be opened"]


def test_running_simulators_are_listed_by_pseudo_terminal_and_by_tcp_and_dead_ones_are_tidied_away() -> None:
    with simulator("--tcp", "0") as (process, ready):
        listed = json.loads(output("ports", "--json"))
        assert [each["port"] for each in listed] == [ready["port"], ready["tcp"]]
        assert all(each["kind"] == "simulated shoe" for each in listed)
        assert {(each["device"], each["firmware"]) for each in listed} == {(ready["device"], __version__)}
        assert discovery.probe(ready["tcp"], seconds=LIMIT_S).device == ready["device"]
        assert ready["tcp"].startswith("tcp://127.0.0.1:")
        assert discovery.probe(ready["tcp"], seconds=LIMIT_S).kind == "shoe"
        assert f"process {process.pid}" in output("ports")
        process.kill()
        process.wait()
        assert list(running_shoes.folder().iterdir()) != []
        assert "fairshoe sim" in output("ports", code=1)
        assert list(running_shoes.folder().iterdir()) == []


def test_a_simulator_that_cannot_say_that_it_runs_runs_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "file"))
    with simulator() as (_process, ready):
        assert ready["port"].startswith("/dev/")
        assert running_shoes.running() == []


def test_a_folder_that_others_may_write_to_is_not_believed() -> None:
    folder = running_shoes.folder()
    folder.mkdir()
    entry = folder / "sim-1.json"
    entry.write_text(json.dumps({"port": "/dev/evil"}))
    with entry.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        folder.chmod(0o700)
        assert len(running_shoes.running()) == 1
        folder.chmod(0o777)
        assert running_shoes.running() == []


def test_one_client_at_a_time_is_heard_over_tcp_and_the_next_when_it_has_gone() -> None:
    door = TcpDoor("127.0.0.1", 0)
    where = address(door.url.removeprefix("tcp://"))

    with socket.create_connection(where) as first:
        first.sendall(b"one")
        wait_until(lambda: door.read() == b"one")
        with socket.create_connection(where) as second:
            second.settimeout(LIMIT_S)
            wait_until(lambda: door.read() == b"" and second.recv(100) == BUSY_LINE)
            assert second.recv(1) == b""
        door.write(b"two")
        assert first.recv(3) == b"two"
    wait_until(lambda: door.read() == b"" and len(door.descriptors()) == 1)
    with socket.create_connection(where) as third:
        third.sendall(b"3")
        wait_until(lambda: door.read() == b"3")
    door.close()


def test_a_client_that_never_speaks_gives_way_to_one_that_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    door = TcpDoor("127.0.0.1", 0)
    where = address(door.url.removeprefix("tcp://"))

    def calls(words: bytes = b"") -> socket.socket:
        made = socket.create_connection(where, timeout=60)
        made.sendall(words)
        for _ in range(2):  # takes the caller, hears it
            door.read()
        return made

    with calls() as silent, calls() as early:
        assert early.recv(100) == BUSY_LINE
        now[0] += SPEECHLESS_S
        with calls(b"hello") as host:
            assert silent.recv(100) == b""
            now[0] += 10 * SPEECHLESS_S
            with calls() as late:
                assert late.recv(100) == BUSY_LINE
            door.write(b"event")
            assert host.recv(100) == b"event"
    door.close()


def test_a_program_that_is_started_again_at_once_is_not_refused_because_of_its_last_connection() -> None:
    door = TcpDoor("127.0.0.1", 0)
    where = address(door.url.removeprefix("tcp://"))
    with socket.create_connection(where) as first:
        first.sendall(b"one")
        door.read()
    with socket.create_connection(where) as second:  # before the server has looked at anything
        second.sendall(b"two")
        heard: list[bytes] = []
        wait_until(lambda: heard.append(door.read()) or b"".join(heard) == b"onetwo")
        door.write(b"yes")
        assert second.recv(100) == b"yes"
    door.close()


def test_an_address_is_of_this_machine_alone_unless_a_host_is_named() -> None:
    assert address("4001") == ("127.0.0.1", 4001)
    assert address("0.0.0.0:4001") == ("0.0.0.0", 4001)
    assert address("[::1]:4001") == ("::1", 4001)
    for text in ("x", ":4001", "host:", "host:99999"):
        with pytest.raises(UsageError):
            address(text)


SERVERS = {
    "sim": ("sim", "--hands", "--tcp", "{}"),
    "web": ("web", "--no-open", "--port", "{}"),
    "live": ("web", "sim://?dealer=none", "--no-open", "--port", "{}"),
    "gateway": ("floor", "gateway", "--demo", "1", "--port", "{}"),
    "table": ("table", "serve", "--no-open", "--port", "{}"),
}


@pytest.mark.parametrize("server", SERVERS)
def test_a_taken_tcp_port_has_one_message_and_one_exit_status(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    door = TcpDoor("127.0.0.1", 0)
    where = door.url.removeprefix("tcp://")
    arguments = [word.format(where.rpartition(":")[2]) for word in SERVERS[server]]
    status = command_line.main(arguments)
    door.close()
    message = capsys.readouterr().err
    assert f"cannot listen on {where}: Address already in use.\n" in message
    assert "Choose another with --" in message and status == Exit.PORT


def test_a_shoe_that_talks_to_another_host_is_told_to_be_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    with simulator() as (_process, ready), Watch(ready["port"], acknowledge=True) as host:
        wait_until(lambda: host.step() or host.mode is Mode.LIVE)
        heard = host.link.frames + 20
        count_steps(monkeypatch, lambda: host.link.frames > heard)
        found: list[discovery.FoundPort] = []
        asking = threading.Thread(target=lambda: found.append(discovery.probe(ready["tap"], seconds=10)))
        asking.start()
        while asking.is_alive():
            host.step()
        asking.join()
    assert found[0].kind == "shoe in use"
