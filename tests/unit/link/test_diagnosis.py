"""The diagnostic mode: who gets in, what it may do, what is recorded, and how it ends."""

from services import CARDS, KEY, device, plug, records, turn
from support import act

from firmware.games.flow import STARTING, WAITING_FOR_DECK, WARNING
from firmware.image import IN_DOOR, IN_THROAT_A, IN_THROAT_B, IN_TRAY, INPUTS, NO_LINE, OUT_LAMP_GREEN
from firmware.machines.meters import METER_CYCLES
from firmware.protocol import ids
from firmware.protocol.frame import CRC_SIZE, HEADER_SIZE
from firmware.protocol.session import MAC_SIZE

PICK, TRANSPORT, EJECTOR, OUTFEED, REVERSE, DARK, AXIS = (1 << i for i in range(7))
NONE = 255
AT_REST = 254
PACE = 253
LAMPS = 252
NAMES = ids.SHOT_NAMES.split()


def until(line, level):
    return line << 1 | level


def program(*steps):
    return b"".join(bytes((outputs, end, ms & 255, ms >> 8)) for outputs, end, ms in steps)


FEED = program(
    (PICK | TRANSPORT, until(IN_THROAT_B, 1), 300),
    (PICK | TRANSPORT, NONE, 13),
    (TRANSPORT, until(IN_THROAT_B, 0), 300),
    (0, NONE, 30),
)


class Bench:
    """A host in the service role."""

    def __init__(self, stage, role=ids.ROLE_SERVICE):
        self.stage = stage
        self.peer = plug(stage, KEY, role)
        self.number = 0

    def ask(self, message, values, text=b"", ms=200):
        self.peer.messages.pop("diagnosis", None)
        self.stage.to_service(self.peer.frame(self.peer.session, ids.CLASS_DIAGNOSTIC, message, values, text))
        self.stage.run(ms)
        return self.peer.messages.get("diagnosis")

    def read(self, what=ids.DIAGNOSE_READ, at=0):
        return self.ask(ids.DIAGNOSE, [what, at])

    def shoot(self, text, steps=0, output=NONE, line=0, delay_us=0, watch=0, ms=5200, again=False):
        """How it ended, by name; None: no answer."""
        self.number += 0 if again else 1
        back = 1 if steps < 0 else 0
        said = self.ask(ids.SHOT, [self.number, output, line, delay_us, abs(steps), back, watch], text, ms)
        return said and NAMES[said[7]]

    def edges(self):
        """(line or outputs, level, microseconds) of the last shot."""
        said, found, at = self.read(), [], 0
        while at < said[9]:
            self.peer.frames = []
            self.read(ids.DIAGNOSE_EDGES, at)
            frame = [frame for frame in self.peer.frames if frame[2] | frame[3] << 8 == ids.EDGES][-1]
            page = frame[10:-20]
            assert frame[8] | frame[9] << 8 == at
            for i in range(0, len(page), 5):
                us = page[i + 1] | page[i + 2] << 8 | page[i + 3] << 16 | page[i + 4] << 24
                kind = page[i]
                found.append(("out", kind & 127, us) if kind & 128 else (kind >> 1, kind & 1, us))
                at += 1
        return found


def entered(cards=0):
    stage = device(KEY)
    bench = Bench(stage)
    said = bench.read()
    assert said[:2] == [1, 1] and said[6:11] == [0, ids.SHOT_DONE, 0, 0, ids.UNKNOWN_U16]
    if cards:
        stage.act("load", {"cards": cards})
    return stage, bench


def modes(stage):
    return [(body[0], body[1]) for message, body, _record in records(stage) if message == ids.EV_DIAGNOSIS]


def test_only_a_service_host_with_the_switch_on_gets_in():
    for role in (ids.ROLE_OBSERVER, ids.ROLE_TABLE, ids.ROLE_AUDITOR, ids.ROLE_RECORDER):
        stage = device(KEY)
        assert Bench(stage, role).read() is None and not modes(stage), role


