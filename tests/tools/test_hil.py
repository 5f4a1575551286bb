"""`make hil` without an emulator: which images it takes, how it reports, and processes that end badly."""

import argparse
import json
import os
import struct
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hil import contract, parts, report
from hil.__main__ import main as hil_main
from hil.image import BENCH, MACHINE, RELEASE, STOCK, Image, read_image
from hil.options import images_in
from hil.rounds import deck_of, with_deck
from hil.run import check_board, check_image, parts_of

from fairshoe.ship.identity import Identity
from fairshoe.ship.import_closure import ShipError

ROOT = Path(__file__).resolve().parents[2]
SAID = {
    "version": ["0.1.0", "MicroPython"],
    "booted": ["2400"],
    "ready": ["4800"],
    "heap": ["138000", "108000", "240000"],
    "intake": ["100", "110000", "3100"],
    "preparing_quiet": ["10", "90000", "70000"],
    "heap_grown": ["224"],
    "heap_rest_0": ["0", "138100"],
    "heap_rest_1": ["1", "138200"],
    "heap_rest_3": ["3", "138300"],
    "locked": [],
}
IDENTITY = Identity("pico-shoe", "war", "0.1.0", 0, False, "ab" * 32)
MOTION = {"cpu_percent": 13.57, "masked_us": 15.0, "handler_us": 95.0, "stop_us": 82.0}


def rows() -> list[report.Row]:
    size = report.Row("files on the file system", 80_000, "bytes")
    return report.boot_rows(SAID, False, size) + report.motion_rows(SAID, MOTION) + report.round_rows(SAID, 3, False)


def by_name() -> dict[str, report.Row]:
    return {row.name: row for row in rows()}


def uf2(text: bytes) -> bytes:
    """An image of two blocks, the text in the first."""
    bodies = (text[:256].ljust(256, b"\0"), text[256:] + b"more")
    begin, end = (0x0A324655, 0x9E5D5157, 0x2000), 0x0AB16F30
    heads = [(*begin, 0x10000000 + 256 * number, 256, number, len(bodies), 0xE48BFF56) for number in range(len(bodies))]
    return b"".join(struct.pack("<8I476sI", *heads[number], bodies[number], end) for number in range(len(bodies)))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (b"MicroPython; " + MACHINE, STOCK),
        (MACHINE + IDENTITY.line(), BENCH),
        (replace(IDENTITY, release=True).line() + MACHINE, RELEASE),
    ],
)
def test_an_image_is_known_by_what_is_in_it(tmp_path: Path, text: bytes, kind: str) -> None:
    path = tmp_path / "good.uf2"
    path.write_bytes(uf2(text))
    image = read_image(path)
    assert (image.problem, image.kind, image.frozen) == ("", kind, kind != STOCK)
    assert image.content == (STOCK if kind == STOCK else "ab" * 6)
    assert image.is_for("pico-shoe") and image.is_for("pico-draw") == (kind == STOCK)


def test_an_image_of_another_board_or_without_a_choice_of_decks_is_refused() -> None:
    bench, release = (Image(kind, "fairshoe-image 1 ...", "pico-shoe") for kind in (BENCH, RELEASE))
    options = argparse.Namespace(quick=False, cards=0)
    for image in (bench, release):
        check_image("pico-shoe", image, options)
        with pytest.raises(ShipError, match="another board than pico-draw"):
            check_image("pico-draw", image, options)
    options.quick = True
    check_image("pico-shoe", bench, options)
    with pytest.raises(ShipError, match="deck that is frozen"):
        check_image("pico-shoe", release, options)


def test_a_folder_gives_all_its_bench_images_or_that_of_a_board(tmp_path: Path) -> None:
    names = [f"fairshoe-0.2.0-{board}-bench.uf2" for board in ("pico-draw", "pico-shoe")]
    for name in [*names, "fairshoe-0.2.0-pico-shoe.uf2"]:
        (tmp_path / name).touch()
    found = {board: images_in(str(tmp_path), board) for board in (None, "pico-shoe", "pico-shelves")}
    assert found[None] == [str(tmp_path / name) for name in names]
    assert found["pico-shoe"] == [str(tmp_path / names[1])]
    assert found["pico-shelves"] == [str(tmp_path)]  # which is no file, and the command says so


def test_without_an_image_it_says_what_is_missing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    other = tmp_path / "other.uf2"
    other.write_bytes(b"no image")
    cut, alien = tmp_path / "cut.uf2", tmp_path / "alien.uf2"
    cut.write_bytes(uf2(b"MicroPython; " + MACHINE)[:-512])
    alien.write_bytes(uf2(b"MicroPython; Raspberry Pi Pico2 with RP2350"))
    for arguments, words in (
        ([], "make hil UF2="),
        (["--uf2", str(tmp_path / "none.uf2")], "there is no file"),
        (["--uf2", str(other)], "is no UF2 file"),
        (["--uf2", str(cut)], "is no whole UF2 file: cut off: 1 of 2 blocks"),
        (["--uf2", str(alien)], "is no MicroPython for the Raspberry Pi Pico"),
    ):
        for main in (hil_main, contract.main):
            assert main(arguments) == 2
            told = capsys.readouterr()
            assert words in told.err and "download pages" in told.err and not told.out


