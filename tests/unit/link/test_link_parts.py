"""The device's end of the link, part by part: what is sent, in which session, and when it looks again."""

from hashlib import sha256

from game_tables import KEY
from services import NEW_KEY
from support import GAME, board, read_frames, replaced

from firmware.games.flow import SHUFFLING, WAITING_FOR_DECK
from firmware.link import admission, commands, report
from firmware.link import handshake as handshake_module
from firmware.link.dispatch import LEAVE_MS, _handle
from firmware.link.handshake import HELLO_ANSWERED, HELLO_IGNORED, handshake_answer, noise_pool
from firmware.link.status import status_fill
from firmware.machines.meters import METER_CYCLES, METER_THROAT_US
from firmware.protocol import ids
from firmware.protocol.frame import CRC_SIZE, FrameReader, frame_message, frame_session
from firmware.protocol.session import SEQUENCE_MAX, SEQUENCE_WARN
from firmware.ticks import FOREVER_MS
from rig.story import Stage

NOW = 5000


def app_of(key=b"", boots=1):
    """A device that has just booted, before anything was sent."""
    stage = Stage(board(link={"mode": "table"}), GAME, 7, key, ids.ROLE_TABLE if key else ids.ROLE_CLEAR)
    return stage, stage.rig.app


class Port:
    """Takes so many bytes at a time."""

    def __init__(self, takes):
        self.takes = takes
        self.calls = 0

    def link_write(self, _view, start, end):
        self.calls += 1
        return min(self.takes, end - start)

    def unique_id(self):
        return 77

    def entropy_into(self, buf):
        for i in range(len(buf)):
            buf[i] = (i + self.calls) & 0xFF
        self.calls += 1
        return True


class Hmac:
    """Signs nothing."""

    def digest(self, _label, _data):
        return bytes(32)


def sent(link):
    """Message and session of the frame under way."""
    writer = link.writer
    frame = read_frames(FrameReader(), bytes(writer.wire_view[writer.sent : writer.end]))[0]
    return frame_message(frame), frame_session(frame)


def test_a_frame_is_out_when_the_port_has_taken_all_of_it():
    _stage, app = app_of()
    link = app.link
    link.hal = Port(10)
    link.writer.sent, link.writer.end = 0, 25
    assert [admission.link_flush(link) for _ in range(3)] == [False, False, True]
    assert (link.writer.sent, link.hal.calls) == (25, 3)


def test_frames_of_a_clear_session_carry_no_flags():
    _stage, app = app_of()
    link = app.link
    for hmac, flags in ((None, 0), (Hmac(), ids.FLAG_KEYED)):
        link.session.hmac = hmac
        admission.link_begin(link, link.session, ids.CLASS_TELEMETRY, ids.STATUS)
        assert link.writer.body[1] == flags


def test_a_frame_in_the_session_in_force_does_not_end_the_count_of_wrong_guesses():
    stage, app = app_of(KEY)
    stage.until("empty_proved", 20000, then_ms=1000)
    app.link.guesses, app.link.backoff_ms = 2, 500
    stage.order(1, ids.CMD_RECORD, ids.REC_DISPUTE, a=1, b=1)
    assert stage.peer.results and (app.link.guesses, app.link.backoff_ms) == (2, 500)


def test_a_hello_under_a_key_is_refused_and_one_without_is_not():
    _stage, app = app_of()
    for flags, refused in ((0, 0), (ids.FLAG_KEYED, 1)):
        app.link.reader.buf[1], app.link.reader.buf[2] = flags, 0xFF
        before = app.link.refused[admission.REFUSE_ROLE]
        _handle(app.reporter, ids.HELLO, NOW)
        assert app.link.refused[admission.REFUSE_ROLE] - before == refused


# --- handshake ---------------------------------------------------------------------------------


