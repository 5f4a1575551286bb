"""Signatures of the journal: on request, at rest, under a key that is on record before it signs."""

import sys

from services import KEY, NEW_KEY, device, plug, records, rotate_frame, rotation, send, turn
from support import act, to_device
from test_ed25519 import result

from firmware.games.flow import SHUFFLING
from firmware.journal.cells import CELL_SIZE, SIGNING_CELL
from firmware.protocol import ids
from firmware.protocol.frame import CRC_SIZE, HEADER_SIZE, frame_message
from firmware.protocol.session import MAC_SIZE, Session
from firmware.signing.ed25519 import sign
from firmware.signing.signer import ROOM_MIN

RELOADS = sys.implementation.name == "cpython"
ATTESTED = 62
PUBLIC_AT = 78
SIGNATURE_AT = 110
CHANGES = 4  # moments at which the key is changed, beside the first four
SEED_AT = SIGNING_CELL * CELL_SIZE + 8


def ask(stage, run_ms=3000):
    """The body of the newest journal_signed, after so long; empty if none came."""
    peer = stage.peer
    peer.frames = []
    to_device(stage, peer.frame(peer.session, ids.CLASS_DIAGNOSTIC, ids.JOURNAL_SIGN, []), run_ms)
    keyed = MAC_SIZE if peer.session.hmac else 0
    found = [frame for frame in peer.frames if frame_message(frame) == ids.JOURNAL_SIGNED]
    return found[-1][HEADER_SIZE : len(found[-1]) - CRC_SIZE - keyed] if found else b""


def keys_on_record(stage):
    """(generation, public key) of every signing_key."""
    found = [body for message, body, _record in records(stage) if message == ids.EV_SIGNING_KEY]
    return [(body[0] | body[1] << 8, body[2:]) for body in found]


def seed_of(stage):
    return bytes(stage.rig.nv.data[SEED_AT : SEED_AT + 32])


def test_the_key_is_on_record_and_the_signature_is_of_the_last_record():
    stage = device(KEY)
    body = ask(stage)
    journal = stage.rig.app.journal
    public = body[PUBLIC_AT:SIGNATURE_AT]
    assert keys_on_record(stage) == [(1, public)]
    assert body[4:8] == journal.seq_last.to_bytes(4, "little")
    assert body[30:ATTESTED] == journal.head
    message = b"fairshoe signed journal 1" + stage.rig.hal.unique_id().to_bytes(4, "little") + body[:ATTESTED]
    assert result(sign(seed_of(stage), public, message))[0] == body[SIGNATURE_AT:]
    # The same key again, over what is recorded since; nothing in the device knows the seed but the cell.
    turn(stage, "on")
    turn(stage, "off")
    stage.run(2000)
    again = ask(stage)
    assert again[PUBLIC_AT:SIGNATURE_AT] == public
    assert again[:8] != body[:8] and again[SIGNATURE_AT:] != body[SIGNATURE_AT:]
    assert len(keys_on_record(stage)) == 1
    assert not any(stage.rig.app.queries.signer.cell)


def test_another_device_key_brings_another_signing_key():
    stage = device(KEY)
    first = ask(stage)[PUBLIC_AT:SIGNATURE_AT]
    plug(stage)
    assert send(stage, rotate_frame(rotation(KEY, NEW_KEY))) == ids.KEY_DONE
    turn(stage, "off")
    stage.peer.key = NEW_KEY
    stage.run(12000)
    second = ask(stage)[PUBLIC_AT:SIGNATURE_AT]
    assert first != second and any(second)
    assert keys_on_record(stage) == [(1, first), (2, second)]