def test_with_a_deck_inside_it_is_refused_and_the_deck_stays_in_play():
    stage = device(KEY)
    stage.act("load", {"cards": CARDS})
    stage.act("press", {"button": "green"})
    stage.until("deck_verified", 60000, then_ms=300)
    assert Bench(stage).read() is None
    assert stage.rig.app.queries.diagnosis is None and stage.rig.app.flow.ledger.inside() == CARDS


def test_a_shot_feeds_a_card_and_its_raw_edges_come_afterwards():
    stage, bench = entered(3)
    assert bench.shoot(FEED) == "done"
    edges = bench.edges()
    assert [kind for kind, _level, _us in edges if kind == "out"] == ["out"] * 5
    ups = [us for line, level, us in edges if line == IN_THROAT_A and level]
    assert len(ups) > 1 and ups[0] > 20000  # it bounces, and the roller takes its time
    assert [level for line, level, _us in edges if line == IN_THROAT_B][-1] == 0  # in a later step
    assert sum(len(slot) for slot in stage.rig.plant.slots) == 1
    assert stage.rig.plant.crashes == 0


def test_an_answer_names_the_shot_the_step_at_which_it_ended_and_the_axis():
    stage, bench = entered()
    bench.number = 41
    assert bench.shoot(program((0, NONE, 5), (TRANSPORT, until(IN_THROAT_B, 1), 300), (0, NONE, 5)), ms=600) == "late"
    assert bench.read()[6:9] == [42, NAMES.index("late"), 1]
    stage.rig.app.inp.axis = 2
    stage.rig.app.queries.diagnosis.asked = ids.DIAGNOSE_READ
    assert stage.rig.app.queries.diagnosis.answer(stage.rig.app.link)
    assert stage.rig.app.queries.diagnosis.values[4] == 2


def test_noise_lost_edges_and_too_many_of_them_end_a_shot():
    for what in ("noisy", "edge_lost", "count"):
        stage, bench = entered()
        bench.ask(ids.SHOT, [1, NONE, 0, 0, 0, 0, 0], program((TRANSPORT, NONE, 3000)), 100)
        shot, inp = stage.rig.app.queries.diagnosis, stage.rig.app.inp
        assert shot.step == 0
        setattr(shot if what == "count" else inp, what, {"noisy": IN_THROAT_A, "edge_lost": True, "count": 400}[what])
        assert shot._run(stage.rig.app.scanned_ms) == 0 and shot.step == -1
        assert NAMES[shot.why] == "noise" and shot.ended == 0, what
        shot._note(0, 0)
        assert shot.count == 400 or what != "count"  # no room for more
        bench.number, inp.noisy = 1, NO_LINE
        stage.run(5)
        assert bench.shoot(program((0, NONE, 10)), ms=300) == "done", what  # the noise is over


def test_steps_go_both_ways_and_the_axis_counts_as_moving_at_once():
    stage, bench = entered()
    shot, moves = stage.rig.app.queries.diagnosis, []
    shot.motion = type("Motion", (), {"switch": lambda *_: None, "turn": lambda *it: moves.append(it[3])})()
    for steps in (10, -10):
        stage.rig.app.inp.axis = 0
        values = [bench.number + steps, NONE, 0, 0, abs(steps), 1 if steps < 0 else 0, 0]
        shot.shots, shot.program, shot.step = 0, b"", -1
        shot._objection = lambda _values, _program: 0
        shot._load(values, Read(program((AXIS, AT_REST, 4000))))
        assert stage.rig.app.inp.axis == 1 and moves[-1] == steps
        assert (shot.count, shot.home) == (1, ids.UNKNOWN_U16)


class Read:
    """The reader of a frame that ends with a program."""

    def __init__(self, text):
        frame = bytes(HEADER_SIZE + 12) + text
        self.size = len(frame) + MAC_SIZE + CRC_SIZE
        self.views = type("Views", (), {"first": lambda _self, size: memoryview(frame)[:size]})()


