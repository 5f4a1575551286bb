"""Sessions: only who holds the key is believed, once, in this session and direction; everything else is counted."""

from support import GAME, act, board, check_stage, replaced, to_device

from firmware.digest import Hmac
from firmware.link import admission
from firmware.link.report import COUNTERS_MS
from firmware.protocol import ids
from firmware.protocol import session as sessions
from firmware.protocol.cobs import cobs_decode
from firmware.protocol.codec import TYPE_RAW, VALUES_MAX, unpack
from firmware.protocol.frame import DROP_KINDS, HEADER_SIZE, frame_message
from rig import stories
from rig.peer import Peer
from rig.story import Stage

KEY = bytes(range(32))
OTHER_KEY = bytes(range(1, 33))


def keyed(role=ids.ROLE_TABLE, mode="table", key=KEY, clear_ack=False, peer_key=None):
    stage = Stage(board(link={"mode": mode, "clear_ack": clear_ack}), GAME, 7, key, role)
    if peer_key is not None:
        stage.peer.key = peer_key
    return stage


def at_rest(**settings):
    """The same, booted and proved empty."""
    stage = keyed(**settings)
    stage.play(stories.start())
    return stage


def refused(stage, kind):
    return stage.rig.app.link.refused[kind]


def send(stage, data):
    to_device(stage, data, 50)


def test_keys_are_made_of_every_byte_that_the_protocol_names():
    role = Hmac(KEY).digest(b"fairshoe role", b"\x02")
    assert sessions.role_key(KEY, ids.ROLE_TABLE) == role
    key = Hmac(role).digest(b"fairshoe session" + b"\x01\xff\x92", b"h" * 16 + b"d" * 16)
    assert sessions.session_hmac(role, 1, 0x92FF, b"h" * 16, b"d" * 16).digest(b"a", b"b") == Hmac(key).digest(
        b"ab", b""
    )
    assert [sessions.MAC_SIZE, sessions.NONCE_SIZE, sessions.KEY_SIZE] == [16, 16, 32]
    assert sessions.FROM_HOST + sessions.FROM_DEVICE == b"HD"
    assert [sessions.SEQUENCE_WARN, sessions.SEQUENCE_MAX] == [0xFF00, 0xFFFF]


def test_link_sequences_of_a_session_begin_at_zero_in_both_directions():
    session = sessions.Session()
    for _ in range(2):
        assert (session.sent, session.received) == (0, -1)
        session.sent = session.received = 9
        sessions.session_open(session, 5, ids.ROLE_TABLE, None, 1234)
    assert (session.number, session.role, session.hmac) == (5, ids.ROLE_TABLE, None)
    assert (session.heard_ms, session.alive) == (1234, True)


def test_before_a_hello_there_is_the_clear_session_zero_that_has_heard_of_no_host():
    session = sessions.Session()
    assert (session.number, session.role, session.hmac, session.alive) == (0, ids.ROLE_CLEAR, None, False)


def received(stage, message):
    """The integers of every frame with this message that came since stage.peer.frames was emptied."""
    codes = stage.peer.codes[message]
    count = len([code for code in codes if code < TYPE_RAW])
    found = []
    for frame in stage.peer.frames:
        if frame_message(frame) == message:
            values = [0] * VALUES_MAX
            unpack(bytearray(frame), HEADER_SIZE, codes, values)
            found.append(values[:count])
    return found


def test_a_welcome_says_which_device_boot_mode_key_events_and_command_it_has():
    for key, role in ((KEY, ids.ROLE_TABLE), (KEY, ids.ROLE_AUDITOR), (b"", ids.ROLE_CLEAR)):
        stage = at_rest(role=role, key=key)
        act(stage, 3000, "boot")
        app = stage.rig.app
        app.journal.lanes.by_role[ids.ROLE_TABLE].op = 77
        stage.peer.frames = []
        acked = app.reporter.seq_received
        send(stage, stage.peer.hello())
        welcome = received(stage, ids.WELCOME)[0]
        last = app.journal.seq_last
        has_key = 1 if key else 0
        op = 77 if role == ids.ROLE_TABLE else 0
        assert welcome == [1, role, stage.rig.hal.unique_id(), 2, ids.MODE_TABLE, has_key, acked + 1, last, op]


