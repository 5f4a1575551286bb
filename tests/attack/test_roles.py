"""Use the key of a role that reads to do more than read: acknowledge, set the clock, command, take the line."""
# pyright: reportPrivateUsage=false

import pytest
from support import GAME, board, to_device

from firmware.games.flow import WAITING_FOR_DECK
from firmware.link.admission import ALIVE_MS, REFUSE_ROLE
from firmware.protocol import ids
from rig import stories
from rig.peer import Peer
from rig.story import Stage

KEY = bytes(range(32))
READERS = [ids.ROLE_OBSERVER, ids.ROLE_AUDITOR]
NO_COMMANDS = [*READERS, ids.ROLE_RECORDER]
NOON = 200000000


def started(role: int = ids.ROLE_TABLE) -> Stage:
    stage = Stage(board(link={"mode": "table"}), GAME, 7, KEY, role)
    stage.play(stories.start())
    return stage


def intruder(role: int) -> Peer:
    peer = Peer(KEY, role)
    peer.hellos = 50
    return peer


def send(stage: Stage, data: bytes, ms: int = 50) -> None:
    to_device(stage, data, ms)


def eavesdrop(stage: Stage, peer: Peer) -> None:
    """The second host hears the device, too, and its answers reach it."""
    host = stage.peer
    feed = host.feed

    def both(data: bytearray) -> bytes:
        return feed(data) + peer.feed(data)

    host.feed = both


@pytest.mark.parametrize(
    ("role", "holder"),
    [*((role, ids.ROLE_TABLE) for role in NO_COMMANDS), *((role, ids.ROLE_RECORDER) for role in READERS)],
)
def test_no_role_takes_the_line_from_a_live_host_that_may_do_more(role: int, holder: int) -> None:
    """A reader that took it from a recorder would stop events from being stored, and the journal would fill."""
    stage = started(holder)
    table = stage.rig.app.link.session
    peer = intruder(role)
    eavesdrop(stage, peer)
    for _ in range(5):
        send(stage, peer.hello(), 200)
    assert stage.rig.app.link.session is table
    assert peer.welcomes == 0 and set(peer.refusals) == {ids.REFUSED_BUSY}


@pytest.mark.parametrize("role", NO_COMMANDS)
def test_an_offer_from_before_the_table_host_came_does_not_displace_it(role: int) -> None:
    stage = Stage({**board(), "link": {"mode": "table", "clear_ack": False}}, GAME, 7, KEY, ids.ROLE_TABLE)
    peer = intruder(role)
    feed = stage.peer.feed
    proofs: list[bytes] = []

    def deaf(data: bytearray) -> bytes:
        return b""

    def hear(data: bytearray) -> bytes:
        proofs.append(peer.feed(data))
        return feed(data)

    stage.peer.feed = deaf  # at first
    stage.run(300)
    stage.peer.feed = hear
    send(stage, peer.hello(), 200)
    assert peer.welcomes == 1
    stage.run(3000)
    table = stage.rig.app.link.session
    assert table.role == ids.ROLE_TABLE and table.alive
    before = stage.rig.app.link.refused[REFUSE_ROLE]
    send(stage, b"".join(proofs))
    assert stage.rig.app.link.session is table
    assert stage.rig.app.link.refused[REFUSE_ROLE] > before


@pytest.mark.parametrize("role", NO_COMMANDS)
def test_a_recorder_takes_the_line_from_a_reader_and_from_another_recorder(role: int) -> None:
    stage = started(role)
    before = stage.rig.app.link.session
    stage._seat(intruder(ids.ROLE_RECORDER))
    stage.run(300)
    assert stage.rig.app.link.session is not before and stage.rig.app.link.session.role == ids.ROLE_RECORDER


@pytest.mark.parametrize("role", NO_COMMANDS)
def test_a_table_host_that_is_gone_leaves_the_line_to_the_next(role: int) -> None:
    stage = started()
    stage._seat(intruder(role))
    stage.run(ALIVE_MS + 1000)
    assert stage.rig.app.link.session.role == role


@pytest.mark.parametrize("role", NO_COMMANDS)
def test_a_table_host_takes_the_line_from_every_other_role(role: int) -> None:
    stage = started(role)
    stage._seat(intruder(ids.ROLE_TABLE))
    stage.run(300)
    assert stage.rig.app.link.session.role == ids.ROLE_TABLE


@pytest.mark.parametrize("role", READERS)
def test_a_reader_acknowledges_nothing_and_sets_no_clock(role: int) -> None:
    stage = started(role)
    peer = stage.peer
    assert peer.events and stage.rig.app.journal.seq_acked == 0
    before = stage.rig.app.link.refused[REFUSE_ROLE]
    send(stage, peer.frame(peer.session, ids.CLASS_TIME, ids.TIME_SET, [NOON]))
    assert stage.rig.app.link.refused[REFUSE_ROLE] == before + 1
    assert "time_is" not in peer.messages


def test_a_recorder_acknowledges_and_sets_the_clock() -> None:
    stage = started(ids.ROLE_RECORDER)
    assert stage.rig.app.journal.seq_acked == stage.peer.seq_last > 0
    send(stage, stage.peer.frame(stage.peer.session, ids.CLASS_TIME, ids.TIME_SET, [NOON]))
    assert stage.peer.messages["time_is"][0] == NOON


@pytest.mark.parametrize("command", [ids.CMD_SHUFFLE, ids.CMD_SELF_TEST])
@pytest.mark.parametrize("role", NO_COMMANDS)
def test_no_command_of_these_roles_acts(role: int, command: int) -> None:
    stage = started(role)
    send(stage, stage.peer.command(1, command), 500)
    assert stage.peer.results[-1][:4] == [1, command, ids.OUTCOME_REJECTED, ids.REASON_ROLE]
    assert stage.rig.app.flow.state == WAITING_FOR_DECK
    assert stage.rig.app.journal.lanes.by_role[ids.ROLE_TABLE].op == 0


@pytest.mark.parametrize("role", [ids.ROLE_OBSERVER, ids.ROLE_TABLE, ids.ROLE_RECORDER])
def test_only_an_auditor_is_told_a_seed(role: int) -> None:
    stage = started(role)
    send(stage, stage.peer.frame(stage.peer.session, ids.CLASS_DIAGNOSTIC, ids.SEED_GET, []))
    assert stage.peer.seeds == []
