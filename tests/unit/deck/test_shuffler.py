"""A shuffle that can be proved: the seed gives the order, the commitment the seed, and neither is known early."""

import sys
from array import array
from hashlib import sha256

from support import GAME, board, check_stage, fields_of, play, to_device

from firmware.deck.drbg import Drbg
from firmware.deck.permutation import permutation_fill
from firmware.deck.shuffler import Shuffler
from firmware.fault import FAULT_ENTROPY, FAULT_JOURNAL
from firmware.games.flow import DECK_HELD, DECK_READY, PREPARING, SHUFFLING, WAITING_FOR_DECK, WARNING
from firmware.journal.cells import CELL_SIZE, TOLD_CELL
from firmware.journal.seeds import SEED_AT, SEED_END
from firmware.link.admission import REFUSE_CLEAR, REFUSE_ROLE
from firmware.protocol import ids
from rig import stories
from rig.peer import Peer
from rig.story import Stage

KEY = bytes(range(32))
TOLD_AT = TOLD_CELL * CELL_SIZE
OFF_AND_ON = [("", 0, "cut", 0), ("", 2000, "boot", 0)]


def stage_of(seeds="disclose", role=ids.ROLE_RECORDER, seed=7):
    return Stage(board(audit={"seeds": seeds}, link={"mode": "table"}), GAME, seed, KEY, role)


def held(stage):
    """The cell that will be written when the deck has left play, in RAM."""
    return bytes(stage.rig.app.drawing.seeds.buf)


def watch_draws(stage):
    """A list that gets every seed drawn from now on."""
    shuffler = stage.rig.app.shuffler
    draw_order = shuffler.draw
    seeds = []

    def drawn(order, count):
        done = draw_order(order, count)
        seeds.append(bytes(shuffler.seed))
        return done

    shuffler.draw = drawn
    return seeds


def told(stage):
    return bytes(stage.rig.nv.data[TOLD_AT : TOLD_AT + CELL_SIZE])


def commitments(stage):
    """(sequence number, commitment) of every shuffle the host knows of."""
    found = []
    for event in stage.peer.events:
        if event.name == "shuffle_committed":
            found.append((event.seq, stage.peer.payloads[event.seq][-33:-1]))
    return found


def ask(stage):
    """An auditor comes, asks and goes: kept, seq, cards and seed of the answer."""
    host = stage.peer
    auditor = enter(stage, ids.ROLE_AUDITOR)
    send(stage, auditor, ids.SEED_GET)
    take_over(stage, host)
    body = auditor.seeds[0]
    assert len(auditor.seeds) == 1
    return body[0], body[1] | body[2] << 8 | body[3] << 16 | body[4] << 24, body[5] | body[6] << 8, body[7:39]


def enter(stage, role):
    """Another host takes over the link; one that only reads waits until the one before has left it."""
    peer = Peer(KEY, role)
    take_over(stage, peer)
    for _ in range(300):
        if peer.session.hmac and "status" in peer.messages:
            return peer
        stage.run(50)
    raise AssertionError("no session")


def take_over(stage, peer):
    stage.peer = peer
    stage.valid = peer.valid
    stage.hello_us = 0


def send(stage, peer, message, values=()):
    kind = ids.CLASS_TIME if message == ids.TIME_SET else ids.CLASS_DIAGNOSTIC
    to_device(stage, peer.frame(peer.session, kind, message, values), 20)


def draw(shuffler, order, count):
    while not shuffler.entropy.gather():
        pass
    return shuffler.draw(order, count)


def order_of(seed, count):
    order = array("H", [0] * count)
    permutation_fill(order, count, Drbg(seed, b"", b"fairshoe shuffle 1"))
    return list(order)


# --- drawing -----------------------------------------------------------------------------------


def test_the_seed_gives_the_order_and_the_commitment_the_seed():
    stage = Stage(board(), GAME, 7)
    shuffler = Shuffler(stage.rig.hal, board(), 1)
    seen = set()
    for count in (52, 54, 5):
        order = array("H", [0] * 54)
        assert draw(shuffler, order, count)
        assert list(order)[:count] == order_of(shuffler.seed, count)
        assert shuffler.commitment == sha256(b"fairshoe seed 1" + bytes(shuffler.seed)).digest()
        seen.add(bytes(shuffler.seed))
        shuffler.forget()
        assert bytes(shuffler.seed) == bytes(32)
    assert len(seen) == 3


