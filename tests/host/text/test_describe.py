"""What people read of messages: meters in the words of maintenance."""

from dataclasses import replace

from fairshoe import messages
from fairshoe.messages import Meters
from fairshoe.text.describe import FEED_DRIFT_PERCENT, describe_event, describe_meters
from fairshoe.text.story import story_text

METERS = Meters(
    cycles=40,
    cards=2000,
    misfeeds=3,
    stalls=1,
    jams=2,
    double_feeds=0,
    faults=2,
    feed_us=60000,
    feed_us_new=60000,
    hopper=0,
    throat_a=0,
    throat_b=0,
    opacity=0,
    slot=0,
    exit=0,
    tray=0,
    arrival=0,
    cut=0,
)


def test_retries_are_told_per_thousand_cards() -> None:
    assert describe_meters(METERS) == (
        "40 decks, 2000 cards; 1.5 misfeeds and 0.5 stalls per thousand; 2 jams, 0 double feeds; "
        "feed 60 ms (+0 % against new)"
    )


def test_rollers_that_have_slowed_down_want_cleaning() -> None:
    limit_us = METERS.feed_us_new * (100 + FEED_DRIFT_PERCENT) // 100
    assert "clean" not in describe_meters(replace(METERS, feed_us=limit_us))
    assert "(+17 % against new: clean or replace the rollers)" in describe_meters(replace(METERS, feed_us=70000))


def test_uneasy_beams_are_named_with_their_glitches() -> None:
    assert describe_meters(replace(METERS, exit=7, throat_a=1)).endswith("beam glitches: throat a 1, exit 7")


def test_a_machine_that_has_done_nothing_divides_by_nothing() -> None:
    fresh = Meters(*([0] * 18))
    assert describe_meters(fresh).startswith("0 decks, 0 cards; 0.0 misfeeds")


def test_keys_halts_and_broken_journals_are_told_in_words() -> None:
    prefix = (1, 1, 0, 0, 0, 0, 0)
    assert describe_event(messages.Booted(*prefix, 0, 5, "0.1.0", 0, "")).endswith("firmware 0.1.0")
    assert "halted boot 3, halted MemoryEr" in describe_event(messages.Booted(*prefix, 1, 5, "0.1.0", 3, "MemoryEr"))
    assert describe_event(messages.KeyChanged(*prefix, 2, 1)) == "key changed: generation 2, rotated"
    told = describe_event(messages.JournalBroken(*prefix, 2, 17))
    assert told == "journal broken: a hash does not fit, at seq 17"


def test_a_warning_that_names_a_sensor_says_which_and_what_to_check() -> None:
    prefix = (1, 1, 0, 0, 0, 0, 0)
    noise = messages.WarningLatched(*prefix, messages.Fault.NOISE, 12, messages.Sensor.THROAT_A, 0, 0)
    assert describe_event(noise) == (
        "warning latched: NOISE ON throat_a (first throat beam), cards seen 12: check its cable, connector and shield,"
        " and lamps that shine on it"
    )
    lost = replace(noise, warning=messages.Fault.EDGE_LOST, sensor=messages.Sensor.EXIT)
    assert describe_event(lost).startswith("warning latched: edge lost at exit (exit beam), cards seen 12: check")
    unnamed = replace(noise, warning=messages.Fault.DOOR, sensor=messages.Sensor.NONE)
    assert describe_event(unnamed) == "warning latched: door, cards seen 12"
    long = replace(unnamed, warning=messages.Fault.DOUBLE_FEED, length_um=104430, card_um=88900)
    for figure, measured, configured, text in (
        (messages.Figure.SLOT_COUNT, 11, 12, "slot count 11 measured, 12 configured"),
        (messages.Figure.BRAKE_UM, 7689, 3000, "brake path 7.7 mm measured, 3.0 configured"),
    ):
        wrong = messages.NotAsConfigured(*prefix, figure, measured, configured)
        assert describe_event(wrong) == f"the machine is not as configured: {text}"
        assert text in story_text(wrong)
    for replaced, how in ((1, "replaced"), (0, "cleaned or adjusted")):
        serviced = messages.Serviced(*prefix, messages.Part.PICK_ROLLER, replaced, 3000)
        assert describe_event(serviced) == f"serviced: pick roller {how} after 3,000 decks"
    length = "88.9 mm expected, 104.4 measured: roller speed?"
    assert describe_event(long) == f"warning latched: double feed, cards seen 12, {length}"
    assert f"by thickness or length; {length}. To do: open the door" in story_text(long)
