"""Noise captured as NIST's tool reads it, and its reports beside the claim of a board config."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from flashed_board import FakeBoard

from fairshoe.boards.configs import load_board
from fairshoe.cli import command_line
from fairshoe.errors import FairshoeError
from fairshoe.noise import capture
from fairshoe.noise.claim import check_claim
from fairshoe.ship.errors import DeviceFailed, NotForDevice

CONFIG, _ = load_board("pico-carousel")


# --- at a device -------------------------------------------------------------------------------


class Oscillator(FakeBoard):
    """A board with an RP2040's random bit, of which all reads are kept."""

    def _machine(self) -> Any:
        machine = super()._machine()
        self.given = bytearray()
        machine.mem32 = self
        return machine

    def __getitem__(self, address: int) -> int:
        assert address == 0x4006001C
        self.given.append(sha256(b"%d %d" % (self.resets, len(self.given))).digest()[0] & 1)
        return self.given[-1] | 0xFE


def at_prompt(board: FakeBoard, source: str = "rp2040_rosc") -> capture.AtPrompt:
    return capture.AtPrompt(source, board.open_line, "fake", 5.0, lambda _text: None)


def test_what_is_captured_at_the_prompt_is_each_bit_that_the_hal_reads_in_order() -> None:
    board = Oscillator()
    source = at_prompt(board)
    raw, good = source.read(1300)
    assert good and capture.samples_of(raw, 1) == bytes(board.given)[: 8 * 1300]
    before = raw[:64]
    source.restart()
    assert board.resets == 1 and source.read(64)[0] != before
    assert not any("firmware" in code for code in board.ran)  # nothing of it is loaded, so nothing can be seeded


def test_a_stuck_bit_is_reported_and_a_board_of_another_chip_refused() -> None:
    class Stuck(Oscillator):
        def __getitem__(self, address: int) -> int:
            return 0

    assert at_prompt(Stuck()).read(64) == (bytes(64), False)
    with pytest.raises(NotForDevice, match="--board"):
        at_prompt(Oscillator(), "rp2350_trng")
    source = at_prompt(board := Oscillator())
    board.given = None  # type: ignore[assignment]
    with pytest.raises(DeviceFailed, match="did not give its noise"):
        source.read(64)


def test_every_source_of_a_device_has_code_that_needs_nothing_of_ours() -> None:
    from fairshoe.boards.pins import NOISE_WORTH_MAX

    assert set(capture.SOURCES) == set(NOISE_WORTH_MAX) - {"simulated"}
    for source in capture.SOURCES:
        code = capture.code_of(source)
        lines = code.replace("if TYPE_CHECKING:\n    from hal.board.clock import ticks_diff, ticks_us\n", "")
        assert "from hal" not in lines and "from firmware" not in lines and "_into(buf" in lines


# --- the command, and provisioning --------------------------------------------------------------


def noted(folder: Path, *words: str, name: str = "noise.bin") -> tuple[bytes, dict[str, Any]]:
    """What the command captures of a simulated source, and its note."""
    path = folder / name
    assert command_line.main(["proof", "noise", "--simulate", "good", "--seed", "1", "--out", str(path), *words]) == 0
    return path.read_bytes(), json.loads((folder / (name + ".json")).read_text())


def test_a_capture_has_one_sample_in_a_byte_and_a_note_of_what_it_is(tmp_path: Path) -> None:
    samples, note = noted(tmp_path, "--samples", "5000")
    raw, good = capture.Simulated(CONFIG, "good", 1).read(625)
    assert good and samples == capture.samples_of(raw, 1) and len(samples) == 5000 and set(samples) == {0, 1}
    assert note["sha256"] == sha256(samples).hexdigest() and (note["width"], note["samples"]) == (1, 5000)
    assert (note["board"], note["source"], note["restarts"]) == ("pico-carousel", "rp2040_rosc", 0)
    whole, note = noted(tmp_path, "--samples", "300", "--board", "pico2-carousel", name="bytes.bin")
    assert note["width"] == 8 and max(whole) > 128 and len(whole) == 300


def test_restarts_give_a_row_each_and_each_row_begins_anew(tmp_path: Path) -> None:
    samples, note = noted(tmp_path, "--restarts", "30")
    rows = [samples[at : at + 30] for at in range(0, 900, 30)]
    assert len(samples) == 900 and note["restarts"] == 30 and len(set(rows)) > 25
    source = capture.Simulated(CONFIG, "good", 1)
    source.restart()
    assert rows[0] == capture.samples_of(source.read(4)[0], 1)[:30]


def test_a_source_that_reports_a_failure_is_noted_and_fails(tmp_path: Path) -> None:
    path = tmp_path / "noise.bin"
    assert command_line.main(["proof", "noise", "--simulate", "dead", "--samples", "5000", "--out", str(path)]) == 1
    assert json.loads((tmp_path / "noise.bin.json").read_text())["sound"] is False
    for wrong in ([], ["sim://x"], ["--simulate", "good", "--samples", "0"]):
        assert command_line.main(["proof", "noise", "--out", str(path), *wrong]) != 0