def test_a_welcome_says_who_the_device_is_and_where_its_journal_stands():
    for key, role in ((b"", ids.ROLE_CLEAR), (KEY, ids.ROLE_RECORDER)):
        stage, app = app_of(key)
        stage.until("empty_proved", 20000, then_ms=2000)
        link, handshake = app.link, app.reporter.handshake
        link.writer.sent = link.writer.end
        link.session.alive = False
        link.hello_role, link.hello_version = role, ids.VERSION
        app.journal.lanes.by_role[ids.ROLE_CLEAR].op = 6
        assert handshake_answer(handshake, 4, NOW) == HELLO_ANSWERED
        unique = stage.rig.hal.unique_id()
        keyed, last = 1 if key else 0, app.journal.seq_last
        assert handshake.values[:8] == [ids.VERSION, role, unique, app.boot, ids.MODE_TABLE, keyed, 5, last]
        assert handshake.values[8] == (0 if key else 6)
        assert sent(link)[0] == ids.WELCOME and (key or sent(link)[1] == link.session.number)
        link.hello_role, link.hello_version = role, ids.VERSION - 1
        assert handshake_answer(handshake, 4, NOW) == HELLO_ANSWERED
        assert sent(link) == (ids.REFUSED, 0)
        assert handshake.values[:2] == [ids.REFUSED_VERSION, ids.VERSION]
        for unknown in (ids.ROLE_COUNT, ids.ROLE_COUNT + 1, 255):
            link.hello_role, link.hello_version = unknown, ids.VERSION
            assert handshake_answer(handshake, 4, NOW) == HELLO_ANSWERED
            assert handshake.values[:2] == [ids.REFUSED_ROLE, unknown]


def test_a_hello_without_a_place_for_its_offer_is_not_answered():
    _stage, app = app_of(KEY)
    link = app.link
    link.hello_role, link.hello_version = ids.ROLE_TABLE, ids.VERSION
    with replaced(handshake_module, link_offer=lambda _link, _now_ms: None):
        assert handshake_answer(app.reporter.handshake, 0, NOW) == HELLO_IGNORED
    assert link.hello_role == -1


def test_a_line_that_is_reset_begins_with_an_empty_frame():
    _stage, app = app_of()
    app.link.reader.fill = 9
    admission.link_reset(app.link)
    assert app.link.reader.fill == 0


def test_the_pool_is_the_hash_of_a_thousand_bytes_of_noise():
    noise = b"".join(bytes((i + call) & 0xFF for i in range(64)) for call in range(16))
    assert noise_pool(Port(0)) == sha256(noise).digest()


# --- reports -----------------------------------------------------------------------------------


def quiet(app):
    """Nothing waits to be sent."""
    reporter = app.reporter
    reporter.seq_received = reporter.seq_top = app.journal.seq_last
    reporter.seq_next = app.journal.seq_last + 1
    reporter.status[0] = app.flow.shown
    reporter.hello_paced = reporter.host_seen = False
    reporter.unread = reporter.time_due = False
    app.link.writer.sent = app.link.writer.end
    return reporter


def at_rest():
    """A device that has proved itself empty and has nothing to send."""
    stage, app = app_of()
    stage.until("empty_proved", 20000)
    return app, quiet(app)


def test_after_a_boot_events_go_on_behind_the_last_acknowledged_one():
    stage, _app = app_of()
    stage.until("empty_proved", 20000, then_ms=3000)
    stage.play([("", 10, "cut", 0), ("", 0, "boot", 0)])
    reporter = stage.rig.app.reporter
    acked = stage.rig.app.journal.seq_acked
    assert acked > 0
    assert (reporter.seq_next, reporter.seq_received, reporter.seq_top) == (acked + 1, acked, acked)


def test_a_device_that_has_just_booted_owes_no_answer():
    _stage, app = app_of()
    app.journal.seq_acked = 5
    old = app.reporter
    reporter = report.Reporter(app.link, app.journal, app.runner, old.handshake, old.queries)
    assert (reporter.seq_next, reporter.seq_received, reporter.seq_top) == (6, 5, 5)
    due = ("status_due", "counters_due", "meters_due", "health_due", "time_due", "time_set", "left", "unread")
    assert [name for name in due + ("hello_paced", "host_seen", "ending_sent") if getattr(reporter, name)] == []
    assert (reporter.utc_s, reporter.resent, reporter.overruns) == (0, 0, [0, 0])
    assert not app.queries.seed and not app.queries.signing and not app.service.answer_due
    assert not app.recorder.filling_reported and not app.recorder.readying
    runner = app.runner
    assert not (runner.result_due or runner.result_role or runner.refused or runner.role or runner.acted)


def test_a_number_behind_the_last_command_is_no_command():
    _stage, app = app_of(KEY)
    for message, command in ((511, False), (512, True), (767, True), (768, False)):
        assert (admission.COMMAND_FIRST <= message < admission.COMMAND_END) == command
    app.link.reader.buf[1] = ids.FLAG_KEYED
    before = app.link.refused[admission.REFUSE_ROLE]
    _handle(app.reporter, 768, NOW)
    assert app.link.refused[admission.REFUSE_ROLE] == before + 1
    for message in (ids.DIAGNOSE, ids.SHOT):  # of a host that is not in the role of service
        before += 1
        _handle(app.reporter, message, NOW)
        assert app.link.refused[admission.REFUSE_ROLE] == before + 1