def test_a_refusal_has_its_reason_and_detail():
    stage = at_rest()
    other = Peer(KEY, ids.ROLE_OBSERVER)
    stage.peer.frames = []
    send(stage, other.hello())
    assert received(stage, ids.REFUSED) == [[ids.REFUSED_BUSY, 0]]
    stage.run(1000)
    stage.peer.frames = []
    send(stage, Peer(KEY, ids.ROLE_COUNT).hello())
    assert received(stage, ids.REFUSED) == [[ids.REFUSED_ROLE, ids.ROLE_COUNT]]
    stage.run(1000)
    stage.peer.frames = []
    send(stage, Peer(KEY, ids.ROLE_SERVICE).hello())
    assert received(stage, ids.REFUSED) == [[ids.REFUSED_SWITCH, 0]]


def test_counters_of_the_link_come_by_themselves_and_have_every_number_in_its_place():
    stage = at_rest()
    link = stage.rig.app.link
    for i in range(DROP_KINDS):
        link.reader.drops[i] = 100 + i
    for i in range(admission.REFUSE_KINDS):
        link.refused[i] = 200 + i
    stage.rig.app.reporter.resent = 300
    stage.peer.frames = []
    stage.run(2 * COUNTERS_MS + 1500)
    counters = received(stage, ids.LINK_COUNTERS)
    assert 2 <= len(counters) <= 3
    assert counters[0][1:] == list(range(100, 106)) + list(range(200, 207)) + [300]
    assert len(link.refused) == admission.REFUSE_KINDS == 7
    assert len(received(stage, ids.HEALTH)) == len(counters)


def test_a_keyed_session_carries_a_whole_round_and_every_frame_has_its_mac():
    stage = keyed()
    stage.play(stories.start() + stories.round_of(1))
    check_stage(stage)
    assert stage.names()[-2:] == ["round_ended", "sealed"]
    assert stage.peer.welcomes == 1
    assert stage.peer.session.hmac is not None
    # Clear frames before the welcome were not believed, and nothing was lost by that.
    assert stage.rig.app.journal.seq_acked == stage.rig.app.journal.seq_last


def test_the_wrong_key_gets_nothing_and_acknowledges_nothing():
    stage = keyed(peer_key=OTHER_KEY)
    stage.run(5000)
    assert stage.peer.welcomes == 0
    assert stage.peer.events == []
    assert stage.rig.app.journal.seq_acked == 0


class CountedHmac:
    """Counts the frames of hosts that are checked."""

    def __init__(self, hmac):
        self.hmac = hmac
        self.checked = 0

    def digest(self, label, data):
        self.checked += label == sessions.FROM_HOST
        return self.hmac.digest(label, data)


def test_a_replay_costs_no_mac_so_that_a_flood_of_them_does_not_slow_scans():
    stage = at_rest()
    peer = stage.peer
    good = peer.frame(peer.session, ids.CLASS_ACK, ids.EVENT_ACK, [2])
    session = stage.rig.app.link.session
    session.hmac = counted = CountedHmac(session.hmac)
    send(stage, good)
    once = counted.checked
    assert once > 0
    for _ in range(5):
        to_device(stage, good, 1)
    assert refused(stage, admission.REFUSE_REPLAY) == 5 and counted.checked == once


def test_a_wrong_mac_a_replay_a_reflection_and_another_session_are_each_refused_and_counted():
    stage = at_rest()
    peer = stage.peer
    good = peer.frame(peer.session, ids.CLASS_ACK, ids.EVENT_ACK, [2])
    send(stage, good)
    send(stage, good)
    assert refused(stage, admission.REFUSE_REPLAY) == 1
    wrong = Peer(OTHER_KEY, ids.ROLE_TABLE)
    wrong.session.number = peer.session.number
    wrong.session.hmac = Hmac(OTHER_KEY)
    wrong.session.sent = 500
    send(stage, wrong.frame(wrong.session, ids.CLASS_ACK, ids.EVENT_ACK, [2]))
    assert refused(stage, admission.REFUSE_MAC) == 1
    # What the device itself sent comes back to it.
    stage.rig.app.outbox.post(ids.EV_DOOR_OPENED)
    start = len(stage.transcript)
    stage.run(20)
    mirror = bytes(stage.transcript[start:])
    before = refused(stage, admission.REFUSE_MAC) + refused(stage, admission.REFUSE_REPLAY)
    send(stage, mirror)
    assert refused(stage, admission.REFUSE_MAC) > before - refused(stage, admission.REFUSE_REPLAY)
    elsewhere = sessions.Session()
    elsewhere.number = peer.session.number ^ 1
    elsewhere.hmac = peer.session.hmac
    elsewhere.sent = 900
    send(stage, peer.frame(elsewhere, ids.CLASS_ACK, ids.EVENT_ACK, [2]))
    assert refused(stage, admission.REFUSE_SESSION) == 1
    assert stage.peer.gaps == 0


