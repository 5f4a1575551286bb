"""The service port: who may bring a key, when, and what the table hears of it."""

from services import (
    CARDS,
    KEY,
    NEW_KEY,
    THIRD_KEY,
    changes,
    device,
    install_frame,
    plug,
    plugged,
    records,
    rotate_frame,
    rotation,
    seal_is_good,
    send,
    turn,
)
from support import act, check_stage, fields_of, to_device

from firmware.games.flow import SHUFFLING
from firmware.journal.cells import CELL_SIZE, MARK_CELL
from firmware.link.service import ROOM_MIN
from firmware.protocol import ids
from firmware.protocol.session import Session
from rig.peer import Peer

STEP_BITS = 5  # of a message: every fifth bit is tried, in the VM's time


def key_of(stage):
    return stage.rig.app.service.keys.key


def opens(stage, key, role=ids.ROLE_OBSERVER):
    """Whether a host with this key gets in, at the port that is the link."""
    peer = Peer(key, role)
    peer.hellos = 77
    if stage.rig.hal.service:
        stage.service = peer
        stage.to_service(peer.hello())
    else:
        stage.peer = peer
        stage._to_device(peer.hello())
    stage.run(1500)
    return peer.welcomes > 0


# -- the first key ----------------------------------------------------------------------------------------------------


def test_a_first_key_is_taken_at_the_service_port_only():
    stage = device()
    to_device(stage, install_frame(KEY), 400)
    assert stage.peer.messages["key_is"][0] == ids.KEY_SWITCH_OFF
    assert key_of(stage) == b""
    plug(stage)
    assert send(stage, install_frame(KEY)) == ids.KEY_DONE
    assert key_of(stage) == KEY
    assert stage.service.messages["key_is"] == [ids.KEY_DONE, 1]
    assert changes(stage) == [(1, ids.KEY_FIRST)]
    assert opens(stage, KEY) and not opens(stage, NEW_KEY)


def test_the_answer_lets_a_host_check_its_key_and_tells_nothing_else():
    from hashlib import sha256

    stage = device()
    plug(stage)
    stage.service.frames = []
    assert send(stage, install_frame(KEY)) == ids.KEY_DONE
    check = sha256(b"fairshoe key 1" + KEY).digest()[:8]
    assert len([frame for frame in stage.service.frames if check in frame]) == 1
    assert KEY not in bytes(stage.rig.hal.service_sent) + b"".join(stage.service.frames)


def test_what_was_sent_to_the_service_port_before_the_switch_is_not_heard_after_it():
    stage = device()
    stage.to_service(install_frame(KEY))
    stage.run(500)
    plug(stage)
    stage.run(500)
    assert key_of(stage) == b""


# -- another key without the one in force ------------------------------------------------------------------------------


def test_a_key_is_replaced_only_with_the_door_open():
    stage = plugged()
    assert send(stage, install_frame(NEW_KEY)) == ids.KEY_DOOR_SHUT
    assert key_of(stage) == KEY
    act(stage, 300, "open")
    assert send(stage, install_frame(NEW_KEY)) == ids.KEY_DONE
    assert key_of(stage) == NEW_KEY
    assert changes(stage) == [(2, ids.KEY_REPLACED)]


def test_an_open_door_alone_replaces_nothing():
    stage = device(KEY)
    act(stage, 300, "open")
    to_device(stage, install_frame(NEW_KEY), 400)
    assert key_of(stage) == KEY
    assert changes(stage) == []


# -- rotation ----------------------------------------------------------------------------------------------------------


def test_a_key_is_rotated_with_the_one_in_force():
    stage = plugged()
    assert send(stage, rotate_frame(rotation(KEY, NEW_KEY))) == ids.KEY_DONE
    assert key_of(stage) == NEW_KEY
    assert changes(stage) == [(2, ids.KEY_ROTATED)]
    assert opens(stage, NEW_KEY) and not opens(stage, KEY)


