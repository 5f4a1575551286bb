"""What is known of each shoe now: link, newest status and meters, totals and the latched warning.

One thread, the loop's, writes. Any thread may read: every value that is handed out is frozen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from fairshoe import (
    Event,
    EventsElsewhere,
    FromShoe,
    LinkBack,
    LinkLost,
    LogStarted,
    Message,
    PortLost,
    ShoeFailed,
    ShoeOpened,
    Status,
    StoredEvent,
    messages,
)
from fairshoe_floor.inventory import Entry, Inventory
from fairshoe_floor.reader import Latched, Link, Sample, Shoe, Totals

_COUNTED: dict[type[Message], str] = {
    messages.RoundEnded: "rounds",
    messages.RoundVoided: "voided",
    messages.DeckVerified: "shuffles",
    messages.DeckRefused: "refused",
    messages.ShuffleFailed: "failed",
    messages.WarningLatched: "warnings",
}


def count_event(totals: Totals, event: Message, at: float) -> Totals:
    """The totals with this event."""
    name = _COUNTED.get(type(event))
    if isinstance(event, messages.CommandEnded) and event.outcome is messages.Outcome.REJECTED:
        name = "commands_refused"
    if totals.since is None:
        totals = replace(totals, since=at)
    return replace(totals, **{name: getattr(totals, name) + 1}) if name else totals


class LiveShoe:
    """One shoe: its newest sample, which every message renews."""

    def __init__(self, entry: Entry, gateway: str) -> None:
        self.entry = entry
        self.gateway = gateway
        self._place: dict[str, Any] = {"table": entry.table, "pit": entry.pit, "since": time.time()}
        self._sample = Sample(entry.device, 0.0, Link.UNKNOWN, **self._place)
        self._view: Shoe | None = None
        self.opened = 0  # sessions since the gateway started
        self.lost = 0

    @property
    def sample(self) -> Sample:
        return self._sample

    @sample.setter
    def sample(self, it: Sample) -> None:
        self._sample = self._sample.followed_by(it if it.since == self._place["since"] else replace(it, **self._place))

    def view(self) -> Shoe:
        """The same object while nothing has changed: what was made of it counts."""
        it, known = self._sample, self._view
        if known is None or known.sample is not it:
            quiet_seq = it.seq if it.round_seq is None else it.round_seq - 1
            shown = (it, it.log, it.seq, it.stored_at, it.totals, it.latched)
            known = self._view = Shoe(self.entry, self.gateway, *shown, quiet_seq=quiet_seq)
        return known

    def take_event(self, event: Message, seq: int, log: bytes, at: float) -> None:
        """Count an event, once: a restarted gateway may be given it again."""
        it = self.sample
        if log == it.log and seq <= it.seq:
            return
        # The log of replaced storage tells nothing of the new one.
        latched, round_seq = (it.latched, it.round_seq) if it.log == log else (None, None)
        if isinstance(event, messages.WarningLatched):
            latched = Latched(self.entry.device, log, seq, event.warning, at, event.round)
        elif isinstance(event, messages.WarningCleared):
            latched = None
        if isinstance(event, messages.RoundStarted):
            round_seq = seq
        elif isinstance(event, (messages.RoundEnded, messages.RoundVoided)):
            round_seq = None
        elif round_seq is None and isinstance(event, Event) and event.round:
            round_seq = seq  # another host has stored that the round began
        new = {"log": log, "seq": seq, "stored_at": at, "totals": count_event(it.totals, event, at)}
        self.sample = replace(it, **new, latched=latched, round_seq=round_seq)

    def take_message(self, message: Message, at: float) -> None:
        """Keep the newest status, meters, health and counters."""
        it = replace(self.sample, heard_at=at)
        if isinstance(message, Status):
            it = replace(it, status=message, waiting=message.events_waiting)
        elif isinstance(message, messages.Meters):
            it = replace(it, meters=message)
        elif isinstance(message, messages.Wear):
            it = replace(it, wear=message)
        elif isinstance(message, messages.Health):
            it = replace(it, health=message)
        elif isinstance(message, messages.LinkCounters):
            it = replace(it, counters=message)
        self.sample = it


class Live:
    """All shoes of an inventory. `newest_log` says which log the store goes on with for a device."""

    def __init__(self, inventory: Inventory, newest_log: Callable[[int], bytes]) -> None:
        self.version = 1
        self._newest_log = newest_log
        self._by_device = {entry.device: LiveShoe(entry, inventory.name) for entry in inventory.shoes}
        self._by_url = {shoe.entry.url: shoe for shoe in self._by_device.values()}
        self._logs: dict[int, bytes] = {}

    def shoes(self) -> list[LiveShoe]:
        return list(self._by_device.values())

    def shoe(self, device: int) -> LiveShoe | None:
        return self._by_device.get(device)

    def open_shoes(self) -> list[LiveShoe]:
        return [shoe for shoe in self._by_device.values() if shoe.sample.link is Link.OPEN]

    def restore(
        self,
        samples: dict[int, Sample],
        events: Callable[[int, bytes, int], Iterable[StoredEvent]],
        counted: Callable[[int, bytes], int],
    ) -> None:
        """Go on after a restart: from the newest sample of each shoe, and the events on file since then. `counted` says
        up to which event samples of a log go: it may have left since, and a storage that had left may be back."""
        for device, shoe in self._by_device.items():
            kept = samples.get(device)
            if kept is not None:
                shoe.sample = kept.before or kept
                shoe.sample = replace(kept, link=Link.UNKNOWN, link_text="")
            log = self._newest_log(device)
            after = shoe.sample.seq if log == shoe.sample.log else counted(device, log)
            for stored in events(device, log, after) if log else ():
                shoe.take_event(stored.event, stored.seq, log, stored.received)

    def take(self, item: FromShoe) -> None:
        """An event or a notice of the fleet."""
        shoe = self._by_url.get(item.url)
        if shoe is None:
            return
        message, now = item.message, time.time()
        self.version += 1
        if isinstance(message, (Event, messages.UnknownMessage)):
            log = self._logs.get(shoe.entry.device)
            if log is None:
                log = self._logs[shoe.entry.device] = self._newest_log(shoe.entry.device)
            seq = message.seq if isinstance(message, Event) else int.from_bytes(message.body[:4], "little")
            shoe.take_event(message, seq, log, now)
            shoe.sample = replace(shoe.sample, heard_at=now)
        elif isinstance(message, ShoeOpened):
            it = message.welcome
            shoe.opened += 1
            shoe.sample = replace(
                shoe.sample,
                link=Link.OPEN,
                link_text="",
                heard_at=now,
                firmware=it.firmware,
                game=it.game,
                boot=it.boot,
            )
            self._logs.pop(shoe.entry.device, None)
        elif isinstance(message, LogStarted):
            self._logs.pop(shoe.entry.device, None)
        elif isinstance(message, EventsElsewhere):
            shoe.sample = replace(shoe.sample, latched=None)  # whether it was cleared is in events that are not here
        elif isinstance(message, LinkBack):
            shoe.sample = replace(shoe.sample, link=Link.OPEN, link_text="", heard_at=now)
        elif isinstance(message, LinkLost):
            shoe.lost += 1
            shoe.sample = replace(shoe.sample, link=Link.LOST, link_text=message.why)
        elif isinstance(message, ShoeFailed):
            # What a lost port says may name the round that was open: nothing that every profile may report.
            gone = type(message.error) is PortLost
            text = "The port is gone." if gone else f"{message.error.what} {message.error.advice}"
            shoe.sample = replace(shoe.sample, link=Link.FAILED, link_text=text)

    def take_message(self, device: int, message: Message) -> None:
        """A message that is no event."""
        shoe = self._by_device.get(device)
        if shoe is not None:
            self.version += 1
            shoe.take_message(message, time.time())