def test_an_old_session_is_dead_once_a_new_one_has_proved_itself():
    stage = at_rest()
    peer = stage.peer
    late = peer.command(1, ids.CMD_SHUFFLE)
    send(stage, peer.hello())
    assert peer.welcomes == 2
    send(stage, late)
    assert refused(stage, admission.REFUSE_SESSION) == 1
    assert peer.results == []


def test_a_hello_without_the_key_does_not_disturb_a_live_session():
    stage = at_rest()
    number = stage.rig.app.link.session.number
    send(stage, Peer().hello())
    assert refused(stage, admission.REFUSE_ROLE) == 1
    send(stage, Peer(OTHER_KEY, ids.ROLE_OBSERVER).hello())
    assert stage.rig.app.link.session.number == number
    stage.play(stories.round_of(1))
    check_stage(stage)
    assert stage.names()[-2:] == ["round_ended", "sealed"]


def test_guessing_is_answered_by_a_growing_back_off_and_the_right_key_gets_in_after_it():
    stage = keyed()
    stage.run(2000)
    stage.rig.app.link.session.hmac = None  # as after a boot: no host is in
    stage.hello_us = 1 << 60  # and no host says hello by itself
    guesser = Peer(OTHER_KEY, ids.ROLE_TABLE)
    guesser.hellos = 100  # nonces of its own
    waits = []
    for _ in range(2):
        for _ in range(admission.GUESSES_MAX):
            send(stage, guesser.hello())
            link = stage.rig.app.link
            guess = sessions.Session()
            guess.number = link.offers[0].number
            guess.hmac = Hmac(OTHER_KEY)
            send(stage, guesser.frame(guess, ids.CLASS_ACK, ids.EVENT_ACK, [1]))
        waits.append(stage.rig.app.link.backoff_ms)
        refusals = len(stage.peer.refusals)
        send(stage, stage.peer.hello())
        assert stage.peer.refusals[refusals:] == [ids.REFUSED_BACKOFF]
        stage.run(waits[-1] + 100)
    assert waits == [admission.BACKOFF_MS, 2 * admission.BACKOFF_MS]
    welcomes = stage.peer.welcomes
    send(stage, stage.peer.hello())
    assert stage.peer.welcomes == welcomes + 1
    assert stage.rig.app.link.backoff_ms == 0


def test_a_device_without_a_key_only_reports():
    stage = keyed(key=b"")
    stage.run(1000)
    assert set(stage.peer.refusals) == {ids.REFUSED_NO_KEY}
    clear = Stage(board(), GAME, 7)
    clear.play(stories.start())
    for message in (ids.CMD_SHUFFLE, ids.TIME_SET):
        send(clear, clear.peer.frame(clear.peer.session, ids.CLASS_COMMAND, message, [1, 1]))
    assert refused(clear, admission.REFUSE_CLEAR) == 2
    assert clear.peer.results == []


def test_without_clear_ack_events_are_kept_until_a_keyed_host_has_them():
    stage = Stage(board(link={"clear_ack": False}), GAME, 7, KEY)
    stage.play(stories.start())
    assert stage.names() == ["booted", "sealed", "empty_proved"]
    assert stage.rig.app.journal.seq_acked == 0
    assert refused(stage, admission.REFUSE_CLEAR) >= 2
    host = Peer(KEY, ids.ROLE_RECORDER)
    stage.peer = host
    send(stage, host.hello())
    stage.run(1000)
    assert stage.names() == ["booted", "sealed", "empty_proved"]
    assert stage.rig.app.journal.seq_acked == 3


def test_nonces_and_session_numbers_never_repeat_even_with_a_stuck_source():
    stage = keyed()
    seen = set()
    stage.run(1000)
    for _ in range(20):
        stage.rig.hal.entropy_draws = 0
        send(stage, stage.peer.hello())
        stage.run(400)
        seen.add(stage.rig.app.link.device_nonce)
    assert len(seen) == 20


