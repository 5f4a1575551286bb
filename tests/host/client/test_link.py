"""Ports that vanish and come back, devices that change, functions that are called: what a program of an integrator
lives with. Most of it in process; the socket and the pseudo-terminal are real ones."""

import os
import tty
from itertools import islice
from pathlib import Path

import pytest
from rig_port import RigPort
from tcp_shoe import TcpShoe
from test_cli import simulator

from fairshoe import Shoe, messages
from fairshoe.client.notices import LinkBack, LinkLost, LogStarted, Notice
from fairshoe.client.operation_numbers import MemoryNumbers
from fairshoe.errors import NoAnswer, PortBusy, PortError, PortLost, UsageError, WrongDevice, WrongKey
from fairshoe.keys import role_key, write_key
from fairshoe.link.session import HostSession
from fairshoe.transport.urls import PortAddress, scheme_of

KEY = bytes(range(32))


# --- a long way ---------------------------------------------------------------------------------


class SlowPort(RigPort):
    """Every byte takes so long each way."""

    def __init__(self, delay_ms: int) -> None:
        super().__init__(key=KEY, mode="table")
        self.delay_us = delay_ms * 1000
        self.up: list[tuple[int, bytes]] = []
        self.down: list[tuple[int, bytes]] = []

    def write(self, data: bytes) -> None:
        self.up.append((self.rig.plant.now_us + self.delay_us, data))

    def run(self, ms: int) -> None:
        unread, self.arrived = self.arrived, bytearray()
        super().run(ms)
        now_us = self.rig.plant.now_us
        self.down.append((now_us + self.delay_us, bytes(self.arrived)))
        self.arrived = unread
        while self.down and self.down[0][0] <= now_us:
            self.arrived += self.down.pop(0)[1]
        while self.up and self.up[0][0] <= now_us:
            super().write(self.up.pop(0)[1])


@pytest.mark.parametrize("delay_ms", [0, 200, 300, 600, 1200])
def test_a_keyed_session_comes_about_however_long_the_answer_takes(delay_ms: int) -> None:
    """A hello replaces the session of the one before: those that are sent too early would never let one be proved."""
    port = SlowPort(delay_ms)
    session = HostSession(role_key(KEY, messages.Role.TABLE))
    shoe = Shoe(port, "rig", session, MemoryNumbers(), clock=lambda: port.rig.plant.now_us / 1e6)
    shoe.greet(30)
    shoe.run(timeout_s=20)
    assert (shoe.up, session.counts.sessions) == (True, 1)
    assert shoe.command(messages.SetPositions, positions=2, timeout_s=60).outcome in (
        messages.Outcome.DONE,
        messages.Outcome.REJECTED,
    )


# --- reconnecting -------------------------------------------------------------------------------


@pytest.mark.parametrize("stored", [False, True])
def test_a_cable_that_is_pulled_again_and_again_costs_no_event_and_doubles_none(tmp_path: Path, stored: bool) -> None:
    told: list[Notice] = []
    with Shoe.open("sim://?seed=4", store=tmp_path / "store.db" if stored else None) as shoe:
        shoe.on(Notice, told.append)
        seqs: list[int] = []
        for event in shoe.events(quiet_s=120):
            seqs.append(event.seq)
            if event.seq % 10 == 5:
                shoe.sim.unplug(0.5 + event.seq % 7)
            if isinstance(event, messages.RoundEnded):
                break
    assert seqs == list(range(1, len(seqs) + 1))
    lost = [it for it in told if isinstance(it, LinkLost)]
    back = [it for it in told if isinstance(it, LinkBack)]
    assert len(lost) == len(back) >= 3
    assert lost[0].why == "the cable is out" and lost[0].seq_last >= 5
    assert lost[1].open_round == 1
    assert all(it.down_s >= 0.5 and not it.rebooted for it in back)


def test_a_command_that_was_under_way_is_resumed_under_its_own_number(key_file: Path) -> None:
    with Shoe.open(f"sim://?dealer=none&key={key_file}", key_file) as shoe:
        shoe.run(until=messages.EmptyProved)
        shoe.sim.act("load", "52")
        shoe.sim.sleep(1)
        pending = shoe.start(messages.Shuffle)
        shoe.run(timeout_s=3)  # it is being shuffled
        assert shoe.status is not None and shoe.status.state.name == "SHUFFLING"
        shoe.sim.unplug(60)  # over before the host notices
        result = shoe.wait(pending)
        assert (result.op, result.outcome) == (1, messages.Outcome.DONE)
        shoe.sim.unplug(5)
        assert shoe.command(messages.SetPositions, positions=2).op == 2


