"""Who gets a session: offers that have to prove themselves, wrong guesses, numbers of sessions."""

from support import GAME, board, replaced, to_device

from firmware.link import admission, handshake
from firmware.protocol import ids
from firmware.protocol.session import Session
from rig import stories
from rig.peer import Peer
from rig.story import Stage

KEY = bytes(range(32))
NOW_MS = 5000


def keyed_link():
    stage = Stage(board(link={"mode": "table"}), GAME, 7, KEY, ids.ROLE_TABLE)
    stage.play(stories.start())
    return stage, stage.rig.app.link


def test_every_reason_to_refuse_has_a_counter_of_its_own():
    kinds = (
        admission.REFUSE_SESSION,
        admission.REFUSE_MAC,
        admission.REFUSE_REPLAY,
        admission.REFUSE_CLEAR,
        admission.REFUSE_ROLE,
        admission.REFUSE_MALFORMED,
        admission.REFUSE_UNKNOWN,
    )
    assert list(kinds) == list(range(admission.REFUSE_KINDS))


def test_each_few_wrong_proofs_double_the_back_off_and_a_right_one_ends_it():
    _stage, link = keyed_link()
    session = link.offers[0]
    assert (link.guesses, link.backoff_ms) == (0, 0)
    for wait_ms in (1000, 2000, 4000, 4000):
        for guess in range(1, admission.GUESSES_MAX + 1):
            link.backing_off = False
            session.hmac = object()
            admission._wrong_guess(link, session, NOW_MS)
            last = guess == admission.GUESSES_MAX
            assert link.backing_off == last
            assert (session.hmac is None) == last
            assert link.guesses == (0 if last else guess)
        assert link.backoff_ms == wait_ms
        assert admission.link_backoff_s(link, NOW_MS) == wait_ms // 1000
    assert (admission.GUESSES_MAX, admission.BACKOFF_MS, admission.BACKOFF_MS_MAX) == (3, 1000, 4000)
    for left_ms, wait_s in ((4000, 4), (2002, 3), (1000, 1), (1, 1), (0, 0)):
        link.backing_off, link.backoff_until_ms = True, NOW_MS + left_ms
        assert admission.link_backoff_s(link, NOW_MS) == wait_s
        assert link.backing_off == (left_ms > 0), "latched off, since times wrap"
    link.guesses = 2
    admission._promote(link, session)
    assert (link.guesses, link.backoff_ms) == (0, 0)
    assert link.session is session


def test_an_offer_takes_a_free_place_or_that_of_the_oldest_once_it_is_old_enough_and_ever_after():
    _stage, link = keyed_link()
    for free in range(admission.OFFERS):
        for i in range(admission.OFFERS):
            link.offers[i].hmac = None if i == free else object()
        assert admission.link_offer(link, NOW_MS) is link.offers[free]
    for oldest in range(admission.OFFERS):
        for i in range(admission.OFFERS):
            link.offers[i].hmac = object()
            link.offers[i].heard_ms = NOW_MS if i == oldest else NOW_MS + 1
        assert admission.link_offer(link, NOW_MS + admission.OFFER_MS - 1) is None
        for later_ms in (0, 1, 5000):
            assert admission.link_offer(link, NOW_MS + admission.OFFER_MS + later_ms) is link.offers[oldest]


def test_a_session_has_a_number_that_is_not_zero_and_no_other_session_has():
    stage, link = keyed_link()
    with replaced(handshake, _fresh=None):
        for drawn, expected in ((0x0000, 0x0001), (0xFFFF, 0x0001), (0x1234, 0x1237), (0x8001, 0x8001)):
            handshake._fresh = lambda _handshake, number=drawn: (bytes(30) + bytes((number & 0xFF, number >> 8)), True)
            stage.run(1000)
            link.session.number = 0xFFFF if drawn == 0xFFFF else 0x1234
            for i in range(admission.OFFERS):
                link.offers[i].number = 0x1235 + i % 2
            to_device(stage, stage.peer.hello(), 50)
            numbers = [session.number for session in link.offers] + [link.session.number]
            assert expected in numbers, drawn
            assert drawn == expected or drawn not in numbers or numbers.count(drawn) == 1


def test_a_proof_of_a_lower_rank_that_comes_after_a_host_of_the_table_is_refused():
    """Its hello was answered while the line was free."""
    for alive in (True, False):
        stage, link = keyed_link()
        table = link.session
        reader = Peer(KEY, ids.ROLE_OBSERVER)
        reader.hellos = 50
        proofs = []
        feed = stage.peer.feed

        def both(data, feed=feed, reader=reader, proofs=proofs):
            proofs.append(reader.feed(bytearray(data)))
            return feed(data)

        stage.peer.feed = both
        table.alive = False
        to_device(stage, reader.hello(), 50)
        assert reader.welcomes == 1
        table.alive, table.heard_ms = alive, stage.rig.hal.ticks_ms()
        before = link.refused[admission.REFUSE_ROLE]
        to_device(stage, b"".join(proofs), 50)
        assert (link.session is table) == alive == (link.refused[admission.REFUSE_ROLE] > before)


def test_an_acknowledgement_in_clear_counts_in_the_session_in_force_alone():
    stage = Stage(board(), GAME, 7)
    stage.peer.acknowledges = False
    stage.play(stories.start())
    link, peer = stage.rig.app.link, stage.peer
    other = Session()
    other.number = link.session.number ^ 1
    for session, received in ((other, 0), (peer.session, 1)):
        before = link.refused[admission.REFUSE_SESSION]
        to_device(stage, peer.frame(session, ids.CLASS_ACK, ids.EVENT_ACK, [1]), 100)
        assert stage.rig.app.reporter.seq_received == received
        assert link.refused[admission.REFUSE_SESSION] - before == 1 - received


def test_a_part_of_a_frame_is_no_message():
    _stage, link = keyed_link()
    link.rx[:4], link.rx_at, link.rx_size = b"\x03\x01\x02\x03", 0, 4
    assert admission.link_receive(link, NOW_MS) == 0 and link.rx_at == 4
