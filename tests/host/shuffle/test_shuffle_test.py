"""proof shuffle-test: runs the firmware's own shuffle, passes it, fails what is broken, and says so readably."""

import io
import itertools
import json
import re
import xml.etree.ElementTree as ElementTree
from array import array
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest
from in_process import output, refusal, run

from fairshoe.boards import configs
from fairshoe.cli import command_line
from fairshoe.commands import shuffle_test
from fairshoe.shuffle import firmware_decks as shuffle_source
from fairshoe.shuffle import trial as shuffle_run
from fairshoe.shuffle.firmware_decks import Entropy, fast_deck, firmware_deck, machine_deck
from fairshoe.shuffle.stats import Tally
from fairshoe.shuffle.trial import Plan, Run, execute
from rig import stories
from rig.story import Stage

BOARD = "pico-carousel"
CONFIG = configs.load_board(BOARD)[0]
GAME = "caribbean-stud"
SLICE = ["proof", "shuffle-test", "--shuffles", "2000", "--full", "5", "--seed", "20", "--processes", "1"]


def plan(shuffles: int = 1000, full: int = 0, seed: int = 20, processes: int = 1) -> Plan:
    config, _ = configs.load_board(BOARD)
    return Plan(BOARD, config, GAME, 52, shuffles, full, seed, processes)


@cache
def alone() -> Run:
    """By one process, to compare other runs with."""
    return execute(plan(), lambda done: None)


# --- the decks are the firmware's --------------------------------------------------------------


def test_the_whole_machine_makes_the_deck_that_the_fast_path_draws() -> None:
    config, _ = configs.load_board(BOARD)
    decks = [machine_deck(config, GAME, seed, index) for seed, index in itertools.product((1, 7, 2**40), (0, 1, 99))]
    fast = [firmware_deck(CONFIG, seed, index, 52) for seed, index in itertools.product((1, 7, 2**40), (0, 1, 99))]
    assert decks == fast
    assert len({tuple(deck) for deck in decks}) == 9


def test_the_deck_is_dealt_in_the_order_in_which_the_fast_path_has_it() -> None:
    """Not read off the simulated store but taken out of the tray by hand: four stacks, then the remainder."""
    config, _ = configs.load_board(BOARD)
    for index in range(3):
        stage = Stage(config, GAME, index)
        stage.play(stories.start())
        stage.rig.hal.entropy_into = Entropy(5, index).entropy_into
        stage.play(stories.round_of(3))
        dealt = [51 - card for cards in stage.taken for card in cards]
        assert dealt == firmware_deck(CONFIG, 5, index, 52)


@pytest.mark.parametrize("feed", ["bottom", "top"])
def test_shelves_make_the_deck_that_the_fast_path_draws(feed: str) -> None:
    config, _ = configs.load_board("pico-shelves")
    config["mechanism"]["feed"] = feed
    for index in range(3):
        assert machine_deck(config, "house:deck_cards=52", 5, index) == firmware_deck(config, 5, index, 52)


@pytest.mark.parametrize("kind", ["shoe", "draw"])
def test_a_board_that_does_not_shuffle_is_refused(kind: str) -> None:
    assert f"a {kind} does not shuffle" in refusal(
        2, "proof", "shuffle-test", "--board", f"pico-{kind}", "--shuffles", "2000"
    )


def test_the_page_has_the_figures_of_the_decks_that_this_firmware_draws() -> None:
    """The first thousand decks of the page's run, by their hash: another draw makes the page out of date."""
    decks = b"".join(bytes(firmware_deck(CONFIG, 1, index, 52)) for index in range(1000))
    page = (Path(__file__).resolve().parents[3] / "docs" / "SHUFFLE.md").read_text(encoding="utf-8")
    assert sha256(decks).hexdigest()[:16] in page, "run the command of docs/SHUFFLE.md again and bring it up to date"


@pytest.mark.parametrize("board", ["pico-carousel", "pico2-carousel", "pico-shelves"])
def test_the_fast_draws_are_those_of_the_firmware(board: str) -> None:
    config, _ = configs.load_board(board)
    for cards, index in itertools.product((3, 52, 384), (0, 1, 65535, 65536)):
        assert fast_deck(config, 7, index, cards) == firmware_deck(config, 7, index, cards)


