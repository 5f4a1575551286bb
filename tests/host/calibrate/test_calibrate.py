"""Calibration against simulated machines that differ from their config: a slice of `make sweep KIND=calibrations`."""

import errno
import json
import math
import os
from pathlib import Path

import pytest
from in_process import output, refusal
from soak.calibrations import BOARDS, faults_of, opened, play

from fairshoe.boards.configs import load_board
from fairshoe.calibrate.derive import KINDS, Line, derive
from fairshoe.calibrate.draw_shoe import DrawShoe, beams_apart
from fairshoe.calibrate.hands import SimHands
from fairshoe.calibrate.machine import Machine, NotCalibrated, Step, settled
from fairshoe.calibrate.throat import Figure
from fairshoe.cli.command_line import main
from fairshoe.sim.port import SimPort


@pytest.mark.parametrize(
    ("board", "seed"),
    [(board, 1) for board in BOARDS]
    + [pytest.param(board, seed, marks=pytest.mark.full) for board in BOARDS for seed in range(2, 13)],
)
def test_a_machine_that_differs_from_its_config_is_recovered_and_deals(board: str, seed: int) -> None:
    trial = play(seed, 1, None, board)
    assert trial.good and trial.dealt == "dealt", trial
    assert max((abs(off) for key, off in trial.off.items() if key.startswith("slot_")), default=0) == 0
    last = "arrival_um" if board == "pico-shelves" else "exit_um"
    rollers = {"transport_um_per_ms", "brake_um", "nip_um", last, "pick_latency_us_max"}
    assert {"throat_b_um", "bounce_us", *(rollers if board != "pico-draw" else ())} <= set(trial.off)


@pytest.mark.parametrize("board", ["pico-shoe", "pico-carousel", "pico-shelves"])
def test_rollers_that_warm_up_are_measured_once_they_are_warm(board: str) -> None:
    mech = load_board(board)[0]["mechanism"]
    port, shoe = opened(board, 1, {"warm_percent": 6, "warm_s": 120, "slip_at_start": 1})
    machine = Machine(shoe, SimHands(port))
    machine.enter()
    with pytest.raises(NotCalibrated, match=r"ran at \d+ um/ms at first, and at") as refused:
        KINDS[mech["kind"]](machine, mech).measure()
    assert "while they are warm" in refused.value.advice
    port.sleep(180)
    machine.enter()
    machine.hands.clear()
    found = KINDS[mech["kind"]](machine, mech).measure()["transport_um_per_ms"]
    assert abs(found.value - mech["transport_um_per_ms"] * 1.06) < found.error


@pytest.mark.parametrize("board", BOARDS)
def test_a_mode_that_is_being_left_is_entered_again(board: str) -> None:
    """As by a program that starts where another was killed: the mode has not ended yet, then the machine proves itself
    empty."""
    port, shoe = opened(board, 1, {})
    machine = Machine(shoe, SimHands(port))
    for wait_ms in (0, 20, 60, 200, 1000):
        assert machine.enter().on
        assert machine.shoot(Step(0, 1)).done
        machine.leave()
        port.sleep(wait_ms / 1000)


@pytest.mark.parametrize(
    ("board", "fault"), [(board, fault) for board in BOARDS for fault in faults_of(board)], ids=str
)
def test_a_wiring_fault_is_named(board: str, fault: dict[str, list[str]]) -> None:
    trial = play(5, 1, fault, board)
    assert trial.good and trial.named == trial.fault, trial


def test_bounces_and_glitches_are_no_changes() -> None:
    raw = [("a", 1, 100), ("a", 0, 160), ("a", 1, 5000), ("a", 0, 5100), ("a", 1, 5200), ("a", 0, 9000)]
    assert [(it.level, it.us, it.bounce_us) for it in settled(raw)] == [(1, 5000, 200), (0, 9000, 0)]


def figures(**changes: tuple[float, float]) -> dict[str, Figure]:
    """As of the reference machine; a change is a value and its spread."""
    values = {
        **{"transport_um_per_ms": 1200, "throat_a_um": 36000, "throat_gap_um": 9000, "nip_gap_um": 2000},
        **{"brake_um": 3000, "roller_start_us": 4000, "pick_latency_us_min": 20000, "pick_latency_us_max": 45000},
        **{"ejector_us": 60000, "exit_us": 55000, "tray_us": 2400, "bounce_us": 300, "slip_percent_max": 5},
        **{"slot_count": 54, "slot_steps": 64, "slot_beam_slots": 13, "turn_steps": 3456, "outfeed_us": 74083},
    }
    made = {name: (float(value), 0.0) for name, value in values.items()} | changes
    return {name: Figure(name, value, spread, 10.0, 50, f"part of {name}") for name, (value, spread) in made.items()}


