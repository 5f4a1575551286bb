"""A slice of `make soak` on all four mechanisms, and proof that it would notice: defects planted in the firmware are
found within a stated number of runs, and what is found shrinks to a file that shows it again."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from draws import amount
from soak.hands import BOARDS
from soak.run import Run, write_finding
from soak.shrink import kind_of

from fairshoe.sim.scenario_files import play, play_on_micropython
from firmware.app import App
from firmware.deck import ledger, shuffler
from firmware.games import deck_steps, flow, procedure, shuffle_steps
from firmware.machines import carousel, eject, feed, hand_shoe, measure, motor_shoe, shelves, spec

SLICE = amount(20, 100)

Plant = Callable[[pytest.MonkeyPatch], None]


@pytest.mark.drawn
def test_random_hands_break_no_promise() -> None:
    first = random.randrange(1 << 30)
    print(f"first seed {first}")
    for seed in range(first, first + SLICE):
        run = Run(seed)
        assert not run.play(), (
            f"{run.problems[0]}; replay: PYTHONPATH=tools .venv/bin/python -m soak --seed {seed} --runs 1 --verbose"
        )


def test_a_run_replays_from_its_file_with_the_same_transcript_on_both_vms(tmp_path: Path) -> None:
    first = random.randrange(1 << 30)
    print(f"first seed {first}")
    runs = [Run(seed) for seed in range(first, first + len(BOARDS))]
    paths = [tmp_path / f"{run.seed}.json" for run in runs]
    for run, path in zip(runs, paths, strict=True):
        run.play()
        path.write_text(json.dumps(run.data), encoding="utf-8")
    for played in (play(paths), play_on_micropython(paths)):
        for run, result in zip(runs, played, strict=True):
            assert result.transcript == run.scenario.lines, f"seed {run.seed}"


# -- defects ----------------------------------------------------------------------------------------------------------


def one_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stack comes up a card short and is offered as whole."""
    states = eject._STATES  # pyright: ignore[reportPrivateUsage]

    def homing(machine: eject.Eject, inp: Any, out: Any, now_ms: int) -> int:
        if machine.wanted > 1 and machine.count == machine.wanted - 1:
            machine.count += 1
        return states[4](machine, inp, out, now_ms)

    monkeypatch.setattr(eject, "_STATES", (*states[:4], homing, *states[5:]))


def sweep_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second count is not made: what the throat has counted is believed."""
    *phases, sweep = carousel._SHUFFLE  # pyright: ignore[reportPrivateUsage]

    def believe(machine: carousel.Carousel, inp: Any, out: Any, now_ms: int) -> int:
        wake_ms = sweep(machine, inp, out, now_ms)
        machine.second = machine.count
        return wake_ms

    monkeypatch.setattr(carousel, "_SHUFFLE", (*phases, believe))


def opacity_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two aligned cards pass as one."""
    for module in (feed, measure):
        monkeypatch.setattr(module, "odd", lambda _feed, _inp: 0)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]


def two_drawn_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_shoe, "_odd_fault", lambda _machine, _enters, _seen: 0)  # pyright: ignore


def no_jam_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rollers go on against a card that has stopped."""
    throat = spec.Spec._throat  # pyright: ignore[reportPrivateUsage]

    def patient(self: spec.Spec, mech: Any) -> None:
        throat(self, mech)
        self.enter_ms_max = 60000

    monkeypatch.setattr(spec.Spec, "_throat", patient)


def order_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The order stays in memory after the last card went in."""
    monkeypatch.setattr(carousel, "wipe", lambda _order: None)  # pyright: ignore