def test_noise_is_never_the_same_for_two_shuffles() -> None:
    seen: set[bytes] = set()
    for seed, index in itertools.product(range(20), range(20)):
        source = Entropy(seed, index)
        for _ in range(2):
            buf = bytearray(32)
            assert source.entropy_into(buf)
            seen.add(bytes(buf))
    assert len(seen) == 800


# --- a run -------------------------------------------------------------------------------------


@pytest.mark.full
def test_a_slice_of_the_real_test_passes() -> None:
    """A fixed seed, so the same every time; any seed passes in 99 runs of a hundred."""
    answer = json.loads(output(*SLICE, "--json"))
    assert answer["passes"]
    assert answer["machine"] == {"shuffles": 5, "differing": []}
    assert answer["ours"]["passes_99"]
    assert [model["passes_99"] for model in answer["bad"]] == [False] * 4
    assert [model["distance"] for model in answer["bad"]] == pytest.approx([1.0, 1.0, 0.334, 0.045], abs=0.001)
    tests = {test["key"]: test for test in answer["ours"]["tests"]}
    assert len(tests) == 15
    assert tests["position"]["freedom"] == 51 * 51
    assert tests["piles_mean"]["expected"] == pytest.approx(4.5380, abs=1e-4)
    assert sum(answer["ours"]["counts"]["rising"]) == 2000


@pytest.mark.full
def test_the_result_does_not_depend_on_the_number_of_processes() -> None:
    seen: list[int] = []
    wanted = plan(full=4, processes=3)
    together = execute(wanted, seen.append)
    assert alone().ours == together.ours
    assert alone().bad == together.bad
    assert together.differing == ()
    assert seen == sorted(seen), "progress"
    assert seen[-1] == wanted.total == 4004 + 6000


@pytest.mark.full
def test_the_parts_of_a_run_add_up_to_one_tally_of_all_its_decks() -> None:
    whole = Tally(52)
    whole.add([firmware_deck(CONFIG, 20, index, 52) for index in range(1000)], None)
    assert alone().ours.tally == whole


def naive(entropy: Entropy, count: int, config: object) -> "array[int]":
    """Every card swapped with any: the best known mistake in shuffling."""
    noise = bytearray(8 * count)
    entropy.entropy_into(noise)
    order = array("H", range(count))
    for i in range(count):
        j = int.from_bytes(noise[8 * i : 8 * i + 8], "little") % count
        order[i], order[j] = order[j], order[i]
    return order


def biased(entropy: Entropy, count: int, config: object) -> "array[int]":
    """Fisher-Yates with a byte for each draw and no rejection: modulo bias."""
    noise = bytearray(count)
    entropy.entropy_into(noise)
    order = array("H", range(count))
    for i in range(count - 1, 0, -1):
        j = noise[i] % (i + 1)
        order[i], order[j] = order[j], order[i]
    return order


@pytest.mark.full
@pytest.mark.parametrize("broken", [naive, biased])
def test_a_broken_draw_in_the_firmware_fails(broken: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shuffle_source, "draw_order", broken)
    command = ["proof", "shuffle-test", "--shuffles", "6000", "--full", "0", "--seed", "3", "--processes", "1"]
    assert "\nFAIL: the machine did not make the decks that were drawn" in output(*command, code=1)
    out = output(*command, "--thorough", code=1)
    assert "\nFAIL: not uniform by position" in out
    assert "again: fairshoe proof shuffle-test --board pico-carousel" in out


@pytest.mark.full
def test_a_machine_that_does_not_make_the_drawn_deck_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def swapped(stage: Stage, cards: int) -> list[int]:
        deck = stored(stage, cards)
        deck[0], deck[1] = deck[1], deck[0]
        return deck

    stored = shuffle_source.stored_deck
    monkeypatch.setattr(shuffle_source, "stored_deck", swapped)
    out = output(
        "proof", "shuffle-test", "--shuffles", "1000", "--full", "2", "--seed", "3", "--processes", "1", code=1
    )
    assert "0 of 2 decks exactly as drawn" in out
    assert "shuffle 1: the deck in the machine is not the one drawn" in out