def test_what_follows_from_the_figures_passes_the_config_check() -> None:
    config = load_board("pico-carousel")[0]
    new, lines = derive(config, figures(transport_um_per_ms=(1000.0, 5.0), outfeed_us=(88900.0, 0.0)))
    mech = new["mechanism"]
    assert mech["transport_um_per_ms"] == 1000 and mech["exit_um"] == 25000 and mech["throat_b_um"] == 45000
    assert mech["shuffle_report_ms"] > config["mechanism"]["shuffle_report_ms"]  # slower, so later
    assert {line.key for line in lines if line.new != line.old} >= {"transport_um_per_ms", "exit_um"}
    assert "outfeed_um_per_ms" not in mech
    assert all(bool(line.spread_text) == (line.error is not None) for line in lines)
    assert not Line("brake_um", 3000, 3512, 0.0, 351.0, 1, "brake").spread_text  # of one search


def test_an_outfeed_of_another_speed_is_taken_over_and_gives_the_places_behind_it() -> None:
    config = load_board("pico-carousel")[0]
    new, lines = derive(config, figures(outfeed_us=(88900.0, 0.0)))
    mech = new["mechanism"]
    assert (mech["outfeed_um_per_ms"], mech["exit_um"], mech["tray_um"]) == (1000, 25000, 2400)
    assert [(line.old, line.new) for line in lines if line.key == "outfeed_um_per_ms"] == [(1200, 1000)]
    again, lines = derive(new, figures(outfeed_us=(88900.0, 0.0)))
    assert again == new and "outfeed_um_per_ms" not in {line.key for line in lines}


def test_a_bad_spread_is_refused_with_the_part_to_look_at() -> None:
    config = load_board("pico-carousel")[0]
    with pytest.raises(NotCalibrated, match="ejector_us") as refused:
        derive(config, figures(ejector_us=(60000.0, 9000.0)))
    assert "part of ejector_us" in refused.value.advice


def test_a_machine_that_cannot_work_is_refused() -> None:
    with pytest.raises(NotCalibrated, match="slot_count 40"):
        derive(load_board("pico-carousel")[0], figures(slot_count=(40.0, 0.0)))


# -- a draw shoe -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("speed", "gain"), [(110.0, 0.0), (600.0, 0.0), (200.0, 4.0), (900.0, -3.5), (2000.0, 9.0)])
def test_four_edges_of_a_drawn_card_give_the_beams_distance_at_any_acceleration(speed: float, gain: float) -> None:
    """Speed in um/ms at throat A, and what it gains in a millisecond."""

    def at(um: float) -> int:
        root = math.sqrt(speed * speed + 2 * gain * um)
        return round(2000 * um / (speed + root))

    gap = beams_apart(88900, at(0), at(11000), at(88900), at(99900))
    assert gap is not None and abs(gap - 11000) < 20


def test_a_hand_that_stops_on_its_way_gives_no_distance() -> None:
    assert beams_apart(88900, 0, 10000, 300000, 1500000) is None


class Hands(SimHands):
    """Draws what it likes."""

    single = double = "draw"

    def draw(self, cards: int = 1) -> None:
        assert isinstance(self._actor, SimPort)
        self._actor.do(self.single if cards == 1 else self.double)


@pytest.mark.parametrize(
    ("single", "double", "what", "cure"),
    [
        ("draw_two", "draw_two", "a single card shows as two, in 14 of 15 draws", "opacity sensor"),
        ("draw_back", "draw_two", "does not cover throat A, then both beams, then B", "throat beams"),
        ("draw", "draw", "two cards at once show as two in 0 of 3 draws", "opacity sensor"),
    ],
)
def test_what_a_hand_or_a_sensor_spoils_is_refused_with_the_part(
    single: str, double: str, what: str, cure: str
) -> None:
    port, shoe = opened("pico-draw", 1, {})
    hands = Hands(port)
    hands.single, hands.double = single, double
    machine = Machine(shoe, hands)
    machine.enter()
    with pytest.raises(NotCalibrated, match=what) as refused:
        DrawShoe(machine, load_board("pico-draw")[0]["mechanism"]).measure(5)
    assert cure in refused.value.advice