def test_every_draw_takes_fresh_entropy():
    stage = Stage(board(), GAME, 7)
    shuffler = Shuffler(stage.rig.hal, board(), 1)
    order = array("H", [0] * 54)
    for _ in range(3):
        before = stage.rig.hal.entropy_draws
        assert draw(shuffler, order, 52)
        assert stage.rig.hal.entropy_draws - before >= shuffler.entropy.seed_bytes


def test_what_a_draw_gives_depends_on_its_own_noise_and_on_all_since_boot():
    for first, second in ((0, 1), (1, 0)):
        seeds = set()
        for noise in (5000, 90000):
            stage = Stage(board(), GAME, 7)
            shuffler = Shuffler(stage.rig.hal, board(), 1)
            order = array("H", [0] * 54)
            for part in (first, second):
                stage.rig.hal.entropy_draws = part * noise
                assert draw(shuffler, order, 52)
            seeds.add(bytes(shuffler.seed))
        assert len(seeds) == 2, first


def test_the_same_noise_after_another_boot_gives_another_seed():
    """The nonce has device and boot in it: a source that repeats itself still repeats no order."""
    seeds = set()
    for boot in (1, 2):
        stage = Stage(board(), GAME, 7)
        stage.rig.hal.entropy_draws = 0
        shuffler = Shuffler(stage.rig.hal, board(), boot)
        assert draw(shuffler, array("H", [0] * 52), 52)
        seeds.add(bytes(shuffler.seed))
    assert len(seeds) == 2


def test_the_cards_come_out_in_the_order_of_the_disclosed_seed():
    """The whole point: what was dealt follows from what the auditor receives afterwards."""
    stage = stage_of()
    stage.play(stories.start() + stories.round_of(2))
    kept, seq, cards, seed = ask(stage)
    assert (kept, cards) == (1, 52)
    assert commitments(stage) == [(seq, sha256(b"fairshoe seed 1" + seed).digest())]
    slots = order_of(seed, 52)
    # The hopper feeds card 51 first, and slot 0 is dealt first.
    dealt = [51 - slots.index(slot) for slot in range(52)]
    assert [card for stack in stage.taken for card in stack] == dealt


# --- health ------------------------------------------------------------------------------------


def test_a_source_that_dies_stops_the_next_shuffle_and_nothing_else_and_comes_back_by_acknowledgement():
    stage = play(stories.start() + stories.round_of(1))
    hal = stage.rig.hal
    good = hal.entropy_into

    def stuck(buf):
        for i in range(len(buf)):
            buf[i] = 0xFF
        return True  # the port itself has not noticed

    hal.entropy_into = stuck
    stage.play(stories.shuffle(52))
    stage.until("warning_latched", 5000)
    assert fields_of(stage, "shuffle_failed") == [[FAULT_ENTROPY]]
    assert len(commitments(stage)) == 1
    assert len(stage.rig.plant.throat.hopper) == 52
    assert stage.rig.app.shuffler.entropy.failed
    hal.entropy_into = good
    stage.play([("", 500, "open", 0), ("", 500, "clear", 0), ("", 500, "close", 0), ("", 500, "press", "ack")])
    stage.until("warning_cleared", 60000)
    assert stage.rig.app.shuffler.entropy.failed  # it was not tested again yet
    stage.play(stories.round_of(1))
    check_stage(stage)
    assert len(commitments(stage)) == 2


def test_a_source_that_failed_at_boot_is_told_of_even_if_it_has_come_back_since():
    stage = Stage(board(), GAME, 7)
    stage.rig.app.shuffler = stage.rig.app.drawing.shuffler = Shuffler(Dead(), board(), 1)  # a boot with a dead source
    assert stage.rig.app.shuffler.entropy.failed
    stage.rig.app.shuffler.entropy.hal = stage.rig.hal
    stage.play(stories.start() + stories.shuffle(52))
    stage.until("warning_latched", 5000)
    assert fields_of(stage, "shuffle_failed") == [[FAULT_ENTROPY]]
    stage.play([("", 500, "open", 0), ("", 500, "clear", 0), ("", 500, "close", 0), ("", 500, "press", "ack")])
    stage.until("warning_cleared", 60000)
    stage.play(stories.round_of(1))
    assert len(commitments(stage)) == 1


