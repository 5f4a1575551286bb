"""`fairshoe status`, `selftest`, `shuffle`, `deal` and `round` as a person or a script gets them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from in_process import output, refusal
from pty_screen import on_a_terminal
from statuses import a_status
from test_observer import Bench, ClockedPort, play_a_shuffle

from fairshoe import __version__
from fairshoe.cli import command_line
from fairshoe.client.store import Store
from fairshoe.keys import role_key, write_key
from fairshoe.messages import Fault, Health, JournalFilling, LinkCounters, Meters, Part, Role, State, Wear
from fairshoe.observe import fitness
from fairshoe.observe.observer import Mode
from fairshoe.observe.snapshot import Snapshot
from fairshoe.wear import Series, WearFile

KEY = bytes(range(32))


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("FAIRSHOE_PORT", "FAIRSHOE_KEY_FILE", "FAIRSHOE_ROLE", "FAIRSHOE_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("FAIRSHOE_STORE", str(tmp_path / "store.db"))
    monkeypatch.setenv("FAIRSHOE_ANSWER_S", "20")


@pytest.fixture
def shoe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A simulated shoe with a key, which is set; a dealer puts decks in and takes stacks out."""
    write_key(tmp_path / "dev.key", "device", KEY)
    monkeypatch.setenv("FAIRSHOE_KEY_FILE", str(tmp_path / "dev.key"))
    return f"sim://pico-carousel?seed=4&dealer=hands&key={tmp_path / 'dev.key'}"


# --- status ----------------------------------------------------------------------------------------------------------