def test_a_rotation_made_with_another_key_is_refused():
    stage = plugged()
    assert send(stage, rotate_frame(rotation(THIRD_KEY, NEW_KEY))) == ids.KEY_WRONG
    assert key_of(stage) == KEY
    stage = device()
    plug(stage)
    assert send(stage, rotate_frame(rotation(bytes(32), NEW_KEY))) == ids.KEY_WRONG
    assert key_of(stage) == b""


def test_a_change_of_which_one_write_fails_is_made_or_not_and_the_journal_says_the_same():
    """Seals and the record of the change name the key in force, until the next boot and after it."""
    for failing in range(2):
        stage = plugged()
        chip = stage.rig.hal
        writes = []

        def prog(address, buf, chip=chip, writes=writes, failing=failing):
            if address < MARK_CELL * CELL_SIZE:
                writes.append(address)
                if len(writes) == failing + 1:
                    return False
            return chip.nv.prog(address, buf)

        chip.nv_prog = prog
        made = failing == 1
        answer = send(stage, rotate_frame(rotation(KEY, NEW_KEY)))
        assert answer == (ids.KEY_DONE if made else ids.KEY_STORAGE), failing
        assert not made or KEY not in bytes(chip.nv.data), "the second write is tried again"
        turn(stage, "off")
        for _ in range(2):
            assert changes(stage) == ([(2, ids.KEY_ROTATED)] if made else []), failing
            assert key_of(stage) == (NEW_KEY if made else KEY), failing
            for _message, body, record in [found for found in records(stage) if found[0] == ids.EV_SEALED]:
                assert seal_is_good(stage, record, NEW_KEY if body[0] == 2 else KEY), (failing, body[0])
            stage.rig.boot()
            stage.run(9000)


def test_a_rotation_that_was_recorded_does_nothing_a_second_time():
    stage = plugged()
    frame = rotate_frame(rotation(KEY, NEW_KEY))
    assert send(stage, frame) == ids.KEY_DONE
    assert send(stage, frame) == ids.KEY_WRONG
    assert key_of(stage) == NEW_KEY
    assert len(changes(stage)) == 1


def test_a_rotation_with_any_bit_changed_is_refused():
    stage = plugged()
    body = rotation(KEY, NEW_KEY)
    for bit in range(0, len(body) * 8, STEP_BITS):
        other = bytearray(body)
        other[bit >> 3] ^= 1 << (bit & 7)
        assert send(stage, rotate_frame(bytes(other)), 20) == ids.KEY_WRONG, bit
    assert key_of(stage) == KEY


def test_a_torn_message_is_no_message():
    stage = plugged()
    for frame in (rotate_frame(rotation(KEY, NEW_KEY)), install_frame(NEW_KEY)):
        for size in range(1, len(frame) - 1, 3):
            assert send(stage, frame[:size] + b"\0", 20) == -1, size
    assert key_of(stage) == KEY
    assert send(stage, rotate_frame(rotation(KEY, NEW_KEY))) == ids.KEY_DONE


# -- when --------------------------------------------------------------------------------------------------------------


def test_no_key_is_changed_in_an_open_round():
    stage = device(KEY)
    stage.play([("", 300, "load", CARDS), ("", 300, "press", "green"), ("deck_verified", 500, "press", "close")])
    stage.until("round_started", 5000)
    plug(stage)
    for frame in (rotate_frame(rotation(KEY, NEW_KEY)), install_frame(NEW_KEY)):
        assert send(stage, frame) == ids.KEY_ROUND_OPEN
    assert key_of(stage) == KEY


def shuffling_in_service():
    stage = plugged()
    stage.play([("", 300, "load", CARDS), ("", 300, "press", "green"), ("", 2000, "wait", 0)])
    assert stage.rig.app.flow.state == SHUFFLING
    return stage


