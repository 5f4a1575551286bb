"""host_tools/examples run as their readers run them."""

import asyncio
import csv
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from fairshoe import Store
from fairshoe.messages import CommandAccepted, RoundEnded, RoundVoided

FOLDER = Path(__file__).resolve().parents[3] / "host_tools" / "examples"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(name: str, *arguments: str, folder: Path | None = None) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(FOLDER / f"{name}.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, cwd=folder)


def test_every_example_is_tried_here() -> None:
    names = {path.stem for path in FOLDER.glob("*.py")}
    assert names == {"print_events", "table_system", "async_many_shoes", "store_to_csv"}


def test_print_events_prints_and_ends_quietly_when_nobody_reads() -> None:
    command = [sys.executable, str(FOLDER / "print_events.py"), "sim://?seed=2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout and process.stderr
    lines = [process.stdout.readline() for _ in range(20)]
    process.stdout.close()
    assert process.wait() in (0, 120)  # 120: Python cannot flush output to a closed pipe
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
    assert lines[0].startswith("1 ") and "Booted(" in lines[0]
    assert [int(line.split()[0]) for line in lines] == list(range(1, 21))


def test_a_port_that_is_not_there_is_a_sentence_and_no_traceback() -> None:
    done = run("print_events", "/dev/does-not-exist")
    assert done.returncode == 4
    assert "cannot open /dev/does-not-exist" in done.stderr and "Traceback" not in done.stderr


def test_the_table_system_plays_rounds_by_commands() -> None:
    done = run("table_system")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    for command in ("shuffle", "close_betting", "confirm_lockout", "release", "end_round"):
        assert any(line.startswith(f"{command} (operation ") for line in lines), command
    assert [line for line in lines if line.startswith("round ")] == ["round 1: ended", "round 2: ended"]


@pytest.mark.parametrize(
    ("board", "game", "table", "rounds"),
    [
        ("pico-carousel", "double-down-stud", "", 2),
        ("pico-shoe", "double-down-stud", "records=true", 2),
        ("pico-draw", "double-down-stud", "records=true", 2),
        ("pico-carousel", "boston-5-stud", "records=true", 2),
        ("pico-shoe", "boston-5-stud", "records=true", 6),  # a stub count is due in the fifth
        ("pico-draw", "boston-5-stud", "records=true", 6),
        ("pico-carousel", "boston-5-stud", "dealing=hand", 2),
        ("pico-carousel", "caribbean-stud", "records=true", 2),
        ("pico-draw", "caribbean-stud", "", 6),
        ("pico-carousel", "double-cross-poker", "", 6),
        ("pico-carousel", "double-cross-poker", "dealing=manual", 2),
        ("pico-draw", "double-attack-blackjack", "", 2),
        ("pico-draw", "double-attack-blackjack", "records=true", 1),
    ],
)
def test_the_table_system_plays_every_game_and_asks_for_little_in_vain(
    tmp_path: Path, key_file: Path, capsys: pytest.CaptureFixture[str], board: str, game: str, table: str, rounds: int
) -> None:
    url = f"sim://{board}?dealer=hands&key={key_file}&game={game}&mode=table{f'&table={table}' if table else ''}"
    load("table_system").play(url, key_file, tmp_path / "table.db", rounds)
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("round ")] == [f"round {it + 1}: ended" for it in range(rounds)]
    assert len([line for line in lines if "(operation " in line and not line.endswith(": done")]) <= rounds


def test_the_table_system_leaves_a_warning_to_a_person_and_does_not_ask_again(
    tmp_path: Path, key_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sim://pico-carousel?dealer=hands&key={key_file}&faults=jam:exit:20"
    load("table_system").play(url, key_file, tmp_path / "table.db", 2)
    out = capsys.readouterr().out
    assert "round 1: voided" in out and "acknowledge_warning (operation" not in out
    assert out.count("waiting for a person: ") == 1
    assert out.count("(operation ") < 20


def test_a_table_system_that_is_killed_four_times_goes_on_and_gives_no_command_twice(
    tmp_path: Path, key_file: Path
) -> None:
    store, storage = tmp_path / "table.db", tmp_path / "shoe.nv"
    url = f"sim://pico-carousel?dealer=hands&key={key_file}&storage={storage}&speed=20"
    for outcomes in (1, 2, 3, 4):
        killed_after(outcomes, url, key_file, tmp_path)
    done = run("table_system", url, str(key_file), "1", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    with Store(store) as kept:
        stored = list(kept.events())
    assert [each.seq for each in stored] == list(range(1, len(stored) + 1))
    events = [each.event for each in stored]
    numbers = [event.op for event in events if isinstance(event, CommandAccepted)]
    assert len(numbers) == len(set(numbers)) >= 4
    assert any(isinstance(event, (RoundEnded, RoundVoided)) for event in events)


def killed_after(outcomes: int, url: str, key_file: Path, folder: Path) -> None:
    """Its simulated shoe loses power with it."""
    command = [sys.executable, str(FOLDER / "table_system.py"), url, str(key_file), "9"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
    assert process.stdout
    for _ in range(outcomes):
        process.stdout.readline()
    process.kill()
    process.communicate()


def test_many_shoes_share_a_loop_and_a_store_and_the_store_becomes_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "floor.db")
    urls = [f"sim://pico-carousel?seed={seed}" for seed in (1, 2, 3)]
    assert asyncio.run(load("async_many_shoes").main(path, "-", urls, 1)) == 0
    with Store(path) as store:
        assert [log.device for log in store.logs()] != [] and len(store.logs()) == 3
        ended = [stored.device for stored in store.events(kinds=["round_ended"])]
    assert sorted(ended) == [0x510001, 0x510002, 0x510003]
    capsys.readouterr()
    assert load("store_to_csv").main([path, "00510002", "5"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert {row["device"] for row in rows} == {"00510002"}
    assert [int(row["seq"]) for row in rows] == list(range(6, 6 + len(rows)))
    assert any(row["event"] == "round_ended" and "round" in row for row in rows)


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    done = run("store_to_csv", str(tmp_path / "no.db"))
    assert done.returncode == 2 and "does not exist" in done.stderr
    assert list(tmp_path.iterdir()) == []
    assert run("store_to_csv").returncode == 2
