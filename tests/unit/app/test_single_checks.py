"""Checks of one line each that a whole story seldom needs: each is tried where nothing else would notice."""

from binascii import crc32

from support import GAME, board, fields_of, play, read_frames, started
from test_frame import frame
from test_journal import CAPACITY, journal_on, new_nv, record

from firmware.fault import FAULT_CARD_LENGTH, FAULT_DOOR, FAULT_DOUBLE_FEED, FAULT_NONE, FAULT_STACK
from firmware.games.flow import PREPARING, WARNING
from firmware.games.procedure import procedure_scan
from firmware.image import IN_DOOR, IN_EXIT, IN_THROAT_A, IN_THROAT_B, IN_TRAY, Inputs, Outputs
from firmware.link.handshake import NOISE_BYTES, _fresh
from firmware.machines.carousel import _deal
from firmware.machines.eject import EJECT_FAILED, EJECT_HOMING, EJECT_LEAVING, eject_scan
from firmware.machines.feed import FEED_ENTERING, FEED_FAILED, FEED_SCANS
from firmware.machines.machine import JOB_FAILED
from firmware.machines.tray import EARLY_US
from firmware.protocol.cobs import cobs_encode
from firmware.protocol.frame import CRC_RESIDUE, DROP_CRC, FrameReader
from rig import stories
from rig.story import Stage


def machine_and_inputs():
    """A carousel at rest, and inputs that only the test moves."""
    stage = Stage(board(), GAME, 7)
    return stage.rig.app.flow.machine, Inputs(), Outputs()


# --- cards -------------------------------------------------------------------------------------


def fed(edges_a):
    """The feed after a card of the right length has left the mouth, with so many cards seen by the first beam."""
    machine, inp, out = machine_and_inputs()
    feed = machine.feed
    feed.state = FEED_ENTERING
    feed.ledger.zone[1] = 1  # PATH
    inp.leaves[IN_THROAT_B] = feed.seen_b + 1
    inp.enters[IN_THROAT_A] = feed.seen_a + edges_a
    inp.leave_us[IN_THROAT_B] = feed.spec.length_us
    FEED_SCANS[FEED_ENTERING](feed, inp, out, 0)
    return feed


def test_two_cards_at_the_first_beam_are_a_double_feed_though_the_second_saw_one():
    assert fed(1).state != FEED_FAILED
    for edges_a in (0, 2, 3):
        feed = fed(edges_a)
        assert (feed.state, feed.fault) == (FEED_FAILED, FAULT_DOUBLE_FEED), edges_a


def ejected(percent):
    """What becomes of a card whose shadow at the exit has so much of a card's length."""
    machine, inp, out = machine_and_inputs()
    eject = machine.eject
    eject.state = EJECT_LEAVING
    eject.wanted = 2
    eject.ledger.zone[2] = 8  # STORE
    inp.leaves[IN_EXIT] = eject.seen_exit + 1
    inp.leave_us[IN_EXIT] = eject.spec.length_us * percent // 100
    eject_scan(eject, inp, out, 0)
    return eject


def test_a_card_that_is_too_short_or_too_long_at_the_exit_is_not_dealt():
    for percent in (86, 100, 114):
        assert ejected(percent).state == EJECT_HOMING, percent
    for percent in (10, 50, 84):
        eject = ejected(percent)
        assert (eject.state, eject.fault, eject.count) == (EJECT_FAILED, FAULT_CARD_LENGTH, 0), percent
    assert ejected(116).fault == FAULT_DOUBLE_FEED


def test_a_second_count_above_the_first_refuses_the_deck():
    for more in (1, 2, 10):
        stage = started()
        machine = stage.rig.app.flow.machine

        def one_more(machine=machine, more=more):
            if machine.second == 52:
                machine.second += more

        stage.listen = one_more
        stage.play([("", 300, "load", 52), ("", 300, "press", "green")])
        stage.until("warning_latched", 60000)
        assert "deck_verified" not in stage.names()
        stage.run(500)
        assert fields_of(stage, "deck_refused")[0][:3] == [52, 52, 52 + more], stage.names()


# --- hands -------------------------------------------------------------------------------------


def test_a_door_opened_while_the_order_is_drawn_stops_before_a_card_moves():
    stage = play(stories.start() + [("", 500, "load", 52)])
    stage.act_typed("press", "green")
    app = stage.rig.app
    while app.flow.state != PREPARING:
        stage._step(stage.rig.plant.now_us + 1000)
    app.inp.level[IN_DOOR] = 1
    procedure_scan(app.flow, app.inp, app.out, stage.rig.hal.ticks_ms())
    assert (app.flow.state, app.flow.warning) == (WARNING, FAULT_DOOR)
    assert len(stage.rig.plant.throat.hopper) == 52


