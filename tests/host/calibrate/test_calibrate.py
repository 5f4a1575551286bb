"""Calibration against simulated machines that differ from their config: a slice of `make calibrate-truths`."""

import json
import random
from pathlib import Path

import pytest
from calibrating.truths import BOARDS, FAULTS, draw, fault_of, faults_of, play

from fairshoe.boards.configs import load_board
from fairshoe.calibrate.derive import check_port, derive
from fairshoe.calibrate.machine import NotCalibrated, settled
from fairshoe.calibrate.throat import Figure
from fairshoe.cli.command_line import main


@pytest.mark.parametrize(
    ("board", "seed"),
    [(BOARDS[0], 1), (BOARDS[0], 2), (BOARDS[1], 1), (BOARDS[1], 2), (BOARDS[2], 1)]
    + [pytest.param(board, seed, marks=pytest.mark.full) for board in BOARDS for seed in range(3, 13)],
)
def test_a_machine_that_differs_from_its_config_is_recovered_and_deals(board: str, seed: int) -> None:
    trial = play(seed, 1, None, board)
    assert trial.good and trial.dealt == "dealt", (trial, f"make calibrate-truths BOARD={board} N=1 SEED={seed}")
    assert max((abs(off) for key, off in trial.off.items() if key.startswith("slot_")), default=0) == 0
    last = "arrival_um" if board == "pico-shelves" else "exit_um"
    assert {"transport_um_per_ms", "brake_um", "nip_um", last, "pick_latency_us_max"} <= set(trial.off)


@pytest.mark.parametrize(
    ("board", "fault"), [(board, fault) for board in BOARDS for fault in faults_of(board)], ids=str
)
def test_a_wiring_fault_is_named(board: str, fault: dict[str, list[str]]) -> None:
    trial = play(5, 1, fault, board)
    assert trial.good and trial.named == trial.fault, trial


def test_one_machine_in_ten_has_a_fault_and_all_kinds_come() -> None:
    faults = [fault_of(number) for number in range(200)]
    assert len([fault for fault in faults if fault]) == 20
    assert all(fault in faults for fault in FAULTS)


def test_truths_are_within_a_fifth_of_the_config() -> None:
    config = load_board("pico-carousel")[0]
    for seed in range(20):
        truth = draw(random.Random(seed), config)
        for key in ("brake_um", "ejector_us", "transport_um_per_ms"):
            assert abs(truth[key] / config["mechanism"][key] - 1) <= 0.201


def test_bounces_and_glitches_are_no_changes() -> None:
    raw = [("a", 1, 100), ("a", 0, 160), ("a", 1, 5000), ("a", 0, 5100), ("a", 1, 5200), ("a", 0, 9000)]
    assert [(it.level, it.us, it.bounce_us) for it in settled(raw)] == [(1, 5000, 200), (0, 9000, 0)]


def figures(**changes: tuple[float, float]) -> dict[str, Figure]:
    """As of the reference machine; a change is a value and its spread."""
    values = {
        **{"transport_um_per_ms": 1200, "throat_a_um": 36000, "throat_gap_um": 9000, "nip_gap_um": 2000},
        **{"brake_um": 3000, "roller_start_us": 4000, "pick_latency_us_min": 20000, "pick_latency_us_max": 45000},
        **{"ejector_us": 60000, "exit_us": 55000, "tray_us": 2400, "bounce_us": 300, "slip_percent_max": 5},
        **{"slot_count": 54, "slot_steps": 64, "slot_beam_slots": 13, "turn_steps": 3456},
    }
    made = {name: (float(value), 0.0) for name, value in values.items()} | changes
    return {name: Figure(name, value, spread, 10.0, 50, f"part of {name}") for name, (value, spread) in made.items()}


def test_what_follows_from_the_figures_passes_the_config_check() -> None:
    config = load_board("pico-carousel")[0]
    new, lines = derive(config, figures(transport_um_per_ms=(1000.0, 5.0)))
    mech = new["mechanism"]
    assert mech["transport_um_per_ms"] == 1000 and mech["exit_um"] == 25000 and mech["throat_b_um"] == 45000
    assert mech["shuffle_report_ms"] > config["mechanism"]["shuffle_report_ms"]  # slower, so later
    assert {line.key for line in lines if line.new != line.old} >= {"transport_um_per_ms", "exit_um"}


def test_a_bad_spread_is_refused_with_the_part_to_look_at() -> None:
    config = load_board("pico-carousel")[0]
    with pytest.raises(NotCalibrated, match="ejector_us") as refused:
        derive(config, figures(ejector_us=(60000.0, 9000.0)))
    assert "part of ejector_us" in refused.value.advice


def test_a_machine_that_cannot_work_is_refused() -> None:
    with pytest.raises(NotCalibrated, match="slot_count 40"):
        derive(load_board("pico-carousel")[0], figures(slot_count=(40.0, 0.0)))


@pytest.mark.parametrize(("board", "why"), [("esp32s3-shoe", "1 ms late"), ("pico-draw", "draw")])
def test_what_cannot_be_measured_yet_is_refused(board: str, why: str) -> None:
    with pytest.raises(NotCalibrated, match=why):
        check_port(load_board(board)[0])


def test_the_command_writes_config_and_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys", "new", str(tmp_path / "keys")]) == 0
    url = f"sim://pico-carousel?service=on&dealer=none&key={tmp_path / 'keys' / 'device.key'}"
    out = tmp_path / "my-board.json"
    assert main(["calibrate", url, "--board", "pico-carousel", "--wiring"]) == 0
    assert "a turn of the carousel has 3456 steps" in capsys.readouterr().out
    assert main(["calibrate", url, "--board", "pico-carousel"]) == 2
    capsys.readouterr()
    assert main(["calibrate", url, "--board", "pico-carousel", "--out", str(out), "--json", "--cards", "20"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert {line["key"] for line in said["lines"]} >= {"transport_um_per_ms", "brake_um", "slot_beam_slots"}
    assert main(["config", "check", str(out)]) == 0
    assert "Speed of each card" in out.with_suffix(".html").read_text()


def test_the_command_measures_a_shoe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys", "new", str(tmp_path / "keys")]) == 0
    url = f"sim://pico-shoe?service=on&dealer=none&key={tmp_path / 'keys' / 'device.key'}"
    out = tmp_path / "my-shoe.json"
    assert main(["calibrate", url, "--board", "pico-shoe", "--wiring"]) == 0
    assert "a turn" not in capsys.readouterr().out
    assert main(["calibrate", url, "--board", "pico-shoe", "--out", str(out), "--cards", "20"]) == 0
    assert main(["config", "check", str(out)]) == 0
    exit_um = json.loads(out.read_text())["mechanism"]["exit_um"]
    assert abs(exit_um - 60000) < 3000


def test_the_command_wants_the_service_port(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "sim://pico-carousel", "--board", "pico-carousel", "--out", "x.json"]) == 2
    assert "service=on" in capsys.readouterr().err
