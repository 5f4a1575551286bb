"""What must hold at the end of a chaos run: PostgreSQL, stream and consumers against what the shoes recorded."""

from __future__ import annotations

import asyncio
import contextlib
import time
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise

from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

from fairshoe import Role, Shoe
from fairshoe.journal.export import Export, Overwritten, pull
from fairshoe.keys import read_key
from fairshoe_floor.journals import JournalFile, journals_path
from fairshoe_floor.kit.accounts import ADMIN
from fairshoe_floor.stream import broker
from fairshoe_floor.stream.event_lines import from_lines
from floor.poison import POISONED, is_poison
from floor.site import LAST_OF_LOGS, OPEN_GAPS, Site, last_of_logs

LISTED = 10
FOLLOWED_S = 60.0
PULLS = 5
Want = dict[tuple[int, bytes], int]


@dataclass
class Findings:
    """What is wrong, in words, and a summary."""

    wrong: list[str] = field(default_factory=list[str])
    summary: str = ""


def expected_of(site: Site) -> Want:
    """Stop all shoes. The last event of each log: a fake says it, of a simulated shoe the gateway's store has it, or
    PostgreSQL, if that store was restored from a copy."""
    fakes = site.stop_shoes()
    want: Want = {(device, device.to_bytes(16, "big")): seq for device, seq in fakes.items() if seq}
    time.sleep(0.5)  # what a frozen simulator had sent is stored by then
    found = [it for store in site.stores for it in last_of_logs(store)]
    found += [(device, bytes(log), last) for device, log, last in site.rows(LAST_OF_LOGS)]
    for device, log, last in found:
        if device not in fakes and device != POISONED:
            want[device, log] = max(last, want.get((device, log), 0))
    return want


def compare(site: Site, want: Want) -> Findings:
    found = Findings()
    rows = site.rows("SELECT device, log, seq, position, body FROM events ORDER BY device, log, position")
    by_log: dict[tuple[int, bytes], list[int]] = {}
    bodies: dict[tuple[int, bytes, int], bytes] = {}
    for device, log, seq, _position, body in rows:
        by_log.setdefault((device, bytes(log)), []).append(seq)
        bodies[device, bytes(log), seq] = bytes(body)
    lost = lost_events(site, found)
    for (device, log), last in want.items():
        seqs = by_log.get((device, log), [])
        if sorted([*seqs, *lost.get(device, ())]) != list(range(1, last + 1)):
            lacking = sorted(set(range(1, last + 1)) - set(seqs) - lost.get(device, set()))
            found.wrong.append(
                f"PostgreSQL: device {device:08x} recorded {last} events, {len(seqs)} rows; lacks {lacking[:LISTED]}"
            )
        elif seqs != sorted(seqs):
            found.wrong.append(f"PostgreSQL: events of device {device:08x} are not in order")
    for place in by_log.keys() - want.keys():
        found.wrong.append(f"PostgreSQL: unknown log {place}")
    conflicts = site.rows("SELECT COUNT(*) FROM conflicts")[0][0]
    if conflicts:
        found.wrong.append(f"PostgreSQL: {conflicts} events in conflict")
    refused = site.rows(f"SELECT COUNT(*) FILTER (WHERE device <> {POISONED}), COUNT(*) FROM dead_letters")[0]
    if refused[0]:
        found.wrong.append(f"PostgreSQL: {refused[0]} dead letters of our own devices")
    in_stream = _check_stream(site, found)
    refilled = sum(1 for key in bodies if key not in in_stream)
    _check_watcher(site, found, bodies, in_stream)
    _check_followers(site, found, by_log)
    exports = _check_exports(site, found)
    _check_journals(site, found, bodies)
    pruned = sum('"deleted ' in line for p in site.programs.values() for line in p.log.read_text().splitlines())
    found.summary = (
        f"{len(want)} shoes, {sum(want.values())} events recorded, {len(rows)} in PostgreSQL, {len(in_stream)} in the"
        f" stream ({refilled} only in PostgreSQL), gateways pruned {pruned} times,"
        f" {exports} exports of journals, {refused[1]} dead letters of poison,"
        f" {sum(map(len, lost.values()))} events lost with a store and declared,"
        f" {site.broker_restarts} restarts of a broker after a full disk:"
        f" {'WRONG' if found.wrong else 'once and in order'}"
    )
    return found


def lost_events(site: Site, found: Findings) -> dict[int, set[int]]:
    """By device, what is declared lost and did not turn up. Only shoes of a store that was lost may have any."""
    lost: dict[int, set[int]] = {}
    for device, first, last in site.rows(OPEN_GAPS):
        lost.setdefault(device, set()).update(range(first, last + 1))
    found.wrong += [f"PostgreSQL: events of {device:08x} were declared lost" for device in lost.keys() - site.may_lose]
    return lost