def test_an_answer_shows_every_line_and_which_is_noise():
    stage, bench = entered()
    inp = stage.rig.app.inp
    for cards in (0, 2):
        if cards:
            stage.act("load", {"cards": cards})
            stage.run(300)
        said = bench.read()
        assert said[2:4] == [sum(levels[i] << i for i in range(len(INPUTS))) for levels in (inp.raw, inp.level)]
        assert said[5] == NO_LINE
    assert said[2] & 1 and not inp.level[IN_THROAT_A]


def test_a_shot_watches_the_slot_beam_if_asked_while_it_lasts():
    stage, bench = entered()
    hal = stage.rig.hal
    watched, drive = [], hal.drive
    hal.drive = lambda level, watch: watched.append(watch) or drive(level, watch)
    for watch in (0, 1):
        del watched[:]
        assert bench.shoot(program((0, NONE, 20)), watch=watch, ms=300) == "done"
        assert watched[0] == (watch == 1) and not watched[-1], watch


def test_a_stop_order_works_in_a_shot_and_a_repeated_shot_moves_nothing():
    stage, bench = entered(1)
    reach = program((PICK, NONE, 150), (0, NONE, 40))
    assert bench.shoot(reach, output=0, line=IN_THROAT_A, delay_us=1000) == "done"
    stopped = stage.rig.plant.throat.bodies[0].x_um
    throat_a = stage.rig.config["mechanism"]["throat_a_um"]
    assert throat_a < stopped < throat_a + 6000
    assert bench.shoot(reach, again=True) == "done"
    assert stage.rig.plant.throat.bodies[0].x_um == stopped


def test_a_level_that_does_not_come_ends_the_shot_with_everything_off():
    stage, bench = entered()
    assert bench.shoot(FEED, ms=600) == "late"
    assert not any(stage.rig.plant.outputs)


def test_a_door_that_opens_ends_a_shot_and_an_open_one_keeps_it_from_starting():
    stage, bench = entered()
    bench.number = 1
    text = program((TRANSPORT, NONE, 3000))
    assert ids.EV_DOOR_OPENED not in [message for message, _body, _record in records(stage)]
    bench.ask(ids.SHOT, [1, NONE, 0, 0, 0, 0, 0], text, 100)
    assert stage.rig.plant.outputs[1]
    act(stage, 50, "open")
    assert not any(stage.rig.plant.outputs)
    assert NAMES[bench.read()[7]] == "door"
    assert bench.shoot(text) == "door"
    assert bench.shoot(program((DARK, NONE, 5))) == "done"  # moves nothing
    assert [message for message, _body, _record in records(stage)].count(ids.EV_DOOR_OPENED) == 1


def test_the_switch_ends_a_shot_and_the_mode_and_the_machine_is_proved_empty():
    stage, bench = entered()
    bench.ask(ids.SHOT, [1, NONE, 0, 0, 0, 0, 0], program((TRANSPORT, NONE, 3000)), 100)
    turn(stage, "off")
    assert not any(stage.rig.plant.outputs)
    stage.until("empty_proved", 20000, then_ms=300)
    assert modes(stage) == [(1, 0), (0, 1)]
    assert stage.rig.app.queries.diagnosis is None


def test_the_switch_between_shots_ends_the_mode_at_once_and_only_when_that_is_on_record():
    stage, _bench = entered()
    stage.rig.nv.broken = True
    stage.rig.app.outbox.post(ids.EV_DOOR_OPENED)
    turn(stage, "off")
    stage.run(1000)
    assert stage.rig.app.queries.diagnosis.decide(stage.rig.app.scanned_ms) == 50  # looks again
    stage.rig.nv.broken = False
    stage.run(1000)
    assert modes(stage) == [(1, 0), (0, 0)] and stage.rig.app.queries.diagnosis is None


def test_a_host_that_falls_silent_or_leaves_ends_the_mode():
    for leaves in (False, True):
        stage, bench = entered()
        if leaves:
            assert bench.read(ids.DIAGNOSE_LEAVE)[0] == 0
        stage.run(30000 if not leaves else 12000)
        assert modes(stage)[-1][0] == 0 and stage.rig.app.flow.state == WAITING_FOR_DECK


