"""The library against real firmware behind a port that loses, repeats, disappears, restarts or says nothing."""

import sqlite3
from pathlib import Path

import pytest
from rig_port import KEY, RigPort

from fairshoe import Shoe, messages
from fairshoe.client.operation_numbers import Numbers
from fairshoe.client.shoe import CommandResult
from fairshoe.client.store import Store
from fairshoe.errors import HelloRefused, PortLost, StoreError, UsageError
from fairshoe.keys import RoleKey, role_key
from fairshoe.link import framing
from fairshoe.link.session import HostSession
from fairshoe.text.advice import REFUSALS
from hal.sim.noise import Noise


@pytest.fixture(autouse=True)
def simulated_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library's clock follows the simulated one, so that silence and repetition mean what they say."""
    RigPorts.clear()

    def now() -> float:
        return max((port.rig.plant.now_us for port in RigPorts), default=0) / 1e6

    monkeypatch.setattr("fairshoe.client.shoe.time.monotonic", now)


RigPorts: list[RigPort] = []


def port_with(key: bytes = b"", mode: str = "report_only", clear_ack: bool = True, seed: int = 7) -> RigPort:
    port = RigPort(key, mode, clear_ack, seed)
    RigPorts.append(port)
    return port


def shoe_on(
    port: RigPort,
    key: RoleKey | None = None,
    operations: Numbers | None = None,
    after_seq: int = 0,
) -> Shoe:
    shoe = Shoe(port, "fake", HostSession(key, after_seq), operations)
    shoe.greet(5.0)
    return shoe


def table_shoe(port: RigPort, operations: Numbers | None = None) -> Shoe:
    return shoe_on(port, role_key(KEY, messages.Role.TABLE), operations)


def take_until(shoe: Shoe, kind: type[messages.Event]) -> list[int]:
    seqs: list[int] = []
    for event in shoe.events(quiet_s=60):
        seqs.append(event.seq)
        if isinstance(event, kind):
            shoe.acknowledge()
            return seqs
    raise AssertionError(f"no {kind.NAME}")


def proved(operations: Numbers | None = None) -> tuple[RigPort, Shoe]:
    """A port with a key, and a shoe at it that has proved itself empty."""
    port = port_with(KEY, "table")
    shoe = table_shoe(port, operations)
    take_until(shoe, messages.EmptyProved)
    return port, shoe


def acknowledgements(port: RigPort) -> list[int]:
    frames = framing.Decoder().feed(bytes(port.written))
    return [frame.message.seq for frame in frames if isinstance(frame.message, messages.EventAck) and frame.message.seq]


def test_events_are_delivered_once_in_order_and_acknowledged_after_delivery() -> None:
    port = port_with()
    shoe = shoe_on(port)
    seen: list[int] = []
    for event in shoe.events(quiet_s=60):
        assert event.seq not in acknowledgements(port)
        seen.append(event.seq)
        if isinstance(event, messages.EmptyProved):
            break
    assert seen == [1, 2]
    assert acknowledgements(port) == [1]


def test_an_event_whose_consumer_failed_is_delivered_again_and_not_acknowledged_before() -> None:
    port = port_with()
    shoe = shoe_on(port)
    with pytest.raises(RuntimeError):
        for event in shoe.events(quiet_s=60):
            if event.seq == 2:
                raise RuntimeError("disk full")
    assert acknowledgements(port) == [1]
    port.run(3000)  # the device sends it again meanwhile
    again = next(shoe.events(quiet_s=60))
    assert again.seq == 2
    assert 2 not in acknowledgements(port)


def test_a_new_connection_goes_on_after_what_was_acknowledged_or_stored() -> None:
    port = port_with()
    assert take_until(shoe_on(port), messages.EmptyProved) == [1, 2]
    port.run(500)
    port.hand("open")
    port.run(500)
    port.hand("close")
    second = shoe_on(port, after_seq=3)
    assert next(second.events(quiet_s=60)).seq == 4


def test_a_device_that_restarts_under_us_is_greeted_again_and_nothing_is_missed() -> None:
    port = port_with(KEY, "table", clear_ack=False)
    shoe = table_shoe(port)
    assert take_until(shoe, messages.EmptyProved) == [1, 2, 3]
    port.hand("cut")
    port.run(500)
    port.hand("boot")
    assert take_until(shoe, messages.EmptyProved) == [4, 5, 6]
    assert shoe.counts.sessions == 2
    port.run(2000)
    assert shoe.status is not None