def test_the_link_looks_again_when_something_is_due_and_not_before():
    app, reporter = at_rest()
    reporter.due_ms = NOW + 7
    assert [report.report_due(reporter, app.flow.shown, now) for now in (NOW, NOW + 6, NOW + 7, NOW + 8)] == [
        7,
        1,
        0,
        0,
    ]
    assert report.report_due(reporter, app.flow.shown + 1, NOW) == 0  # another state is reported at once
    assert report._wake(reporter, NOW) == report.DUE_MS_MAX == 60000
    reporter.hello_paced, reporter.hello_ms = True, NOW - 30
    assert report._wake(reporter, NOW) == report.HELLO_MS - 30
    reporter.hello_paced = False
    reporter.seq_received -= 1
    reporter.moved_ms = NOW - 400
    reporter.resend_ms = 2000
    assert report._wake(reporter, NOW) == 1600
    reporter.unread = True
    assert report._wake(reporter, NOW) == report.RESEND_MS - 400
    reporter.unread = False
    reporter.host_seen, reporter.status_ms = True, NOW - 100
    assert report._wake(reporter, NOW) == report.STATUS_MS - 100
    reporter.resend_ms = 450
    assert report._wake(reporter, NOW) == 50, "what is due first"
    for late_ms, wake_ms in ((-1, 1), (0, 0), (50, 0)):
        reporter.status_ms = NOW - report.STATUS_MS - late_ms
        assert report._wake(reporter, NOW) == wake_ms


def test_a_frame_that_the_port_does_not_take_whole_is_tried_again_in_a_millisecond():
    _stage, app = app_of()
    reporter = app.reporter
    for takes, back_ms in ((10, 1), (100, 0)):
        app.link.hal = Port(takes)
        app.link.writer.sent, app.link.writer.end = 0, 50
        assert report.report_send(reporter, NOW) == back_ms


def test_no_more_events_are_on_their_way_than_the_window_allows():
    app, reporter = at_rest()
    reporter.moved_ms = NOW
    reporter.resend_ms = report.RESEND_MS
    app.journal.seq_last = reporter.seq_next + 30
    for ahead in (report.WINDOW, report.WINDOW + 1, report.WINDOW + 5):
        reporter.seq_received = reporter.seq_next - 1 - ahead
        assert not report._next_event(reporter, NOW)


def test_an_event_is_read_three_times_before_it_is_given_up():
    app, reporter = at_rest()
    storage = app.journal.storage
    read = storage.nv_read
    for fails, message in ((0, ids.EV_BOOTED), (2, ids.EV_BOOTED), (3, ids.EV_RECORD_DAMAGED)):
        left = [fails]

        def noisy(address, buf, left=left):
            done = read(address, buf)
            if left[0]:
                left[0] -= 1
                buf[50] ^= 0x10
            return done

        storage.nv_read = noisy
        assert report._event(reporter, 1)
        assert sent(app.link)[0] == message
        if fails == 3:
            wire = app.link.writer
            frame = read_frames(FrameReader(), bytes(wire.wire_view[wire.sent : wire.end]))[0]
            assert frame[8:12] == b"\x01\0\0\0" and not any(frame[12:-CRC_SIZE]), "its number, and nothing else"


def test_events_without_an_acknowledgement_are_sent_again_when_the_wait_is_over_and_after_it():
    for age_ms, sent_again in ((report.RESEND_MS - 1, False), (report.RESEND_MS, True), (report.RESEND_MS + 9, True)):
        _app, reporter = at_rest()
        reporter.seq_received = 0
        reporter.resend_ms, reporter.moved_ms = report.RESEND_MS, NOW - age_ms
        assert report._next_event(reporter, NOW) == sent_again
        assert reporter.resend_ms == (2 * report.RESEND_MS if sent_again else report.RESEND_MS)


def test_an_event_that_storage_did_not_give_is_asked_for_again_after_a_second():
    app, reporter = at_rest()
    reporter.seq_next = app.journal.seq_last
    reporter.seq_received = reporter.seq_next - 1
    for age_ms, asked_again in ((0, False), (report.RESEND_MS - 1, False), (report.RESEND_MS, True)):
        reporter.unread, reporter.moved_ms = True, NOW - age_ms
        assert report._next_event(reporter, NOW) == asked_again