class Dead:
    """A board whose source is stuck."""

    def entropy_into(self, buf):
        for i in range(len(buf)):
            buf[i] = 0
        return True

    def unique_id(self):
        return 1


# --- commitment --------------------------------------------------------------------------------


def test_the_commitment_is_durable_before_the_first_card_moves():
    stage = stage_of(role=ids.ROLE_TABLE)
    stage.play(stories.start() + [("", 500, "load", 52)])
    stage.act_typed("press", str("green"))
    app = stage.rig.app
    while app.flow.state != SHUFFLING:
        assert len(stage.rig.plant.throat.hopper) == 52
        stage._step(stage.rig.plant.now_us + 1000)
    assert app.journal.load(app.journal.seq_last) == ids.EV_SHUFFLE_COMMITTED
    commitment = bytes(app.journal.buf[25:57])
    assert sha256(b"fairshoe seed 1" + held(stage)[SEED_AT:SEED_END]).digest() == commitment
    assert bytes(app.shuffler.seed) == bytes(32)


def test_storage_that_fails_at_the_seed_stops_the_next_shuffle_as_a_storage_failure():
    stage = stage_of()
    hal = stage.rig.hal
    prog = hal.nv_prog
    hal.nv_prog = lambda address, buf: address != TOLD_AT and prog(address, buf)
    stage.play(stories.start() + stories.round_of(1))
    assert held(stage) != bytes(CELL_SIZE)
    stage.play([("", 0, "load", 52), ("", 300, "press", "green")])
    stage.until("warning_latched", 5000)
    assert fields_of(stage, "warning_latched")[0][0] == FAULT_JOURNAL
    assert len(commitments(stage)) == 1
    assert len(stage.rig.plant.throat.hopper) == 52


# --- what becomes of the seed ------------------------------------------------------------------

ENDINGS = (
    stories.round_of(1),
    stories.refuse_deck(51),
    [("", 0, "jam", "throat:10:60000")] + stories.shuffle(52) + stories.clear_by_hand(),
    [("", 0, "jam", "exit:2:40000")] + stories.shuffle(52) + stories.deal(1)[:-2] + stories.clear_by_hand(),
    stories.shuffle(52) + [("deck_verified", 300, "open", 0)] + stories.clear_by_hand(),
)


def test_whichever_way_a_deck_leaves_play_its_seed_is_erased_or_disclosed():
    for steps in ENDINGS:
        for seeds in ("erase", "disclose"):
            stage = stage_of(seeds)
            stage.play(stories.start() + steps)
            check_stage(stage)
            assert held(stage) == bytes(CELL_SIZE), (steps, seeds)
            kept, seq, cards, seed = ask(stage)
            if seeds == "erase":
                assert told(stage) == bytes(CELL_SIZE)
                assert (kept, seq, cards, seed) == (0, 0, 0, bytes(32))
            else:
                assert [(seq, sha256(b"fairshoe seed 1" + seed).digest())] == commitments(stage)


def test_erasing_is_what_a_board_does_that_says_nothing():
    stage = play(stories.start() + stories.round_of(1))
    assert held(stage) == told(stage) == bytes(CELL_SIZE)


def test_a_device_told_to_erase_also_erases_what_it_had_disclosed_before():
    stage = stage_of("disclose")
    stage.play(stories.start() + stories.round_of(1))
    assert told(stage) != bytes(CELL_SIZE)
    stage.rig.config["audit"]["seeds"] = "erase"
    stage.play(OFF_AND_ON + stories.start())
    assert told(stage) == bytes(CELL_SIZE)
    assert ask(stage) == (0, 0, 0, bytes(32))


def watch(stage, states):
    """Ask in a state without a request so far: never the seed that is held, and held it is while cards can be dealt."""
    flow = stage.rig.app.flow
    if flow.state in states:
        return
    states.add(flow.state)
    secret = held(stage)[SEED_AT:SEED_END]
    in_play = PREPARING < flow.state < WARNING
    answer = ask(stage)
    if in_play and PREPARING < flow.state < WARNING:
        assert secret != bytes(32), flow.state
        assert answer[3] != secret, flow.state
        assert secret not in bytes(stage.transcript), flow.state