def test_a_switch_that_is_turned_in_a_shuffle_counts_when_it_is_over():
    """Opening a port takes time, and when there is time in a shuffle depends on the cards."""
    stage = device(KEY)
    stage.play([("", 300, "load", CARDS), ("", 300, "press", "green"), ("", 2000, "wait", 0)])
    turn(stage, "on")
    for _ in range(200):
        if stage.rig.app.flow.state != SHUFFLING:
            break
        assert not stage.rig.hal.service
        stage.run(200)
    stage.run(500)
    assert stage.rig.hal.service
    check_stage(stage)


def test_a_key_that_comes_in_a_shuffle_waits_for_its_end():
    stage = shuffling_in_service()
    writes = stage.rig.nv.writes
    assert stage.rig.app.flow.state == SHUFFLING
    assert send(stage, rotate_frame(rotation(KEY, NEW_KEY))) == -1
    assert stage.rig.nv.writes == writes
    stage.run(40000)
    assert stage.service.messages["key_is"][0] == ids.KEY_DONE
    assert key_of(stage) == NEW_KEY
    check_stage(stage)


def test_a_key_that_waits_is_forgotten_when_the_switch_is_turned_off():
    stage = shuffling_in_service()
    assert send(stage, rotate_frame(rotation(KEY, NEW_KEY))) == -1
    turn(stage, "off")
    stage.run(40000)
    assert not any(stage.rig.app.service.key)
    assert key_of(stage) == KEY
    assert changes(stage) == []


def test_a_key_is_taken_only_where_the_journal_has_room_for_all_that_follows():
    for room, answer, key in ((ROOM_MIN - 1, ids.KEY_STORAGE, KEY), (ROOM_MIN, ids.KEY_DONE, NEW_KEY)):
        stage = device(KEY, cells=60)
        stage.peer.acknowledges = False
        plug(stage)
        stage.service.acknowledges = False
        app = stage.rig.app
        while app.journal.room() > room:
            app.outbox.post(ids.EV_CLOCK_SET)
            stage.run(50)
        assert app.journal.room() == room
        assert send(stage, rotate_frame(rotation(KEY, NEW_KEY))) == answer
        assert key_of(stage) == key and app.outbox.count == 0


def test_storage_that_fails_is_told_and_the_old_key_stays():
    stage = plugged()
    stage.run(500)
    stage.rig.nv.broken = True
    assert send(stage, rotate_frame(rotation(KEY, NEW_KEY))) == ids.KEY_STORAGE
    assert key_of(stage) == KEY
    stage.rig.nv.broken = False
    stage.run(3000)
    assert opens(stage, KEY)


# -- power -------------------------------------------------------------------------------------------------------------


def test_power_cut_at_every_write_of_a_change_leaves_one_key_and_a_record_of_it():
    """The old key, or the new one; if it is the new one the journal says so, before the first seal made with it."""
    reached = 0
    for write in range(12):
        stage = plugged()
        stage.run(500)
        stage.act("cut_at_write", {"write": write, "bytes": 50})
        stage.to_service(rotate_frame(rotation(KEY, NEW_KEY)))
        stage.run(1000)
        if stage.rig.powered:
            break
        reached += 1
        stage.act("boot", {})
        stage.rig.nv.cut_at = -1
        stage.run(3000)
        key = key_of(stage)
        assert key in (KEY, NEW_KEY), write
        assert (KEY in bytes(stage.rig.nv.data)) == (key == KEY), write
        found = changes(stage)
        assert [generation for generation, _how in found] == ([2] if key == NEW_KEY else []), (write, found)
        generation = 1
        for message, body, record in records(stage):
            if message == ids.EV_KEY_CHANGED:
                generation = body[0]
            elif message == ids.EV_SEALED:
                assert body[0] == generation, write
                assert seal_is_good(stage, record, KEY if generation == 1 else NEW_KEY), write
    assert reached >= 4, reached


# -- ports -------------------------------------------------------------------------------------------------------------