def test_status_says_who_what_and_the_next_step(shoe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRSHOE_PORT", shoe)
    text = output("status")
    rows = {line.split()[0]: line[11:] for line in text.splitlines() if line[:1].strip()}
    assert rows["device"] == f"00510004, firmware {__version__}, game CS, boot 1, table, has a key"
    assert rows["state"] in ("starting (no round)", "proving empty (no round)") and rows["ledger"] == "no cards"
    assert {"next", "meters", "journal", "link"} <= set(rows) and "\x1b" not in text


def test_status_for_a_program(shoe: str, tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        store.begin(0x510004, Role.TABLE, 0, "release", {})
    told: dict[str, Any] = json.loads(output("status", shoe, "--json"))
    assert told["device"]["id"] == "00510004" and told["device"]["role"] == "table"
    assert told["waits_for"] == "machine" and told["warning"] is None
    assert sum(told["ledger"].values()) == 0
    assert told["unanswered"] == {"op": 1, "command": "release", "arguments": {}}
    assert "release (operation 1): ask with `fairshoe command --resume`" in output("status", shoe)


def test_status_says_what_wears_and_a_recorded_service_begins_again(
    shoe: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    series = Series()
    for deck in range(1, 301):
        series.take(replace(Meters(*[0] * 18), cycles=deck, cards=52 * deck, feed_us=31000 + 45 * deck), None)
    (tmp_path / "wear-00510004.json").write_text(json.dumps(series.to_json()))

    def nothing(_series: Series, _meters: Meters, _wear: Wear | None) -> bool:
        return False

    monkeypatch.setattr(Series, "take", nothing)  # the simulated shoe has no deck yet
    lines = [line for line in output("status", shoe).splitlines() if "pick latency" in line]
    assert lines == ["wear       pick latency 32 to 43 ms in 300 decks: pick roller"]
    wear = json.loads(output("status", shoe, "--json"))["wear"]
    assert [(it["name"], it["part"]) for it in wear if it["worn"]] == [("pick latency", "pick_roller")]
    service = shoe.replace("dealer=hands", "dealer=none&service=on")
    assert "serviced: pick roller cleaned or adjusted after 0 decks" in output(
        "serviced", service, "pick-roller", "--cleaned"
    )
    assert json.loads(output("serviced", service, "beams", "--json"))["part"] == "beams"
    assert set(WearFile(tmp_path, 0x510004).series.since) == {Part.PICK_ROLLER, Part.BEAMS}


def look_at(bench: Bench) -> Snapshot:
    return Snapshot("the port", None, 20.0, opener=lambda: bench.port)


def test_a_look_tells_a_warning_and_takes_no_event() -> None:
    from fairshoe.commands import status as status_cli

    bench = Bench()
    play_a_shuffle(bench)
    bench.port.hand("open")
    bench.port.run(500)
    waiting = bench.waiting()
    with look_at(bench) as look:
        facts = status_cli.facts(look.watch, None)
    assert facts["warning"]["name"] == "door" and "close it, press ACK" in facts["warning"]["to_do"]
    assert facts["waits_for"] == "hand" and facts["ledger"]["store"] == 52
    assert facts["journal"] == {"first": 1, "last": waiting} and facts["events_waiting"] == waiting == bench.waiting()


# --- selftest --------------------------------------------------------------------------------------------------------


def verdicts(look: Snapshot) -> dict[str, fitness.Check]:
    return {check.name: check for check in fitness.checks(look)}


def test_a_shoe_that_proved_itself_empty_is_fit() -> None:
    bench = Bench()
    bench.run(3)
    with look_at(bench) as look:
        found = verdicts(look)
    assert {check.verdict for check in found.values()} == {fitness.GOOD}
    assert "questions answered" in found["link"].what and "the same as this tool's" in found["link"].what
    assert "empty proved (record 2, boot 1)" in found["self-test"].what
    assert "records 1 to 2 are whole" in found["journal"].what
    assert bench.waiting() == 2


def test_a_latched_warning_is_bad_and_the_self_test_is_not_passed_since() -> None:
    bench = Bench()
    play_a_shuffle(bench)
    bench.port.hand("open")
    bench.port.run(500)
    with look_at(bench) as look:
        found = verdicts(look)
    assert found["warning"].verdict == fitness.BAD and "close it, press ACK" in found["warning"].advice
    assert found["self-test"].verdict == fitness.BAD and "since door was latched" in found["self-test"].what


def test_a_damaged_record_is_found() -> None:
    bench = Bench()
    play_a_shuffle(bench)
    with look_at(bench) as look:
        records = look.watch.records(10)
        assert len(records) == 5
        bent = [*records[:2], type(records[2])(3, records[2].data[:-1] + b"\x01"), *records[3:]]
        assert fitness._journal(bent).verdict == fitness.BAD  # pyright: ignore[reportPrivateUsage]
        assert fitness._journal(records).verdict == fitness.GOOD  # pyright: ignore[reportPrivateUsage]


def test_counters_that_want_a_look_say_what_to_do() -> None:
    bench = Bench()
    bench.run(3)
    with look_at(bench) as look:
        known = look.watch.known
        known.health = Health(3, 9)
        known.counters = LinkCounters(*[0] * 15)
        known.meters = Meters(9, 1000, 8, 0, 0, 0, 0, 80000, 60000, 0, 0, 0, 0, 0, 5, 0, 0, 0)
        found = {check.name: check for check in fitness.checks(look)}
    for name in ("scans", "feeding", "rollers", "beams"):
        assert found[name].verdict == fitness.LOOK and found[name].advice, name
    assert "exit 5" in found["beams"].what


def test_a_filling_journal_is_told() -> None:
    filling = JournalFilling(5, 1, 0, 0, 0, 0, 0, 100, 20)

    class Filled:
        fault = ""

        def event(self) -> JournalFilling:
            return filling

    bench = Bench()
    bench.run(3)
    with look_at(bench) as look:
        look.watch.known.status = a_status(State.DECK_READY, Fault.NONE, events_waiting=120)
        room = fitness._room(look, [Filled()])  # type: ignore[list-item]  # pyright: ignore
    assert room.verdict == fitness.LOOK and "120 events" in room.what


def test_without_the_key_of_a_shoe_that_has_one_the_journal_is_not_known() -> None:
    port = ClockedPort(KEY, "table")
    port.run(3000)
    with Snapshot("x", None, 20.0, opener=lambda: port) as look:
        assert verdicts(look)["journal"].verdict == fitness.UNKNOWN
    with Snapshot("x", role_key(KEY, Role.OBSERVER), 20.0, opener=lambda: port) as look:
        assert verdicts(look)["journal"].verdict == fitness.GOOD


def test_selftest_as_a_command(shoe: str) -> None:
    assert "checks, 0 bad" in output("selftest", shoe)
    assert json.loads(output("selftest", shoe, "--json"))[0]["name"] == "link"


def test_selftest_run_has_the_shoe_test_itself_first(shoe: str) -> None:
    assert "test run   good       started by operation 1: beams, axis and home tested" in output(
        "selftest", shoe, "--run"
    )
    first = json.loads(output("selftest", f"{shoe}&faults=beam_blind:throat_a", "--run", "--json", code=1))[0]
    assert (first["name"], first["verdict"]) == ("test run", "BAD") and first["advice"]
    assert first["what"].startswith("self test (operation 2): rejected")


def test_selftest_run_without_a_key_says_what_to_give() -> None:
    assert "--key-file" in refusal(2, "selftest", "sim://pico-carousel", "--run")


# --- driving ---------------------------------------------------------------------------------------------------------


def test_a_refused_shuffle_is_told_with_its_outcome_to_a_program(shoe: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["shuffle", shoe.replace("dealer=hands", "dealer=none"), "--json"]) == 1
    told = capsys.readouterr()
    assert json.loads(told.out)["outcome"] == "rejected" and told.err.startswith("fairshoe: shuffle (operation 1)")


def test_dealing_without_a_deck_says_what_comes_first(shoe: str) -> None:
    assert "the shoe cannot deal now: " in refusal(2, "deal", shoe, "3")


def test_a_round_at_the_keyboard_says_what_to_do_and_ends_with_a_report(shoe: str) -> None:
    with on_a_terminal("round", f"{shoe}&speed=30", columns=100, rows=60) as screen:
        for question in (
            "shuffle the deck in the hopper (GREEN); press Enter",
            "how many positions play?",
            "close it (CLOSE); press Enter",
            "confirm it (LOCK); press Enter",
            "release the rest (GREEN); press Enter",
            "end it (GREEN); press Enter",
        ):
            screen.until(question)
            screen.press("2\n" if "positions" in question else "\n")
        screen.until("  ended")
        assert screen.end() == 0
        for words in ("round 1 of CS, 2 positions", "  stack 3      5 cards", "  remainder    37 cards"):
            assert words in screen.text, words
        assert "Traceback" not in screen.text


def test_selftest_of_a_shoe_that_has_just_started_says_that_it_tests_itself(shoe: str) -> None:
    assert "the shoe is testing itself now\n" in output("selftest", shoe)


def test_selftest_on_a_tap_says_that_it_only_listens() -> None:
    from fairshoe.commands import selftest

    bench = Bench()
    bench.run(3)
    with look_at(bench) as look:
        assert selftest._what(look).startswith("device 00")  # pyright: ignore[reportPrivateUsage]
        look.watch.mode = Mode.LISTENING
        assert "listening only (a tap" in selftest._what(look)  # pyright: ignore[reportPrivateUsage]
