"""`fairshoe replay`: from what a device journaled before a stop to a moment of the bench page that stops as it did."""

import base64
import copy
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from in_process import output

from fairshoe import Shoe
from fairshoe.boards.configs import load_board
from fairshoe.cli.command_line import main
from fairshoe.errors import Exit
from fairshoe.journal.export import pull, write_export
from fairshoe.link import framing
from fairshoe.messages import Booted, Event, RoundStarted, WarningLatched
from fairshoe.sim.replay import Replay, replay
from fairshoe.sim.replay_course import NoStop, course_of
from fairshoe.sim.scenario_cases import library
from rig.live import start
from rig.scenario import Scenario

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
# Each kind of stop: a scenario of the library, and the warning it stops with.
STOPS = {
    "carousel-jam-in-the-throat": "jam_throat",
    "cs-jam-in-the-deal": "jam_exit",
    "carousel-double-feed-offset": "double_feed",
    "carousel-door-while-shuffling": "door",
    "shoe-door-while-dealing": "door",
    "cs-51-cards": "mismatch",
    "shoe-51-cards": "mismatch",
    "carousel-power-while-shuffling": "power",
    "carousel-power-while-dealing": "power",
    "shelves-double-feed-offset": "double_feed",
}
MORE = {
    "shelves-power-with-a-deck-held": "cards_inside",
    "carousel-firmware-halts-at-rest": "reset",
    "carousel-entropy-stuck": "entropy",
    "dds-jam-in-the-deal": "jam_exit",
    "dcp-51-cards": "mismatch",
}


@cache
def scenarios() -> dict[str, Any]:
    return library(SCENARIOS)


@cache
def captured(name: str) -> bytes:
    """What crosses the link while a scenario is played."""
    data = copy.deepcopy(scenarios()[name])
    scenario = Scenario(data, load_board(data["board"])[0])
    scenario.play()
    return bytes(scenario.stage.transcript)


def events_of(name: str) -> list[Event]:
    """Its events; a scenario's device reports no board, a real one does."""
    crc = load_board(scenarios()[name]["board"])[1]
    found: dict[int, Event] = {}
    for frame in framing.Decoder().feed(captured(name)):
        if isinstance(frame.message, Event):
            found.setdefault(frame.message.seq, frame.message)
    events = [found[seq] for seq in sorted(found)]
    return [replace(event, board_crc=crc) if isinstance(event, Booted) else event for event in events]


@cache
def replayed(name: str) -> tuple[Replay, WarningLatched]:
    events = events_of(name)
    stop = next(event for event in events if isinstance(event, WarningLatched))
    return replay(course_of(events, stop.seq)), stop


def moment(fragment: str) -> dict[str, Any]:
    text = fragment.removeprefix("#m=")
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


@pytest.mark.parametrize("name", [*STOPS, *(pytest.param(name, marks=pytest.mark.full) for name in MORE)])
def test_a_link_reaches_the_stop_that_it_was_made_from(name: str) -> None:
    """Played from the link alone, as the page plays it: the same warning, after the same events."""
    found, stop = replayed(name)
    data = moment(found.fragment())
    steps, at_ms = data.pop("steps"), data.pop("at")
    live = start(json.dumps({"title": "x", **data}), json.dumps(load_board(data["board"])[0]))
    live.replay(json.dumps(steps))
    live.run_to(at_ms)
    assert json.loads(live.picture())["warning"] == (STOPS | MORE)[name] == stop.warning.name.lower()
    assert found.same
    course = [event.NAME for event in found.course.events]
    played = [event.name for event in live.stage.peer.events if event.name in course]
    assert played[-len(course) :] == course


@pytest.mark.parametrize("name", ["carousel-jam-in-the-throat", "carousel-double-feed-offset", "shoe-51-cards"])
def test_what_the_device_counted_is_counted_again(name: str) -> None:
    found, stop = replayed(name)
    assert f"warning {stop.warning.name.lower()} after {stop.cards_seen} cards" in found.known
    assert not any("had counted" in line for line in found.guessed)