def test_the_table_hears_nothing_and_is_not_heard_while_the_switch_is_on():
    stage = device(KEY)
    heard = stage.peer.valid
    number = stage.rig.app.link.session.number
    plug(stage, KEY, ids.ROLE_SERVICE)
    before = len(stage.peer.events)
    for action in ("open", "close"):
        act(stage, 3000, action)
    assert len(stage.peer.events) == before
    assert stage.peer.valid <= heard + 2, "nothing but what was under way when the switch was turned"
    assert "door_opened" in [event.name for event in stage.service.events]
    # Its session is over: whatever was made in it is good for nothing.
    assert stage.rig.app.link.session.number != number
    assert stage.peer.results == []


def test_turning_the_switch_ends_every_session_and_is_recorded():
    stage = device(KEY)
    plug(stage, KEY, ids.ROLE_SERVICE)
    assert stage.service.welcomes == 1
    late = stage.service.command(1, ids.CMD_ACKNOWLEDGE_WARNING)
    turn(stage, "off")
    stage.rig.hal.received.extend(late)
    stage.rig.plant.changed = True
    stage.run(4000)
    told = [body[0] for message, body, _record in records(stage) if message == ids.EV_SERVICE]
    assert told == [1, 0]
    assert stage.service.results == []


def test_a_switch_is_believed_when_it_has_stayed_as_it_is():
    """Noise on its line would fill the journal, and take the link from its host every time."""
    for held_ms, told in ((3, []), (45, []), (60, [1, 0] * 4)):
        stage = device(KEY)
        for _ in range(4):
            act(stage, held_ms, "key", to="on")
            act(stage, held_ms, "key", to="off")
        stage.run(5000)
        assert [fields[0] for fields in fields_of(stage, "service")] == told, held_ms
        check_stage(stage)


def test_a_device_that_boots_with_the_switch_on_is_in_service():
    stage = plugged()
    act(stage, 1000, "boot")
    assert stage.rig.hal.service
    assert opens(stage, KEY, ids.ROLE_SERVICE)


# -- the role ----------------------------------------------------------------------------------------------------------


def test_the_role_of_service_needs_the_key_switch():
    stage = device(KEY)
    assert not opens(stage, KEY, ids.ROLE_SERVICE)
    assert stage.peer.refusals[-1] == ids.REFUSED_SWITCH
    turn(stage, "on")
    assert opens(stage, KEY, ids.ROLE_SERVICE)
    turn(stage, "off")
    assert not opens(stage, KEY, ids.ROLE_SERVICE)


def test_a_session_of_service_does_not_outlive_the_switch():
    stage = device(KEY)
    plug(stage, KEY, ids.ROLE_SERVICE)
    turn(stage, "off")
    assert stage.rig.app.link.session.role == ids.ROLE_CLEAR
    assert stage.rig.app.link.session.hmac is None


def test_keys_in_a_keyed_session_are_taken_like_any_other():
    stage = device(KEY)
    plug(stage, KEY, ids.ROLE_SERVICE)
    peer = stage.service
    body = rotation(KEY, NEW_KEY)
    assert send(stage, peer.frame(peer.session, ids.CLASS_DIAGNOSTIC, ids.KEY_ROTATE, [], body)) == ids.KEY_DONE
    assert peer.session.number != stage.rig.app.link.session.number, "it was made with a key that is no more"
    assert opens(stage, NEW_KEY, ids.ROLE_SERVICE)


def test_the_key_is_in_no_byte_that_leaves_the_device():
    stage = device()
    plug(stage)
    start = len(stage.transcript)
    frame = install_frame(KEY)
    send(stage, frame)
    stage.run(3000)
    told = bytes(stage.transcript[start:])
    assert told.count(frame[1:-1]) == 1, "what came in"
    for at in range(0, 32, 8):
        assert told.count(KEY[at : at + 8]) <= 1


def test_a_session_number_of_nobody_gets_no_answer_to_a_question_about_the_journal():
    stage = plugged()
    stage.to_service(Peer().frame(Session(), ids.CLASS_DIAGNOSTIC, ids.JOURNAL_GET, [0]))
    stage.run(500)
    assert "journal_is" not in stage.service.messages