class Trial:
    """A capture of a device with its note, and the report of NIST's tool on it."""

    def __init__(self, folder: Path, name: str = "noise.bin", **noted: Any) -> None:
        self.folder, self.name = folder, name
        self.note: dict[str, Any] = {
            "kind": "noise", "board": "pico-carousel", "source": "rp2040_rosc", "taken_from": "/dev/ttyACM0",
            "at": "now", "version": "1", "samples": 1000000, "width": 1, "restarts": 0, "sound": True,
            "sha256": "ab" * 32, **noted,
        }  # fmt: skip

    def report(self, overall: dict[str, Any], **changed: Any) -> Path:
        """As NIST's tool 1.1.7 writes it."""
        (self.folder / (self.name + ".json")).write_text(json.dumps(self.note))
        path = self.folder / ("report-" + self.name)
        cases = [{"hOriginal": 0.9, "testCaseDesc": "Most Common Value"}, {**overall, "testCaseDesc": "Overall"}]
        said = {"filename": "/elsewhere/" + self.name, "sha256": "ab" * 32, "errorLevel": 0, "testCases": cases}
        path.write_text(json.dumps({**said, **changed}))
        return path


def test_a_claim_is_borne_out_by_the_lowest_of_all_reports(tmp_path: Path) -> None:
    sequence = Trial(tmp_path).report({"hAssessed": 0.0625, "dataWordSize": 1.0})
    assert check_claim([sequence], CONFIG) == "500 millibits a byte found at /dev/ttyACM0, 500 claimed; no restarts"
    again = Trial(tmp_path, "restarts.bin", restarts=1000).report({"h_r": 0.07, "h_c": 0.08, "h_i": 0.0625})
    assert check_claim([sequence, again], CONFIG) == "500 millibits a byte found at /dev/ttyACM0, 500 claimed"
    lower = Trial(tmp_path, "restarts.bin", restarts=1000).report({"h_r": 0.07, "h_c": 0.0624, "h_i": 0.0625})
    with pytest.raises(FairshoeError, match="499 were found"):
        check_claim([sequence, lower], CONFIG)
    short = Trial(tmp_path, samples=5000).report({"hAssessed": 0.5})
    assert "one sequence of 5,000 samples, not 1,000,000; no restarts" in check_claim([short], CONFIG)
    eight = Trial(tmp_path, width=8, board="pico2-carousel", source="rp2350_trng").report({"hAssessed": 4.0})
    assert check_claim([eight], load_board("pico2-carousel")[0]).startswith("4000 millibits a byte found")


@pytest.mark.parametrize(
    ("noted", "overall", "changed"),
    [
        ({}, {"hAssessed": 0.0624}, {}),
        ({}, {"hAssessed": None}, {}),
        ({}, {"hAssessed": 1.5}, {}),  # more than a bit can hold
        ({}, {"h_r": 0.5}, {}),
        ({}, {"hAssessed": 0.5}, {"errorLevel": 1}),
        ({}, {"hAssessed": 0.5}, {"testCases": []}),
        ({}, {"hAssessed": 0.5}, {"sha256": "cd" * 32}),  # of another capture
        ({}, {"hAssessed": 0.5}, {"filename": "none.bin"}),
        ({"board": "pico2-carousel"}, {"hAssessed": 0.5}, {}),
        ({"source": "rp2350_trng"}, {"hAssessed": 0.5}, {}),
        ({"kind": "bench"}, {"hAssessed": 0.5}, {}),
        ({"sound": False}, {"hAssessed": 0.5}, {}),
        ({"taken_from": "simulated source good, seed 1"}, {"hAssessed": 0.5}, {}),
        ({"surplus": 1}, {"hAssessed": 0.5}, {}),
    ],
)
def test_a_report_that_bears_nothing_out_is_refused_with_the_way_to_a_better_one(
    tmp_path: Path, noted: dict[str, Any], overall: dict[str, Any], changed: dict[str, Any]
) -> None:
    path = Trial(tmp_path, **noted).report(overall, **changed)
    with pytest.raises(FairshoeError) as refused:
        check_claim([path], CONFIG)
    assert "docs/BOARDS.md" in refused.value.advice


def test_no_key_is_made_for_a_board_whose_claim_is_not_borne_out(tmp_path: Path) -> None:
    path = Trial(tmp_path).report({"hAssessed": 0.0624})
    words = ["provision", "sim://x", "--out", str(tmp_path / "keys"), "--noise", str(path)]
    assert command_line.main(words) == 2  # of which board?
    assert command_line.main([*words, "--board", "pico-carousel"]) == 1
    assert not (tmp_path / "keys").exists()