def test_what_blocks_the_tray_before_the_first_card_fell_is_a_hand():
    machine, inp, _out = machine_and_inputs()
    tray = machine.tray
    tray.guard(inp)
    inp.level[IN_TRAY] = 1
    inp.enter_us[IN_TRAY] = 1000
    assert tray.early(inp) == FAULT_NONE  # no card of ours falls yet: that is another check
    for early_us, ours, expected in (
        (EARLY_US + 1, False, FAULT_STACK),
        (EARLY_US, False, FAULT_NONE),
        (-1000, False, FAULT_NONE),
        (EARLY_US + 1, True, FAULT_NONE),  # a card of this deal lay there before
    ):
        tray.free = not ours
        inp.leave_us[IN_EXIT] = 1000 + early_us - machine.spec.fall_us
        assert tray.first(inp, IN_EXIT) == tray.early(inp) == expected


def dealt_late(early_us):
    """A late scan: the first card has left the exit, and the tray has been blocked since so long before."""
    machine, inp, out = machine_and_inputs()
    machine.begin((_deal,), 0)
    machine.fresh = False
    machine.wanted = 2
    machine.guards = True
    machine.tray.guard(inp)
    machine.eject.state = EJECT_LEAVING
    machine.eject.wanted = 2
    inp.leaves[IN_EXIT] = machine.eject.seen_exit + 1
    inp.leave_us[IN_EXIT] = 100000
    inp.level[IN_TRAY] = 1
    inp.enter_us[IN_TRAY] = 100000 + machine.spec.fall_us - early_us
    _deal(machine, inp, out, 100)
    return machine


def test_a_hand_in_the_tray_before_the_first_card_stops_the_deal_in_a_late_scan_too():
    assert dealt_late(0).state != JOB_FAILED
    assert dealt_late(-3000).state != JOB_FAILED
    machine = dealt_late(EARLY_US + 1)
    assert (machine.state, machine.fault) == (JOB_FAILED, FAULT_STACK)


# --- bytes -------------------------------------------------------------------------------------


def residue_bit(raw, bit):
    """What to exclusive-or into the CRC of a frame so that one bit of its residue changes, and no other."""
    rows = []
    for at in range(32):
        changed = bytearray(raw)
        changed[len(raw) - 4 + at // 8] ^= 1 << at % 8
        rows.append((crc32(changed) ^ crc32(raw), 1 << at))
    for column in range(32):  # Gauss: CRC-32 is linear
        at = next(i for i in range(column, 32) if rows[i][0] >> column & 1)
        rows[column], rows[at] = rows[at], rows[column]
        for i in range(32):
            if i != column and rows[i][0] >> column & 1:
                rows[i] = (rows[i][0] ^ rows[column][0], rows[i][1] ^ rows[column][1])
    return rows[bit][1]


def test_every_bit_of_the_crc_counts():
    raw = read_frames(FrameReader(), frame(258, bytes(range(12))))[0]
    for bit in range(32):
        changed = bytearray(raw)
        change = residue_bit(raw, bit)
        for i in range(4):
            changed[len(raw) - 4 + i] ^= change >> 8 * i & 0xFF
        assert crc32(changed) == CRC_RESIDUE ^ 1 << bit
        wire = bytearray(1) + changed
        cobs_encode(wire, 0, len(wire))
        reader = FrameReader()
        assert read_frames(reader, b"\x00" + wire + b"\x00") == [], bit
        assert reader.drops[DROP_CRC] == 1, bit


def test_an_acknowledgement_that_could_not_be_marked_does_not_count():
    nv = new_nv()
    journal = journal_on(nv)
    for _ in range(3):
        assert record(journal)
    nv.broken = True
    assert not journal.acknowledge(2)
    assert (journal.seq_acked, journal.room()) == (0, CAPACITY - 3)
    nv.broken = False
    assert journal.acknowledge(2)
    assert journal.seq_acked == 2


def test_a_nonce_depends_on_the_noise_of_its_hello():
    stage = Stage(board(), GAME, 7)
    handshake = stage.rig.app.reporter.handshake
    hal = stage.rig.hal
    found = set()
    for fill in range(8):

        def noise(buf, fill=fill):
            assert len(buf) == NOISE_BYTES
            for i in range(len(buf)):
                buf[i] = 0
            buf[fill * 4] = 1
            return True

        hal.entropy_into = noise
        handshake.nonces = 0
        found.add(_fresh(handshake)[0])
    assert len(found) == 8