def test_no_seed_is_told_while_its_deck_is_in_play():
    jammed = [("", 0, "jam", "exit:2:40000")] + stories.shuffle(52) + stories.deal(1)[:-2] + stories.clear_by_hand()
    everywhere = set()
    for steps in (stories.round_of(1) + stories.round_of(1), jammed, stories.refuse_deck(51)):
        stage = stage_of()
        states = set()
        for name, delay_ms, action, argument in stories.start() + steps:
            limit_us = stage.rig.plant.now_us + 60000000
            while name:
                watch(stage, states)
                while name and stage.seen < len(stage.peer.events):
                    stage.seen += 1
                    if stage.peer.events[stage.seen - 1].name == name:
                        name = ""
                assert stage.rig.plant.now_us < limit_us, stage.last_event()
                stage._step(stage.rig.plant.now_us + 50000)
            stage.run(delay_ms)
            watch(stage, states)
            everywhere |= states
            if stage.last_event() == "round_ended":
                states = set()  # the second round again, now that there is a seed to tell
            stage.act_typed(action, str(argument))
        stage.run(500)
        assert ask(stage)[3] != bytes(32)
    # An order is drawn within the scan that asks for it: no question can arrive while it is being prepared.
    # The states from DECK_HELD on belong to other mechanisms.
    assert everywhere | {PREPARING} == set(range(DECK_HELD)), everywhere


def test_a_seed_is_never_told_of_a_deck_that_is_dealt_elsewhere():
    """It may be in play for hours after it was handed out, also while the next deck is shuffled."""
    stage = Stage(board("shelves", audit={"seeds": "disclose"}), {"deck_cards": 12}, 7, KEY, ids.ROLE_RECORDER)
    seeds = watch_draws(stage)
    stage.play(stories.start() + stories.shuffle(12))
    stage.until("deck_verified", 400000)
    secret = seeds[0]
    assert ask(stage)[3] != secret
    stage.play([("", 700, "press", "green"), ("remainder_released", 900, "wait", 0)])
    assert ask(stage)[3] != secret
    assert held(stage) == bytes(CELL_SIZE)
    stage.play([("", 0, "take", 0), ("remainder_taken", 500, "wait", 0)])
    assert ask(stage)[3] == bytes(32)
    stage.play(stories.shuffle(12))
    stage.until("deck_verified", 400000)
    assert ask(stage)[3] == bytes(32)
    assert secret not in bytes(stage.rig.nv.data)


def test_power_lost_with_a_deck_in_play_takes_its_seed_along():
    for after, event in ((3000, "shuffle_started"), (300, "deck_verified"), (200, "stack_offered")):
        for policy in ("erase", "disclose"):
            stage = stage_of(policy)
            seeds = watch_draws(stage)
            steps = stories.start() + stories.shuffle(52)
            if event == "stack_offered":
                steps = steps + stories.deal(1)[:-2]
            stage.play(steps + [(event, after, "cut", 0)])
            assert len(seeds) == 1
            assert seeds[0][:8] not in bytes(stage.rig.nv.data), (event, policy)
            stage.act_typed("boot", "")
            stage.run(3000)
            assert stage.rig.app.flow.state == WARNING
            assert ask(stage)[1:] == (0, 0, bytes(32))


