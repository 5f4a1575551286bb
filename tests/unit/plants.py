"""Simulated machines of every kind for tests that drive them directly, without firmware."""

from support import ideal_board

from firmware.image import INPUTS, OUTPUTS
from hal.sim.plant import Plant

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


def machine(kind="carousel", seed=1, recognition=False, **changes):
    """A plant with every line and output wired; beams do not bounce and rollers do not slip unless asked to."""
    config = ideal_board()
    mech = dict(config["mechanism"])
    mech["kind"] = kind
    mech.update(MECHANISMS[kind])
    mech.update(changes)
    config["mechanism"] = mech
    config["inputs"] = {name: i for i, name in enumerate(INPUTS)}
    config["outputs"] = {name: i for i, name in enumerate(OUTPUTS)}
    config["sensors"] = {"recognition": recognition}
    return Plant(config, INPUTS, seed)


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