def test_wear_tells_the_cycles_and_the_time_in_the_throat():
    app, reporter = at_rest()
    reporter.meters[:] = [100 + at for at in range(len(reporter.meters))]
    reporter.host_seen, reporter.status_sent, reporter.status_ms, reporter.meters_due = True, True, NOW, 2
    assert report._next_telemetry(reporter, NOW) and sent(app.link)[0] == ids.WEAR
    assert reporter.scratch[:2] == [100 + METER_CYCLES, 100 + METER_THROAT_US]


def test_answers_to_a_hello_are_a_tenth_of_a_second_apart():
    app, reporter = at_rest()
    link = app.link
    found = []
    for now in (NOW, NOW + 1, NOW + report.HELLO_MS - 1, NOW + report.HELLO_MS, NOW + report.HELLO_MS + 1):
        quiet_sent = link.session.number
        link.hello_role, link.hello_version = ids.ROLE_CLEAR, ids.VERSION
        link.writer.sent = link.writer.end
        reporter.seq_next = app.journal.seq_last + 1
        report._next_frame(reporter, now)
        found.append(link.session.number != quiet_sent)
    assert found == [True, False, False, True, False]


def test_the_numbers_of_the_link():
    assert (LEAVE_MS, report.STATUS_SOON_MS, report.HELLO_MS, report.STATUS_MS, report.RESEND_MS) == (
        1,
        20,
        100,
        500,
        1000,
    )
    assert (report.RESEND_MS_MAX, report.COUNTERS_MS, report.DUE_MS_MAX) == (8000, 10000, 60000)
    assert commands.DIGEST_MASK == 0x3FFFFFFF, "as much of a digest as an integer of a 32-bit VM holds"


def test_an_acknowledgement_ends_the_growing_wait():
    _stage, app = app_of()
    reporter, link = app.reporter, app.link
    reporter.seq_received, reporter.seq_next, reporter.resend_ms, reporter.moved_ms = 0, 3, report.RESEND_MS_MAX, 0
    link.session.role = ids.ROLE_TABLE
    link.values[0] = 2
    _handle(reporter, ids.EVENT_ACK, NOW)
    assert (reporter.seq_received, reporter.resend_ms, reporter.moved_ms) == (2, report.RESEND_MS, NOW)


def test_a_new_session_is_told_everything_once():
    _stage, app = app_of()
    reporter = app.reporter
    reporter.status_due = reporter.counters_due = reporter.meters_due = reporter.host_seen = False
    reporter.ending_sent, reporter.seq_received, reporter.seq_next = True, 4, 9
    report._start_over(reporter)
    assert reporter.status_due and reporter.counters_due and reporter.meters_due and reporter.host_seen
    assert not reporter.ending_sent and reporter.seq_next == 5


def test_a_session_near_its_end_says_so_once_and_a_result_goes_to_the_role_that_asked():
    app, reporter = at_rest()
    link = app.link
    link.session.sent = SEQUENCE_WARN + 1
    assert report._next_frame(reporter, NOW) and sent(link)[0] == ids.SESSION_ENDING and reporter.ending_sent
    link.session.sent = SEQUENCE_MAX
    for line in (1, 0):
        link.writer.sent = link.writer.end
        reporter.queries.line = line
        assert report._next_frame(reporter, NOW) and sent(link)[0] == ids.DICTIONARY_LINE
    assert not report._next_frame(reporter, NOW), "nothing but the dictionary can be sent any more"
    link.session.sent = 0
    for role, told in ((ids.ROLE_TABLE, True), (ids.ROLE_AUDITOR, False), (ids.ROLE_CLEAR, False)):
        link.writer.sent = link.writer.end
        link.session.role = role
        app.runner.result_due, app.runner.result_for = True, ids.ROLE_TABLE
        reporter.seq_next = app.journal.seq_last + 1
        reporter.host_seen, reporter.status_ms = True, NOW
        assert (report._next_frame(reporter, NOW) and sent(link)[0] == ids.RESULT) == told, role
        assert report._wake(reporter, NOW) == (report.STATUS_SOON_MS if told else report.STATUS_MS)
        assert not app.runner.result_due


# --- queries and service -----------------------------------------------------------------------


def test_a_line_of_the_dictionary_is_told_and_behind_the_last_an_empty_one():
    _stage, app = app_of()
    queries, link = app.reporter.queries, app.link
    for line, text in ((0, True), (queries.words.count - 1, True), (queries.words.count, False)):
        queries.line = line
        assert queries.tell_line(link) and queries.line < 0
        size = link.writer.at
        assert queries.values[:2] == [line, queries.words.count] and sent(link) == (ids.DICTIONARY_LINE, 0)
        assert (size > 20) == text, size


