"""The Reader of one gateway: live values from memory, events from its SQLite store, meters from its samples."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Sequence
from itertools import islice
from typing import Any

from fairshoe import Store, StoredEvent
from fairshoe_floor.gateway.live import Live
from fairshoe_floor.gateway.pit_alarms import PitAlarms
from fairshoe_floor.reader import PAGE_MAX, Alarm, Reading, Round, Shoe
from fairshoe_floor.rounds import KINDS, PAGE, RoundEvent, rounds_back
from fairshoe_floor.samples import SampleFile


class LocalReader:
    """See fairshoe_floor.reader. It has a connection of its own to the store's file, which cannot write."""

    lasting_s = 0.0

    def __init__(self, live: Live, store: Store, samples: SampleFile, alarms: PitAlarms) -> None:
        self._live = live
        self._store = store
        self._samples = samples
        self._alarms = alarms
        self._lock = threading.Lock()
        self._db = sqlite3.connect(f"{store.path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def version(self) -> int:
        return self._live.version

    def shoes(self) -> Sequence[Shoe]:
        return [shoe.view() for shoe in self._live.shoes()]

    def shoe(self, device: int) -> Shoe | None:
        found = self._live.shoe(device)
        return found.view() if found is not None else None

    def alarms(self) -> Sequence[Alarm]:
        return self._alarms.current

    def logs(self, device: int) -> Sequence[bytes]:
        rows = self._rows("SELECT identity FROM logs WHERE device = ? ORDER BY began, id", (device,))
        return [row[0] for row in rows]

    def newest_log(self, device: int) -> bytes:
        """Its identity; empty if there is none."""
        found = self._store.newest_log(device)
        return found.identity if found is not None else b""

    def events(self, device: int, log: bytes | None, after: int, limit: int = PAGE_MAX) -> Sequence[StoredEvent]:
        wanted = self.newest_log(device) if log is None else log
        return list(islice(self._store.events(device, after, log=wanted), min(limit, PAGE_MAX)))

    def meters(self, device: int, since: float = 0.0, limit: int = PAGE_MAX) -> Sequence[Reading]:
        return Reading.of_samples(self._samples.of(device, since, min(limit, PAGE_MAX)))

    def rounds(self, device: int, before: tuple[bytes, int] | None = None, limit: int = 100) -> Sequence[Round]:
        found: list[Round] = []
        newest_first = "SELECT id, identity FROM logs WHERE device = ? ORDER BY began DESC, id DESC"
        logs = self._rows(newest_first, (device,))
        seq = 1 << 32
        if before is not None:
            places = [place for place, row in enumerate(logs) if row[1] == before[0]]
            logs, seq = (logs[places[0] :], before[1]) if places else ([], 0)
        for number, identity in logs:
            found += self._rounds_of(device, number, identity, seq, min(limit, PAGE_MAX) - len(found))
            seq = 1 << 32
        return found

    def _rounds_of(self, device: int, number: int, log: bytes, before: int, limit: int) -> list[Round]:
        def page(before: int) -> list[RoundEvent]:
            rows = self._rows(
                "SELECT seq, name, round, fields, received FROM events WHERE log = ? AND seq < ?"
                f" AND name IN ({', '.join('?' * len(KINDS))}) ORDER BY seq DESC LIMIT {PAGE}",
                (number, before, *KINDS),
            )
            return [RoundEvent(row[0], row[1], row[2], json.loads(row[3]), row[4]) for row in rows]

        def last_seq() -> int:
            return int(self._rows("SELECT COALESCE(MAX(seq), 0) FROM events WHERE log = ?", (number,))[0][0])

        return rounds_back(device, log, before, limit, page, last_seq)

    def _rows(self, query: str, values: Sequence[Any]) -> list[Any]:
        with self._lock:
            return self._db.execute(query, values).fetchall()