def test_hands_act_as_long_after_an_event_as_they_did_at_the_table() -> None:
    found, _stop = replayed("cs-jam-in-the-deal")
    ms = 0
    pressed: dict[str, int] = {}
    for step in moment(found.fragment())["steps"]:
        ms += step.get("after_ms", 0)
        pressed.setdefault(step.get("button", step["do"]), ms)
    real = {event.NAME: event for event in found.course.events}
    between = [real[name].uptime_s * 1000 + real[name].uptime_ms for name in ("round_started", "lockout_confirmed")]
    assert abs((pressed["lock"] - pressed["close"]) - (between[1] - between[0])) < 100


def test_it_says_what_is_guessed_and_never_a_card() -> None:
    for name in STOPS:
        found, _stop = replayed(name)
        assert any("the order of the cards" in line for line in found.guessed)
        assert any(line.startswith("the cause: ") for line in found.guessed)
        assert found.data["story"].startswith("Replayed from a journal. Reconstructed: ")
        assert set(moment(found.fragment())) <= {"board", "game", "seed", "changes", "story", "steps", "at"}


def test_a_course_of_a_board_that_is_not_ours_is_guessed_and_says_so() -> None:
    events = [replace(it, board_crc=1) if isinstance(it, Booted) else it for it in events_of("cs-51-cards")]
    course = course_of(events)
    assert any(line.startswith("board pico-carousel: the records name none of ours") for line in course.guessed)
    assert course_of(events, board="pico-shelves").board == "pico-shelves"


def test_records_without_a_stop_are_refused() -> None:
    calm = [event for event in events_of("cs-51-cards") if not isinstance(event, WarningLatched)]
    with pytest.raises(NoStop, match="no warning was latched"):
        course_of(calm)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """A simulated shoe that jams: an export of its journal, the store of its host, and the stop in it."""
    folder = tmp_path_factory.mktemp("kept")
    url = "sim://pico-carousel?seed=3&faults=jam:exit:7&dealer=auto"
    with Shoe.open(url, store=folder / "events.db") as shoe:
        stop = next(event for event in shoe.events() if isinstance(event, WarningLatched))
        next(event for event in shoe.events() if event.seq > stop.seq)  # so that the stop is stored
        export = pull(shoe)
    write_export(folder / "shoe.journal", export)
    return folder / "shoe.journal", folder / "events.db", f"{export.device:08x}/{export.log.hex()[:8]}/{stop.seq}"


@pytest.mark.parametrize("kind", ["export", "event", "capture"])
def test_each_kind_of_source_gives_a_link(kind: str, kept: tuple[Path, Path, str], tmp_path: Path) -> None:
    export, store, event = kept
    capture = tmp_path / "table.bin"
    capture.write_bytes(captured("cs-jam-in-the-deal"))
    source = {"export": str(export), "event": event, "capture": str(capture)}[kind]
    number = {"export": event.rpartition("/")[2], "event": "", "capture": "12"}[kind]
    more = ["--number", number] if number else []
    said = json.loads(output("replay", source, *more, "--store", str(store), "--json"))
    assert said["warning"] == "jam_exit" and said["same"] is True
    assert said["link"].startswith("http://127.0.0.1:8023/#m=")
    assert any("game caribbean-stud" in line for line in said["reconstructed"])
    assert any("board pico-carousel" in line for line in [*said["reconstructed"], *said["guessed"]])


def test_the_words_name_who_serves_the_page(kept: tuple[Path, Path, str]) -> None:
    said = output("replay", str(kept[0]), "--page", "http://bench.example/")
    assert "reconstructed" in said and "guessed" in said
    assert "http://bench.example/#m=" in said
    assert "`fairshoe web --no-open` serves" in said


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("00000001/ff/3", "has no log ff of device 00000001"),
        ("missing.journal", "cannot read missing.journal"),
        (__file__, "no event is in"),
    ],
)
def test_what_has_no_events_is_refused_with_what_to_do(
    source: str, what: str, kept: tuple[Path, Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", source, "--store", str(kept[1])]) in (Exit.INPUT, Exit.PORT)
    assert what in capsys.readouterr().err


def test_rounds_that_end_after_the_stop_name_the_game_too() -> None:
    events = events_of("carousel-jam-in-the-throat")
    stop = next(event for event in events if isinstance(event, WarningLatched))
    assert stop.seq < next(event.seq for event in events if isinstance(event, RoundStarted))
    assert "game caribbean-stud, from round 1" in course_of(events, stop.seq).known
