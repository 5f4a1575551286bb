"""Noise on trial: estimators as published and as NIST's own tool computes them, and bad sources told apart."""

import json
from functools import cache
from hashlib import sha256
from math import comb
from pathlib import Path
from typing import Any

import pytest
from flashed_board import FakeBoard

from fairshoe.boards.configs import load_board
from fairshoe.cli import command_line
from fairshoe.errors import FairshoeError
from fairshoe.noise import capture, estimators, predictors
from fairshoe.noise.assessment import Assessment, assess, assess_restarts, most_allowed
from fairshoe.noise.report_page import page
from fairshoe.noise.trial import Trial, as_json, check_claim
from fairshoe.ship.errors import DeviceFailed, NotForDevice

HERE = Path(__file__).parent
NIST: dict[str, Any] = json.loads((HERE / "nist_figures.json").read_text("utf-8"))["cases"]
LONG = {name for name in NIST if ", 8 bit" in name or "00000 " in name or "20000 " in name}
CONFIG, _ = load_board("pico-carousel")


def quiet(_what: str, _done: int, _total: int) -> None:
    """Progress that is not shown."""


def digits(text: str) -> bytes:
    return bytes(map(int, text))


# The worked examples of SP 800-90B 6.3.1 to 6.3.10, with its smaller parameters and its rounded results.
PUBLISHED = {
    "6.3.1": (0.5363, lambda: estimators.most_common_value(digits("01120122010110221021"))),
    "6.3.2": (0.4483, lambda: estimators.collision(digits("1000111001010101110011000111001010101110"))),
    "6.3.3": (0.761, lambda: estimators.markov(digits("1000111001010101110011000111001010101110"))),
    "6.3.4": (0.1345, lambda: estimators.compression(digits("100011100101010111001100011100101010111011100011"), 4)),
    "6.3.5": (0.273, lambda: estimators.t_tuple(estimators.Tuples(digits("220102012120121001000")), 3)),
    "6.3.6": (0.6146, lambda: estimators.longest_repeated(estimators.Tuples(digits("220102012120121001000")), 3)),
    "6.3.7": (0.3908, lambda: predictors.multi_mcw(digits("121021122000"), (3, 5, 7, 9))),
    "6.3.8": (0.735, lambda: predictors.lag(digits("2132131312"), 3)),
    "6.3.9": (0.0755, lambda: predictors.multi_mmc(digits("213213131"), 3)),
    "6.3.10": (0.0191, lambda: predictors.lz78y(digits("2132131312132"), 4)),
}


@pytest.mark.parametrize("section", PUBLISHED)
def test_the_worked_examples_of_the_publication_come_out(section: str) -> None:
    published, compute = PUBLISHED[section]
    assert compute() == pytest.approx(published, abs=0.0005)


@cache
def judged(name: str) -> tuple[bytes, Assessment]:
    """A case of the figures: kind, width and number of samples are its name."""
    kind, width, count = (word.split()[0] for word in name.split(", "))
    bits, samples = int(width), int(count)
    raw, _good = capture.take(capture.Simulated(CONFIG, kind, 1).read, capture.raw_bytes(samples, bits), quiet)
    return raw, assess(capture.samples_of(raw, bits)[:samples], bits)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.full) if name in LONG else name for name in NIST]
)
def test_each_estimator_says_what_nists_own_tool_says(name: str) -> None:
    raw, found = judged(name)
    assert sha256(raw).hexdigest() == NIST[name]["sha256"]
    ours = {(each.name, each.of_bits): each.entropy for each in found.estimates}
    for estimator, figures in NIST[name]["estimates"].items():
        for on, figure in figures.items():
            assert ours.pop((estimator, on == "bitstring")) == pytest.approx(figure, rel=1e-9, abs=1e-9), estimator
    assert set(ours.values()) <= {None}


def test_good_biased_correlated_and_stuck_sources_are_told_apart() -> None:
    looks = {"good": "even", "biased": "biased", "correlated": "correlated", "stuck": "dead"}
    found = {kind: judged(f"{kind}, 1 bit, 12000 samples")[1] for kind in looks}
    assert {kind: each.looks for kind, each in found.items()} == looks
    assert found["good"].entropy > 0.6 > 0.25 > found["correlated"].entropy > found["biased"].entropy > 0.05
    assert found["stuck"].entropy < 0.001
    assert assess(bytes(5000), 1).looks == "dead" and assess(bytes(5000), 8).entropy == 0


def trial(assessment: Assessment, claim: int = 500, **other: Any) -> Trial:
    facts: dict[str, Any] = {"sound": True, "restarts": None, **other}
    return Trial("pico-carousel", "rp2040_rosc", "here", "now", "1", "ab" * 32, claim_millibits=claim,
                 assessment=assessment, **facts)  # fmt: skip