def test_a_noisy_line_is_named() -> None:
    port, shoe = opened("pico-shoe", 1, {})
    machine = Machine(shoe, SimHands(port))
    machine.enter()
    port.do("fault", fault="storm", line="exit", edges_per_s=20000)
    with pytest.raises(NotCalibrated, match="exit is noisy"):
        KINDS["shoe"](machine, load_board("pico-shoe")[0]["mechanism"]).measure()


def test_of_a_draw_shoe_only_the_beams_distance_bounce_and_longest_draw_change() -> None:
    config = load_board("pico-draw")[0]
    made = {"throat_gap_um": (10500.0, 20.0), "bounce_us": (250.0, 9.0), "draw_ms": (1800.0, 300.0)}
    new, lines = derive(config, {name: figure for name, figure in figures(**made).items() if name in made})
    assert {line.key: line.new for line in lines} == {
        **{"throat_b_um": 25500, "bounce_us": 250, "draw_ms_max": 4000, "edges_per_s_max": 3000}
    }
    assert new["mechanism"] == config["mechanism"] | {line.key: line.new for line in lines}
    loose = figures(**made | {"throat_gap_um": (10500.0, 2000.0)})
    with pytest.raises(NotCalibrated, match="throat_gap_um") as refused:
        derive(config, loose)
    assert "part of throat_gap_um" in refused.value.advice


@pytest.mark.parametrize(
    ("board", "wired", "figure"),
    [
        ("pico-carousel", "beams, pick and transport are wired rightly; a turn of the carousel has 3456", "slot_count"),
        ("pico-shoe", "beams, pick and transport are wired rightly\n", "exit_um"),
        ("pico-draw", "beams are wired rightly\n", "throat_b_um"),
    ],
)
def test_the_command_writes_config_and_report(board: str, wired: str, figure: str, tmp_path: Path) -> None:
    assert main(["keys", "new", str(tmp_path / "keys")]) == 0
    words = ["calibrate", f"sim://{board}?service=on&dealer=none&key={tmp_path / 'keys' / 'device.key'}"]
    words += ["--board", board]
    out = tmp_path / "my-board.json"
    assert wired in output(*words, "--wiring")
    refusal(2, *words)
    said = {
        line["key"]: line for line in json.loads(output(*words, "--out", str(out), "--json", "--cards", "20"))["lines"]
    }
    assert abs(said[figure]["new"] / said[figure]["old"] - 1) < 0.05
    assert main(["config", "check", str(out)]) == 0
    page = out.with_suffix(".html").read_text()
    assert ("Speed of the hand" if board == "pico-draw" else "Speed of each card") in page


def test_figures_are_printed_although_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["keys", "new", str(tmp_path / "keys")]) == 0
    url = f"sim://pico-draw?service=on&dealer=none&key={tmp_path / 'keys' / 'device.key'}"

    def full(_file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    out = tmp_path / "my-board.json"
    assert main(["calibrate", url, "--board", "pico-draw", "--out", str(out)]) == 9
    said = capsys.readouterr()
    assert "throat_b_um" in said.out and "next" not in said.out.lower()
    assert f"{out}: No space left on device" in said.err and list(tmp_path.iterdir()) == [tmp_path / "keys"]


@pytest.mark.parametrize(
    ("code", "words", "said"),
    [
        (1, ["--board", "pico-shoe", "--out", "x.json"], "which is not this pico-shoe ("),
        (2, ["--board", "pico-carousel", "--out", "x.html"], "has to end with .json"),
        (9, ["--board", "pico-carousel", "--out", "nowhere/x.json"], "nowhere"),
        (2, ["--board", "pico-carousel", "--out", "x.json", "--cards", "3"], "between 20 and 1000"),
        (2, ["--board", "pico-carousel", "--out", "x.json", "--card-mm", "nan"], "between 60 and 130"),
    ],
)
def test_what_cannot_end_well_is_refused_before_a_card_moves(
    code: int, words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["keys", "new", "keys"]) == 0
    refused = refusal(code, "calibrate", "sim://pico-carousel?service=on&dealer=none&key=keys/device.key", *words)
    assert said in refused and "..." not in refused and not list(tmp_path.glob("x.*"))


def test_the_command_wants_the_service_port() -> None:
    assert "service=on" in refusal(2, "calibrate", "sim://pico-carousel", "--board", "pico-carousel", "--out", "x.json")
