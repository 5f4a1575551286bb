"""The alarms of one pit: judged over what its gateway knows, and over after a restart what it still knows."""

import asyncio
from dataclasses import replace
from pathlib import Path

from floor_case import LOG, entry, made, sample
from waits import until

from fairshoe import FromShoe
from fairshoe.messages import DeckRefused, DeckVerified, DoorOpened, Fault, Message, Meters, Part, Serviced, Wear
from fairshoe_floor.alarms.rules import load_rules
from fairshoe_floor.gateway.live import Live
from fairshoe_floor.gateway.pit_alarms import PitAlarms
from fairshoe_floor.inventory import Inventory
from fairshoe_floor.reader import Latched, Link

SHOES = (entry(1), entry(2))
NOW = 100_000.0


NEW = Meters(*[0] * 18)


def pit(folder: Path) -> tuple[Live, PitAlarms]:
    live = Live(Inventory("pit", Path("pit.db"), None, SHOES), lambda _device: LOG)
    for shoe in live.shoes():
        shoe.sample = sample(shoe.entry.device, heard_at=NOW, at=0.0)
    return live, PitAlarms(live, load_rules(), folder)


def say(alarms: PitAlarms, message: Message) -> None:
    alarms.take(FromShoe(SHOES[0].url, 1, message))  # type: ignore[arg-type]


def rules(alarms: PitAlarms, now: float) -> list[tuple[int, str]]:
    alarms.judge(now)
    return [(it.device, it.rule) for it in alarms.current]


def test_two_refused_decks_are_an_alarm_until_one_is_verified(tmp_path: Path) -> None:
    _live, alarms = pit(tmp_path)
    say(alarms, made(DeckRefused, utc_s=0))
    say(alarms, made(DoorOpened))
    assert rules(alarms, NOW) == []
    say(alarms, made(DeckRefused, utc_s=0))
    assert rules(alarms, NOW) == [(1, "deck-refused-twice")]
    say(alarms, made(DeckVerified, utc_s=0, counted=52, misfeeds=0))
    assert rules(alarms, NOW) == []


def test_a_silent_shoe_is_an_alarm_and_the_most_severe_comes_first(tmp_path: Path) -> None:
    live, alarms = pit(tmp_path)
    live.shoes()[1].sample = replace(live.shoes()[1].sample, heard_at=NOW - 500, link=Link.LOST)
    assert rules(alarms, NOW) == [(2, "shoe-silent")]
    for _deck in range(2):
        say(alarms, made(DeckRefused, utc_s=0))
    assert rules(alarms, NOW) == [(1, "deck-refused-twice"), (2, "shoe-silent")]
    live.shoes()[1].sample = replace(live.shoes()[1].sample, heard_at=NOW)
    assert rules(alarms, NOW) == [(1, "deck-refused-twice")]


def test_a_warning_that_was_latched_before_a_restart_is_known(tmp_path: Path) -> None:
    live, alarms = pit(tmp_path)
    live.shoes()[0].sample = replace(live.shoes()[0].sample, latched=Latched(1, LOG, 4, Fault.JAM_EXIT, 1000.0, 3))

    async def start() -> None:
        running = asyncio.create_task(alarms.run())
        await until(lambda: alarms.current)
        running.cancel()
        await asyncio.wait([running])

    asyncio.run(start())
    assert [(it.device, it.rule) for it in alarms.current if it.rule == "warning-unattended"] == [
        (1, "warning-unattended")
    ]
    assert "jam_exit is not attended to" in next(it for it in alarms.current if it.device == 1).text


def wear(folder: Path, decks: range, serviced: int = 0) -> list[str]:
    """A gateway from its start to its end, as these decks come, each a little slower: what it says of wear."""
    folder.mkdir(exist_ok=True)
    live, alarms = pit(folder)
    for deck in decks:
        meters = replace(NEW, cycles=deck, cards=52 * deck, feed_us=31000 + 45 * deck)
        live.shoes()[0].sample = sample(1, heard_at=NOW, at=0.0, meters=meters, wear=Wear(deck, 7700))
        if deck == serviced:
            say(alarms, made(Serviced, part=Part.PICK_ROLLER, cycles=deck))
        alarms.judge(NOW)
    return [it.text for it in alarms.current if it.rule == "wear"]


def test_wear_goes_on_after_a_restart_between_two_decks(tmp_path: Path) -> None:
    parts = [wear(tmp_path / "parts", decks) for decks in (range(1, 101), range(101, 103), range(103, 301))]
    assert parts[:2] == [[], []]
    assert parts[2][0].startswith("pick latency 32 to 3") and parts[2][0].endswith("decks: pick roller"), parts
    after = wear(tmp_path / "new", range(103, 301))
    assert not after or not after[0].startswith("pick latency 32"), "what was before the restart was on file"


def test_a_service_before_a_restart_counts_after_it(tmp_path: Path) -> None:
    assert wear(tmp_path, range(1, 301), serviced=300) == []
    assert wear(tmp_path, range(301, 320)) == []
