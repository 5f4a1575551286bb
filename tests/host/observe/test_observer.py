"""Looking on against real firmware: what is shown, what is never acknowledged, and what happens when the cable goes."""

from typing import Any

import pytest
from rig_port import KEY, RigPort

from fairshoe.errors import DeviceHalted, HelloRefused, NoAnswer, PortError, PortLost
from fairshoe.keys import role_key
from fairshoe.link import framing
from fairshoe.messages import Booted, DeckVerified, Event, Halted, Message, Role, State
from fairshoe.observe.observer import Mode, Watch
from fairshoe.observe.snapshot import Snapshot


class ClockedPort(RigPort):
    """A rig port that tells simulated time, as simulated ports do."""

    def clock(self) -> float:
        return self.rig.plant.now_us / 1e6


class Bench:
    """A shoe, a cable that can be pulled, and an observer."""

    def __init__(self, device_key: bytes = b"", mode: str = "report_only", **watch: Any) -> None:
        self.port = ClockedPort(device_key, mode)
        self.plugged = True
        self.watch = Watch("the port", opener=self._open, **watch)
        self.seen: list[Message] = []

    def _open(self) -> Any:
        if not self.plugged:
            raise PortError("cannot open the port: gone.", "Plug it in.")
        self.port.plugged = True
        return self.port

    def run(self, seconds: float) -> list[Message]:
        end = self.port.clock() + seconds
        fresh: list[Message] = []
        while self.port.clock() < end:
            fresh += self.watch.step()
        self.seen += fresh
        return fresh

    def events(self) -> list[Event]:
        return [message for message in self.seen if isinstance(message, Event)]

    def waiting(self) -> int:
        """Events that the device keeps because no host has acknowledged them."""
        return self.port.rig.app.journal.seq_last - self.port.rig.app.journal.seq_acked


def play_a_shuffle(bench: Bench) -> None:
    bench.run(3)
    bench.port.hand("load", "52")
    bench.port.hand("press", "green")
    bench.run(30)


def test_a_hello_that_had_no_time_to_be_answered_is_no_sign_of_another_host() -> None:
    """As with sim://?speed=20 on a busy machine: two seconds of the device pass between a look and the next."""
    bench = Bench()
    write, leaps = bench.port.write, iter((2000, 2000))

    def late(data: bytes) -> None:
        bench.port.run(next(leaps, 0))
        write(data)

    bench.port.write = late
    bench.watch.step()
    assert bench.watch.link.frames > 0 and bench.watch.mode is Mode.ASKING
    bench.run(4)
    assert bench.watch.mode is Mode.LIVE


def test_it_says_who_the_shoe_is_and_what_it_does() -> None:
    bench = Bench()
    bench.run(3)
    known = bench.watch.known
    assert bench.watch.mode is Mode.LIVE
    assert known.welcome is not None and known.welcome.game == "CS"
    assert known.status is not None and known.status.state == State.WAITING_FOR_DECK
    assert known.meters is not None and known.counters is not None and known.journal is not None
    assert bench.watch.link.frames > 5 and bench.watch.link.drops.total() == 0


def test_every_event_is_shown_once_in_order_and_none_is_acknowledged() -> None:
    bench = Bench()
    play_a_shuffle(bench)
    bench.port.hand("press", "close")
    bench.run(1)
    bench.port.hand("press", "lock")
    for _ in range(4):
        bench.run(4)
        bench.port.hand("take")
    bench.run(4)
    numbers = [event.seq for event in bench.events()]
    assert len(numbers) > 12  # more than the device sends without an acknowledgement
    assert numbers == list(range(1, len(numbers) + 1))
    assert bench.waiting() == len(numbers)


def test_whoever_is_the_host_acknowledges_what_was_shown_when_coming_back_for_more() -> None:
    bench = Bench(acknowledge=True)
    play_a_shuffle(bench)
    bench.run(3)
    assert [event.seq for event in bench.events()] == list(range(1, len(bench.events()) + 1))
    assert any(isinstance(event, DeckVerified) for event in bench.events())
    assert bench.waiting() == 0


def test_history_shows_what_was_recorded_before_we_came() -> None:
    before = Bench(acknowledge=True)
    play_a_shuffle(before)
    after = Bench(history=50)
    after.port = before.port
    after.run(8)
    assert [event.seq for event in after.events()] == list(range(1, len(after.events()) + 1))
    assert isinstance(after.events()[0], Booted)


