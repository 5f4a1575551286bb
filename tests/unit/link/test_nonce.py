"""The table's share in an order: commitment first, then the nonce, then the order, each on record before the next."""

from hashlib import sha256

from support import act, check_stage, fields_of
from tables import deck_in_order, deck_inside, small_board

from firmware.deck.drbg import Drbg
from firmware.deck.permutation import permutation_fill
from firmware.games.flow import ORDER_OFFERED, PREPARING, SHUFFLING, WARNING
from firmware.games.table_facts import ABORTED
from firmware.journal.cells import CELL_SIZE
from firmware.link.admission import REFUSE_CLEAR, REFUSE_MALFORMED, REFUSE_ROLE
from firmware.protocol import ids
from rig.peer import Peer, nonce_of
from rig.story import Stage

KEY = bytes(range(32))
CARDS = 8
WAIT_MS = 3000


def table(share=ids.NONCE_GIVEN, role=ids.ROLE_TABLE, mode="table", kind="carousel", **audit):
    """A small shuffler that has proved itself empty, with a host that gives nonces."""
    config = small_board(kind)
    config["link"]["mode"] = mode
    config["audit"] = dict(audit, seeds="disclose" if kind == "carousel" else "erase")
    stage = Stage(config, {"deck_cards": CARDS, "stack_cards": 2}, 7, KEY, role)
    stage.peer.share = share
    stage.until("empty_proved", 20000, then_ms=300)
    return stage


def start(stage, run_ms=0):
    stage.play([("", 300, "load", CARDS)])
    act(stage, run_ms, "press", button="green")
    return stage


def drawn(stage):
    """Seed and order as soon as there is one."""
    shuffler = stage.rig.app.shuffler
    draw = shuffler.draw
    found = []

    def watched(order, count):
        done = draw(order, count)
        found.append((bytes(shuffler.seed), list(order[:count])))
        return done

    shuffler.draw = watched
    return found


def body(stage, name, which=-1):
    """The payload of an event behind its prefix, as the host has it; and its number."""
    events = [event for event in stage.peer.events if event.name == name]
    seq = events[which].seq
    return stage.peer.payloads[seq][2 + 21 :], seq


def order_of(seed, share, count=CARDS):
    order = [0] * count
    text = b"fairshoe shuffle 2" if share else b"fairshoe shuffle 1"
    permutation_fill(order, count, Drbg(seed, share, text))
    return order


def identity(stage, seq):
    return stage.rig.hal.unique_id().to_bytes(4, "little") + seq.to_bytes(4, "little")


# --- the order ---------------------------------------------------------------------------------


