"""A device that holds a key: nothing sent in clear acknowledges, commands, sets the clock or changes the key.

Each message of the table is tried, with `clear_ack` on in the board config, in a clear session that is in force and
beside a keyed one that is alive. A host with the key then receives every event.
"""

from support import GAME, board, to_device

from firmware.link.admission import REFUSE_CLEAR
from firmware.protocol import ids, table
from firmware.protocol.codec import VALUES_MAX
from rig import stories
from rig.peer import Peer
from rig.story import Stage

KEY = bytes(range(32))
TEXT = bytes(range(100, 180))  # longer than any text or key in a message


def keyed_device(key=KEY, role=ids.ROLE_CLEAR, acknowledges=True):
    stage = Stage(board(link={"mode": "table", "clear_ack": True}), GAME, 7, key, role)
    stage.peer.acknowledges = acknowledges
    stage.play(stories.start())
    return stage


def facts(stage):
    """What a message must not change."""
    app = stage.rig.app
    return (
        app.journal.seq_acked,
        app.reporter.seq_received,
        app.journal.seq_last,
        app.link.key,
        app.recorder.utc_s(),
        app.flow.state,
        app.runner.role,
        app.service.how,
    )


def try_all(stage, session):
    """Send every message in clear, in this session and outside of all; return those that changed a fact."""
    attacker = Peer()
    worked = []
    for message, kind, spec in table.MESSAGES:
        for number in (session, 0):
            before = facts(stage)
            attacker.session.number = number
            attacker.session.hmac = None
            values = [before[2]] + [1] * (VALUES_MAX - 1)  # for an acknowledgement: of the newest event
            to_device(stage, attacker.frame(attacker.session, kind, message, values, TEXT), 300)
            if facts(stage) != before:
                worked.append(spec.split()[0])
    return worked


def test_no_message_in_clear_changes_anything_on_a_keyed_device():
    stage = keyed_device(acknowledges=False)
    assert stage.rig.app.journal.seq_last > stage.rig.app.reporter.seq_received
    assert not stage.rig.app.link.session.hmac and stage.rig.app.link.session.number
    assert try_all(stage, stage.rig.app.link.session.number) == []
    assert stage.rig.app.link.refused[REFUSE_CLEAR] > 10


def test_no_message_in_clear_changes_anything_beside_a_live_keyed_session():
    stage = keyed_device(role=ids.ROLE_TABLE, acknowledges=False)
    session = stage.rig.app.link.session
    assert session.hmac
    assert try_all(stage, session.number) == []
    assert stage.rig.app.link.session is session


def test_events_that_a_clear_host_acknowledged_reach_the_keyed_host_all_the_same():
    stage = keyed_device()  # its peer acknowledges every event, in clear
    assert stage.names() == ["booted", "sealed", "empty_proved"]
    assert stage.rig.app.journal.seq_acked == 0
    stage.peer = Peer(KEY, ids.ROLE_TABLE)
    to_device(stage, stage.peer.hello(), 2000)
    assert [event.seq for event in stage.peer.events] == [1, 2, 3]
    assert stage.rig.app.journal.seq_acked == 3


def test_a_device_without_a_key_takes_acknowledgements_in_clear_where_its_config_says_so():
    stage = keyed_device(key=b"")
    stage.run(500)
    assert stage.rig.app.journal.seq_acked == stage.rig.app.journal.seq_last