def test_a_shoe_with_a_key_shows_eight_events_and_says_how_many_it_keeps_to_itself() -> None:
    bench = Bench(KEY, "table")
    play_a_shuffle(bench)
    bench.port.hand("press", "close")
    bench.run(1)
    bench.port.hand("press", "lock")
    bench.run(10)
    assert len(bench.events()) == 8
    assert bench.watch.missing == bench.waiting() - 8 > 0
    keyed = Bench(KEY, "table", key=role_key(KEY, Role.OBSERVER))
    keyed.port = bench.port
    keyed.run(15)
    assert [event.seq for event in keyed.events()] == list(range(1, bench.waiting() + 1))
    assert keyed.watch.missing == 0


def test_a_cable_that_is_pulled_and_put_back_is_told_and_nothing_is_shown_twice() -> None:
    bench = Bench()
    bench.run(3)
    bench.plugged = bench.port.plugged = False
    bench.watch.step()
    assert bench.watch.mode is Mode.CLOSED and isinstance(bench.watch.problem, PortLost)
    for action in ("cut", "boot"):
        bench.port.hand(action)
        bench.port.run(500)
    bench.port.arrived.clear()  # no host was there to take it
    bench.plugged = True
    bench.watch._reopen_at = 0.0  # pyright: ignore[reportPrivateUsage]  # not to wait for a second of ours
    bench.run(1)
    assert bench.watch.mode is Mode.LIVE and bench.watch.problem is None
    assert bench.watch.known.welcome is not None and bench.watch.known.welcome.boot == 2
    bench.run(7)
    assert bench.watch.link.reconnects == 1
    numbers = [event.seq for event in bench.events()]
    assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) >= 4


def test_a_port_that_cannot_be_opened_is_told_at_once_by_open_and_tried_again_by_step() -> None:
    bench = Bench()
    bench.plugged = False
    with pytest.raises(PortError, match="gone"):
        bench.watch.open()
    assert bench.watch.step() == [] and bench.watch.mode is Mode.CLOSED


def test_the_key_of_another_device_and_a_key_for_one_that_has_none_are_told() -> None:
    wrong = Bench(KEY, "table", key=role_key(bytes(32), Role.TABLE))
    with pytest.raises(NoAnswer, match="answers with another key"):
        wrong.run(5)
    none = Bench(key=role_key(KEY, Role.TABLE))
    with pytest.raises(HelloRefused, match="no_key"):
        none.run(5)


def test_beside_another_host_it_only_listens() -> None:
    """What the device sends to another host is heard, and nothing is written."""
    host = Bench(acknowledge=True)
    host.run(3)
    heard = bytearray()

    class Tap:
        in_waiting = 0

        def clock(self) -> float:
            return host.port.clock()

        def read(self, _size: int) -> bytes:
            data = bytes(heard)
            heard.clear()
            return data

        def write(self, _data: bytes) -> None:
            pass  # a tap ignores it

        def close(self) -> None:
            pass

    original = host.port.read

    def read(size: int) -> bytes:
        data = original(size)
        heard.extend(data)
        return data

    host.port.read = read  # type: ignore[method-assign]
    watch = Watch("tap", opener=Tap)
    seen: list[Message] = []
    host.port.hand("load", "52")
    host.port.hand("press", "green")
    for _ in range(1500):
        host.watch.step()
        seen += watch.step()
    assert watch.mode is Mode.LISTENING
    assert watch.known.status is not None
    assert any(isinstance(message, DeckVerified) for message in seen)
    numbers = [message.seq for message in seen if isinstance(message, Event)]
    assert numbers == sorted(set(numbers))
    again = Watch("tap", opener=Tap, listen=True)
    frames = b"".join(framing.encode(Booted(seq, 1, 0, 0, 0, 0, 0, 0, 0, "x", 0, "")) for seq in (7, 8, 7, 8, 9))
    heard.extend(frames)
    assert [message.seq for message in again.step() if isinstance(message, Event)] == [7, 8, 9]


def test_a_device_that_could_not_start_is_told_with_what_to_do() -> None:
    class Halting:
        in_waiting = 0
        now = 0.0

        def clock(self) -> float:
            return self.now

        def read(self, _size: int) -> bytes:
            self.now += 0.1
            return framing.encode(Halted(b"board: no key 'inputs'"))

        def write(self, _data: bytes) -> None:
            pass

        def close(self) -> None:
            pass

    watch = Watch("x", opener=Halting)
    for _ in range(20):
        watch.step()
    assert watch.halted is not None and "no key 'inputs'" in watch.halted.what
    assert "fairshoe config check" in watch.halted.advice
    with pytest.raises(DeviceHalted, match="could not start"), Snapshot("x", None, 5.0, opener=Halting):
        pass
