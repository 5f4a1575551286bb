"""Power cut somewhere in a round of a small deck: a slice of tests/powerloss for both VMs."""

import sys

from support import board

from hal.sim.rng import mix
from rig.powercut import KINDS, PowerRun, Survey

GAME = {"deck_cards": 12, "stack_cards": 3, "positions_max": 2}
SEED = 20251
CUTS = 12 if sys.implementation.name == "cpython" else 3  # a VM that shares its machine has 30 s for each test


def data(role=""):
    made = {"title": "Power loss", "board": "pico-carousel", "game": GAME, "seed": 7}
    if role:
        made["role"] = role
    return made


def surveyed(role=""):
    survey = Survey(PowerRun(data(role), board(), []))
    survey.play()
    assert survey.problems == [], survey.problems
    return survey


def played(cuts, role=""):
    run = PowerRun(data(role), board(), cuts)
    problems = run.play()
    assert problems == [], (problems, cuts, role)
    return run


def test_the_survey_sees_every_kind_of_place():
    survey = surveyed()
    assert len(survey.writes) > 30 and len(survey.frames) > 30
    for kind in KINDS:
        assert (len(survey.instants[kind]) > 0) == (kind != "hand"), kind


def test_power_cut_at_writes_breaks_no_promise():
    writes = surveyed().writes
    for i in range(CUTS):
        at = mix(SEED, i, 0) % len(writes)
        size = mix(SEED, i, 1) % (writes[at] + 1)
        run = played([{"do": "cut_at_write", "write": at, "bytes": size}])
        assert run.struck == 1


def test_power_cut_in_frames_and_at_instants_breaks_no_promise():
    survey = surveyed()
    for i in range(CUTS):
        at = mix(SEED, i, 2) % len(survey.frames)
        kind = KINDS[2 + i % (len(KINDS) - 2)]
        instants = survey.instants[kind]
        at_us = instants[mix(SEED, i, 3) % len(instants)]
        first = {"do": "cut_at_time", "us": at_us}
        if i % 2:
            first = {"do": "cut_at_frame", "frame": at, "bytes": mix(SEED, i, 4) % 40}
        assert played([first]).struck == 1


def test_power_cut_twice_under_a_command_breaks_no_promise():
    survey = surveyed("table")
    for i in range(CUTS // 2):
        first = {"do": "cut_at_write", "write": mix(SEED, i, 5) % len(survey.writes), "bytes": i % 70}
        second = {"do": "cut_at_write", "write": mix(SEED, i, 6) % 5, "bytes": mix(SEED, i, 7) % 65}
        assert played([first, second], "table").struck >= 1
