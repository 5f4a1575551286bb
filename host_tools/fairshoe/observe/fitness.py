"""Check whether a shoe is fit for work, as far as its link tells without moving a card.

A device tests itself at power-up, before every job, after every warning and by the command `self_test`, and records
`empty_proved` when it passed. The last result is read from its journal, and checked together with the link, the
counters and the meters.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from fairshoe import messages
from fairshoe.errors import FairshoeError
from fairshoe.journal.export import Record
from fairshoe.link.dictionary import Dictionary, own_dictionary
from fairshoe.observe.monitor_view import many
from fairshoe.observe.snapshot import Snapshot
from fairshoe.text.advice import SENSORS, warned
from fairshoe.text.describe import FEED_DRIFT_PERCENT, words
from fairshoe.wear import BEAMS

GOOD, LOOK, BAD, UNKNOWN = "good", "look", "BAD", "not known"
BACK = 64  # records that are read back
LINE_TRIES = 5
LINE_S = 0.5
MISFEEDS_MAX = 5.0  # policy, per thousand cards: more want a look at rollers and cards


@dataclass(frozen=True)
class Check:
    """One question and its answer; `advice` where there is something to do."""

    name: str
    verdict: str
    what: str
    advice: str = ""


def checks(look: Snapshot) -> Iterator[Check]:
    """One after the other, as they are made."""
    yield _link(look)
    yield _warning(look)
    records = look.watch.records(BACK) if look.watch.readable() else None
    yield _own_test(records, look.watch.known.status)
    yield _journal(records)
    yield _room(look, records)
    yield _scans(look)
    if look.watch.known.meters is not None:
        yield from _meters(look.watch.known.meters)
    yield _damage(look)


def by_command(op: int, refused: FairshoeError | None) -> Check:
    """What became of a self-test that was started by command."""
    if refused is None:
        return Check("test run", GOOD, f"started by operation {op}: beams, axis and home tested, empty proved")
    return Check("test run", BAD, refused.what, refused.advice)


def _link(look: Snapshot) -> Check:
    """Reads the device's whole dictionary: many small questions, and a hash that says whether all arrived as sent."""
    watch = look.watch
    welcome = watch.known.welcome
    if welcome is None:
        return Check("link", UNKNOWN, "another host is in session: nothing can be asked", "End that host, or wait.")
    started = time.monotonic()
    lines = watch.dictionary_lines(LINE_TRIES, LINE_S)
    if lines is None:
        return Check("link", BAD, "questions stay without an answer", "Check the cable and what runs beside it.")
    each_ms = (time.monotonic() - started) * 1000 / max(len(lines), 1)
    if Dictionary(lines).hash != welcome.dictionary:
        return Check("link", BAD, "its message table is not the one it names", "Do not trust it: flash it again.")
    known = "the same as this tool's" if welcome.dictionary == own_dictionary().hash else "another than this tool's"
    text = f"{len(lines)} questions answered, {each_ms:.0f} ms each; message table whole, {known}"
    return Check("link", GOOD, text)


def _warning(look: Snapshot) -> Check:
    status = look.watch.known.status
    warning = warned(status) if status is not None else None
    if status is None or warning is None:
        return Check("warning", GOOD, "none")
    return Check("warning", BAD, f"{words(status.warning.name)}: {warning.what}", warning.advice)


def _own_test(records: list[Record] | None, status: messages.Status | None) -> Check:
    if records is None:
        return _locked("self-test")
    if status is not None and status.state in (messages.State.STARTING, messages.State.PROVING_EMPTY):
        return Check("self-test", UNKNOWN, "the shoe is testing itself now", "Wait a few seconds, then ask again.")
    for event in reversed(_events(records)):
        if isinstance(event, messages.EmptyProved):
            what = f"passed: beams, axis and home tested, empty proved (record {event.seq}, boot {event.boot})"
            return Check("self-test", GOOD, what)
        if isinstance(event, messages.DeckVerified):
            return Check("self-test", GOOD, f"its beams were tested for a deck that was verified (record {event.seq})")
        if isinstance(event, messages.WarningLatched):
            named = f" at {event.sensor.name.lower()}" if event.sensor in SENSORS else ""
            what = f"not passed since {words(event.warning.name)}{named} was latched (record {event.seq})"
            return Check("self-test", BAD, what, "Do what the display asks for; it tests itself then.")
        if isinstance(event, messages.Booted):
            break
    return Check(
        "self-test", UNKNOWN, "not passed since power-up", "Close the door and empty the tray; the test starts then."
    )