def test_a_device_that_loses_power_with_its_cable_is_found_again_and_says_that_it_rebooted() -> None:
    told: list[LinkBack] = []
    with Shoe.open("sim://?dealer=none") as shoe:
        shoe.on(LinkBack, told.append)
        shoe.run(until=messages.EmptyProved)
        shoe.sim.act("cut")
        shoe.sim.unplug(4)
        shoe.sim.sleep(2)
        shoe.sim.act("boot")
        assert [event.seq for event in islice(shoe.events(quiet_s=60), 2)] == [3, 4]
    assert [it.rebooted for it in told] == [True]


def test_a_device_that_falls_silent_is_told_too_and_a_busy_program_is_not_taken_for_silence() -> None:
    told: list[Notice] = []
    with Shoe.open("sim://?dealer=none") as shoe:
        shoe.on(Notice, told.append)
        shoe.run(until=messages.EmptyProved)
        shoe.run(timeout_s=3)
        shoe.sim.sleep(60)  # the program was at something else
        shoe.run(timeout_s=3)
        assert told == []
        shoe.sim.act("cut")
        shoe.run(timeout_s=10)
        assert [type(it) for it in told] == [LinkLost]
        assert not shoe.up
        shoe.sim.act("boot")
        shoe.run(timeout_s=10)
        assert [type(it) for it in told] == [LinkLost, LinkBack]
        assert shoe.up


def test_without_reconnect_a_lost_port_is_an_error_that_says_what_was_last() -> None:
    with Shoe.open("sim://", reconnect=False) as shoe:
        shoe.run(until=messages.RoundStarted)
        shoe.sim.unplug(1)
        with pytest.raises(PortLost, match=r"round 1 was open.* Last event received: \d+"):
            shoe.run(until=messages.RoundEnded)


def test_timeouts_hold_while_the_port_is_gone(key_file: Path) -> None:
    with Shoe.open(f"sim://?dealer=none&key={key_file}", key_file) as shoe:
        shoe.run(until=messages.EmptyProved)
        shoe.sim.unplug()
        began = shoe.sim.clock()
        assert list(shoe.events(quiet_s=20)) == []
        assert shoe.run(timeout_s=20) is None
        with pytest.raises(NoAnswer, match="no outcome of command 1"):
            shoe.command(messages.SetPositions, timeout_s=20, positions=2)
        with pytest.raises(NoAnswer, match="did not come within 20 s"):
            shoe.run(until=messages.RoundEnded, timeout_s=20)
        with pytest.raises(NoAnswer, match="did not answer about its journal"):
            shoe.journal_is(20)
        assert 100 <= shoe.sim.clock() - began < 120
        shoe.sim.plug()
        unfinished = shoe.unfinished()
        assert unfinished is not None
        assert shoe.wait(shoe.resume(unfinished)).op == 1


def test_a_closed_shoe_says_so_and_closing_twice_is_nothing() -> None:
    shoe = Shoe.open("sim://")
    shoe.close()
    shoe.close()
    with pytest.raises(UsageError, match="is closed"):
        next(shoe.events())


# --- over a real socket -------------------------------------------------------------------------


def test_a_serial_server_that_throws_us_out_is_called_again() -> None:
    with TcpShoe() as server, Shoe.open(server.url, answer_s=60) as shoe:
        told: list[Notice] = []
        shoe.on(Notice, told.append)
        seqs: list[int] = []
        for event in shoe.events(quiet_s=60):
            seqs.append(event.seq)
            if len(seqs) in (4, 12):
                server.refuse = 2
                server.drop()
            if len(seqs) == 20:
                break
        assert seqs == list(range(1, 21))
        assert server.clients == 3
        assert [type(it) for it in told] == [LinkLost, LinkBack] * 2


def test_a_peer_that_is_gone_without_a_word_is_called_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairshoe.client.shoe.STALE_S", 0.4)
    with TcpShoe() as server, Shoe.open(server.url, answer_s=60) as shoe:
        shoe.run(until=messages.EmptyProved)
        server.do(lambda: server.port.act("cut"))  # nothing is closed; nothing comes; it boots a second later
        assert shoe.run(until=messages.Booted, timeout_s=60).boot == 2
        assert server.clients > 1