def test_a_session_announces_its_end_before_the_sequence_wraps_and_stops_there():
    stage = at_rest()
    stage.rig.app.link.session.sent = sessions.SEQUENCE_WARN - 1
    stage.peer.frames = []
    stage.run(3000)
    assert received(stage, ids.SESSION_ENDING) == [[sessions.SEQUENCE_MAX - sessions.SEQUENCE_WARN]]
    stage.rig.app.link.session.sent = sessions.SEQUENCE_MAX
    stage.rig.app.outbox.post(ids.EV_DOOR_OPENED)
    stage.run(3000)
    assert stage.names()[-1] == "empty_proved"
    send(stage, stage.peer.hello())
    stage.run(100)
    assert stage.names()[-1] == "door_opened"
    check_stage(stage)


def test_malformed_and_unknown_messages_of_an_authentic_host_are_counted():
    stage = at_rest()
    peer = stage.peer
    peer.codes[ids.CMD_SET_POSITIONS] = b"\x01"
    send(stage, peer.frame(peer.session, ids.CLASS_COMMAND, ids.CMD_SET_POSITIONS, [1]))
    assert refused(stage, admission.REFUSE_MALFORMED) == 1
    peer.codes[200] = b"\x04"
    send(stage, peer.frame(peer.session, ids.CLASS_TELEMETRY, 200, [1]))
    assert refused(stage, admission.REFUSE_UNKNOWN) == 1
    # A keyed flag on a frame too short to hold a MAC.
    peer.writer.begin(3, ids.FLAG_KEYED, ids.EVENT_ACK, peer.session.number, 999)
    peer.writer.finish()
    send(stage, bytes(peer.writer.wire[: peer.writer.end]))
    assert refused(stage, admission.REFUSE_MALFORMED) == 2


def test_a_flipped_bit_with_a_repaired_crc_is_still_refused():
    """An attacker can compute a CRC; only the MAC stands between a changed byte and belief."""
    from binascii import crc32

    stage = at_rest()
    peer = stage.peer
    for at in range(8, 12):
        data = bytearray(peer.frame(peer.session, ids.CLASS_ACK, ids.EVENT_ACK, [1]))[1:-1]
        size = cobs_decode(data, len(data))
        raw = bytearray(data[:size])
        raw[at] ^= 1
        raw[-4:] = crc32(bytes(raw[:-4])).to_bytes(4, "little")
        writer = peer.writer
        for i in range(size):
            writer.body[i] = raw[i]
        writer.at = size - 4
        writer.finish()
        before = refused(stage, admission.REFUSE_MAC)
        send(stage, bytes(writer.wire[: writer.end]))
        assert refused(stage, admission.REFUSE_MAC) == before + 1


def test_a_reboot_ends_every_session_and_events_go_on_in_the_next():
    stage = keyed()
    stage.play(stories.start() + [("", 0, "cut", 0), ("", 1000, "boot", 0), ("empty_proved", 0, "wait", 0)])
    check_stage(stage)
    assert stage.peer.welcomes == 2
    assert stage.names() == ["booted", "sealed", "empty_proved"] * 2


def test_another_host_takes_over_where_the_first_left_off():
    stage = at_rest(role=ids.ROLE_RECORDER)
    second = Peer(KEY, ids.ROLE_TABLE)
    stage.peer = second
    send(stage, second.hello())
    stage.rig.app.outbox.post(ids.EV_DOOR_OPENED)
    stage.run(100)
    # The first had 1 to 3 and said so; the second begins with 4.
    assert [event.seq for event in second.events] == [4]
    assert second.gaps == 0


def test_the_clock_is_set_only_by_an_authentic_host_that_does_more_than_read():
    stage = at_rest()
    peer = stage.peer
    send(stage, peer.frame(peer.session, ids.CLASS_TIME, ids.TIME_SET, [200000000]))
    assert peer.messages["time_is"][0] == 200000000
    assert stage.names()[-1] == "clock_set"
    observer = keyed(role=ids.ROLE_OBSERVER)
    observer.play(stories.start())
    send(observer, observer.peer.frame(observer.peer.session, ids.CLASS_TIME, ids.TIME_SET, [200000000]))
    assert refused(observer, admission.REFUSE_ROLE) == 1
    assert observer.names()[-1] == "empty_proved"