def test_the_order_comes_from_seed_nonce_and_identity_and_the_cards_lie_in_it():
    for kind in ("carousel", "shelves"):
        stage = table(kind=kind)
        found = drawn(stage)
        start(stage)
        stage.until("deck_verified", 60000, then_ms=300)
        commitment, seq = body(stage, "shuffle_committed")
        nonce, after = body(stage, "shuffle_nonce")
        seed, order = found[0]
        assert commitment == sha256(b"fairshoe seed 1" + seed).digest() + bytes((WAIT_MS // 100,))
        assert after == seq + 1 and nonce == bytes((ids.NONCE_GIVEN, 0, 0)) + nonce_of(seq), kind
        assert order == order_of(seed, nonce_of(seq) + identity(stage, seq)) != order_of(seed, b"")
        assert deck_inside(stage) == deck_in_order(stage, order) or kind == "shelves"
        check_stage(stage)


def test_without_a_host_that_asks_nothing_waits_and_the_seed_alone_decides():
    for role in (ids.ROLE_TABLE, ids.ROLE_RECORDER, ids.ROLE_CLEAR):
        stage = table(-1, role)
        found = drawn(stage)
        start(stage, 700)
        assert stage.rig.app.flow.state == SHUFFLING
        stage.until("deck_verified", 60000)
        assert fields_of(stage, "shuffle_committed") == [[0]] and "shuffle_nonce" not in stage.names()
        assert found[0][1] == order_of(found[0][0], b"")


def test_a_table_that_declines_or_says_nothing_holds_up_the_shuffle_no_longer_than_the_limit():
    for share, least_ms in ((ids.NONCE_DECLINED, 0), (ids.NONCE_LATE, WAIT_MS)):
        stage = table(share)
        found = drawn(stage)
        start(stage)
        stage.until("shuffle_committed", 2000)
        from_us = stage.rig.plant.now_us
        while stage.rig.app.flow.state == PREPARING:
            stage.run(10)
        assert stage.rig.app.flow.state == SHUFFLING
        assert least_ms - 200 <= (stage.rig.plant.now_us - from_us) // 1000 <= least_ms + 300, share
        stage.until("shuffle_nonce", 60000)
        assert body(stage, "shuffle_nonce")[0] == bytes((share,)) + bytes(34)
        assert found[0][1] == order_of(found[0][0], b"")
        check_stage(stage)


def test_the_board_decides_how_long_it_waits():
    stage = start(table(ids.NONCE_LATE, nonce_ms=500), 1500)
    assert stage.rig.app.flow.state == SHUFFLING
    stage = start(table(ids.NONCE_GIVEN, nonce_ms=0), 700)
    assert stage.rig.app.flow.state == SHUFFLING
    stage.until("deck_verified", 60000)
    assert fields_of(stage, "shuffle_committed") == [[0]]


def test_the_nonce_is_on_record_before_the_first_card_moves():
    stage = table()
    start(stage)
    while stage.rig.app.flow.state != SHUFFLING:
        assert not any(stage.rig.app.out.level[:4])
        stage.run(1)
    journal = stage.rig.app.journal
    assert journal.load(journal.seq_last) == ids.EV_SHUFFLE_NONCE


# --- who may, and when -------------------------------------------------------------------------


def offered(stage):
    """A device that waits for a nonce that its host holds back; the number of the commitment."""
    start(stage)
    while stage.rig.app.flow.order_state != ORDER_OFFERED or stage.names()[-1:] != ["shuffle_committed"]:
        stage.run(1)
    return stage.rig.app.drawing.seq


def refused(stage, frame, kind=REFUSE_ROLE):
    """Whether the device counts the frame as refused and goes on waiting."""
    before = stage.rig.app.link.refused[kind]
    stage.say(frame)
    stage.run(20)
    return stage.rig.app.link.refused[kind] == before + 1


def test_only_the_first_answer_to_this_shuffle_counts():
    stage = table(ids.NONCE_LATE)
    seq = offered(stage)
    peer = stage.peer
    one, two = bytes(range(32)), bytes(range(32, 64))
    for other in (seq - 1, seq + 1, 0):
        assert refused(stage, peer.nonce_frame(ids.NONCE_GIVEN, other, two)), other
    for share in (ids.NONCE_LATE, ids.NONCE_ABORTED, 200):
        assert refused(stage, peer.nonce_frame(share, seq, two)), share
    assert stage.rig.app.flow.order_state == ORDER_OFFERED
    stage.say(peer.nonce_frame(ids.NONCE_GIVEN, seq, one))
    assert refused(stage, peer.nonce_frame(ids.NONCE_GIVEN, seq, two)), "twice"
    stage.until("shuffle_nonce", 60000)
    assert body(stage, "shuffle_nonce")[0][3:] == one
    assert refused(stage, peer.nonce_frame(ids.NONCE_GIVEN, seq, two)), "too late"
    assert fields_of(stage, "shuffle_nonce") == [[ids.NONCE_GIVEN, 0]]


def test_a_nonce_of_the_wrong_length_is_none():
    stage = table(ids.NONCE_LATE)
    seq = offered(stage)
    peer = stage.peer
    peer.codes = dict(peer.codes)
    peer.codes[ids.NONCE] = bytes((1, 4, 16))
    assert refused(stage, peer.nonce_frame(ids.NONCE_GIVEN, seq, bytes(16)), REFUSE_MALFORMED)
    assert stage.rig.app.flow.order_state == ORDER_OFFERED


def test_no_other_role_and_nothing_in_clear_has_a_share():
    for role in (ids.ROLE_OBSERVER, ids.ROLE_AUDITOR, ids.ROLE_RECORDER):
        stage = table(ids.NONCE_GIVEN, role)
        assert stage.rig.app.link.refused[REFUSE_ROLE] == 1, "it asked"
        start(stage, 700)
        assert stage.rig.app.flow.state == SHUFFLING
    stage = table(ids.NONCE_LATE)
    seq = offered(stage)
    assert refused(stage, Peer().nonce_frame(ids.NONCE_GIVEN, seq, bytes(32)), REFUSE_CLEAR)
    stage = table(ids.NONCE_GIVEN, mode="report_only")
    assert stage.rig.app.link.refused[REFUSE_ROLE] == 1
    start(stage, 700)
    assert stage.rig.app.flow.state == SHUFFLING


def test_a_frame_that_is_played_again_in_the_next_shuffle_has_no_share_in_it():
    stage = table(ids.NONCE_LATE)
    seq = offered(stage)
    frame = stage.peer.nonce_frame(ids.NONCE_GIVEN, seq, bytes(range(32)))
    stage.say(frame)
    stage.until("shuffle_nonce", 60000)
    stage.act("open", {})
    stage.until("warning_latched", 2000)
    for name in ("clear", "close"):
        act(stage, 500, name)
    stage.act("press", {"button": "ack"})
    stage.until("warning_cleared", 60000)
    act(stage, 1000, "take")
    assert offered(stage) > seq
    stage.say(frame)
    stage.run(100)
    assert stage.rig.app.flow.order_state == ORDER_OFFERED


def test_the_wait_belongs_to_the_session_that_asked_for_it():
    """The table's host has gone silent, or another has come that did not ask."""
    stage = table(ids.NONCE_GIVEN)
    stage.peer.share = -1
    stage.peer.session.hmac = None
    stage.hello_us = 0
    stage.run(1000)
    assert stage.peer.welcomes == 2
    start(stage, 700)
    assert stage.rig.app.flow.state == SHUFFLING
    stage = table(ids.NONCE_GIVEN)
    stage.rig.deliver = None
    for _ in range(6):
        stage.hello_us = stage.rig.plant.now_us + 100000000
        stage.run(2000)
    stage.hello_us = stage.rig.plant.now_us + 100000000
    start(stage, 700)
    assert stage.rig.app.flow.state == SHUFFLING


def test_a_commitment_that_is_not_on_record_takes_no_nonce():
    stage = table(ids.NONCE_LATE)
    drawing = stage.rig.app.drawing
    hold = drawing.seeds.hold

    def held(seq, cards, seed):
        done = hold(seq, cards, seed)
        stage.rig.nv.broken = True  # from here on nothing can be recorded
        return done

    drawing.seeds.hold = held
    start(stage)
    while stage.rig.app.flow.order_state != ORDER_OFFERED:
        stage.run(1)
    assert refused(stage, stage.peer.nonce_frame(ids.NONCE_GIVEN, drawing.seq, bytes(32)))
    stage.run(WAIT_MS + 2500)
    assert stage.rig.app.flow.state == WARNING and not any(stage.rig.app.shuffler.seed)


# --- shuffles that end in between ----------------------------------------------------------------


def test_a_shuffle_that_ends_between_commitment_and_order_is_recorded_and_counted():
    stage = table(ids.NONCE_LATE)
    for count in (1, 2):
        offered(stage)
        stage.act("open", {})
        while stage.rig.app.flow.state != WARNING:
            stage.run(1)
        assert not any(stage.rig.app.shuffler.seed)
        stage.until("shuffle_nonce", 3000)
        assert fields_of(stage, "shuffle_nonce")[-1] == [ids.NONCE_ABORTED, count]
        for name in ("clear", "close"):
            act(stage, 500, name)
        stage.act("press", {"button": "ack"})
        stage.until("warning_cleared", 60000)
        act(stage, 1000, "take")
    stage.peer.share = ids.NONCE_GIVEN
    start(stage)
    stage.until("shuffle_nonce", 5000)
    assert fields_of(stage, "shuffle_nonce")[-1] == [ids.NONCE_GIVEN, 2]
    check_stage(stage)


def test_power_that_fails_at_any_write_between_commitment_and_order_is_recorded_and_counted_once():
    for kind in ("fram", "flash"):
        write = 0
        aborted = 0
        while True:
            stage = table(ids.NONCE_LATE, nonce_ms=500)
            if kind == "flash":
                stage = flash_table()
            stage.play([("", 300, "load", CARDS)])
            nv = stage.rig.nv
            nv.cut_at = nv.writes + write
            nv.cut_bytes = (0, 50, CELL_SIZE)[write % 3]
            stage.act("press", {"button": "green"})
            while stage.rig.powered and stage.rig.app.flow.state != SHUFFLING:
                stage.run(10)
            if stage.rig.powered:
                nv.cut_at = -1
                for name in ("cut", "boot"):
                    stage.act(name, {})
                stage.run(1500)
                assert once(stage) == 0, "the order was drawn"
                break
            for again in range(2):  # the boot that records it is cut too, and the next one has to
                nv.cut_at = nv.writes + 1 if not again else -1
                act(stage, 1500, "boot")
            aborted += once(stage)
            write += 1
        assert write > 4 and aborted > 1, (kind, write, aborted)


def flash_table():
    config = small_board("carousel")
    config["link"]["mode"] = "table"
    config["nv"] = {"kind": "flash", "bytes": 128 * CELL_SIZE}
    config["audit"] = {"seeds": "erase", "nonce_ms": 500}
    stage = Stage(config, {"deck_cards": CARDS, "stack_cards": 2}, 7, KEY, ids.ROLE_TABLE)
    stage.peer.share = ids.NONCE_LATE
    stage.until("empty_proved", 20000, then_ms=300)
    return stage


def once(stage):
    """Every commitment that waited has one record of what came of it; the number of those that were aborted."""
    journal = stage.rig.app.journal
    waiting = aborted = 0
    for seq in range(1, journal.seq_last + 1):
        message = journal.load(seq)
        if message == ids.EV_SHUFFLE_COMMITTED:
            waiting += 1
        elif message == ids.EV_SHUFFLE_NONCE:
            waiting -= 1
            aborted += journal.buf[25] == ids.NONCE_ABORTED
            assert journal.buf[26] == aborted
    assert waiting == 0 and stage.rig.app.flow.facts.word(ABORTED) == aborted
    return aborted