def test_socket_urls_of_pyserial_mean_the_same() -> None:
    with TcpShoe() as server, Shoe.open(server.url.replace("tcp://", "socket://"), answer_s=60) as shoe:
        shoe.run(until=messages.EmptyProved, timeout_s=60)


def test_a_serial_device_that_vanishes_and_comes_back_after_a_reboot(tmp_path: Path) -> None:
    """Real pseudo-terminals: the name stays, the device behind it is gone for a while, and remembers."""
    name = tmp_path / "ttyShoe"
    storage = ("--storage", str(tmp_path / "shoe.nv"))
    told: list[Notice] = []
    with simulator(*storage) as (process, ready):
        name.symlink_to(ready["port"])
        shoe = Shoe.open(str(name), store=tmp_path / "store.db")
        shoe.on(Notice, told.append)
        assert shoe.run(until=messages.EmptyProved, timeout_s=60).seq == 2
        name.unlink()
        process.kill()
        shoe.run(timeout_s=0.5)
    with simulator(*storage) as (_process, ready):
        name.symlink_to(ready["port"])
        assert shoe.run(until=messages.EmptyProved, timeout_s=60).seq == 4
        assert shoe.store is not None
        assert [stored.seq for stored in shoe.store.events()] == [1, 2, 3, 4]
        shoe.close()
    assert [type(it) for it in told if not isinstance(it, LogStarted)] == [LinkLost, LinkBack]
    assert isinstance(told[-1], LinkBack) and told[-1].rebooted


def test_a_serial_server_that_speaks_rfc_2217() -> None:
    with TcpShoe(rfc2217=True) as server, Shoe.open(server.url, answer_s=60) as shoe:
        assert [event.seq for event in islice(shoe.events(quiet_s=60), 6)] == [1, 2, 3, 4, 5, 6]


def test_a_shoe_that_is_closed_while_its_cable_is_out_lets_go_of_its_storage(tmp_path: Path) -> None:
    url = f"sim://?dealer=none&storage={tmp_path / 'shoe.nv'}"
    with Shoe.open(url) as shoe:
        shoe.run(until=messages.EmptyProved)
        shoe.sim.unplug()
        shoe.run(timeout_s=1)
    with Shoe.open(url) as again:
        assert again.up