def test_a_claim_holds_only_up_to_what_was_found_and_of_a_source_that_calls_itself_sound() -> None:
    good = judged("correlated, 1 bit, 12000 samples")[1]
    worth = int(good.entropy * 8000)
    assert trial(good, worth).passes and not trial(good, worth + 1).passes
    assert not trial(good, 100, sound=False).passes
    assert "12,000 samples, not 1,000,000" in trial(good).verdict and "no restarts" in trial(good).verdict


# --- restarts ----------------------------------------------------------------------------------

SIDE = 75


def test_a_source_that_begins_alike_after_each_restart_fails_although_each_beginning_is_good() -> None:
    source = capture.Simulated(CONFIG, "good", 1)
    honest = [
        capture.samples_of(raw, 1)[:SIDE]
        for raw in capture.take_restarts(source, SIDE, capture.raw_bytes(SIDE, 1), quiet)
    ]
    assert len(set(honest)) == SIDE
    passed = assess_restarts(honest, 1, 0.5)
    assert passed.passes and passed.most <= passed.most_allowed
    alike = assess_restarts([honest[0]] * SIDE, 1, 0.5)
    assert alike.most == SIDE > alike.most_allowed and not alike.passes
    assert not trial(passed.by_row, 500, restarts=alike).passes


def test_how_often_a_value_may_come_is_the_binomial_bound() -> None:
    """Of bits: both values count, in 1,000 rows and 1,000 columns, and one honest matrix of a hundred exceeds it."""
    alpha = 1 - 0.99 ** (1 / 2000)
    most = most_allowed(1000, 1.0)
    more = [2 * sum(comb(1000, count) for count in range(most + step, 1001)) / 2**1000 for step in (0, 1)]
    assert more[0] > alpha >= more[1]
    assert most_allowed(1000, 0.0) == 1000


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
    return capture.AtPrompt(source, board.open_line, "fake", 5.0, lambda _text: None, clock=board.clock)


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
        at_prompt(Oscillator(), "stm32_rng")
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


def run(*words: str) -> int:
    return command_line.main(["noise", "--samples", "5000", "--seed", "1", *words])


def test_the_command_judges_by_the_claim_of_the_board_and_writes_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, html = tmp_path / "raw", tmp_path / "noise.html"
    assert run("--simulate", "biased", "--json", "--keep", str(kept), "--html", str(html)) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["looks"] == "biased" and report["passes"] and report["millibits"] > report["claim_millibits"] == 500
    assert sha256(kept.read_bytes()).hexdigest() == report["sha256"]
    text = html.read_text("utf-8")
    assert "HOLDS" in text and text.count("<tr><td>") == 10 and "Not tried" in text
    assert run("--simulate", "dead") == 1
    assert "FAILS: the source reported a failure" in capsys.readouterr().out
    assert run("--raw", str(kept)) == 0  # what was kept is judged again
    for wrong in (["--raw", str(tmp_path / "none")], [], ["--simulate", "good", "--restarts", "5"], ["sim://x"]):
        assert run(*wrong) != 0


def test_provisioning_takes_a_report_only_of_this_board_and_only_if_it_bears_out_the_claim(tmp_path: Path) -> None:
    path = tmp_path / "noise.json"
    good = as_json(trial(judged("biased, 1 bit, 12000 samples")[1]))

    def told(**changed: Any) -> str:
        path.write_text(json.dumps({**good, **changed}))
        return check_claim(path, CONFIG)

    assert "500 claimed; 12,000 samples, not 1,000,000; no restarts" in told()
    for changed in (
        {"millibits": 499},
        {"millibits": None},
        {"passes": False},
        {"board": "pico2-carousel"},
        {"source": "rp2350_trng"},
        {"kind": "bench"},
        {"taken_from": "simulated source good, seed 1"},  # no device at all
        {"passes": "false"},
        {"millibits": "9999"},
        {"missing": 3},
    ):
        with pytest.raises(FairshoeError, match="fairshoe noise"):
            told(**changed)
    words = ["provision", "sim://x", "--out", str(tmp_path / "keys")]
    assert command_line.main([*words, "--noise", str(path)]) == 2  # of which board?
    assert command_line.main([*words, "--noise", str(path), "--board", "pico-carousel"]) == 1
    assert not (tmp_path / "keys").exists()  # refused before anything was made


def test_the_page_says_what_failed() -> None:
    text = page(trial(judged("stuck, 1 bit, 12000 samples")[1]))
    assert "FAILS" in text and "the samples are worth 0" in text and '<td class="poor">' in text