def test_the_dictionary_comes_line_by_line_and_hashes_to_what_the_welcome_named():
    from hashlib import sha256

    from firmware.protocol.dictionary import dictionary_hash, dictionary_line, dictionary_lines

    stage = Stage(board(), GAME, 7)
    stage.run(100)
    lines = []
    reader = stage.peer.reader
    for index in range(dictionary_lines()):
        stage._to_device(stage.peer.frame(sessions.Session(), ids.CLASS_DICTIONARY, ids.DICTIONARY_GET, [index]))
        before = reader.good
        while reader.good == before or stage.peer.messages.get("dictionary_line", [-1])[0] != index:
            stage.run(1)
        assert stage.peer.messages["dictionary_line"] == [index, dictionary_lines()]
        lines.append(dictionary_line(index))
    assert sha256(("\n".join(lines) + "\n").encode()).digest()[:8] == dictionary_hash()


def test_a_back_off_and_a_silence_stay_over_when_times_wrap():
    """2**30 ms are 12.4 days: half of that later a difference changes its sign."""
    from firmware.link.admission import link_alive, link_backoff_s
    from firmware.ticks import ticks_add

    stage = at_rest()
    link = stage.rig.app.link
    now_ms = stage.rig.hal.ticks_ms()
    link.backoff_ms = admission.BACKOFF_MS
    link.backoff_until_ms = ticks_add(now_ms, admission.BACKOFF_MS)
    link.backing_off = True
    assert link_backoff_s(link, now_ms) == 1
    assert link_alive(link, now_ms)
    for days in range(1, 14):
        later_ms = now_ms
        for _ in range(days):
            later_ms = ticks_add(later_ms, 86400000)
        assert link_backoff_s(link, later_ms) == 0, days
        assert not link_alive(link, later_ms), days


def test_the_key_of_one_role_opens_no_other():
    stage = keyed(role=ids.ROLE_TABLE)
    observer = sessions.role_key(KEY, ids.ROLE_OBSERVER)
    # A host that was given the observer's key asks for the table role with it.
    import rig.peer

    with replaced(rig.peer, role_key=lambda key, role: observer):
        stage.run(2000)
    assert stage.peer.welcomes == 0
    assert stage.peer.disbelieved > 0


def test_a_hello_of_somebody_else_between_welcome_and_proof_does_not_spoil_the_handshake():
    stage = keyed()
    stage.run(1000)
    stage.hello_us = 1 << 60
    stranger = Peer(OTHER_KEY, ids.ROLE_OBSERVER)
    stranger.hellos = 100
    for _ in range(5):
        welcomes = stage.peer.welcomes
        stage._to_device(stage.peer.hello())
        # Its proof is on the way when two other hellos arrive first.
        feed = stage.peer.feed
        proofs = []
        stage.peer.feed = lambda data, feed=feed, proofs=proofs: proofs.append(feed(data)) or b""
        stage.run(120)
        for _ in range(2):
            to_device(stage, stranger.hello(), 120)
        del stage.peer.feed
        for proof in proofs:
            stage._to_device(proof)
        stage.run(50)
        assert stage.peer.welcomes == welcomes + 1
        assert stage.rig.app.link.session.number == stage.peer.session.number
        stage.run(400)


def test_no_keyed_session_before_the_boot_is_recorded_or_with_a_broken_source():
    stage = keyed()
    stage.run(50)
    assert stage.peer.valid == 0 and not stage.peer.refusals
    stage.run(1000)
    assert stage.peer.welcomes == 1
    stage.rig.nv.broken = True
    act(stage, 1000, "boot")
    assert stage.peer.welcomes == 1 and stage.peer.refusals[-1] == ids.REFUSED_BACKOFF
    stage.rig.nv.broken = False
    act(stage, 2000, "boot")
    assert stage.peer.welcomes == 2
    stage.rig.hal.entropy_ok = False
    send(stage, stage.peer.hello())
    assert stage.peer.welcomes == 2


def test_a_flood_of_questions_does_not_silence_the_session():
    stage = keyed()
    stage.run(1000)
    stranger = Peer()
    before = stage.peer.valid
    for _ in range(500):
        stage._to_device(stranger.frame(sessions.Session(), ids.CLASS_DICTIONARY, ids.DICTIONARY_GET, [3]))
        to_device(stage, stranger.hello(), 4)
    assert stage.peer.valid - before >= 4