def test_nothing_is_signed_in_a_shuffle_and_the_answer_comes_after_it():
    stage = device(KEY)
    ask(stage)
    act(stage, 300, "load", cards=8)
    stage.act("press", {"button": "green"})
    for _ in range(2000):
        if stage.rig.app.flow.state == SHUFFLING:
            break
        stage.run(5)
    body = ask(stage, 200)
    assert stage.rig.app.flow.state == SHUFFLING
    signer = stage.rig.app.queries.signer
    assert body == b"" and signer.work is not None and not any(signer.cell)
    stage.until("deck_verified", 60000, then_ms=1000)
    assert stage.peer.messages["journal_signed"][1] >= stage.peer.events[-1].seq - 2
    assert signer.work is None


def test_no_key_is_made_in_a_round_or_without_healthy_noise():
    stage = device(KEY)
    stage.rig.app.flow.round_open = True
    body = ask(stage)
    assert len(body) == SIGNATURE_AT and not any(body[PUBLIC_AT:])
    stage.rig.app.flow.round_open = False
    stage.rig.hal.entropy_ok = False
    body = ask(stage)
    assert len(body) == SIGNATURE_AT and not any(body[PUBLIC_AT:])
    assert keys_on_record(stage) == []


def test_a_signing_key_is_made_only_where_the_journal_has_room_for_its_record():
    for room, made in ((ROOM_MIN - 1, 0), (ROOM_MIN, 1)):
        stage = device(KEY, cells=60)
        stage.peer.acknowledges = False
        app = stage.rig.app
        while app.journal.room() > room:
            app.outbox.post(ids.EV_CLOCK_SET)
            stage.run(50)
        assert app.journal.room() == room
        ask(stage)
        assert len(keys_on_record(stage)) == made and app.outbox.count == 0


def test_a_read_that_fails_once_makes_no_new_key():
    stage = device(KEY)
    first = ask(stage)[PUBLIC_AT:SIGNATURE_AT]
    hal = stage.rig.hal
    read = hal.nv_read
    seen = []

    def loose(address, buf):
        if address == SIGNING_CELL * CELL_SIZE:
            seen.append(address)
        return len(seen) != 1 and read(address, buf)

    hal.nv_read = loose
    body = ask(stage)
    assert seen and not any(body[PUBLIC_AT:]), "no signature is better than another key"
    hal.nv_read = read
    assert ask(stage)[PUBLIC_AT:SIGNATURE_AT] == first
    assert keys_on_record(stage) == [(1, first)]


def test_a_scan_makes_one_step_of_a_signature_at_most_and_the_next_scan_comes_at_once():
    """So a signature delays no scan by more than its longest step, which docs/BUDGETS.md has."""
    stage = device(KEY)
    ask(stage)
    app = stage.rig.app
    scan, step = app.scan, app.queries.signer.step
    steps = [0]
    scans = []

    def counted(utc_s):
        steps[0] += 1
        return step(utc_s)

    def watched(now_ms):
        steps[0] = 0
        wake_ms = scan(now_ms)
        scans.append((steps[0], wake_ms))
        return wake_ms

    app.scan = watched
    app.queries.signer.step = counted
    assert any(ask(stage)[SIGNATURE_AT:])
    worked = [wake_ms for count, wake_ms in scans if count]
    assert max([count for count, _wake_ms in scans]) == 1 and len(worked) > 100
    assert max(worked[:-1]) <= 1


def test_a_door_opened_while_it_signs_is_noticed_as_fast_as_ever():
    took = []
    for signing in (False, True):
        stage = device(KEY)
        ask(stage)
        peer = stage.peer
        if signing:
            stage._to_device(peer.frame(peer.session, ids.CLASS_DIAGNOSTIC, ids.JOURNAL_SIGN, []))
        stage.run(20)
        assert (stage.rig.app.queries.signer.work is not None) == signing
        stage.act("open", {})
        start_us = stage.rig.plant.now_us
        while not stage.rig.app.flow.door.is_open:
            stage.run(1)
        took.append(stage.rig.plant.now_us - start_us)
    assert took[1] <= took[0] + 1000, took