def test_a_promise_that_nobody_made_is_not_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(contract, "find_image", lambda _options: (Image(STOCK), ""))  # pyright: ignore
    assert contract.main(["--uf2", "any", "--only", "eternal_youth"]) == 2
    told = capsys.readouterr()
    assert told.err == "hil_contract: no promise of these machines has 'eternal_youth' in its name\n" and not told.out


def test_a_board_of_another_chip_or_with_other_parts_is_refused() -> None:
    pico = {"port": "rp2", "board": "Raspberry Pi Pico"}
    good = {"mcu": pico, "nv": {"kind": "fram"}, "expander": {}}
    check_board("b", good)
    for change in (
        {"mcu": {"port": "esp32", "board": "ESP32"}},
        {"mcu": {"port": "rp2", "board": "Raspberry Pi Pico 2"}},
        {"nv": {"kind": "flash"}},
    ):
        with pytest.raises(ShipError, match=r"^b "):
            check_board("b", {**good, **change})


def test_figures_stand_beside_their_budgets() -> None:
    found = by_name()
    assert found["scan while cards move, mean"].value == 1100
    assert found["heap taken a scan, of the intake"].value == 2.2
    assert found["heap at rest, after 2 rounds"].value == 138300
    assert found["allocations in decide, last round"].budget == 0
    assert all(row.kept for row in rows())


def test_a_machine_without_a_shuffle_is_timed_over_the_round_and_its_other_scans_are_told_too() -> None:
    said = {"job": ["50", "40000", "2000"], "job_quiet": ["30", "90000", "8800"]}
    found = {row.name: row for row in report.motion_rows(said, MOTION)}
    assert found["scans while cards moved"].value == 50 and found["scan while cards move, mean"].value == 800
    assert found["scan while cards move, worst"].value == 2000
    roller = "roller off after its beam, worst"
    assert roller not in found and by_name()[roller].value == 82
    assert found["scan while no card moves, worst"].value == 8800 and found["scan while no card moves, worst"].kept


def test_scans_at_rest_never_stand_in_for_those_while_cards_move() -> None:
    said = {"job": ["0", "0", "0"], "job_quiet": ["50", "40000", "2000"]}
    assert report.scans_moving(said) == 0
    assert {row.name: row.value for row in report.motion_rows(said, MOTION)}["scan while cards move, worst"] == 0


def test_a_budget_that_is_missed_is_said_aloud() -> None:
    over = report.Row("scan while cards move, mean", 1201, "us", report.SCAN_MEAN_US)
    short = report.Row("heap free after boot", report.FREE_MIN - 1, "bytes", report.FREE_MIN, at_least=True)
    text = report.table("board", [*rows(), over, short], {"rounds": report.GOOD, "jam": "WRONG: no card"}, "end")
    assert "budgets missed: scan while cards move, mean; heap free after boot" in text
    assert "<= 1200     BUDGET MISSED" in text and ">= 163840   BUDGET MISSED" in text
    assert f"{'jam':<28} WRONG: no card" in text


def test_an_image_has_a_budget_of_heap_and_a_stock_micropython_has_none() -> None:
    size = report.Row("image", 1)
    kept = {frozen: [row.kept for row in report.boot_rows(SAID, frozen, size)] for frozen in (True, False)}
    assert kept == {False: [True] * 5, True: [True, True, True, False, False]}


def test_heap_is_that_of_the_product_whose_main_is_larger_than_the_one_that_measures() -> None:
    """6,000 bytes are in use when the main.py that measures begins."""
    extra = report.main_extra(SAID, 7500)
    size = report.Row("files on the file system", 80_000, "bytes")
    plain, shifted = (report.boot_rows(SAID, False, size, by) for by in (0, extra))
    assert [after.value - before.value for before, after in zip(plain, shifted, strict=True)] == [0, 0, 0, 1500, -1500]
    assert report.round_rows(SAID, 3, False, extra)[0].value == 139_600


def test_a_story_with_scans_over_their_budget_is_wrong() -> None:
    assert not report.story_problems({"stopped": ["30", "33000", "3999"], "job": ["3", "6000", "2100"]})
    (worst,) = report.story_problems({"stopped": ["30", "33000", "4001"]})
    assert "a scan of 4001 us" in worst
    (mean,) = report.story_problems({"intake": ["30", "36030", "2000"]})
    assert "1201 us on average" in mean


def test_the_scans_of_a_story_are_noted_and_those_at_rest_are_not() -> None:
    said = {"job": ["3", "6001", "2100"], "stopped": ["30", "33000", "3999"], "warned": ["9", "9", "9"]}
    job, stopped = report.story_texts(said)
    assert "3 scans while cards moved (job): mean 2000 us, worst 2100 us" in job
    assert "30 scans while cards moved (stopped): mean 1100 us, worst 3999 us" in stopped