@pytest.mark.full
def test_a_bad_shuffler_that_is_not_caught_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    class Uniform:
        key, name = "shelf-10", "10 shelves"

        def deck(self, seed: int, index: int, cards: int) -> list[int]:
            return firmware_deck(CONFIG, seed + 1, index, cards)

    monkeypatch.setitem(vars(shuffle_run)["_MODEL_BY_KEY"], "shelf-10", Uniform())
    assert "10 shelves was not caught" in output(
        "proof", "shuffle-test", "--shuffles", "1000", "--full", "0", "--seed", "3", "--processes", "1", code=1
    )


# --- what people see ---------------------------------------------------------------------------


def test_text_through_a_pipe_is_plain_and_complete() -> None:
    done = run("proof", "shuffle-test", "--shuffles", "1000", "--full", "2", "--seed", "20")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 120
    assert "2 of 2 decks exactly as drawn" in done.stdout
    assert "Holm's correction" in " ".join(done.stdout.split())
    table = done.stdout.partition("beside shufflers known to be bad")[2]
    assert re.search(r"family-wise at 99 % +pass +FAIL +FAIL +FAIL", table)
    assert done.stdout.splitlines()[-2].startswith("pass: ")


def test_too_few_shuffles_and_unknown_names_are_refused_with_advice() -> None:
    few = run("proof", "shuffle-test", "--shuffles", "100")
    assert few.returncode == 2
    assert "too few" in few.stderr
    assert "--shuffles 1000" in few.stderr
    assert run("proof", "shuffle-test", "--board", "nope").returncode == 3
    assert run("proof", "shuffle-test", "--game", "snap").returncode == 3
    nowhere = run("proof", "shuffle-test", "--html", "/nowhere/at/all.html")
    assert nowhere.returncode == 1
    assert "Traceback" not in nowhere.stderr


def test_help_says_what_the_exit_status_means() -> None:
    text = " ".join(run("proof", "shuffle-test", "--help").stdout.split())
    assert "0 the shuffle passes. 1 it fails at 99 % family-wise" in text


@pytest.mark.full
def test_the_page_is_complete_in_itself_and_its_plots_are_well_formed(tmp_path: Path) -> None:
    page, folder = tmp_path / "page.html", tmp_path / "plots"
    assert command_line.main([*SLICE, "--json", "--html", str(page), "--plots", str(folder)]) == 0
    text = page.read_text(encoding="utf-8")
    for outside in ("http", "<script", "<link", "@import", "url(", "src="):
        assert outside not in text, outside
    assert "prefers-color-scheme:dark" in text
    assert text.count("<svg") == 4
    assert ">FAIL<" in text
    names = ["shuffle-guesses.svg", "shuffle-positions.svg", "shuffle-rising.svg", "shuffle-turns.svg"]
    assert sorted(path.name for path in folder.iterdir()) == names
    for name in names:
        source = (folder / name).read_text(encoding="utf-8")
        assert ElementTree.fromstring(source).tag == "{http://www.w3.org/2000/svg}svg"
        assert len(source) < 60_000


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_a_bar_on_a_terminal_and_lines_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(shuffle_test.time, "monotonic", lambda: now)
    monkeypatch.setenv("TERM", "xterm")
    terminal, pipe = Terminal(), io.StringIO()
    shown = [shuffle_test.Progress(1000, out) for out in (terminal, pipe)]
    for second in range(41):
        now = second / 2
        for progress in shown:
            progress.update(second * 10)
    for progress in shown:
        progress.finish()
    assert terminal.getvalue().count("\r\x1b[K[") == 39
    assert "[############..................]  40%  400 of 1,000 shuffles, 30 s left" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert pipe.getvalue().splitlines() == [
        "shuffle-test:  20%  200 of 1,000 shuffles, 40 s left",
        "shuffle-test:  40%  400 of 1,000 shuffles, 30 s left",
    ]
