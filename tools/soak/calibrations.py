"""Random machines: calibrate each, compare every figure with the truth, then deal rounds with the new config.

Every figure is within 20 % of the config, with noise on the beams and slip drawn at each start.
"""

from __future__ import annotations

import copy
import json
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from fairshoe import _device

_device.load()

from fairshoe.boards.checks import board_problems  # noqa: E402
from fairshoe.boards.configs import load_board  # noqa: E402
from fairshoe.boards.shuffle_time import shuffle_us  # noqa: E402
from fairshoe.bringup.checks import Bringup  # noqa: E402
from fairshoe.bringup.motion import find_faults  # noqa: E402
from fairshoe.calibrate.derive import KINDS, Line, derive, taken_over  # noqa: E402
from fairshoe.calibrate.hands import SimHands  # noqa: E402
from fairshoe.calibrate.machine import Machine, NotCalibrated  # noqa: E402
from fairshoe.client.shoe import Shoe  # noqa: E402
from fairshoe.keys import role_key, write_key  # noqa: E402
from fairshoe.link.session import HostSession  # noqa: E402
from fairshoe.messages import Role  # noqa: E402
from fairshoe.sim.port import SimPort  # noqa: E402
from fairshoe.sim.setup import SimSetup  # noqa: E402
from rig.scenario import Scenario  # noqa: E402

BOARDS = ("pico-carousel", "pico-shoe", "pico-shelves", "pico-draw")
BOARD = BOARDS[0]
KEY = bytes(range(32))
PART = 0.2
ROUND_CARDS = 52
ROUNDS = 20
DRAW_MS = (40, 1500)  # of a hand with one card
FREE = (
    *("transport_um_per_ms", "throat_a_um", "brake_um", "roller_start_us", "pick_latency_us_min"),
    *("pick_latency_us_max", "ejector_us", "exit_um", "tray_um", "bounce_us", "slot_steps", "slot_beam_slots"),
    "lift_us",
)
FAULTS: tuple[dict[str, list[str]], ...] = (
    {"swapped": ["throat_a", "throat_b"]},
    {"inverted": ["throat_a"]},
    {"inverted": ["throat_b"]},
    {"inverted": ["exit"]},
    {"backwards": ["pick"]},
    {"backwards": ["transport"]},
    {"inverted": ["tray"]},
    {"backwards": ["axis"]},
    {"inverted": ["hopper"]},
    {"inverted": ["opacity"]},
    {"inverted": ["cut"]},
)
NAMED = {"backwards axis": "no slot"}  # the fault, and what the device names instead: it cannot tell them apart
NOISE = ("throat_a", "throat_b", "exit")
START_S = 8.0
CANNOT_WORK = "cannot work"  # a refusal that is right, if the figures are: they lie at a limit of the config check


@dataclass
class Trial:
    """One machine and what became of it. `wrong` lists figures outside their stated error."""

    fault: str = ""
    named: str = ""
    refused: str = ""
    wrong: list[str] = field(default_factory=list[str])
    dealt: str = ""
    off: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def good(self) -> bool:
        if self.fault:
            return self.named == self.fault
        works = self.dealt == "dealt" or CANNOT_WORK in self.refused
        return works and not self.wrong and not self.named


def draw(rng: random.Random, config: dict[str, Any]) -> dict[str, Any]:
    """Figures within 20 % of the config that make a machine which can work, with slip drawn at each start."""
    while True:
        old = config["mechanism"]

        def vary(value: float) -> int:
            return round(value * rng.uniform(1 - PART, 1 + PART))

        new = {key: vary(old[key]) for key in FREE if key in old}
        new["throat_b_um"] = new["throat_a_um"] + vary(old["throat_b_um"] - old["throat_a_um"])
        tried = copy.deepcopy(config)
        if "nip_um" in old:
            new["nip_um"] = new["throat_b_um"] + vary(old["nip_um"] - old["throat_b_um"])
            new["slip_percent_max"] = rng.randint(3, 6)
        if "slot_count" in old:
            new["slot_count"] = rng.randint(54, 64)
        if "arrival_um" in old:
            new["arrival_um"] = new["throat_b_um"] + vary(old["arrival_um"] - old["throat_b_um"])
        tried["mechanism"] |= new
        if "shuffle_report_ms" in old:
            tried["mechanism"]["shuffle_report_ms"] = round(shuffle_us(tried["mechanism"]) / 1000) + 1
        tried["mechanism"]["edges_per_s_max"] = 8000
        if "slot_count" in old:
            new["outfeed_um_per_ms"] = tried["mechanism"]["outfeed_um_per_ms"] = vary(new["transport_um_per_ms"])
        if not list(board_problems(tried)):
            return {**new, "slip_at_start": 1}