def _check_stream(site: Site, found: Findings) -> dict[tuple[int, bytes, int], bytes]:
    """Every event once, and in order within its subject."""
    data = asyncio.run(_read_stream(site))
    events: dict[tuple[int, bytes, int], bytes] = {}
    last: dict[str, int] = {}
    for subject, payload in data:
        for row in from_lines(payload) if not is_poison(subject) else ():
            key = (row.device, row.log, row.seq)
            if ".events." not in subject:
                continue
            if key in events:
                found.wrong.append(f"stream: event {row.seq} of device {row.device:08x} twice")
            if row.seq <= last.get(subject, 0):
                found.wrong.append(f"stream: event {row.seq} of device {row.device:08x} after {last[subject]}")
            events[key] = row.body
            last[subject] = row.seq
    return events


async def _read_stream(site: Site) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    async with broker.connected(site.nats.url, "checks", key=site.account(ADMIN)) as (_client, stream):
        end = (await stream.stream_info(site.names.stream)).state.last_seq
        config = ConsumerConfig(deliver_policy=DeliverPolicy.ALL, ack_policy=AckPolicy.NONE, inactive_threshold=30.0)
        subscription = await stream.pull_subscribe("", stream=site.names.stream, config=config)
        seq = 0
        while seq < end:
            for message in await subscription.fetch(256, timeout=5):
                found.append((message.subject, message.data))
                seq = message.metadata.sequence.stream
    return found


def _check_watcher(
    site: Site,
    found: Findings,
    bodies: dict[tuple[int, bytes, int], bytes],
    in_stream: dict[tuple[int, bytes, int], bytes],
) -> None:
    assert site.watcher is not None
    site.watcher.close()
    seen = site.watcher.seen | in_stream  # what it had not read when it was stopped
    if site.watcher.conflicts:
        found.wrong.append(f"second consumer: {len(site.watcher.conflicts)} events changed")
    differing = [key for key, body in seen.items() if bodies.get(key) != body]
    if differing:
        found.wrong.append(
            f"second consumer: {len(differing)} events are not the same in PostgreSQL: {differing[:LISTED]}"
        )


def _check_followers(site: Site, found: Findings, by_log: dict[tuple[int, bytes], list[int]]) -> None:
    """The WebSockets of gateway-1 and of the central server gave every event once and in order, over all restarts."""
    for name, follower in zip(("gateway-1", "floor serve"), site.followers, strict=True):
        expected = {place: sorted(seqs) for place, seqs in by_log.items() if place[0] in follower.devices}
        end = time.monotonic() + FOLLOWED_S
        while follower.seen != expected and time.monotonic() < end:
            time.sleep(0.1)
        follower.close()
        for place, seqs in expected.items():
            seen = follower.seen.get(place, [])
            if seen != seqs:
                odd = sorted(set(seqs) ^ set(seen)) or [b for a, b in pairwise(seen) if b <= a]
                found.wrong.append(
                    f"WebSocket of {name}: device {place[0]:08x} has {len(seqs)} events, {len(seen)} came:"
                    f" {odd[:LISTED]}"
                )


def _check_exports(site: Site, found: Findings) -> int:
    """Every export that a gateway has pulled is in PostgreSQL and whole. How many."""
    pulled: set[tuple[int, float]] = set()
    for store in site.stores:
        with closing(JournalFile(journals_path(store))) as file:
            pulled |= {(kept.device, kept.kept_at) for kept in file.after(0, 1 << 20)}
    central: dict[tuple[int, float], str] = {}
    end = time.monotonic() + FOLLOWED_S
    while pulled - central.keys() and time.monotonic() < end:
        time.sleep(0.1)
        rows = site.rows("SELECT device, kept_at, problem FROM journals")
        central = {(device, at): problem for device, at, problem in rows}
    found.wrong += [f"export of {device:08x} is not in PostgreSQL" for device, _at in pulled - central.keys()]
    found.wrong += [f"export of {device:08x}: {text}" for (device, _at), text in central.items() if text]
    return len(central)


def _pulled(shoe: Shoe) -> Export:
    """It deals on, four times as fast as the clock: on a busy machine its journal may overtake the pull."""
    for _again in range(PULLS):
        with contextlib.suppress(Overwritten):
            return pull(shoe)
    return pull(shoe)


def _check_journals(site: Site, found: Findings, bodies: dict[tuple[int, bytes, int], bytes]) -> None:
    """The real firmware's own journal has the same bytes. It goes on recording: what is newer is not compared."""
    for program in site.programs.values():
        program.kill()
    for device, program in site.simulated.items():
        program.thaw()
        proxy = site.proxies[f"gateway-2 to {program.name}"]
        key = read_key(site.key_of(device), Role.RECORDER)
        with Shoe.open(f"tcp://127.0.0.1:{proxy.port}", key, clock=False, answer_s=60) as shoe:
            export = _pulled(shoe)
        known = {record.seq: record.payload for record in export.records if not record.fault}
        ours = {key[2]: body for key, body in bodies.items() if key[:2] == (device, export.log)}
        odd = [seq for seq, body in ours.items() if seq >= export.first and known.get(seq) != body]
        if odd or not ours:
            found.wrong.append(
                f"journal of device {device:08x}: {len(ours)} events in PostgreSQL, differing: {odd[:LISTED]}"
            )
