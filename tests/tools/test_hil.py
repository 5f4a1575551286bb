"""`make hil` without an image: what it asks for, how it tells what it found, and processes that end badly."""

import json
import os
import struct
from pathlib import Path

import hil
import hil_contract
import hil_report as report
import pytest
from hil_image import MACHINE, image_problem

from fairshoe.ship.closure import ShipError

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
MOTION = {"cpu_percent": 13.57, "masked_us": 15.0, "handler_us": 95.0, "stop_us": 82.0}


def rows() -> list[report.Row]:
    return report.boot_rows(SAID, 80_000) + report.motion_rows(SAID, MOTION) + report.round_rows(SAID, 3)


def by_name() -> dict[str, report.Row]:
    return {row.name: row for row in rows()}


def uf2(text: bytes) -> bytes:
    """An image of two blocks, the text in the first."""
    bodies = (text, b"more")
    begin, end = (0x0A324655, 0x9E5D5157, 0x2000), 0x0AB16F30
    heads = [(*begin, 0x10000000 + 256 * number, 256, number, len(bodies), 0xE48BFF56) for number in range(len(bodies))]
    return b"".join(struct.pack("<8I476sI", *heads[number], bodies[number], end) for number in range(len(bodies)))


def test_a_whole_image_of_the_right_board_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "good.uf2"
    path.write_bytes(uf2(b"MicroPython; " + MACHINE))
    assert image_problem(path) == ""


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
        for main in (hil.main, hil_contract.main):
            assert main(arguments) == 2
            told = capsys.readouterr()
            assert words in told.err and "download pages" in told.err and not told.out


def test_a_promise_that_nobody_made_is_not_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(hil_contract, "missing", lambda _options: "")  # pyright: ignore
    assert hil_contract.main(["--uf2", "any", "--only", "eternal_youth"]) == 2
    told = capsys.readouterr()
    assert told.err == "hil_contract: no promise of these machines has 'eternal_youth' in its name\n" and not told.out


def test_a_board_of_another_chip_or_with_other_parts_is_refused() -> None:
    pico = {"port": "rp2", "board": "Raspberry Pi Pico"}
    good = {"mcu": pico, "nv": {"kind": "fram"}, "expander": {}}
    hil.check_board("b", good)
    for change in (
        {"mcu": {"port": "esp32", "board": "ESP32"}},
        {"mcu": {"port": "rp2", "board": "Raspberry Pi Pico 2"}},
        {"nv": {"kind": "flash"}},
    ):
        with pytest.raises(ShipError, match=r"^b "):
            hil.check_board("b", {**good, **change})


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
    assert found["scan while no card moves, worst"].value == 8800 and found["scan while no card moves, worst"].kept


def test_scans_at_rest_never_stand_in_for_those_while_cards_move() -> None:
    said = {"job": ["0", "0", "0"], "job_quiet": ["50", "40000", "2000"]}
    assert report.scans_moving(said) == 0
    assert {row.name: row.value for row in report.motion_rows(said, MOTION)}["scan while cards move, worst"] == 0


def test_a_budget_that_is_missed_is_said_aloud() -> None:
    over = report.Row("scan while cards move, mean", 1201, "us", report.SCAN_MEAN_US)
    text = report.table("board", [*rows(), over], {"rounds": report.GOOD, "jam": "WRONG: no card"}, "end")
    assert "OVER BUDGET" in text and "budgets missed: scan while cards move, mean" in text
    assert "jam            WRONG: no card" in text


def test_json_says_the_same() -> None:
    told = json.loads(json.dumps(report.as_json("0.1.0", rows(), {"rounds": report.GOOD, "jam": "WRONG: x"})))
    assert told["kept"] is True and told["good"] is False
    assert told["figures"]["shipped files"] == {"value": 80_000, "unit": "bytes", "budget": report.BUDGET_BYTES}


def test_every_part_reports_and_one_that_dies_is_wrong() -> None:
    works = {
        "good": lambda: hil.Part(emulated_s=1.0),
        "dies": lambda: os._exit(3),
        "wrong": lambda: hil.Part("WRONG: x"),
    }
    parts = hil.all_at_once(works, 2)
    assert list(parts) == ["good", "dies", "wrong"]
    assert [part.result for part in parts.values()] == [
        report.GOOD,
        "WRONG: its process ended without a word",
        "WRONG: x",
    ]


def test_every_broken_device_is_broken_differently() -> None:
    files = {"board.json": b'{"nv": {}, "outputs": {}, "link": {}, "padding": "' + b"x" * 60 + b'"}', "a.mpy": b"12345"}
    seen: list[dict[str, bytes]] = [files]
    for change, _words in hil.BROKEN.values():
        changed = dict(files)
        change(changed)
        assert changed not in seen
        seen.append(changed)
