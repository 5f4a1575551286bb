"""The table's share and the seed: which answers are taken, how long one is waited for, and when a seed is forgotten."""

from test_app_parts import NOW, rested
from test_record_windows import posted

from firmware.games.flow import ORDER_NONE, ORDER_OFFERED, ORDER_WANTED
from firmware.protocol import ids


def offered(role, how=ids.NONCE_ASKED, seq=0):
    """Whether a nonce message of this role is taken, by a device that commands may reach."""
    app = rested()
    drawing = app.drawing
    drawing.open = True
    drawing.link.session.role = role
    return drawing.receive([how, seq], NOW), drawing


def test_nonces_come_from_roles_that_have_a_lane():
    for role in range(ids.ROLE_COUNT):
        taken = ids.ROLE_TABLE <= role < ids.LANE_COUNT
        assert offered(role)[0] == taken, role


def test_an_answer_starts_the_time_for_its_order_and_a_halt_forgets_only_what_no_order_comes_from():
    app = rested()
    drawing, flow = app.drawing, app.flow
    drawing.open, drawing.seq, flow.order_state, flow.entered_ms = True, 9, ORDER_OFFERED, 0
    drawing.link.session.role = ids.ROLE_TABLE
    assert drawing.receive([ids.NONCE_DECLINED, 9], NOW)
    assert (flow.order_state, flow.entered_ms) == (ORDER_WANTED, NOW)
    drawing.shuffler.seed[0] = 1
    drawing.halt()
    assert drawing.shuffler.seed[0] == 1
    flow.order_state = ORDER_NONE
    drawing.halt()
    assert drawing.shuffler.seed[0] == 0


def committed(asked, number, held=True):
    """A device that has committed to an order: that session asked to give nonces, this one is open."""
    app = rested()
    drawing = app.drawing
    if not held:
        drawing.seeds.hold = lambda _seq, _cards, _seed: False
    drawing.nonce = b"old"
    drawing.asked, drawing.link.session.number = asked, number
    drawing.link.session.alive, drawing.link.session.heard_ms = True, NOW
    drawing.link.session.hmac = object()
    app.flow.order_state = ORDER_WANTED
    while not app.outbox.count and app.flow.order_state != ORDER_NONE:
        assert drawing.step(NOW)
    return app, drawing


def test_only_the_session_that_asked_is_waited_for_and_without_the_nonce_of_the_time_before():
    for asked, number in ((6, 5), (4, 5), (0, 0)):
        assert committed(asked, number)[1].seq == 0, (asked, number)
    app, drawing = committed(5, 5)
    assert drawing.seq and drawing.nonce == b"" and app.flow.order_state == ORDER_OFFERED
    app.flow.order_state = ORDER_NONE
    app.outbox.count = 0
    assert drawing.step(NOW) and drawing.seq == 0  # a shuffle that ended meanwhile is on record
    assert posted(app.flow)[0][0] == ids.EV_SHUFFLE_NONCE
    assert not drawing.step(NOW)


def test_a_seed_that_storage_does_not_hold_is_forgotten_and_gives_no_order():
    app, drawing = committed(5, 5, held=False)
    assert (drawing.seq, app.flow.order_state, app.outbox.count) == (0, ORDER_NONE, 0)
    assert not any(drawing.shuffler.seed)


def test_an_answer_is_waited_for_three_seconds_if_the_board_does_not_say():
    app, drawing = committed(5, 5)
    assert posted(app.flow)[0][1][0] == 30 and drawing.nonce_ms == 3000  # tenths of a second