class Unsteady(SimHands):
    """A hand that draws at another speed each time, lets a card slide back, or takes two."""

    def __init__(self, port: SimPort, seed: int) -> None:
        super().__init__(port)
        self._port = port
        self._rng = random.Random(seed)

    def draw(self, cards: int = 1) -> None:
        what = "draw_two" if cards == 2 else self._rng.choices(("draw", "draw_back", "draw_two"), (8, 1, 1))[0]
        self._port.do(what, ms=self._rng.randint(*DRAW_MS))


def play(seed: int, rounds: int, fault: dict[str, list[str]] | None, board: str = BOARD) -> Trial:
    rng = random.Random(seed)
    config = load_board(board)[0]
    truth = draw(rng, config)
    words = " ".join([*(fault or {}), *[name for names in (fault or {}).values() for name in names]])
    trial = Trial(NAMED.get(words, words))
    port, shoe = opened(board, seed, {**truth, **(fault or {})})
    try:
        machine = Machine(shoe, Unsteady(port, seed))
        machine.enter()
        measured = KINDS[config["mechanism"]["kind"]](machine, config["mechanism"])
        found = find_faults(Bringup(machine, config, 0, inside=True), measured.prepare)
        trial.named = found.key if found else ""
        if found is None and not fault:
            figures = measured.measure()
            _compare(trial, taken_over(config["mechanism"], figures), truth, config["mechanism"])
            machine.leave()
            trial.dealt = _deal(derive(config, figures)[0], truth, seed, rounds)
    except NotCalibrated as refused:
        trial.refused = refused.what
    return trial


def opened(board: str, seed: int, truth: dict[str, Any]) -> tuple[SimPort, Shoe]:
    """A noisy machine, and the service host that greeted it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        path.chmod(0o700)
        write_key(path / "device.key", "device", KEY)
        (path / "truth.json").write_text(json.dumps(truth))
        setup = SimSetup(
            board, seed=seed, dealer="none", key=str(path / "device.key"), service="on", truth=str(path / "truth.json")
        )
        port = SimPort(setup)
    for line in NOISE:
        port.do("fault", fault="beam_noise", line=line, every_us=150000, width_us=60)
    port.sleep(START_S)
    shoe = Shoe(port, "simulated", HostSession(role_key(KEY, Role.SERVICE)))
    shoe.greet()
    return port, shoe


def _compare(trial: Trial, lines: list[Line], truth: dict[str, Any], old: dict[str, Any]) -> None:
    if old["kind"] == "draw":  # only the distance of the beams is measured, and only that is used
        truth = {**truth, "throat_b_um": truth["throat_b_um"] - truth["throat_a_um"] + old["throat_a_um"]}
    for line in lines:
        if line.error is None or line.key not in truth:
            continue
        off = line.new - truth[line.key]
        trial.off[line.key] = 100 * off / truth[line.key]
        if abs(off) > line.error + 0.5:
            trial.wrong.append(f"{line.key} {line.new}, truth {truth[line.key]}, stated {line.error:.0f}")


def _deal(config: dict[str, Any], truth: dict[str, Any], seed: int, rounds: int) -> str:
    """`dealt`, or what went wrong in so many whole rounds for three players: a warning, or a card that is elsewhere."""
    rounds_of = {"title": "calibrated", "board": "calibrated", "game": {"deck_cards": ROUND_CARDS}, "seed": seed}
    script = [{"do": "good_round", "positions": 3}] * rounds
    problems = Scenario({**rounds_of, "truth": truth, "script": script, "expect": {"invariants": True}}, config).play()
    return problems[0] if problems else "dealt"


def faults_of(board: str) -> list[dict[str, list[str]]]:
    """Those that calibration names on this board. An elevator that runs the wrong way it refuses without a name."""
    config = load_board(board)[0]
    known = {*config["inputs"], *config["outputs"], *(("axis",) if config["mechanism"]["kind"] == "carousel" else ())}
    return [fault for fault in FAULTS if known.issuperset(name for names in fault.values() for name in names)]


def cases(board: str, seed: int) -> Iterator[tuple[int, dict[str, list[str]] | None]]:
    """Without end: the seed of a machine, and of one in ten what is wired wrongly."""
    faults = faults_of(board)
    for number in count():
        yield seed + number, faults[number // 10 % len(faults)] if number % 10 == 9 else None


def outcome(board: str, case: tuple[int, dict[str, list[str]] | None]) -> tuple[str, str]:
    seed, fault = case
    trial = play(seed, ROUNDS, fault, board)
    return ("named" if fault else "refused" if trial.refused else "deals") if trial.good else "WRONG", str(trial)
