"""Over a bad cable: every event once and in order, no command twice, nothing believed that was never sent."""

import sys

from support import GAME, board, read_frames, to_device
from test_session import KEY

from firmware.protocol import ids
from firmware.protocol.frame import FrameReader
from hal.sim.noise import Noise
from rig import stories
from rig.story import Stage

# The MicroPython VM here is slow: fewer cables there, every kind on CPython.
SEEDS = range(1, 7) if sys.implementation.name == "cpython" else range(1, 3)


def noisy_stage(seed, bit_ppm, lose_ppm=0, piece_ppm=0):
    stage = Stage(board(link={"mode": "table", "clear_ack": False}), GAME, 7, KEY, ids.ROLE_TABLE)
    stage.to_host = Noise(seed, bit_ppm, lose_ppm, piece_ppm)
    stage.to_device = Noise(seed + 1000, bit_ppm, lose_ppm, piece_ppm)
    return stage


def commanded_round(stage):
    stage.play(stories.start() + [("", 500, "load", 52)])
    outcomes = [stage.order(1, ids.CMD_SHUFFLE), stage.order(2, ids.CMD_SET_POSITIONS, 1)]
    outcomes += [stage.order(3, ids.CMD_CLOSE_BETTING), stage.order(4, ids.CMD_CONFIRM_LOCKOUT)]
    for _ in range(2):
        stage.play([("stack_offered", 500, "take", 0)])
    outcomes.append(stage.order(5, ids.CMD_RELEASE))
    stage.play([("remainder_released", 500, "take", 0)])
    outcomes.append(stage.order(6, ids.CMD_END_ROUND))
    stage.until("round_ended", 60000)
    # Repeats come at most 8 s apart, and at this error rate about every third gets through both ways.
    stage.run(120000)
    return outcomes


def check_nothing_lost_or_twice(stage):
    seqs = [event.seq for event in stage.peer.events]
    assert seqs == list(range(1, stage.rig.app.journal.seq_last + 1)), "lost, repeated or out of order"
    ops = [event.fields[1] for event in stage.peer.events if event.name == "command_accepted"]
    assert ops == sorted(set(ops)), "a command was accepted twice"
    names = stage.names()
    for name in ("shuffle_started", "round_started", "release_started", "round_ended"):
        assert names.count(name) == 1, name


def test_a_round_by_command_over_bit_errors_up_to_one_in_a_thousand():
    for seed in SEEDS:
        for bit_ppm in (10, 100, 1000):
            stage = noisy_stage(seed, bit_ppm)
            assert commanded_round(stage) == [ids.OUTCOME_DONE] * 6, (seed, bit_ppm)
            check_nothing_lost_or_twice(stage)
            if bit_ppm >= 100:
                assert stage.to_host.damaged and sum(stage.rig.app.link.reader.drops), "the cable was too good"


def test_a_round_by_command_over_lost_stuck_repeated_and_truncated_bytes():
    for seed in SEEDS:
        stage = noisy_stage(seed, 50, lose_ppm=500, piece_ppm=50000)
        assert commanded_round(stage) == [ids.OUTCOME_DONE] * 6, seed
        check_nothing_lost_or_twice(stage)


def slow_stage(delay_ms):
    stage = noisy_stage(1, 0)
    stage.to_host = Noise(1, delay_ms=delay_ms)
    stage.to_device = Noise(2, delay_ms=delay_ms)
    return stage


def test_a_round_by_command_over_a_slow_cable_repeats_nothing():
    """A round trip of 480 ms is just shorter than the host's wait for a welcome."""
    stage = slow_stage(240)
    assert commanded_round(stage) == [ids.OUTCOME_DONE] * 6
    check_nothing_lost_or_twice(stage)
    assert stage.peer.hellos == 1 and stage.peer.repeats == 0


def test_each_piece_arrives_whole_and_in_order_after_the_delay():
    sent_us = {True: [], False: []}
    arrived = {True: [], False: []}
    stage = slow_stage(35)

    class Watched(Noise):
        def send(self, data, now_us):
            if data:
                sent_us[self is stage.to_host].append((now_us, bytes(data)))
            return Noise.send(self, data, now_us)

    stage.to_host = Watched(1, delay_ms=35)
    stage.to_device = Watched(2, delay_ms=35)
    stage.tap = lambda way, data: arrived[way == 0].append((stage.rig.plant.now_us, bytes(data))) if data else None
    stage.play(stories.start())
    for way in (True, False):
        count = len(arrived[way])
        assert count > 3
        assert arrived[way] == [(at_us + 35000, data) for at_us, data in sent_us[way][:count]]


def test_what_is_under_way_in_a_cable_is_lost_with_it():
    stage = slow_stage(200)
    stage.run(150)
    assert stage.to_device.under_way
    stage.to_host, stage.to_device = Noise(1), Noise(2)
    welcomes = stage.peer.welcomes
    stage.run(100)
    assert stage.peer.welcomes == welcomes == 0
    stage.run(1000)
    assert stage.peer.welcomes == 1  # by the next hello


def test_pieces_of_an_old_connection_turning_up_late_change_nothing():
    for seed in SEEDS:
        stage = noisy_stage(seed, 0, piece_ppm=200000)
        stage.play(stories.start() + [("", 500, "load", 52)])
        stage.order(1, ids.CMD_SHUFFLE)
        stage.order(2, ids.CMD_SET_POSITIONS, 1)
        # The cable is pulled; both ends say hello again; then what was held back arrives in front of everything else.
        to_device(stage, stage.peer.hello(), 100)
        stage.rig.hal.received.extend(stage.to_device.reconnect())
        late = stage.to_host.reconnect()
        stage.run(100)
        stage._to_device(stage.peer.feed(late))
        stage.to_host = stage.to_device = None
        stage.run(5000)
        stage.order(3, ids.CMD_CLOSE_BETTING)
        ops = [event.fields[1] for event in stage.peer.events if event.name == "command_accepted"]
        assert ops == [1, 2, 3]


def test_every_frame_that_arrives_whole_is_delivered_and_no_other():
    """Frame by frame over the cable, so that we know which ones it left alone."""
    stage = noisy_stage(3, 0)
    stage.to_host = stage.to_device = None
    stage.play(stories.start() + stories.round_of(1))
    sent = read_frames(FrameReader(), stage.transcript)
    genuine = set(sent)
    writerless = bytes(stage.transcript).split(b"\x00")
    pieces = [b"\x00" + piece + b"\x00" for piece in writerless if piece]
    for seed in SEEDS:
        noise = Noise(seed, bit_ppm=1000)
        arrived = bytearray()
        whole = []
        for piece in pieces:
            carried = noise.carry(piece)
            arrived.extend(carried)
            if bytes(carried) == piece:
                whole += read_frames(FrameReader(), carried)
        got = read_frames(FrameReader(), arrived)
        assert noise.damaged > 0
        assert [frame for frame in got if frame not in genuine] == [], "a bogus frame was accepted"
        at = 0
        for frame in got:
            if at < len(whole) and frame == whole[at]:
                at += 1
        assert at == len(whole), "an undamaged frame was not delivered"