def test_a_question_about_keys_is_answered_as_it_was_asked():
    _stage, app = app_of(KEY)
    queries, link = app.reporter.queries, app.link
    link.session.number = 9
    for hmac, keyed, number in ((None, False, 9), (Hmac(), True, 9), (Hmac(), False, 0)):
        link.session.hmac = hmac
        queries.service.keyed = keyed
        queries.service.answer_due = True
        assert queries.answer_private(link) and not queries.service.answer_due
        assert sent(link) == (ids.KEY_IS, number)
    assert not queries.answer_private(link)


def test_a_seed_is_for_the_auditor_alone():
    _stage, app = app_of(KEY)
    queries, link = app.reporter.queries, app.link
    for role in range(ids.ROLE_COUNT):
        queries.seed = True
        link.session.role = role
        assert queries.answer_private(link) == (role == ids.ROLE_AUDITOR) and not queries.seed


def test_public_answers_are_one_frame_each_and_a_signature_goes_to_the_host_that_asked():
    _stage, app = app_of()
    queries, link = app.reporter.queries, app.link
    queries.signer = None
    assert not queries.answer_public(link, 0)
    queries.record = 0
    assert queries.answer_public(link, 0) and sent(link)[0] == ids.JOURNAL_IS and queries.record < 0
    queries.record = 1
    app.journal.given = True
    assert queries.answer_public(link, 0) and sent(link)[0] == ids.JOURNAL_RECORD
    queries.line = 0
    assert queries.answer_public(link, 0) and sent(link)[0] == ids.DICTIONARY_LINE
    for other in (0, 1):
        queries.ask_signature(link)
        queries.session += other
        assert queries.answer_public(link, 0) == (not other) and not queries.signing
    assert not queries.answer_public(link, 0)


def test_a_key_that_waits_is_written_unless_a_round_has_begun():
    for round_open, answer in ((True, ids.KEY_ROUND_OPEN), (False, ids.KEY_DONE)):
        _stage, app = app_of()
        service = app.service
        service.change()
        assert not service.answer_due
        service.how = ids.KEY_FIRST
        service.key[:] = NEW_KEY
        app.flow.round_open = round_open
        service.change()
        assert service.answer[0] == answer and service.answer_due and not service.waits()
        assert (app.link.key == NEW_KEY) == (not round_open) == service.ending
        assert bytes(service.key) == bytes(32)
        app.inp.now_us = 49999
        assert service.watch() == 1 and service.answer_due
        app.inp.now_us = 50000
        assert service.watch() == FOREVER_MS and not service.answer_due


def test_a_key_is_taken_with_room_for_four_records_and_wiped_from_the_frame():
    for room, waits in ((3, False), (4, True)):
        _stage, app = app_of()
        service = app.service
        service.on = True
        app.flow.room = room
        frame = app.link.reader.buf
        for i in range(len(frame)):
            frame[i] = 7
        service.receive(ids.KEY_INSTALL)
        assert service.waits() == waits and service.answer_due != waits
        wiped = [i for i in range(len(frame)) if not frame[i]]
        assert len(wiped) == 32 and wiped[-1] - wiped[0] == 31


def test_a_diagnosis_begins_with_a_request_for_it_alone():
    """In service, with the machine empty and idle."""
    _stage, app = app_of(KEY)
    app.service.on = True
    app.flow.state = WAITING_FOR_DECK
    for message, what, may in (
        (ids.DIAGNOSE, ids.DIAGNOSE_READ, True),
        (ids.DIAGNOSE, ids.DIAGNOSE_LEAVE, False),
        (ids.SHOT, ids.DIAGNOSE_READ, False),
    ):
        app.link.values[0] = what
        assert app.service.may_diagnose(message) == may


def test_a_key_is_answered_under_a_key_only_if_it_came_so():
    for flags, keyed in ((0, False), (ids.FLAG_KEYED, True)):
        _stage, app = app_of()
        app.link.reader.buf[1] = flags
        app.service.receive(ids.KEY_INSTALL)
        assert app.service.keyed == keyed


def test_the_status_tells_tenths_of_seconds_while_it_shuffles():
    _stage, app = app_of()
    flow = app.flow
    flow.state = SHUFFLING
    flow.entered_ms, flow.report_ms = 1000, 61000
    status = bytearray(42)
    status_fill(status, flow, app.inp, 3, 4, 43300)
    assert (status[9] | status[10] << 8, status[11] | status[12] << 8) == (423, 610)
    assert (status[29], status[31]) == (3, 4)