def _journal(records: list[Record] | None) -> Check:
    if records is None:
        return _locked("journal")
    damaged = [r.seq for r in records if r.fault]
    damaged += [e.seq for e in _events(records) if isinstance(e, (messages.RecordDamaged, messages.JournalBroken))]
    broken = [b.seq for a, b in pairwise(records) if not b.fault and b.previous != a.digest]
    if damaged or broken:
        return Check(
            "journal",
            BAD,
            f"record {min(damaged + broken)} is damaged or does not follow the one before",
            "Pull the journal and verify it: fairshoe journal pull, fairshoe journal verify.",
        )
    if not records:
        return Check("journal", UNKNOWN, "no records yet")
    return Check("journal", GOOD, f"records {records[0].seq} to {records[-1].seq} are whole, and each follows the last")


def _room(look: Snapshot, records: list[Record] | None) -> Check:
    status = look.watch.known.status
    waiting = status.events_waiting if status is not None else 0
    filling = [event for event in _events(records or []) if isinstance(event, messages.JournalFilling)]
    if filling and waiting >= filling[-1].waiting:
        return Check(
            "room",
            LOOK,
            f"storage is filling up: {many(waiting, 'event')} that no host has collected",
            "Connect the host that stores them; a full journal refuses the next round.",
        )
    return Check("room", GOOD, f"{many(waiting, 'event')} not collected yet")


def _scans(look: Snapshot) -> Check:
    health = look.watch.known.health
    if health is None:
        return Check("scans", UNKNOWN, "not reported in this session")
    what = f"longest {health.scan_ms_max} ms, {health.overruns} too long while something moved"
    if health.overruns:
        return Check("scans", LOOK, what, "A late scan is a late stop: report it with the journal if it goes on.")
    return Check("scans", GOOD, what)


def _meters(meters: messages.Meters) -> Iterator[Check]:
    per_thousand = meters.misfeeds * 1000 / max(meters.cards, 1)
    what = f"{per_thousand:.1f} misfeeds per thousand of {many(meters.cards, 'card')}"
    worn = meters.cards > 0 and per_thousand > MISFEEDS_MAX
    yield Check("feeding", LOOK if worn else GOOD, what, "Clean the pick roller; look at the cards." if worn else "")
    if meters.feed_us_new:
        drift = (meters.feed_us - meters.feed_us_new) * 100 / meters.feed_us_new
        slow = drift > FEED_DRIFT_PERCENT
        what = f"{meters.feed_us / 1000:.0f} ms a card, {drift:+.0f} % against new"
        yield Check("rollers", LOOK if slow else GOOD, what, "Clean or replace the rollers." if slow else "")
    uneasy = [f"{words(name)} {getattr(meters, name)}" for name in BEAMS if getattr(meters, name)]
    what = f"glitches: {', '.join(uneasy)}" if uneasy else "no glitches"
    yield Check("beams", LOOK if uneasy else GOOD, what, "Clean them; look for a loose wire." if uneasy else "")


def _damage(look: Snapshot) -> Check:
    """Last, when most has gone over the line."""
    watch = look.watch
    counters = watch.known.counters
    there = counters.bad_crc + counters.bad_stuffing + counters.too_short + counters.too_long if counters else 0
    here = watch.link.drops.total()
    what = f"{many(watch.link.frames, 'frame')} here, {here} damaged; {there} damaged at the shoe"
    if here or there:
        return Check("damage", LOOK, what, "Look at cable, connectors and ground.")
    return Check("damage", GOOD, what)


def _events(records: list[Record]) -> list[messages.Event]:
    found = [record.event() for record in records if not record.fault]
    return [event for event in found if event is not None]


def _locked(name: str) -> Check:
    return Check(name, UNKNOWN, "reading its journal needs a key", "Give --key-file to know.")
