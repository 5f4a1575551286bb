"""The plant behind pins: what a board under test would see of it, against the plant itself."""

import json

from plants import drive, run
from support import board, refusal

from firmware.image import INPUTS
from hal.sim.plant import OUTPUTS, Plant
from hal.sim.wired import DRAWN, LAG_US_MAX, REST_US, WiredPlant, bounce, lag_us

BOARD = "shoe"
STEP_US = 170  # a turn of the loop on the second Pico


def wired(seed=7, **changes):
    config = board(BOARD)
    config["mechanism"].update(changes)
    return WiredPlant(config, INPUTS, seed)


def pins(config, *names):
    levels = 0
    for name in names:
        levels |= 1 << config["outputs"][name]
    return levels


def watch(twin, ms):
    """Let time pass as the second Pico does; (line, level, when the board sees it) of every change of a pin."""
    seen = []
    end_us = twin.plant.now_us + ms * 1000
    names = {bit: name for name, bit in zip(INPUTS, twin.bits) if bit}
    pattern = twin.pattern
    while twin.plant.now_us < end_us:
        twin.advance(twin.plant.now_us + STEP_US)
        for at_us, levels in twin.take():
            for bit in names:
                if (levels ^ pattern) & bit:
                    seen.append((names[bit], 1 if levels & bit else 0, at_us + twin.lag_us))
            pattern = levels
    return seen


def test_a_board_sees_the_machine_of_its_config():
    """Every edge of three cards at the same time as in the simulator: the lag is made up for by earlier rollers."""
    config = board(BOARD)
    twin = wired(bounce_us=0, slip_percent_max=0)
    assert twin.order("load 3") == "ok load 3"
    watch(twin, 10)
    config["mechanism"].update({"bounce_us": 0, "slip_percent_max": 0})
    plant = Plant(config, INPUTS, 7)
    plant.load(list(range(3)))
    run(plant, 10)
    drive(plant, "pick", "transport")
    begin_us, other_us = twin.plant.now_us, plant.now_us
    twin.switch(pins(config, "pick", "transport"), begin_us)
    seen = [(name, level, at_us - begin_us) for name, level, at_us in watch(twin, 600)]
    expected = [(name, level, at_us - other_us) for name, level, at_us in run(plant, 600)]
    assert len(seen) == len(expected) == 20
    for one, other in zip(seen, expected):
        assert one[:2] == other[:2]
        # The next card is picked when the last one leaves the roller, which no output asks for: a lag earlier each.
        assert 0 <= other[2] - one[2] <= 2 * twin.lag_us, (one, other)
    assert seen[:6] == expected[:6]  # the first card, to the microsecond


def test_a_card_stops_where_the_config_says():
    """The pick roller is switched off when the board sees throat A: the card comes to rest as far behind the beam."""
    config = board(BOARD)
    mech = config["mechanism"]
    twin = wired(slip_percent_max=0, bounce_us=0)
    twin.order("load 2")
    twin.switch(pins(config, "pick"), twin.plant.now_us)
    while not twin.take() or not twin.settled & twin.bits[INPUTS.index("throat_a")]:
        twin.advance(twin.plant.now_us + 1)
    twin.switch(0, twin.plant.now_us + twin.lag_us)
    watch(twin, 20)
    body = twin.plant.throat.bodies[0]
    assert not body.moving
    assert not twin.rests()
    twin.advance(twin.plant.now_us + REST_US)
    assert twin.rests()
    off_um = body.x_um - mech["throat_a_um"] - mech["brake_um"]
    assert -2 <= off_um <= 2, off_um


def test_bounces_end_at_the_level_of_their_edge_and_in_time():
    mech = board(BOARD)["mechanism"]
    drawn = [bounce(7, i, mech["bounce_us"]) for i in range(DRAWN)]
    for flips in drawn:
        assert len(flips) % 2 == 0 and flips == sorted(flips) and all(0 < us < mech["bounce_us"] for us in flips)
    assert {len(flips) for flips in drawn} == {0, 2, 4, 6}
    twin = wired()
    twin.order("load 1")
    seen = watch(twin, 5)
    assert [level for name, level, _at_us in seen][-1] == 1 and {name for name, _level, _at_us in seen} == {"hopper"}
    assert twin.pattern == twin.settled == twin.bits[INPUTS.index("hopper")]