def test_scans_of_the_start_are_not_those_of_a_story() -> None:
    """The start of a keyed carousel: 48 scans of 1,335 us, in which it turns to prove that it is empty."""
    started = {"job": ["48", "64099", "3197"], "ready": ["3464"]}
    story = {**started, "intake": ["200", "195305", "3301"]}
    assert report.story_problems(story)
    assert report.said_since(started, story) == {"intake": ["200", "195305", "3301"]}
    assert not report.story_problems(report.said_since(started, story))
    assert report.said_since(started, {**story, "job": ["30", "36030", "2000"]})["job"] == ["30", "36030", "2000"]


def test_json_says_the_same() -> None:
    told = json.loads(json.dumps(report.as_json("pico-shoe", rows(), {"rounds": report.GOOD, "jam": "WRONG: x"})))
    assert told["kept"] is True and told["good"] is False
    assert told["figures"]["files on the file system"] == {
        "value": 80_000, "others": [], "unit": "bytes", "at_most": None,
    }  # fmt: skip
    assert told["figures"]["heap free after boot"]["at_least"] is None


def test_further_runs_make_a_range_and_the_worst_of_them_counts(tmp_path: Path) -> None:
    low, high = report.Row("heap", 70, "bytes", 80), report.Row("heap", 81, "bytes", 80)
    (row,) = report.merged([[low], [high]])
    assert row.range == (70, 81) and low.kept and not row.kept and "70 to 81 bytes" in row.text()
    page = tmp_path / "page.md"
    page.write_text(f"a\n{report.BEGIN}old\n{report.END}b\n")
    results = {"pico-shoe": {"rounds": report.GOOD, "jam": "WRONG: x"}}
    for _time in range(2):
        report.write_budgets(page, report.markdown({"pico-shoe": [row]}, results, "Two runs."))
    text = page.read_text()
    assert text.startswith("a\n") and text.endswith("b\n") and "old" not in text and text.count("Two runs.") == 1
    assert "| heap, bytes | **70 to 81** |" in text and "| pico-shoe | `rounds` | `jam` |" in text
    page.write_text("no marks")
    with pytest.raises(ValueError, match="put them back"):
        report.write_budgets(page, "figures")


def test_every_part_reports_and_one_that_dies_is_wrong() -> None:
    works = {
        "good": lambda: parts.Part(emulated_s=1.0),
        "dies": lambda: os._exit(3),
        "wrong": lambda: parts.Part("WRONG: x"),
    }
    found = parts.all_at_once(works, 2)
    assert list(found) == ["good", "dies", "wrong"]
    assert [part.result for part in found.values()] == [
        report.GOOD,
        "WRONG: its process ended without a word",
        "WRONG: x",
    ]


@pytest.mark.parametrize(
    ("kind", "cards"), [("carousel", 52), ("shelves", 52), ("shoe", 52), ("draw", 288)], ids=lambda value: str(value)
)
def test_the_shipped_deck_is_played_but_on_shelves_one_deck(kind: str, cards: int) -> None:
    config = json.loads((ROOT / f"board_configs/pico-{kind}.json").read_text())
    assert (deck_of(config, quick=False), deck_of(config, quick=True)) == (cards, 12)
    assert with_deck(config, cards)["mechanism"] == config["mechanism"]


def chosen(kind: str, image: str, cards: int = 52, quick: bool = False, only: list[str] | None = None) -> list[str]:
    config = json.loads((ROOT / f"board_configs/pico-{kind}.json").read_text())
    run: Any = SimpleNamespace(config=config, deck=cards, image=Image(image), board=f"pico-{kind}")
    return parts_of(run, argparse.Namespace(quick=quick, only=only))


def test_a_whole_run_plays_every_story_that_suits_and_a_choice_of_storms() -> None:
    stock = chosen("carousel", STOCK)
    assert stock[0] == "rounds" and {"jam-mouth", "power-third", "i2c", "product", "flipped bit"} < set(stock)
    assert sum(name.startswith("storm-all-") for name in stock) == 9
    assert "storm-exit-20k-moving" in stock and "storm-exit-8k-rest" not in stock
    assert "locked" in chosen("carousel", RELEASE) and "product" not in chosen("carousel", RELEASE)
    assert "rounds" not in chosen("shelves", RELEASE, 384) and "rounds" in chosen("shelves", BENCH)
    assert "jam" not in chosen("draw", BENCH) and "door" in chosen("draw", BENCH)
    assert "power-third" not in chosen("carousel", BENCH, 12)


def test_a_quick_run_plays_rounds_and_only_names_parts_or_patterns() -> None:
    assert chosen("shoe", BENCH, 12, quick=True) == ["rounds"]
    assert chosen("shoe", BENCH, 12, quick=True, only=["jam*", "door"]) == ["jam", "jam-exit", "door"]
    assert len(chosen("shoe", BENCH, only=["storm-exit-*"])) == 12
    with pytest.raises(ShipError, match="no part called 'jam-mouth'; pico-shoe has rounds, jam, jam-exit"):
        chosen("shoe", BENCH, only=["door", "jam-mouth"])