# --- which port, which device -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "no port was named"),
        ("loop://", "loop:// is no shoe. .*sim://"),
        ("http://shoe", "no shoe"),
        ("tcp://nowhere", "host and a port"),
        ("tcp://:7", "host and a port"),
        ("rfc2217://", "host and a port.* rfc2217://10"),
        ("tcp://a:99999", "host and a port"),
        ("sim://?x=1", "sim:// knows no 'x'. Known: game"),
        ("gopher://x:1", "gopher://x:1: there are no ports of the kind 'gopher'. Name a serial device, tcp://"),
        ("tcp-1://x:1", "there are no ports of the kind 'tcp-1'"),
        ("://x:1", "there are no ports of the kind ''"),
    ],
)
def test_a_url_that_can_be_no_shoe_is_refused_with_what_could(url: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Shoe.open(url)


@pytest.mark.parametrize(
    ("url", "advice"),
    [("tcp://127.0.0.1:1", ""), ("/dev/does-not-exist", ".*fairshoe ports"), ("rfc2217://127.0.0.1:1", "")],
)
def test_a_port_that_cannot_be_opened_is_one_clear_message(url: str, advice: str) -> None:
    with pytest.raises(PortError, match=f"cannot open {url}: .{advice}"):
        Shoe.open(url)


def test_a_port_belongs_to_one_program_at_a_time() -> None:
    near, far = os.openpty()
    tty.setraw(far)
    path = os.ttyname(far)
    first = PortAddress(path).open()
    with pytest.raises(PortBusy, match=r"another program has .* open"):
        Shoe.open(path)
    first.close()
    with pytest.raises(NoAnswer, match="answered as a shoe"):
        Shoe.open(path, answer_s=0.1)
    os.close(near)
    os.close(far)


def test_schemes_are_found_whatever_their_case() -> None:
    assert [scheme_of(url) for url in ("COM7", "/dev/x", "TCP://a:1", "Sim://")] == ["", "", "tcp", "sim"]
    assert scheme_of("hwgrep://2e8a") == "hwgrep"  # of pyserial


def test_another_device_than_the_expected_one_is_told() -> None:
    with Shoe.open("sim://?seed=7", device=0x510007) as shoe:
        assert shoe.welcome is not None and shoe.welcome.device == 0x510007
    with pytest.raises(WrongDevice, match="is device 00510008, and 00510007 was expected"):
        Shoe.open("sim://?seed=8", device=0x510007)


def test_a_wrong_key_is_told_from_no_shoe(tmp_path: Path, key_file: Path) -> None:
    other = tmp_path / "other.key"
    write_key(other, "device", bytes(32))
    with pytest.raises(WrongKey, match="another key"):
        Shoe.open(f"sim://?key={key_file}", other)


def test_who_is_no_simulated_shoe_has_no_hands() -> None:
    with TcpShoe() as server, Shoe.open(server.url) as shoe, pytest.raises(UsageError, match="no simulated shoe"):
        _ = shoe.sim


# --- functions ----------------------------------------------------------------------------------


def test_functions_are_called_for_their_kind_and_everything_that_is_one() -> None:
    ended: list[messages.RoundEnded] = []
    events: list[messages.Event] = []
    statuses: list[messages.Status] = []
    with Shoe.open("sim://") as shoe:
        shoe.on(messages.RoundEnded, ended.append)

        @shoe.on(messages.Event)
        def book(event: messages.Event) -> None:
            events.append(event)

        shoe.on(messages.Status, statuses.append)
        last = shoe.run(until=messages.RoundEnded)
        assert ended == [last] and events[-1] == last
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert statuses
        shoe.off(messages.Event, book)
        count = len(events)
        assert isinstance(shoe.run(until=lambda message: isinstance(message, messages.StackTaken)), messages.StackTaken)
        assert len(events) == count


def test_an_event_whose_function_fails_comes_again_and_is_not_acknowledged_before() -> None:
    with Shoe.open("sim://?dealer=none") as shoe:
        tries: list[int] = []

        def book(event: messages.Event) -> None:
            tries.append(event.seq)
            if tries == [1, 2]:
                raise RuntimeError("disk full")

        shoe.on(messages.Event, book)
        with pytest.raises(RuntimeError):
            shoe.run(timeout_s=30)
        shoe.sim.sleep(2)
        assert shoe.sim.rig.app.journal.seq_acked == 1
        shoe.run(timeout_s=5)
        assert tries == [1, 2, 2]
        shoe.sim.sleep(1)
        assert shoe.sim.rig.app.journal.seq_acked == 2


def test_run_ends_when_a_function_says_so() -> None:
    with Shoe.open("sim://") as shoe:
        shoe.on(messages.EmptyProved, lambda _event: shoe.stop())
        assert shoe.run() is None
        assert shoe.seq_last == 2


def test_a_loop_over_events_serves_functions_too() -> None:
    heard: list[messages.Message] = []
    with Shoe.open("sim://?dealer=none") as shoe:
        shoe.on(messages.Message, heard.append)
        assert [event.seq for event in shoe.events(quiet_s=5)] == [1, 2]
    assert {type(message) for message in heard} >= {messages.EmptyProved, messages.Status}


def test_no_patience_at_all_is_still_one_look() -> None:
    with Shoe.open("sim://?dealer=none") as shoe:
        seqs: list[int] = []
        while len(seqs) < 2:
            seqs += [event.seq for event in shoe.events(quiet_s=0)]
        assert seqs == [1, 2]
        before = shoe.sim.clock()
        shoe.run(timeout_s=0)
        assert before < shoe.sim.clock() < before + 1


def test_a_shoe_that_only_listens_sends_nothing_and_opens_a_lost_port_again() -> None:
    with Shoe.listen("sim://?dealer=none", reconnect=True) as shoe:
        assert [message.NAME for message in shoe.messages(quiet_s=5)] == ["booted", "empty_proved"]
        assert shoe.counts.hellos == 0
        shoe.sim.unplug()
        assert list(shoe.messages(quiet_s=1)) == []
        shoe.sim.plug()
        shoe.sim.act("open")
        assert isinstance(shoe.run(until=messages.DoorOpened, timeout_s=20), messages.DoorOpened)