def test_power_cut_at_any_write_of_a_round_tells_no_seed_without_its_commitment():
    steps = stories.start() + stories.round_of(1)
    total = stage_of()
    total.play(steps)
    last = total.rig.nv.writes
    for write in range(0, last, 2 if sys.implementation.name == "cpython" else 14):
        stage = stage_of()
        stage.rig.nv.cut_at = write
        stage.rig.nv.cut_bytes = (0, 30, 64)[write // 2 % 3]
        try:
            stage.play(steps, 30000)
        except Exception:
            assert not stage.rig.powered
        stage.rig.nv.cut_at = -1
        stage.act_typed("boot", "")
        stage.run(5000)
        check_stage(stage)
        # Its hands are still being settled, or it is gone.
        assert stage.rig.app.flow.tail or held(stage) == bytes(CELL_SIZE), write
        # The peer has lost its ears with the device: what the journal says is what counts.
        answer = ask(stage)
        journal = stage.rig.app.journal
        if answer[1]:
            assert journal.load(answer[1]) == ids.EV_SHUFFLE_COMMITTED, write
            assert bytes(journal.buf[25:57]) == sha256(b"fairshoe seed 1" + answer[3]).digest(), write
        else:
            assert answer[3] == bytes(32)


def test_a_round_that_ends_with_cards_inside_does_not_end_the_secret():
    """No game of today does so; one that deals several rounds from a deck would."""
    stage = stage_of()
    stage.play(stories.start() + stories.shuffle(52) + [("deck_verified", 0, "wait", 0)])
    stage.rig.app.outbox.post(ids.EV_ROUND_ENDED)
    stage.run(1000)
    assert held(stage) != bytes(CELL_SIZE)
    assert ask(stage)[1] == 0
    stage.play([("", 0, "open", 0)])
    stage.until("warning_latched", 5000, then_ms=500)
    assert held(stage) == bytes(CELL_SIZE)
    assert ask(stage)[1] != 0


# --- who may ask -------------------------------------------------------------------------------


def test_only_a_keyed_auditor_is_answered():
    for role in (ids.ROLE_RECORDER, ids.ROLE_TABLE):
        stage = stage_of(role=role)
        stage.play(stories.start() + stories.round_of(1))
        before = stage.rig.app.link.refused[REFUSE_ROLE]
        send(stage, stage.peer, ids.SEED_GET)
        assert stage.peer.seeds == []
        assert stage.rig.app.link.refused[REFUSE_ROLE] == before + 1
    stage = stage_of()
    stage.play(stories.start() + stories.round_of(1))
    enter(stage, ids.ROLE_AUDITOR)
    forger = Peer()
    forger.session.number = stage.peer.session.number
    before = stage.rig.app.link.refused[REFUSE_CLEAR]
    send(stage, forger, ids.SEED_GET)
    assert stage.rig.app.link.refused[REFUSE_CLEAR] == before + 1
    assert stage.peer.seeds == []


def test_a_machine_that_does_not_shuffle_has_no_seed_to_tell():
    stage = Stage(board("shoe", audit={"seeds": "disclose"}, link={"mode": "table"}), GAME, 7, KEY, ids.ROLE_RECORDER)
    stage.play(stories.start())
    stage.rig.app.queries.values[:3] = [9, 9, 9]  # of the question before
    assert ask(stage) == (0, 0, 0, bytes(32))


def test_an_auditor_may_not_command_set_the_time_or_acknowledge():
    stage = stage_of(role=ids.ROLE_AUDITOR)
    stage.play(stories.start() + [("", 0, "load", 52)])
    assert stage.order(1, ids.CMD_SHUFFLE) == ids.OUTCOME_REJECTED
    assert stage.peer.results[-1][3] == ids.REASON_ROLE
    assert stage.rig.app.flow.state == WAITING_FOR_DECK
    before = stage.rig.app.link.refused[REFUSE_ROLE]
    send(stage, stage.peer, ids.TIME_SET, [1000])
    assert stage.rig.app.link.refused[REFUSE_ROLE] == before + 1
    assert "time_is" not in stage.peer.messages
    assert stage.rig.app.journal.seq_acked == 0


def test_the_order_and_the_seed_are_nowhere_to_be_seen_before_the_round_is_over():
    """Link, storage, display: no run of eight slots of the order, no part of the seed.

    Proves: CS-7b (automated, in part)
    """
    stage = stage_of("disclose")
    shown = []
    show = stage.rig.hal.show
    stage.rig.hal.show = lambda lines: (shown.append(lines), show(lines))
    stage.play(stories.start() + stories.shuffle(52))
    while stage.rig.app.flow.state != SHUFFLING:
        stage.run(1)
    order = list(stage.rig.app.order)[:52]
    seed = held(stage)[SEED_AT:SEED_END]
    assert sorted(order) == list(range(52))
    stage.play(stories.deal(1)[:-2] + [("stack_offered", 100, "wait", 0)])
    for haystack in (bytes(stage.transcript), bytes(stage.rig.nv.data), repr(shown).encode()):
        assert seed[:8] not in haystack and seed[-8:] not in haystack
        for start in range(0, 52, 4):
            part = order[start : start + 8]
            assert bytes(part) not in haystack
            assert bytes(array("H", part)) not in haystack
            assert repr(part)[1:-1].encode() not in haystack
            assert " ".join(str(slot) for slot in part).encode() not in haystack
    assert list(stage.rig.app.order) == [0] * 54
    assert stage.rig.app.flow.state != DECK_READY
