"""Reporting profiles: what of a shoe leaves the process. Every route, document and metric is made of these views.

`meters` is what WAC 230-16-152 lists: versions, serial numbers, meters, good and bad shuffles, cards per shuffle, logs
of malfunction and maintenance. It has nothing of a round: no state, no round number, no stack, no record, no clause.
While a round is under way its numbers and its list of events stay as they were before, so that neither a counter nor
the number of an event tells how far the round is; a warning, its fault and its time, is reported at once.
`table` is everything that is on file or in the newest status, and needs an approval in the inventory.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Any

from fairshoe import Event, Message, StoredEvent, messages, next_step
from fairshoe.message_data import to_dict
from fairshoe_floor.inventory import Profile
from fairshoe_floor.reader import NO_TOTALS, Alarm, Latched, Reading, Round, Shoe

Json = dict[str, Any]

# The events of the profile meters, and their fields that may be reported.
METERS_EVENTS: dict[type[Message], tuple[str, ...]] = {
    messages.Booted: ("cause", "board_crc", "firmware", "halted_boot", "halted"),
    messages.PowerLost: (),
    messages.EmptyProved: ("slots_swept",),
    messages.WarningLatched: ("warning", "sensor"),
    messages.WarningCleared: ("warning",),
    messages.DoorOpened: (),
    messages.DoorClosed: (),
    messages.ClockSet: ("role", "old_utc_s"),
    messages.RecordDamaged: (),
    messages.Sealed: ("key", "mac"),
    messages.JournalBroken: ("defect", "at_seq"),
    messages.JournalFilling: ("waiting", "room"),
    messages.KeyChanged: ("generation", "how"),
    messages.SigningKey: ("generation", "public"),
    messages.Service: ("on",),
    messages.DeckVerified: ("counted", "swept", "misfeeds", "stalls"),
    messages.DeckRefused: ("expected", "counted", "swept"),
    messages.ShuffleFailed: ("warning",),
    messages.DeckRemoved: ("counted",),
    messages.RemovalFailed: ("warning",),
}
METERS_PREFIX = ("seq", "boot", "uptime_s", "uptime_ms", "utc_s")  # of every event; the round and the deck stay here
# Of the link's counters: frames that the device dropped. Its good frames are receipts, one for each event.
METERS_COUNTERS = (
    *("bad_stuffing", "bad_crc", "too_short", "too_long", "bad_version", "bad_flags", "bad_session", "bad_mac"),
    "malformed",
)
METERS_TOTALS = ("shuffles", "refused", "failed", "warnings", "since")
_PREFIX = tuple(field.name for field in fields(Event))
assert set(METERS_PREFIX) < set(_PREFIX), "a field of every event was renamed"


def shoe_view(shoe: Shoe, profile: Profile) -> Json:
    """One shoe as JSON."""
    it = shoe.sample
    kept = it.before or it if it and profile is not Profile.TABLE else it
    totals = asdict(kept.totals if kept else NO_TOTALS)
    counters = _message(kept.counters if kept else None)
    view: Json = {
        "device": shoe.entry.name,
        "table": shoe.entry.table,
        "pit": shoe.entry.pit,
        "gateway": shoe.gateway,
        "profile": profile.value,
        "link": it.link.value if it else "unknown",
        "link_text": it.link_text if it else "",
        "heard_at": heard_view(shoe, profile),
        "fresh_s": shoe.fresh_s,
        "firmware": it.firmware if it else None,
        "boot": it.boot if it else None,
        "log": shoe.log.hex(),
        "seq": last_seq(shoe, profile),
        "warning": warning_view(shoe.warning, profile) if shoe.warning else None,
        "totals": {name: totals[name] for name in METERS_TOTALS},
        "meters": _message(kept.meters if kept else None),
        "health": _message(kept.health if kept else None),
        "counters": counters and {name: counters[name] for name in METERS_COUNTERS},
    }
    if profile is Profile.TABLE:
        status = it.status if it else None
        step = next_step(status) if status is not None and status.need else None
        view |= {
            "game": it.game if it else None,
            "waiting": it.waiting if it else None,
            "counters": counters,
            "stored_at": shoe.stored_at,
            "status": _message(status),
            "next": {"who": step.who, "text": step.text} if step else None,
            "totals": asdict(shoe.totals),
        }
    return view


def heard_view(shoe: Shoe, profile: Profile) -> float | None:
    """When it was heard last. A status comes twice a second, an event when it happens: in whole seconds both are the
    same."""
    at = shoe.sample.heard_at if shoe.sample else None
    return at if at is None or profile is Profile.TABLE else float(math.floor(at))


def last_seq(shoe: Shoe, profile: Profile) -> int:
    """The number of the newest event that may be reported, of the newest log."""
    return shoe.seq if profile is Profile.TABLE else shoe.quiet_seq


def reported(shoe: Shoe, profile: Profile, log: bytes, found: Iterable[StoredEvent]) -> list[StoredEvent]:
    """Those of these events that a client may pass over now: what is older is of no round under way."""
    end = last_seq(shoe, profile)
    return [stored for stored in found if log != shoe.log or stored.seq <= end]


def warning_view(warning: Latched, profile: Profile) -> Json:
    view: Json = {
        "device": f"{warning.device:08x}",
        "fault": warning.fault.name.lower(),
        "since": warning.since,
    }
    more = {"log": warning.log.hex(), "seq": warning.seq, "round": warning.round}
    return view | more if profile is Profile.TABLE else view


def alarm_view(alarm: Alarm) -> Json:
    """One alarm: rules judge warnings, meters, versions and clocks, so its text has nothing of a round."""
    return {**asdict(alarm), "device": f"{alarm.device:08x}"}


def event_view(stored: StoredEvent, profile: Profile) -> Json | None:
    """One event as JSON; None if the profile does not report it."""
    event = to_dict(stored.event)
    if profile is not Profile.TABLE:
        allowed = METERS_EVENTS.get(type(stored.event))
        if allowed is None:
            return None
        event = {name: event[name] for name in ("message", *METERS_PREFIX, *allowed)}
    return {
        "device": f"{stored.device:08x}",
        "log": stored.log.hex(),
        "seq": stored.seq,
        "received": stored.received,
        "event": event,
    }


def round_view(it: Round) -> Json:
    """One round as JSON: only for the profile table."""
    view = asdict(it)
    view |= {"device": f"{it.device:08x}", "log": it.log.hex(), "fault": it.fault.name.lower()}
    return view


def reading_views(shoe: Shoe, profile: Profile, found: Iterable[Reading]) -> list[Json]:
    """Readings of the meters as JSON: under the profile meters none of the round under way. Which those are, the event
    before the round says: times of a clock that was set back would show them."""
    kept = shoe.sample and shoe.sample.before
    hidden = (kept.log, kept.seq) if kept and profile is not Profile.TABLE else ()
    return [{"at": it.at, "meters": _message(it.meters)} for it in found if it.quiet != hidden]


def misfeeds_per_1000(meters: Json | None) -> float | None:
    """Misfeeds for each 1,000 cards, over the life of the machine."""
    return 1000 * meters["misfeeds"] / meters["cards"] if meters and meters["cards"] else None


def _message(message: Message | None) -> Json | None:
    if message is None:
        return None
    data = to_dict(message)
    del data["message"]
    return data