def test_a_device_without_the_code_says_that_it_cannot_sign():
    stage = device(KEY)
    stage.rig.app.queries.signer = None
    body = ask(stage, 100)
    assert len(body) == SIGNATURE_AT and not any(body[PUBLIC_AT:])
    assert body[30:ATTESTED] == stage.rig.app.journal.head
    assert any(body[ATTESTED:PUBLIC_AT])  # sealed as ever


def test_a_device_with_a_key_does_not_sign_in_clear():
    stage = device(KEY)
    to_device(stage, stage.peer.frame(Session(), ids.CLASS_DIAGNOSTIC, ids.JOURNAL_SIGN, []), 100)
    assert stage.rig.app.queries.signer.work is None and not stage.rig.app.queries.signing


def test_power_lost_between_record_and_cell_costs_a_key_that_has_signed_nothing():
    stage = device(KEY)
    peer = stage.peer
    stage._to_device(peer.frame(peer.session, ids.CLASS_DIAGNOSTIC, ids.JOURNAL_SIGN, []))
    while not stage.rig.app.outbox.count:
        stage.rig.step(stage.rig.plant.now_us + 1000)
    nv = stage.rig.nv
    nv.cut_at = nv.writes + 2  # after the record and its seal
    nv.cut_bytes = 50
    stage.run(100)
    assert stage.rig.struck and len(keys_on_record(stage)) == 1 and any(seed_of(stage))
    nv.cut_at = -1
    act(stage, 12000, "boot")
    body = ask(stage)
    lost, kept = keys_on_record(stage)
    assert lost[1] != kept[1] == body[PUBLIC_AT:SIGNATURE_AT]


def test_an_answer_is_for_the_session_that_asked():
    for changed in (0, 1):
        stage = device(KEY)
        queries = stage.rig.app.queries
        queries.signer = None
        queries.ask_signature(stage.rig.app.link)
        queries.session ^= changed  # another host has come since
        stage.run(1000)
        assert ("journal_signed" in stage.peer.messages) == (not changed)
        assert not queries.signing


if RELOADS:

    def test_the_code_of_signatures_is_loaded_by_the_first_request():
        """On an RP2040 it takes 3.6 KB of the heap."""
        for name in [name for name in sys.modules if name.startswith("firmware.signing.")]:
            del sys.modules[name]
        stage = device(KEY)
        assert "firmware.signing.ed25519" not in sys.modules
        assert len(ask(stage)) == SIGNATURE_AT + 64
        assert "firmware.signing.ed25519" in sys.modules


def test_a_second_request_does_not_begin_anew_and_the_last_step_says_so():
    signer = device(KEY).rig.app.queries.signer
    signer.ask()
    work = signer.work
    signer.ask()
    assert signer.work is work
    signer.work = iter([None, None])
    assert [signer.step(7) for _ in range(4)] == [False, False, True, False]
    assert signer.work is None and signer.utc_s == 7


def test_a_key_that_changes_at_any_step_of_a_signature_leaves_the_signature_to_one_of_the_two():
    """The attestation names a generation: under another key the honest journal would look forged."""
    step, total = 0, 1
    while step < total:
        stage = device(KEY)
        app = stage.rig.app
        signer = app.queries.signer
        signer.ask()
        steps = 0
        while signer.work is not None:
            if steps == step:
                assert app.service.keys.store(NEW_KEY)
                app.journal.sealer.rekey()
                app.outbox.post(ids.EV_KEY_CHANGED, 2, ids.KEY_ROTATED)
            app.recorder.record_all()
            signer.step(0)
            steps += 1
        body = signer.answer
        generation = body[12] | body[13] << 8
        public = body[PUBLIC_AT:SIGNATURE_AT]
        assert (generation, public) in keys_on_record(stage), step
        message = b"fairshoe signed journal 1" + stage.rig.hal.unique_id().to_bytes(4, "little") + body[:ATTESTED]
        if generation == 2:
            assert result(sign(seed_of(stage), public, message))[0] == body[SIGNATURE_AT:], step
        total = max(total, steps)
        step += 1 if step < 4 else total // CHANGES + 1