def test_another_device_on_the_same_port_is_told_and_its_events_not_taken() -> None:
    port = port_with()
    shoe = shoe_on(port)
    take_until(shoe, messages.EmptyProved)
    other = port_with(seed=8)
    port.rig = other.rig
    with pytest.raises(PortLost, match="another device answers"):
        take_until(shoe, messages.RoundEnded)
    assert port.rig.app.journal.seq_acked == 0


def test_a_round_by_command_over_a_bad_cable(tmp_path: Path) -> None:
    port = port_with(KEY, "table", clear_ack=False)
    port.to_host, port.to_device = Noise(5, 200, 100, 5000), Noise(6, 200, 100, 5000)
    shoe = table_shoe(port, Store(tmp_path / "store.db"))
    seqs = take_until(shoe, messages.EmptyProved)
    port.hand("load", "52")
    port.run(300)
    outcomes = [shoe.command(messages.Shuffle), shoe.command(messages.SetPositions, positions=1)]
    outcomes += [shoe.command(messages.CloseBetting), shoe.command(messages.ConfirmLockout)]
    for _ in range(2):
        seqs += take_until(shoe, messages.StackOffered)
        port.hand("take")
        seqs += take_until(shoe, messages.StackTaken)
    outcomes.append(shoe.command(messages.Release))
    seqs += take_until(shoe, messages.RemainderReleased)
    port.hand("take")
    seqs += take_until(shoe, messages.RemainderTaken)
    outcomes.append(shoe.command(messages.EndRound))
    seqs += take_until(shoe, messages.RoundEnded)
    assert [result.outcome for result in outcomes] == [messages.Outcome.DONE] * 6
    assert [result.op for result in outcomes] == [1, 2, 3, 4, 5, 6]
    assert seqs == list(range(1, len(seqs) + 1))
    assert shoe.drops.total() > 0


def test_a_command_that_cannot_be_carried_out_says_why() -> None:
    port, shoe = proved()
    assert shoe.command(messages.CloseBetting) == CommandResult(1, messages.Outcome.REJECTED, messages.Reason.STATE, 2)
    port.hand("load", "51")
    port.run(300)
    failed = shoe.command(messages.Shuffle)
    assert (failed.outcome, failed.reason, failed.detail) == (
        messages.Outcome.FAILED,
        messages.Reason.WARNING,
        messages.Fault.MISMATCH,
    )
    assert shoe.command(messages.AcknowledgeWarning).done


def test_a_program_that_crashed_in_a_command_finds_it_and_never_gives_it_twice(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    port, shoe = proved(Store(path))
    port.hand("load", "52")
    port.run(300)
    shoe.start(messages.Shuffle)
    shoe._pump()  # pyright: ignore[reportPrivateUsage]
    port.run(30000)  # the program is gone; the device works on
    assert port.rig.app.flow.state == messages.State.DECK_READY
    later = table_shoe(port, Store(path))
    unfinished = later.unfinished()
    assert unfinished is not None
    assert (unfinished.op, unfinished.command) == (1, "shuffle")
    assert later.wait(later.resume(unfinished)).done
    assert later.unfinished() is None
    seqs = take_until(later, messages.DeckVerified)
    assert seqs
    assert later.command(messages.SetPositions, positions=2).op == 2


def test_without_a_key_no_command_can_be_given() -> None:
    port = port_with()
    with pytest.raises(HelloRefused, match="without a key"):
        shoe_on(port).command(messages.Shuffle)


def test_a_clear_host_hears_that_a_keyed_device_ignores_its_acknowledgements() -> None:
    """It would otherwise receive eight events, and no more."""
    port = port_with(KEY, "table")
    shoe = shoe_on(port)
    with pytest.raises(HelloRefused, match="holds a key") as caught:
        for _event in shoe.events(quiet_s=5.0):
            pass
    assert "key of the recorder" in caught.value.advice
    assert port.rig.app.journal.seq_acked == 0


def test_a_role_on_a_device_without_a_key_is_refused_with_advice() -> None:
    with pytest.raises(HelloRefused, match="no_key") as caught:
        table_shoe(port_with())
    assert caught.value.advice == REFUSALS[messages.Refusal.NO_KEY]


def test_forged_frames_in_a_keyed_session_are_not_believed() -> None:
    port, shoe = proved()
    forged = messages.DoorOpened(seq=3, boot=1, uptime_s=0, uptime_ms=0, utc_s=0, round=0, deck=0)
    number = port.rig.app.link.session.number
    port.arrived += framing.encode(forged, number, 9000) + framing.encode(
        forged, number, 9000, 0, lambda _signed: bytes(16)
    )
    for count, message in enumerate(shoe.messages(quiet_s=60)):
        assert not isinstance(message, messages.Event)
        if count == 5:
            break
    assert shoe.counts.disbelieved["not keyed"] == 1
    assert shoe.counts.disbelieved["wrong mac"] == 1


def test_a_listener_sends_nothing_at_all() -> None:
    port = port_with()
    shoe = Shoe(port, "fake", None)
    assert [event.seq for event in shoe.events(quiet_s=3)][:2] == [1, 2]
    assert port.written == b""


def test_numbers_that_cannot_be_written_stop_the_command_before_it_is_sent(tmp_path: Path) -> None:
    port, shoe = proved(Store(tmp_path / "store.db", busy_s=0.01))
    other = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="another program keeps it locked") as caught:
        shoe.command(messages.CloseBetting)
    assert "Nothing was sent" in caught.value.advice
    port.run(1000)
    assert port.rig.app.journal.lanes.by_role[messages.Role.TABLE].op == 0
    other.close()
    assert shoe.command(messages.CloseBetting).op == 1


