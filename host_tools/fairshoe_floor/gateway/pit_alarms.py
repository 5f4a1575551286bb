"""Alarms of one pit, for its page: the rules of `fairshoe floor` over what this gateway knows now.

Nothing is sent or acknowledged here: the central record does that (fairshoe_floor.alarms.desk). After a restart latched
warnings are known from the samples, and wear from files beside the store; refused decks and misfeeds count from the
start on.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path

from fairshoe import Event, FromShoe
from fairshoe.message_data import to_dict
from fairshoe.messages import WarningLatched
from fairshoe.wear import WearFile
from fairshoe_floor.alarms.engine import JUDGED, Change, Engine, SeenEvent, SeenExport
from fairshoe_floor.alarms.rules import RuleBook
from fairshoe_floor.gateway.live import Live
from fairshoe_floor.journals import JournalPull
from fairshoe_floor.reader import SEVERITIES, Alarm

TICK_S = 2.0


class PitAlarms:
    """One thread, the loop's, feeds it; any thread may read `current`."""

    def __init__(self, live: Live, rules: RuleBook, wear_folder: Path) -> None:
        self.current: tuple[Alarm, ...] = ()
        self._live = live
        self._engine = Engine(rules)
        self._taken = 0
        self._wear = {shoe.entry.device: WearFile(wear_folder, shoe.entry.device) for shoe in live.shoes()}
        for device, kept in self._wear.items():
            self._engine.remember_wear(device, kept.series)

    def take(self, item: FromShoe) -> None:
        """An event of the fleet, after it was committed."""
        if isinstance(item.message, Event) and item.message.NAME in JUDGED:
            self._event(item.device, item.message, time.time())

    def take_export(self, kept: JournalPull) -> None:
        """A journal was pulled."""
        self._engine.export(SeenExport(kept.device, kept.kept_at, kept.problem))

    async def run(self) -> None:
        """Judge now and then, until cancelled."""
        for shoe in self._live.shoes():
            latched = shoe.sample.latched
            if latched is not None:
                warning = {"warning": latched.fault.name.lower()}
                seen = SeenEvent(
                    latched.device, latched.seq, latched.since, WarningLatched.NAME, 0, warning, latched.log
                )
                self._engine.event(seen)
        while True:
            self.judge(time.time())
            await asyncio.sleep(TICK_S)

    def judge(self, now: float) -> None:
        for shoe in self._live.shoes():
            self._engine.sample(replace(shoe.sample, at=now))
        for device, series in self._engine.take_worn().items():
            if device in self._wear:
                self._wear[device].keep(series)
        found = [_alarm(change) for change in self._engine.active.values()]
        self.current = tuple(sorted(found, key=lambda it: (SEVERITIES.index(it.severity), it.since, it.device)))

    def _event(self, device: int, event: Event, now: float) -> None:
        shoe = self._live.shoe(device)
        log = shoe.sample.log if shoe is not None else b""
        self._taken += 1  # events come in the order in which they happened: a log that is another one is newer
        seen = SeenEvent(device, event.seq, now, event.NAME, event.utc_s, to_dict(event), log, self._taken)
        self._engine.event(seen)


def _alarm(change: Change) -> Alarm:
    return Alarm(change.device, change.rule.name, change.rule.severity, change.text, change.at)
