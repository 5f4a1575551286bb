"""Simulated machines of every kind for tests that drive them directly, without firmware."""

from support import ideal_board

from firmware.image import INPUTS, OUTPUTS
from hal.sim.plant import Plant
from hal.sim.rng import mix

MECHANISMS = {
    "carousel": {},
    "shelves": {
        "shelf_count": 20,
        "shelf_cards_max": 24,
        "shelf_steps": 200,
        "arrival_um": 60000,
        "axis_mshelf_per_s": 20000,
        "axis_mshelf_per_s2": 100000,
        "ejector_us": 300000,
        "lift_us": 1500000,
        "feed": "bottom",
    },
    "shoe": {"exit_um": 120000, "tray_um": 3000},
    "draw": {"draw_ms_max": 2000},
}


def machine(kind="carousel", seed=1, recognition=False, truth=None, cards=(), fault=None, **changes):
    """A plant with every line and output wired, these cards in its hopper and this fault; beams do not bounce and
    rollers do not slip unless asked to."""
    config = ideal_board()
    mech = dict(config["mechanism"])
    mech["kind"] = kind
    mech.update(MECHANISMS[kind])
    mech.update(changes)
    config["mechanism"] = mech
    config["inputs"] = {name: i for i, name in enumerate(INPUTS)}
    config["outputs"] = {name: i for i, name in enumerate(OUTPUTS)}
    config["sensors"] = {"recognition": recognition}
    plant = Plant(config, INPUTS, seed, truth)
    if cards:
        plant.load(cards)
    if fault:
        plant.add_fault(fault)
    return plant


def drive(plant, *on, watch=False):
    """Switch exactly these outputs on."""
    outputs = bytearray(len(OUTPUTS))
    for name in on:
        outputs[OUTPUTS.index(name)] = 1
    plant.drive(outputs, watch)


def run(plant, ms):
    """Advance; returns the edges since the last call as (name, level, us)."""
    end_us = plant.now_us + ms * 1000
    while plant.now_us < end_us:
        plant.changed = False
        plant.advance(end_us)
    plant.changed = False
    edges = [(INPUTS[line], level, t_us) for line, level, t_us in plant.edges]
    plant.edges = []
    return edges


def drive_ms(plant, ms, *on):
    """Switch exactly these outputs on, and advance."""
    drive(plant, *on)
    return run(plant, ms)


def names(edges):
    return [(name, level) for name, level, _t_us in edges]


def feed(plant, cards=1, ms=400):
    """Take in so many cards, one after the other, with the pick roller stopped between them."""
    edges = []
    for _ in range(cards):
        drive(plant, "pick", "transport")
        plant.stop_after(OUTPUTS.index("pick"), plant.line_b, 3000)
        edges += run(plant, ms)
        drive(plant, "transport")
    return edges


def line(name):
    return INPUTS.index(name)


def level(plant, name):
    return plant.level[INPUTS.index(name)]


def homed(plant):
    plant.move(0, True)
    run(plant, 5000)
    return plant


CHANCES = (
    {"fault": "misfeed", "ppm": 100000},
    {"fault": "double_feed", "ppm": 60000, "offset_um": 9000},
    {"fault": "double_feed", "ppm": 60000},
    {"fault": "foreign", "ppm": 60000, "length_um": 70000},
    {"fault": "wrong_back", "ppm": 60000},
    {"fault": "face_up", "ppm": 60000},
    {"fault": "tray_slow", "ppm": 100000, "us": 90000},
    {"fault": "wear", "us_per_thousand_cards": 30000},
    {"fault": "beam_noise", "line": "throat_b", "every_us": 40000, "width_us": 300, "from_ms": 2000, "for_ms": 3000},
    {"fault": "beam_stuck", "line": "tray", "level": 1, "from_ms": 5000, "for_ms": 500},
    {"fault": "beam_dust", "line": "throat_a", "um": 3000, "from_ms": 3000, "for_ms": 9000},
    {"fault": "roller_dead", "roller": "transport", "from_ms": 6000, "for_ms": 400},
    {"fault": "ejector_stuck", "from_ms": 7000, "for_ms": 500},
    {"fault": "litter", "cards": 2, "from_ms": 8000},
    {"fault": "axis_stall", "ppm": 50000},
    {"fault": "axis_slip", "ppm": 50000, "thousandths": 350},
    {"fault": "home_lost", "from_ms": 9000, "for_ms": 700},
)
STOPS = (
    {"fault": "jam", "place": "throat", "ppm": 20000, "at_um": 52000},
    {"fault": "stall", "place": "mouth", "ppm": 90000, "at_um": 30000},
    {"fault": "card_lost", "place": "rail", "ppm": 50000},
)


def abuse(kind, seed, steps, each=None):
    """Random hands and a random firmware at a machine with every fault; returns all edges. Asks `each` after a step."""
    plant = machine(kind, seed, recognition=True, bounce_us=300, slip_percent_max=6)
    for spec in CHANCES if kind == "draw" else CHANCES + STOPS:
        plant.add_fault(spec)
    if kind == "carousel":
        plant.add_fault({"fault": "stall", "place": "exit", "ppm": 90000, "at_um": 20000})
        plant.add_fault({"fault": "card_lost", "place": "exit", "ppm": 50000})
    edges = []
    for step in range(steps):
        _abuse_once(plant, mix(seed, 0xAB, step))
        edges += run(plant, mix(seed, 0xAC, step) % 90)
        if each is not None:
            each(plant)
    return edges


def _abuse_once(plant, noise):
    kind = noise % 32
    noise >>= 5
    if kind == 0:
        plant.load([noise % 300 + i for i in range(noise % 9)], 2 if plant.kind == "draw" else -1)
    elif kind == 1:
        plant.take(noise % 4 - 1)
    elif kind == 2 and noise % 4 == 0:
        plant.clear()
    elif kind == 3:
        plant.move(noise % 7 - 3, noise % 3 == 0)
    elif kind == 4:
        plant.all_off()
    elif kind == 5:
        plant.stop_after(noise % 2, plant.line_a + noise % 3 % 2, noise % 4000)
    elif plant.kind == "draw":
        hand = plant.hand
        (hand.draw, hand.draw_two, hand.let_go, lambda ms: hand.hold(40000, ms), lambda ms: hand.draw_back(50000, ms))[
            noise % 5
        ](noise % 200)
    else:
        # Mostly forwards and mostly with light.
        outputs = bytearray([noise & 1, noise >> 1 & 1, noise >> 2 & 1, noise >> 3 & 1, 0, 0, 0, 0, 0])
        outputs[4] = 1 if noise >> 4 & 3 == 0 else 0
        outputs[5] = 1 if noise >> 6 & 15 == 0 else 0
        plant.drive(outputs, noise >> 10 & 1 == 1)