def test_the_dictionary_of_an_older_or_newer_device_is_fetched_and_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    port = port_with()
    shoe = shoe_on(port)
    assert shoe.dictionary() is shoe.dictionary()
    from fairshoe.link import dictionary

    ours = dictionary.own_dictionary()
    monkeypatch.setattr("fairshoe.client.queries.own_dictionary", lambda: dictionary.Dictionary(["message 1 0 hello"]))
    fetched = shoe.dictionary()
    assert fetched.hash == ours.hash


def test_an_event_this_version_does_not_know_is_delivered_and_acknowledged_like_any_other() -> None:
    port = port_with()
    shoe = shoe_on(port)
    take_until(shoe, messages.EmptyProved)
    app = port.rig.app
    app.journal.codes[400] = b"\x02"
    app.outbox.post(400, 7)
    port.run(200)
    app.outbox.post(261)
    telemetry = (messages.Meters, messages.Wear, messages.Status)
    seen = [message for message in shoe.messages(quiet_s=0.2) if not isinstance(message, telemetry)][:2]
    assert isinstance(seen[0], messages.UnknownMessage)
    assert seen[0].id == 400
    assert 3 in acknowledgements(port)


def test_a_device_whose_memory_was_replaced_is_told() -> None:
    with pytest.raises(PortLost, match="fewer events than the 50 received"):
        shoe_on(port_with(), after_seq=50)


def test_a_quiet_host_shows_signs_of_life_so_that_nobody_takes_its_place() -> None:
    port, shoe = proved()
    port.run(200)
    before = port.rig.app.link.session.received
    for message in shoe.messages(quiet_s=60):
        assert isinstance(message, messages.Message)
        if port.rig.plant.now_us > 20_000_000:
            break
    assert port.rig.app.link.session.received >= before + 3


def test_an_argument_that_does_not_fit_uses_up_no_number(tmp_path: Path) -> None:
    _port, shoe = proved(Store(tmp_path / "store.db"))
    with pytest.raises(UsageError, match="set_positions cannot be given like that"):
        shoe.command(messages.SetPositions, positions=300)
    assert shoe.unfinished() is None
    assert shoe.command(messages.CloseBetting).op == 1


def test_a_host_whose_numbers_run_out_gets_a_new_session_and_reuses_none() -> None:
    port, shoe = proved()
    session = shoe._core.session  # pyright: ignore[reportPrivateUsage]
    assert session is not None
    session._sequence = 0xFEF0  # pyright: ignore[reportPrivateUsage]
    sessions, hellos = shoe.counts.sessions, shoe.counts.hellos
    for _ in range(600):
        session.acknowledge(2)
        shoe._pump()  # pyright: ignore[reportPrivateUsage]
    assert shoe.counts.sessions == sessions + 1
    assert shoe.counts.hellos <= hellos + 2
    assert port.rig.app.link.refused[2] == 0, "a number was used twice"


def test_a_program_that_only_gives_commands_does_not_pile_up_snapshots() -> None:
    port = port_with(KEY, "table")
    shoe = table_shoe(port)
    end_us = port.rig.plant.now_us + 60_000_000
    while port.rig.plant.now_us < end_us:
        shoe._pump()  # pyright: ignore[reportPrivateUsage]
    assert len(shoe._core._waiting) < 10  # pyright: ignore[reportPrivateUsage]


def test_a_role_that_reads_hears_that_it_cannot_acknowledge() -> None:
    for role in (messages.Role.OBSERVER, messages.Role.AUDITOR):
        port = port_with(KEY, "table")
        with pytest.raises(HelloRefused, match="reads, and acknowledges no event"):
            for _event in shoe_on(port, role_key(KEY, role)).events(quiet_s=5.0):
                pass
        assert port.rig.app.journal.seq_acked == 0
