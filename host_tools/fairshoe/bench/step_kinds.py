"""The kinds of step that a bench plan can have: their arguments, and the figures that each measures.

steps.py and drills.py hold the procedure of each kind.
"""

from __future__ import annotations

from dataclasses import dataclass

MECHANISMS = ("carousel", "shelves", "shoe", "draw")


@dataclass(frozen=True)
class Figure:
    """A number with a name: what it is, and in what it is counted."""

    label: str
    unit: str = ""


@dataclass(frozen=True)
class Kind:
    """One procedure. Arguments have a default; figures are what limits can be set on."""

    about: str
    figures: tuple[str, ...]
    arguments: dict[str, int | str | list[int]]
    applies: tuple[str, ...] = MECHANISMS


FIGURES: dict[str, Figure] = {
    "board_known": Figure("board config as named (1 yes, 0 no)"),
    "status_per_s": Figure("status messages", "/s"),
    "ready_s": Figure("from power-on to empty proved", "s"),
    "warnings": Figure("unexpected warnings"),
    "places_missed": Figure("places of the store not swept"),
    "resets": Figure("starts that were no power-on"),
    "opened": Figure("door seen open", "times"),
    "closed": Figure("door seen closed", "times"),
    "proved": Figure("empty proved again", "times"),
    "switched_on": Figure("key switch seen on", "times"),
    "switched_off": Figure("key switch seen off", "times"),
    "glitches": Figure("beam glitches at rest, and in the sweep after it"),
    "overruns": Figure("scans that were late"),
    "scan_ms_max": Figure("longest scan", "ms"),
    "decks": Figure("decks run", "decks"),
    "decks_wrong": Figure("decks whose counts were not right", "decks"),
    "misfeeds_per_thousand": Figure("misfeeds per thousand cards"),
    "stalls_per_thousand": Figure("stalls per thousand cards"),
    "intake_s_max": Figure("longest shuffle, as reported", "s"),
    "stack_ms_max": Figure("slowest stack", "ms"),
    "feed_ms": Figure("feed time per card, mean of the device", "ms"),
    "feed_drift_percent": Figure("feed time against new, as the device says", "%"),
    "feed_change_percent": Figure("feed time after the last deck against the first", "%"),
    "short_noticed": Figure("short decks noticed", "decks"),
    "long_noticed": Figure("long decks noticed", "decks"),
    "good_accepted": Figure("good decks accepted", "decks"),
    "miscounted": Figure("decks counted wrong", "decks"),
    "jams_noticed": Figure("jams noticed", "times"),
    "notice_ms_max": Figure("longest from start of motion to motors off", "ms"),
    "resumed": Figure("cycles that went on after a jam", "times"),
    "recovered": Figure("brought back to rest", "times"),
    "good_after": Figure("good decks afterwards", "decks"),
    "cuts": Figure("power cuts noticed at the next start", "times"),
    "told_void": Figure("interrupted cycles reported as void or failed", "times"),
    "events_missing": Figure("events recorded and not received", "events"),
    "events_misplaced": Figure("events received twice or out of order", "events"),
    "events_altered": Figure("events that differ from the device's journal", "events"),
    "events": Figure("events received", "events"),
    "bytes_damaged": Figure("bytes damaged or lost on purpose", "bytes"),
    "host_frames_bad": Figure("damaged frames noticed by the host", "frames"),
    "device_frames_bad": Figure("damaged frames noticed by the device", "frames"),
    "events_again": Figure("events the device sent again", "events"),
    "cut_seen": Figure("cut card seen", "times"),
    "cut_off_by": Figure("cards between cut card and its report", "cards"),
    "commands_done": Figure("commands done", "commands"),
    "commands_failed": Figure("commands not done", "commands"),
}

KINDS: dict[str, Kind] = {
    "identity": Kind("what the device says it is", ("board_known", "status_per_s"), {"seconds": 5}),
    "power_on": Kind(
        "switched off and on: dark test of every beam, homing, and proof that it is empty",
        ("ready_s", "warnings", "places_missed", "resets"),
        {},
    ),
    "door": Kind("the door is opened and closed", ("opened", "closed", "proved", "warnings"), {"times": 1}),
    "key_switch": Kind("the key switch is turned on and off", ("switched_on", "switched_off"), {}),
    "quiet": Kind(
        "the machine is left at rest", ("glitches", "overruns", "scan_ms_max", "warnings"), {"seconds": 20}
    ),
    "decks": Kind(
        "good decks, in and out again",
        (
            "decks",
            "decks_wrong",
            "warnings",
            "misfeeds_per_thousand",
            "stalls_per_thousand",
            "intake_s_max",
            "stack_ms_max",
            "feed_ms",
            "feed_drift_percent",
            "feed_change_percent",
        ),
        {"decks": 1},
    ),
    "counts": Kind(
        "decks with a card missing, with a card too many, and good ones",
        ("short_noticed", "long_noticed", "good_accepted", "miscounted"),
        {"differences": [-1, 0, 1]},
    ),
    "jam": Kind(
        "a card is made to stop",
        ("jams_noticed", "notice_ms_max", "resumed", "recovered", "good_after"),
        {"place": "throat", "times": 1},
        ("carousel", "shelves", "shoe"),
    ),
    "power_cut": Kind(
        "power is cut during a job",
        ("cuts", "told_void", "events_missing", "events_misplaced", "recovered", "good_after"),
        {"during": "shuffle", "times": 1, "after_ms": 4000},
    ),
    "link_noise": Kind(
        "a deck while the line between host and device flips bits and loses bytes",
        (
            "bytes_damaged",
            "host_frames_bad",
            "device_frames_bad",
            "events",
            "events_missing",
            "events_misplaced",
            "events_altered",
            "events_again",
        ),
        {"flip_ppm": 1500, "lose_ppm": 500, "seed": 1},
    ),
    "cut_card": Kind(
        "a shoe with a cut card is drawn until it shows",
        ("cut_seen", "cut_off_by", "warnings"),
        {"cut_at": 20},
        ("draw",),
    ),
    "commands": Kind(
        "a deck whose buttons are pressed by commands",
        ("commands_done", "commands_failed", "decks_wrong"),
        {},
    ),
}
