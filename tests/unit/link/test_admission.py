"""Who gets a session: offers that have to prove themselves, wrong guesses, numbers of sessions."""

from support import GAME, board, replaced, to_device

from firmware.link import admission, handshake
from firmware.protocol import ids
from rig import stories
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
    assert (admission.BACKOFF_MS, admission.BACKOFF_MS_MAX) == (1000, 4000)
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
