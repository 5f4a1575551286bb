"""The rules of alarms: each kind is raised by its own case, once, and ends when the case is over."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fairshoe.client.device_clock import EPOCH_S
from fairshoe.messages import Meters, Wear
from fairshoe.ship.release_facts import ReleaseFacts
from fairshoe.wear import Series
from fairshoe_floor.alarms.desk import STANDING
from fairshoe_floor.alarms.engine import JUDGES, Change, Engine, SeenEvent, SeenExport
from fairshoe_floor.alarms.rules import KINDS, Rule, RuleBook, RuleError, load_rules
from fairshoe_floor.samples import Link, Sample, sample_from_json, sample_to_json

LIMITS = {
    "warning": {"after_s": 300},
    "silent": {"after_s": 120},
    "journal": {},
    "refused": {"times": 2},
    "misfeeds": {"decks": 2, "per_mille_min": 10, "ratio": 3},
    "feed_time": {"ratio": 1.5},
    "wear": {},
    "version": {"release": ReleaseFacts("2026-11", "1.0", "ab", {77: "pico-carousel"})},
    "clock": {"off_s": 10},
}
NO_METERS = Meters(*([0] * 18))


def engine(kind: str) -> Engine:
    return Engine(RuleBook((Rule(kind, kind, "major", LIMITS[kind]),)))


def event(name: str, at: float, device: int = 1, utc_s: int = 0, **fields: object) -> SeenEvent:
    return SeenEvent(device, 1, at, name, utc_s, fields)


def said(changes: list[Change]) -> list[tuple[bool, str]]:
    return [(change.raised, change.text) for change in changes]


def test_every_kind_of_rule_is_judged_by_the_engine_or_by_the_desk() -> None:
    assert sorted([*JUDGES, *STANDING]) == sorted(KINDS)


def test_an_event_that_comes_late_ends_nothing_and_begins_nothing() -> None:
    """Its number and its log say what is newer: of a log that was left nothing counts but what lasts."""

    def seen(name: str, seq: int, log: bytes = b"b", turn: int = 9) -> SeenEvent:
        return SeenEvent(1, seq, 1000.0, name, 0, {"warning": "jam_exit"}, log, turn)

    for story, alarm in (
        ([seen("warning_latched", 5), seen("warning_cleared", 6), seen("warning_latched", 3)], False),
        ([seen("warning_latched", 7), seen("warning_cleared", 6)], True),
        ([seen("warning_latched", 7), seen("warning_cleared", 90, b"a", 2)], True),
        ([seen("warning_cleared", 1), seen("warning_latched", 90, b"a", 2)], False),
        ([seen("warning_latched", 90, b"a", 2), seen("door_opened", 1)], False),
        ([seen("warning_latched", 90, b"a", 2), seen("warning_latched", 1), seen("door_opened", 91, b"a", 12)], False),
        ([seen("warning_latched", 7), seen("booted", 8), seen("warning_cleared", 6)], True),
    ):
        desk = engine("warning")
        for each in story:
            desk.event(each)
        assert bool(desk.tick(1300.0)) == alarm, story


def test_a_time_that_is_ahead_holds_no_alarm_back() -> None:
    """The clock of the gateway was a day ahead when the card jammed, or when the shoe was heard last."""
    desk = engine("warning")
    desk.event(event("warning_latched", 1000 + 86400, warning="jam_exit"))
    assert desk.tick(1000) == []
    assert [change.raised for change in desk.tick(1300)] == [True]
    desk = engine("silent")
    desk.sample(Sample(1, 1000.0, Link.OPEN, heard_at=1000.0 + 86400))
    assert desk.tick(1000) == []
    assert [change.raised for change in desk.tick(1120)] == [True]


def test_a_warning_is_an_alarm_when_it_is_not_attended_to() -> None:
    desk = engine("warning")
    assert desk.event(event("warning_latched", 1000, warning="jam_exit")) == []
    assert desk.tick(1299) == []
    assert said(desk.tick(1300)) == [(True, "warning jam_exit is not attended to for 300 s")]
    assert desk.tick(1400) == []  # once
    assert [change.raised for change in desk.event(event("warning_cleared", 1500))] == [False]


def test_a_warning_that_is_cleared_in_time_is_no_alarm() -> None:
    desk = engine("warning")
    desk.event(event("warning_latched", 1000, warning="jam_exit"))
    desk.event(event("warning_cleared", 1200))
    assert desk.tick(2000) == []


def worn(cycles: int, feed_us: int) -> Sample:
    meters = replace(NO_METERS, cycles=cycles, cards=52 * cycles, feed_us=feed_us)
    return Sample(1, 1000.0 + cycles, Link.OPEN, heard_at=1000.0 + cycles, meters=meters, wear=Wear(cycles, 7700))


def test_a_roller_that_wears_is_an_alarm_until_it_is_serviced_and_a_restart_goes_on() -> None:
    desk = engine("wear")
    changes: list[Change] = []
    for deck in range(1, 1001):
        changes += desk.sample(sample_from_json(sample_to_json(worn(deck, 31000 + 13 * deck))))
        if deck == 500:
            kept = desk.take_worn()
            desk = engine("wear")
            desk.remember_wear(1, Series.from_json(json.loads(json.dumps(kept[1].to_json()))))
            assert desk.take_worn() == {} and desk.active == {}
    (raised, text), *rest = said(changes)
    assert raised and text.startswith("pick latency 3") and text.endswith(" decks: pick roller")
    raises = [it for it, _text in rest if not it]
    assert not raises, "it stays until the service"
    assert said(desk.event(event("serviced", 3000, part="beams", replaced=0, cycles=1000))) == []
    assert said(desk.event(event("serviced", 3000, part="pick_roller", replaced=1, cycles=1000)))[0][0] is False
    assert list(desk.take_worn()) == [1]
    for deck in range(1001, 1400):
        assert desk.sample(worn(deck, 31000)) == []


def test_wear_is_judged_by_what_was_known_before_a_round_under_way() -> None:
    desk = engine("wear")
    for deck in range(1, 400):
        assert desk.sample(replace(worn(deck, 31000 + 100 * deck), before=worn(1, 31000))) == []


def test_a_silent_shoe() -> None:
    desk = engine("silent")
    desk.event(event("door_opened", 900))
    assert desk.tick(2000) == []  # a quiet table, at a gateway that publishes no samples
    desk = engine("silent")
    desk.sample(Sample(1, 1000.0, Link.OPEN, heard_at=1000.0))
    assert desk.tick(1119) == [] and said(desk.tick(1120)) == [(True, "nothing was heard of it for 120 s")]
    heard = Sample(1, 1200.0, Link.OPEN, heard_at=1200.0)
    assert [change.raised for change in desk.sample(heard)] == [False]


def test_a_shoe_that_was_never_heard_is_silent_until_it_has_no_table_any_more() -> None:
    desk = engine("silent")
    assert desk.sample(Sample(1, 1000.0, Link.UNKNOWN)) == []  # its gateway has it in its inventory
    assert said(desk.sample(Sample(1, 1120.0, Link.FAILED))) == [(True, "it was never heard")]
    assert [change.raised for change in desk.sample(Sample(1, 1200.0, Link.OPEN, heard_at=1200.0))] == [False]
    desk = engine("silent")
    desk.expect({5: 1000.0, 6: 1000.0})  # its gateway never ran
    assert desk.tick(1119) == []
    assert [(it.device, it.text) for it in desk.tick(1120)] == [(5, "it was never heard"), (6, "it was never heard")]
    desk.expect({6: 1000.0})
    assert [(it.device, it.raised) for it in desk.tick(1121)] == [(5, False)]


def test_a_broken_journal_and_an_export_that_shrinks() -> None:
    desk = engine("journal")
    assert said(desk.export(SeenExport(1, 1000, "ends at 90, was at 120"))) == [(True, "ends at 90, was at 120")]
    assert [change.raised for change in desk.export(SeenExport(1, 1100, ""))] == [False]
    assert "record 7" in desk.event(event("journal_broken", 1200, at_seq=7))[0].text


def test_two_decks_refused_in_a_row() -> None:
    desk = engine("refused")
    assert desk.event(event("deck_refused", 1)) == []
    assert [c.raised for c in desk.event(event("deck_verified", 2, counted=52, misfeeds=0))] == []
    assert desk.event(event("deck_refused", 3)) == []
    assert said(desk.event(event("deck_refused", 4))) == [(True, "2 decks in a row were refused")]
    assert [c.raised for c in desk.event(event("deck_verified", 5, counted=52, misfeeds=0))] == [False]


def test_misfeeds_drift_against_the_shoes_own_past() -> None:
    desk = engine("misfeeds")
    for at in range(10):
        assert desk.event(event("deck_verified", at, counted=50, misfeeds=at == 0)) == []
    assert desk.event(event("deck_verified", 11, counted=50, misfeeds=0)) == []
    changes = desk.event(event("deck_verified", 12, counted=50, misfeeds=3))
    assert said(changes) == [(True, "30 misfeeds per 1,000 cards in 2 decks, 2 before")]


def test_misfeeds_drift_against_peers() -> None:
    desk = engine("misfeeds")
    for device in (2, 3, 4):
        for at in (1, 2):
            desk.event(event("deck_verified", at, device, counted=100, misfeeds=1))
    desk.event(event("deck_verified", 3, counted=100, misfeeds=4))
    changes = desk.event(event("deck_verified", 4, counted=100, misfeeds=4))
    assert said(changes) == [(True, "40 misfeeds per 1,000 cards in 2 decks, 10 at other shoes")]


def test_feed_time_drifts_against_new_and_against_peers() -> None:
    desk = engine("feed_time")

    def sample(device: int, feed_us: int, new_us: int) -> Sample:
        meters = replace(NO_METERS, feed_us=feed_us, feed_us_new=new_us)
        return Sample(device, 1.0, Link.OPEN, heard_at=1.0, meters=meters)

    quiet = replace(sample(1, 160_000, 100_000), before=sample(1, 100_000, 100_000))
    assert desk.sample(quiet) == []  # the meters of a round under way judge nothing
    assert said(desk.sample(sample(1, 160_000, 100_000))) == [(True, "a card takes 160 ms to feed, 100 ms when new")]
    for device in (2, 3):
        assert desk.sample(sample(device, 90_000, 90_000)) == []
    changes = desk.sample(sample(4, 150_000, 0))
    assert said(changes) == [(True, "a card takes 150 ms to feed, 90 ms at other shoes")]


def test_another_version_is_marked_as_the_devices_own_word() -> None:
    desk = engine("version")
    assert desk.event(event("booted", 1, firmware="1.0", board_crc=77)) == []
    text = desk.event(event("booted", 2, firmware="0.9", board_crc=77))[0].text
    assert text == "firmware 0.9, the release has 1.0; by its own word, beside release 2026-11"
    assert said(desk.event(event("booted", 3, firmware="1.0", board_crc=77)))[0][0] is False
    assert (
        "no board config of the release; by its own word"
        in desk.event(event("booted", 4, firmware="1.0", board_crc=78))[0].text
    )
    only_firmware = Sample(2, 1.0, Link.OPEN, heard_at=1.0, firmware="1.0")  # what a session says, without a boot
    assert desk.sample(only_firmware) == [] and len(desk.sample(replace(only_firmware, firmware="0.9"))) == 1


def test_a_clock_that_is_off() -> None:
    desk = engine("clock")
    start = EPOCH_S + 1000  # a device counts from 2020
    for at in range(0, 300, 30):
        assert desk.event(event("door_opened", start + at, utc_s=0)) == []  # no clock is not a wrong clock
        assert desk.event(event("door_opened", start + at, utc_s=1000 + at - 5)) == []
    for at in range(300, 420, 30):
        desk.event(event("door_opened", start + at, utc_s=1000 + at + 100))
    assert [it.text for it in desk.active.values()] == ["its clock is off by +100 s"]
    for at in range(420, 600, 30):
        desk.event(event("door_opened", start + at, utc_s=1000 + at - 100))
    assert [it.text for it in desk.active.values()] == ["its clock is off by +100 s"]  # still off, the other way
    for at in range(600, 720, 30):
        desk.event(event("door_opened", start + at, utc_s=1000 + at))
    assert desk.active == {}


def test_events_that_waited_in_a_device_are_not_a_clock_that_is_off() -> None:
    desk = engine("clock")
    start = EPOCH_S + 10_000
    for at in range(0, 120, 30):
        assert desk.event(event("door_opened", start + at, utc_s=10_000 + at)) == []
    for late in range(3600, 0, -60):  # an hour without a gateway, then all at once
        assert desk.event(event("door_opened", start + 4000 - late / 1000, utc_s=14_000 - late)) == []
    for at in range(4030, 4200, 30):
        assert desk.event(event("door_opened", start + at, utc_s=10_000 + at)) == []


def test_the_default_rules_load_and_a_rule_may_name_devices(tmp_path: Path) -> None:
    book = load_rules()
    assert {rule.kind for rule in book.rules} == set(KINDS) - {"version"}  # which release is for the house to say
    path = tmp_path / "rules.json"
    rule = {"name": "a", "kind": "refused", "severity": "minor", "times": 1, "devices": ["00000002"]}
    path.write_text(json.dumps({"rules": [rule]}))
    desk = Engine(load_rules(path))
    assert desk.event(event("deck_refused", 1, device=1)) == []
    assert len(desk.event(event("deck_refused", 1, device=2))) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "mood"}, "unknown kind mood"),
        ({"severity": "loud"}, "loud"),
        ({"times": None}, ""),
        ({"tims": 2}, "unknown word tims"),
        ({"times": "2"}, "times is no number"),
        ({"times": True}, "times is no number"),
        ({"devices": ["BJ-07"]}, "devices: invalid literal"),
        ({"kind": "silent", "after_s": 119}, "after_s is 119, .* Write 120 or more"),
        ({"kind": "version", "times": 2}, "lacks release"),
        ({"kind": "version", "release": "1.0", "keys": []}, "counts by its signature"),
        ({"kind": "version", "release": "1.0", "keys": "a.pub"}, "counts by its signature"),
    ],
)
def test_a_rule_that_cannot_work_is_refused_with_its_name(
    tmp_path: Path, change: dict[str, object], words: str
) -> None:
    rule: dict[str, object] = {"name": "twice", "kind": "refused", "severity": "minor", "times": 2} | change
    if change == {"times": None} or not change.keys().isdisjoint({"release", "after_s"}):
        del rule["times"]
        words = words or "lacks times"
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"rules": [rule]}))
    with pytest.raises(RuleError, match=words) as caught:
        load_rules(path)
    assert "twice" in str(caught.value)


def test_routes_of_an_older_version_are_refused_with_what_replaces_them(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"rules": [], "routes": [{"url": "http://hook/"}]}))
    with pytest.raises(RuleError, match="--alertmanager URL"):
        load_rules(path)