def wrong_shelf(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two shelves are mistaken for each other, in every pass."""
    aim = shelves.axis_goto

    def goto(axis: Any, place: int, now_ms: int) -> None:
        aim(axis, {1: 2, 2: 1}.get(place, place), now_ms)

    monkeypatch.setattr(shelves, "axis_goto", goto)


def written_in_motion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(App, "_still", lambda _self, _now_ms: True)  # pyright: ignore


def door_unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = procedure._door_harms  # pyright: ignore[reportPrivateUsage]

    def shrug(flow_: flow.Flow, inp: Any) -> bool:
        watch(flow_, inp)
        return False

    monkeypatch.setattr(procedure, "_door_harms", shrug)


def mismatch_released(monkeypatch: pytest.MonkeyPatch) -> None:
    """A deck with a card too many or too few is called verified."""
    verify = shuffle_steps._verify  # pyright: ignore[reportPrivateUsage]

    def lenient(flow_: flow.Flow, out: Any, now_ms: int) -> int:
        cards = flow_.profile.deck_cards
        flow_.profile.deck_cards = flow_.machine.second = flow_.ledger.total
        wake_ms = verify(flow_, out, now_ms)
        flow_.profile.deck_cards = cards
        return wake_ms

    monkeypatch.setattr(shuffle_steps, "_verify", lenient)


def seed_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The commitment that goes to the host is the seed itself."""
    commit = shuffler.Shuffler.commit

    def tell(self: shuffler.Shuffler) -> bool:
        done = commit(self)
        self.commitment = bytes(self.seed)
        return done

    monkeypatch.setattr(shuffler.Shuffler, "commit", tell)


def round_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def forget(flow_: flow.Flow, _fault: int, _rule: int, _lost: int = -1) -> None:
        flow_.round_open = False

    monkeypatch.setattr(flow, "flow_void", forget)


def warning_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """ACK does nothing."""
    monkeypatch.setattr(deck_steps, "PRESS_ACK", deck_steps.PRESS_GREEN)


def card_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card that was under way when the machine stopped drops out of the facts."""
    remove_all = ledger.Ledger.remove_all

    def forget(self: ledger.Ledger) -> None:
        self.zone[ledger.PATH] = 0
        remove_all(self)

    monkeypatch.setattr(ledger.Ledger, "remove_all", forget)


def fall_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card that falls into the tray of a shoe is not taken for one that moves."""
    begin = motor_shoe.Shoe.begin

    class Careless(motor_shoe.Shoe):
        busy = property(lambda _self: False, lambda _self, _busy: None)  # pyright: ignore

    def start(self: motor_shoe.Shoe, phases: Any, now_ms: int) -> None:
        self.__class__ = Careless
        begin(self, phases, now_ms)

    monkeypatch.setattr(motor_shoe.Shoe, "begin", start)


DEFECTS: list[tuple[Plant, str, str, int]] = [
    (one_short, "pico-carousel", "stack", 10),
    (sweep_ignored, "pico-carousel", "deck", 400),
    (opacity_ignored, "pico-shoe", "tray", 200),
    (two_drawn_as_one, "pico-draw", "draw", 40),
    (no_jam_timeout, "pico-shoe", "motor", 60),
    (order_kept, "pico-carousel", "order", 5),
    (wrong_shelf, "pico-shelves", "deck", 10),
    (written_in_motion, "pico-carousel", "storage", 5),
    (door_unwatched, "pico-shelves", "door", 60),
    (mismatch_released, "pico-carousel", "deck", 40),
    (seed_told, "pico-shelves", "leak", 10),
    (round_left_open, "pico-shoe", "round", 40),
    (warning_for_ever, "pico-carousel", "Stuck: the operator cannot leave", 20),
    (card_forgotten, "pico-shoe", "ledger", 60),
    (fall_forgotten, "pico-shoe", "storage", 5),
]


@pytest.mark.parametrize(("plant", "board", "kind", "runs"), DEFECTS, ids=[entry[0].__name__ for entry in DEFECTS])
@pytest.mark.full
def test_a_planted_defect_is_found(
    plant: Plant, board: str, kind: str, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    found: set[str] = set()
    for seed in range(runs):
        run = Run(seed, board)
        found.add(kind_of(run.play()))
        if f"Finding: {kind}:" in found or kind in found:
            print(f"{kind} found by run {seed + 1} of {runs}")
            return
    raise AssertionError(f"{plant.__name__}: no {kind} in {runs} runs, only {found}")


@pytest.mark.full
def test_a_finding_shrinks_to_a_file_that_shows_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        one_short(patched)
        run = next(run for run in (Run(seed, "pico-carousel") for seed in range(10)) if run.play())
        path = write_finding(run, 20, tmp_path)
        (result,) = play([path])
        assert kind_of(result.problems) == "Finding: stack:"
        steps = json.loads(path.read_text(encoding="utf-8"))["script"]
        assert len(steps) <= 8 and len(steps) <= len(run.data["script"])
    (result,) = play([path])
    assert not result.problems, "without the defect the same file plays well"