def test_no_button_and_no_command_deals_in_it():
    stage, bench = entered(CARDS)
    for button in ("green", "close", "lock", "ack"):
        act(stage, 1500, "press", button=button)
        bench.read()
    stage.to_service(bench.peer.command(1, ids.CMD_SHUFFLE))
    stage.run(500)
    assert bench.peer.results[-1][2:4] == [ids.OUTCOME_REJECTED, ids.REASON_ROLE]
    assert not any(stage.rig.plant.slots) and stage.rig.app.flow.state == WAITING_FOR_DECK
    assert modes(stage) == [(1, 0)]


def test_a_shot_waits_until_the_mode_is_on_record():
    stage = device(KEY)
    bench = Bench(stage)
    stage.rig.nv.broken = True
    bench.read()
    assert bench.shoot(program((TRANSPORT, NONE, 10)), ms=300) == "not_now"
    stage.rig.nv.broken = False
    stage.run(3000)
    assert bench.shoot(program((TRANSPORT, NONE, 10)), ms=300) == "done"


def test_each_step_takes_its_time_and_all_together_five_seconds_at_most():
    _stage, bench = entered()
    assert bench.shoot(program((0, NONE, 20), (DARK, NONE, 5), (0, NONE, 4975))) == "done"
    assert [(us + 500) // 1000 for kind, _level, us in bench.edges() if kind == "out"] == [0, 20, 25, 5000]


def test_what_is_no_shot_is_refused():
    _stage, bench = entered()
    long = program(*[(TRANSPORT, NONE, 5000), (TRANSPORT, NONE, 1)])
    steps = ([(PICK, len(INPUTS) << 1, 5)], [(0, NONE, 1)] * 13, [(0, PACE, 201), (AXIS, AT_REST, 9)])
    for text in [b"", b"abc", long] + [program(*each) for each in steps]:
        assert bench.shoot(text, ms=300) == "malformed", text


def test_a_release_image_reads_and_moves_nothing():
    stage, bench = entered(2)
    stage.rig.app.queries.diagnosis.motion = None
    assert bench.read()[1] == 0
    assert bench.shoot(FEED, ms=300) == "not_bench"
    assert bench.shoot(program((AXIS, AT_REST, 100)), steps=10, ms=300) == "not_bench"
    assert bench.shoot(program((0, NONE, 50)), output=0, line=1, ms=300) == "not_bench"
    assert bench.shoot(program((DARK, NONE, 6)), ms=300) == "done"
    dark = {line for line, level, _us in bench.edges() if line != "out" and level}
    assert {IN_THROAT_A, IN_THROAT_B, IN_TRAY} <= dark


def test_steps_show_where_the_home_mark_passed_and_not_with_a_card_in_the_mouth():
    stage, bench = entered(1)
    mech = stage.rig.config["mechanism"]
    turn_steps = mech["slot_count"] * mech["slot_steps"]
    axis = program((AXIS, AT_REST, 4000))
    assert bench.shoot(axis, steps=turn_steps + 10) == "done"
    first = bench.read()[10]
    assert 30 < first <= turn_steps  # as the seed has it
    assert bench.shoot(axis, steps=turn_steps + 10) == "done"
    assert bench.read()[10] == first - 10
    assert bench.shoot(axis, steps=first - 21) == "done"
    assert bench.read()[10] == ids.UNKNOWN_U16
    reach = program((PICK, until(IN_THROAT_B, 1), 150), (0, NONE, 40))
    assert bench.shoot(reach, ms=400) == "done"
    assert bench.shoot(axis, steps=10, ms=300) == "mouth"
    assert stage.rig.plant.crashes == 0


def test_a_pace_is_of_one_shot_and_its_steps_are_the_same():
    stage, bench = entered()
    took = []
    for before in ((0, PACE, 0), (0, PACE, 100), (0, PACE, 130), (0, NONE, 1)):
        assert bench.shoot(program(before, (AXIS, AT_REST, 4000)), steps=1000) == "done"
        took.append(bench.edges()[-1][2])
    assert abs(took[0] - took[3]) <= 2000 and took[0] > 2 * took[1] and 125 < took[1] * 100 // took[2] < 135, took
    assert stage.rig.plant.crashes == 0


def test_lamps_stay_between_shots_and_are_as_before_when_the_mode_ends():
    stage, bench = entered()
    stage.rig.app.queries.diagnosis.motion = None  # also in a release image

    def lamps():
        return list(stage.rig.app.out.level[OUT_LAMP_GREEN : OUT_LAMP_GREEN + 3])

    before = lamps()
    stage.act("open", {})
    for bits in (1, 2, 4, 7, 0, 5):
        assert bench.shoot(program((bits, LAMPS, 0), (0, NONE, 20)), ms=200) == "done"
        assert lamps() == [bits & 1, bits >> 1 & 1, bits >> 2 & 1]
        assert [level for line, level, _us in bench.edges() if line == "out"] == [0, 0]  # and nothing else
    assert bench.shoot(program((0, NONE, 20)), ms=200) == "done" and lamps() == [1, 0, 1]
    bench.read(ids.DIAGNOSE_LEAVE)
    stage.run(500)
    assert modes(stage)[-1][0] == 0 and lamps() == before


def test_a_machine_whose_door_never_closes_can_be_looked_at():
    stage = device(KEY)
    for action in ("open", "cut", "boot"):
        act(stage, 300, action)
    assert stage.rig.app.flow.state == STARTING
    bench = Bench(stage)
    assert bench.read()[3] >> IN_DOOR & 1
    assert bench.shoot(program((TRANSPORT, NONE, 10)), ms=300) == "door"
    bench.read(ids.DIAGNOSE_LEAVE)
    stage.run(2000)
    assert stage.rig.app.flow.state == STARTING and modes(stage)[-1] == (0, 0)
    act(stage, 8000, "close")
    assert stage.rig.app.flow.state == WAITING_FOR_DECK


def test_a_machine_that_stopped_at_its_proof_can_be_looked_at():
    stage = device(KEY)
    stage.act("fault", {"fault": "beam_stuck", "line": "exit", "level": 1})
    act(stage, 300, "open")
    act(stage, 6000, "close")
    assert stage.rig.app.flow.state == WARNING
    bench = Bench(stage)
    assert bench.read()[2] >> INPUTS.index("exit") & 1
    bench.read(ids.DIAGNOSE_LEAVE)
    stage.run(2000)
    assert stage.rig.app.flow.state == WARNING and modes(stage) == [(1, 0), (0, 0)]


def test_a_service_is_recorded_once_with_the_decks_until_then():
    stage, bench = entered()
    stage.rig.app.flow.meters.values[METER_CYCLES] = 3000
    parts = ids.PART_NAMES.split()
    roller, beams = parts.index("pick_roller"), parts.index("beams")
    for at in (roller + 256, roller + 256, beams, 0, len(parts), 255):
        assert bench.read(ids.DIAGNOSE_SERVICED, at)[0] == 1
    found = [tuple(body) for message, body, _record in records(stage) if message == ids.EV_SERVICED]
    cycles = (3000 & 255, 3000 >> 8, 0, 0)
    assert found == [(roller, 1) + cycles, (beams, 0) + cycles]
    assert len(parts) == ids.PART_COUNT


def test_a_service_without_room_to_record_it_is_not_recorded_as_done():
    stage, bench = entered()
    stage.rig.nv.broken = True
    outbox = stage.rig.app.outbox
    while outbox.roomy():
        outbox.post(ids.EV_DOOR_OPENED)
    bench.read(ids.DIAGNOSE_SERVICED, 1)
    stage.rig.nv.broken = False
    stage.run(3000)
    assert not [message for message, _body, _record in records(stage) if message == ids.EV_SERVICED]
    bench.read(ids.DIAGNOSE_SERVICED, 1)
    assert [message for message, _body, _record in records(stage) if message == ids.EV_SERVICED]
