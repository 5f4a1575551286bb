"""Seals: often enough, under the key in force, over everything before them."""

import services
from support import act, to_device

from firmware.digest import Hmac
from firmware.journal.seals import SEAL_EVERY, Sealer
from firmware.protocol import ids
from firmware.protocol.session import role_key

_AFTER = (ids.EV_BOOTED, ids.EV_ROUND_ENDED, ids.EV_ROUND_VOIDED, ids.EV_KEY_CHANGED, ids.EV_SERVICE)


def play_round(stage):
    steps = [("", 300, "load", services.CARDS), ("", 300, "press", "green"), ("deck_verified", 500, "press", "seat")]
    steps += [("", 500, "press", "close"), ("stack_offered", 500, "take", 0), ("stack_offered", 500, "take", 0)]
    steps += [("stack_taken", 700, "press", "green"), ("remainder_released", 900, "take", 0)]
    steps += [("remainder_taken", 900, "press", "green"), ("round_ended", 500, "wait", 0)]
    stage.play(steps)


def messages(stage):
    return [message for message, _body, _record in services.records(stage)]


def test_every_round_boot_and_turn_of_the_switch_is_followed_by_a_seal():
    stage = services.device(services.KEY)
    play_round(stage)
    services.turn(stage, "on")
    services.turn(stage, "off")
    act(stage, 1000, "boot")
    found = messages(stage)
    for i in range(len(found)):
        if found[i] in _AFTER:
            assert ids.EV_SEALED in found[i + 1 : i + 4], i
    assert found.count(ids.EV_SEALED) >= 5


def test_every_seal_is_good_under_the_key_and_under_no_other():
    stage = services.device(services.KEY)
    play_round(stage)
    seals = [record for message, _body, record in services.records(stage) if message == ids.EV_SEALED]
    assert len(seals) == 2
    for record in seals:
        assert services.seal_is_good(stage, record, services.KEY)
        assert not services.seal_is_good(stage, record, services.NEW_KEY)
        assert not services.seal_is_good(stage, record, role_key(services.KEY, ids.ROLE_TABLE))


def test_no_more_records_than_allowed_lie_between_two_seals():
    stage = services.device(services.KEY)
    for i in range(80):
        act(stage, 300, "open" if i % 2 == 0 else "close")
    found = messages(stage)
    since = 0
    for message in found:
        since = 0 if message == ids.EV_SEALED else since + 1
        assert since <= SEAL_EVERY
    assert len(found) > 2 * SEAL_EVERY


def test_without_a_key_there_are_no_seals_and_from_the_first_key_on_there_are():
    stage = services.device()
    play_round(stage)
    assert ids.EV_SEALED not in messages(stage)
    services.plug(stage)
    assert services.send(stage, services.install_frame(services.KEY)) == ids.KEY_DONE
    found = messages(stage)
    at = found.index(ids.EV_KEY_CHANGED)
    assert ids.EV_SEALED not in found[:at]
    assert found[at + 1] == ids.EV_SEALED


def test_the_last_record_before_a_change_is_a_seal_under_the_old_key_and_the_first_after_it_one_under_the_new():
    stage = services.device(services.KEY)
    play_round(stage)
    services.plug(stage)
    act(stage, 200, "open")
    assert (
        services.send(stage, services.rotate_frame(services.rotation(services.KEY, services.NEW_KEY))) == ids.KEY_DONE
    )
    found = services.records(stage)
    at = [message for message, _body, _record in found].index(ids.EV_KEY_CHANGED)
    assert found[at - 1][0] == ids.EV_SEALED
    assert services.seal_is_good(stage, found[at - 1][2], services.KEY)
    assert found[at + 1][0] == ids.EV_SEALED
    assert found[at + 1][1][0] == 2
    assert services.seal_is_good(stage, found[at + 1][2], services.NEW_KEY)


def test_a_seal_covers_everything_before_it():
    """Every byte of the record before changes the hash that the seal was made over."""
    from hashlib import sha256

    stage = services.device(services.KEY)
    play_round(stage)
    found = services.records(stage)
    at = len(found) - 1
    assert found[at][0] == ids.EV_SEALED
    before, seal = found[at - 1][2], found[at][2]
    assert sha256(before).digest() == seal[60:]
    for i in range(0, 92, 7):
        other = bytearray(before)
        other[i] ^= 1
        forged = seal[:60] + sha256(other).digest()
        assert not services.seal_is_good(stage, forged, services.KEY)


def test_what_there_is_is_told_under_the_seal_key():
    stage = services.device(services.KEY)
    play_round(stage)
    stage.peer.frames = []
    to_device(stage, stage.peer.frame(stage.peer.session, ids.CLASS_DIAGNOSTIC, ids.JOURNAL_GET, [0]), 300)
    frames = [frame for frame in stage.peer.frames if frame[2] == ids.JOURNAL_IS and frame[3] == 0]
    body = frames[0][8:86]
    hmac = Hmac(Hmac(services.KEY).digest(b"fairshoe seal", b""))
    number = stage.rig.hal.unique_id().to_bytes(4, "little")
    assert hmac.digest(b"fairshoe journal 1" + number, body[:62])[:16] == body[62:78]
    assert body[14:30] == stage.rig.app.journal.log
    assert body[30:62] == stage.rig.app.journal.head
    assert body[4] | body[5] << 8 == stage.rig.app.journal.seq_last


class NoKey:
    key = b""

    def generation(self):
        return 0


class OneKey:
    key = services.KEY

    def generation(self):
        return 0x1234


def test_a_seal_is_due_after_32_records_or_at_once_after_an_event_that_asks_for_one():
    sealer = Sealer(OneKey(), 1)
    assert not sealer.due() and not sealer.open()
    for count in range(1, 35):
        sealer.note(ids.EV_DOOR_OPENED)
        assert sealer.open()
        assert sealer.due() == (count >= 32)
    for message in _AFTER + (ids.EV_SIGNING_KEY,):
        sealer.note(ids.EV_SEALED)
        assert not sealer.due() and not sealer.open()
        sealer.note(message)
        sealer.note(ids.EV_DOOR_OPENED)
        assert sealer.due()


def test_without_a_key_no_seal_is_due_and_nothing_is_signed():
    sealer = Sealer(NoKey(), 1)
    sealer.note(ids.EV_BOOTED)
    assert not sealer.due() and not sealer.open()
    record = bytearray(b"r" * 60)
    sealer.sign(b"before", record, 50)
    assert record == b"r" * 60
    assert sealer.attest(b"numbers", b"log", b"head") == b"numbers\x00\x00loghead" + bytes(16)


def test_a_seal_is_the_mac_of_all_before_it_and_of_its_record_up_to_it():
    sealer = Sealer(OneKey(), 0x01020304)
    hmac = Hmac(Hmac(services.KEY).digest(b"fairshoe seal", b""))
    record = bytearray(range(60))
    sealer.sign(b"before", record, 50)
    assert record == bytes(range(34)) + hmac.digest(b"before", bytes(range(34)))[:16] + bytes(range(50, 60))
    told = b"numbers\x34\x12loghead"
    mac = hmac.digest(b"fairshoe journal 1\x04\x03\x02\x01", told)[:16]
    assert sealer.attest(b"numbers", b"log", b"head") == told + mac