def test_all_beams_are_dark_at_once_except_a_blind_one():
    config = board(BOARD)
    twin = wired()
    dark = pins(config, "dark")
    lit = ("hopper", "throat_a", "throat_b", "opacity", "exit", "tray")
    assert twin.darken(0) == -1
    assert twin.darken(dark) == sum([twin.bits[INPUTS.index(name)] for name in lit])
    assert twin.darken(dark) == -1  # said already
    twin.switch(dark, 1000)
    assert not twin.take()  # the plant shows the same
    assert twin.darken(0) == 0
    twin.switch(0, 9000)
    assert not twin.take()
    assert twin.order('{"fault": "beam_blind", "line": "exit"}').startswith("ok")
    twin.take()
    assert twin.darken(dark) == sum([twin.bits[INPUTS.index(name)] for name in lit if name != "exit"])


def test_two_cards_at_once_are_seen_by_the_opacity_sensor():
    config = board(BOARD)
    twin = wired()
    twin.order("load 4")
    assert twin.order('{"fault": "double_feed", "card": 0}') == 'ok {"fault": "double_feed", "card": 0}'
    watch(twin, 10)
    twin.switch(pins(config, "pick", "transport"), twin.plant.now_us)
    assert ("opacity", 1) in [(name, level) for name, level, _at_us in watch(twin, 90)]


def test_orders_move_cards_and_say_what_they_did():
    twin = wired()
    for order, answer in (
        ("load 5", "ok load 5"), ("litter 2", "ok litter 2"), ("take", "ok take 2"), ("lift", "ok lift 5"),
        ("open", "ok open"), ("clear", "ok clear 0"), ("close", "ok close"), ("cover exit", "ok cover exit"),
        ("uncover exit", "ok uncover exit"), ("repair", "ok repair"), (" take 1 ", "ok take 1 0"),
    ):  # fmt: skip
        assert twin.order(order) == answer, order
    for order in (
        '{"fault": "storm", "line": "tray", "edges_per_s": 501}',
        '{"fault": "beam_noise", "line": "tray", "every_us": 3999, "width_us": 50}',
        '{"fault": "beam_noise", "line": "tray", "every_us": 0, "width_us": 50}',
        "", "load", "load x", "litter", "cover", "cover lid", "jump", "{", "[]", '{"fault": "fire"}',
    ):  # fmt: skip
        assert twin.order(order).startswith("refused"), order
    assert twin.order('{"fault": "storm", "line": "tray", "edges_per_s": 500, "for_ms": 1}').startswith("ok")
    state = json.loads(json.dumps(twin.state()))
    assert (state["put_in"], state["handed_out"], state["hopper"], state["tray"]) == (7, 7, 0, 0)


def test_time_begins_again_only_in_an_idle_machine_without_faults():
    config = board(BOARD)
    twin = wired()
    twin.order("load 2")
    watch(twin, 1)
    assert not twin.begin_again()  # it has not rested
    twin.switch(pins(config, "pick", "transport"), twin.plant.now_us)
    watch(twin, 40)
    assert not twin.begin_again()
    watch(twin, 300)
    twin.switch(0, twin.plant.now_us)
    watch(twin, 300)
    assert twin.plant.now_us > 600000 and twin.begin_again() and twin.plant.now_us == 0 and twin.rests()
    twin.order('{"fault": "beam_stuck", "line": "tray", "level": 1, "from_ms": 9000}')
    twin.advance(1000)
    assert not twin.begin_again() and twin.quiet_us() < 9000000


def test_only_a_motor_shoe_with_room_for_the_lag_is_played():
    for name in ("carousel", "shelves", "draw"):
        assert "motor shoe" in refusal(ValueError, WiredPlant, board(name), INPUTS, 1), name
    mech = board(BOARD)["mechanism"]
    assert lag_us(mech) == LAG_US_MAX == 2500
    assert lag_us(dict(mech, brake_um=1200)) == 1000 and lag_us(dict(mech, roller_start_us=700)) == 700
    assert len(OUTPUTS) == len(wired().masks)
