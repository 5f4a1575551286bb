"""`fairshoe floor`: the central record of a floor in PostgreSQL, and its alarms."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fairshoe.cli.floor_options import broker, database, desk_database, floor_extra, on_signals, run_until_stopped
from fairshoe.cli.registry import ACTIONS, load_command
from fairshoe.errors import UsageError
from fairshoe.printable import printable, say

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    import psycopg

    from fairshoe_floor.alarms.rules import RuleBook
    from fairshoe_floor.history.dead_letters import LetterRow
    from fairshoe_floor.history.queries import ExportRow
    from fairshoe_floor.journals import JournalPull

    Pull = TypeVar("Pull", ExportRow, JournalPull)

DAY_S = 86400.0
PROGRESS_S = 2.0
WHOLE_DAY = "00:00-24:00"
_PROGRESS = (
    "SELECT phase, GREATEST(blocks_done, tuples_done), GREATEST(blocks_total, tuples_total)"
    " FROM pg_stat_progress_create_index"
)


def run(options: argparse.Namespace) -> int:
    with floor_extra():
        import psycopg

        from fairshoe_floor.database import advice, settings
        from fairshoe_floor.history import schema
    if options.action == "journals" and options.store:
        return _store_journals(options)
    if options.action in _WITHOUT_DATABASE:
        return _WITHOUT_DATABASE[options.action](options)
    url = database(options)
    if options.action == "serve":
        with contextlib.suppress(KeyboardInterrupt):
            return asyncio.run(_serve(options, url))
        return 0
    try:
        if options.action == "run":
            return _run(options, url)
        if options.action == "migrate":
            return asyncio.run(_migrate(url))
        with psycopg.connect(url, **settings(0, 0)) as db:
            return _ACTIONS[options.action](db, options)
    except psycopg.errors.UndefinedTable as error:
        raise schema.DatabaseError("the database has no tables of a floor.", "Run `fairshoe floor migrate`.") from error
    except psycopg.OperationalError as error:
        raise schema.DatabaseError(f"no database there: {str(error).strip()}.", "Check --database.") from error
    except psycopg.Error as error:
        why = f"the database refuses this: {str(error).strip()}."
        raise schema.DatabaseError(why, advice(error) or "See the log of PostgreSQL.") from error


def _run(options: argparse.Namespace, url: str) -> int:
    from fairshoe_floor.alarms.desk import Desk
    from fairshoe_floor.alarms.notify import Notifier, receivers
    from fairshoe_floor.history.consumer import Consumer
    from fairshoe_floor.inventory import read_inventory
    from fairshoe_floor.journals import trusted_keys
    from fairshoe_floor.logs import set_up_logs
    from fairshoe_floor.metrics import MetricsServer
    from fairshoe_floor.running import FloorRun
    from fairshoe_floor.stream.names import Names

    set_up_logs(True)
    nats, more = broker(options)
    inventories = [read_inventory(path) for path in options.inventory]
    keys = {device: found for it in inventories for device, found in trusted_keys(it).items()}
    consumer = Consumer(url, nats, Names(options.stream), more, keys=keys)
    desk = Desk(desk_database(options), _rules(options), inventories)
    notifier = Notifier(desk_database(options), receivers(options.alertmanager, options.webhook))
    desk.on_news = notifier.hurry
    it = FloorRun(consumer, desk, notifier)
    with MetricsServer.on(options.metrics_port, it.metrics, it.health, it.ready):
        run_until_stopped(consumer, desk, notifier)
    return 0


async def _serve(options: argparse.Namespace, url: str) -> int:
    import psycopg

    from fairshoe_floor.alarms import book
    from fairshoe_floor.api.server import Binding
    from fairshoe_floor.api.tokens import new_token, read_tokens
    from fairshoe_floor.database import settings
    from fairshoe_floor.history.central_reader import CentralReader
    from fairshoe_floor.history.schema import DatabaseError
    from fairshoe_floor.history.serve import CentralServer
    from fairshoe_floor.inventory import read_inventory
    from fairshoe_floor.logs import set_up_logs

    inventories = [read_inventory(path) for path in options.inventory]
    grants = read_tokens(options.tokens) if options.tokens else []
    token, own = new_token("this run", ("metrics", "meters", "table", "acknowledge"))
    reader = CentralReader(url, inventories)
    try:
        reader.shoes()
    except DatabaseError as error:  # after a power cut, PostgreSQL may start later than this
        say(f"fairshoe: {error}", file=sys.stderr, flush=True)
    binding = Binding(options.host, options.port, options.tls_cert, options.tls_key)
    desk = desk_database(options)

    def acknowledge(number: int, by: str, note: str) -> bool:
        try:
            with psycopg.connect(desk, **settings()) as db:
                book.acknowledge(db, number, by, note, time.time())
        except book.AlarmError:
            return False
        except psycopg.Error as error:
            raise DatabaseError(f"the database does not take it: {str(error).strip()}.", "Try again.") from error
        return True

    set_up_logs()
    async with CentralServer(reader, binding, grants or [own], bool(grants), acknowledge) as server:
        waiting = asyncio.create_task(server.ended())
        on_signals(waiting.cancel)
        count = sum(len(inventory.shoes) for inventory in inventories)
        say(f"{count} shoes; the floor page: {server.url}{'' if grants else f'#{token}'}", flush=True)
        with contextlib.suppress(asyncio.CancelledError):
            await waiting
            return 1
    return 0


async def _migrate(url: str) -> int:
    import psycopg

    from fairshoe_floor.database import settings
    from fairshoe_floor.history import roles, schema

    began = time.monotonic()

    def begins(number: int) -> None:
        say(f"{time.monotonic() - began:6.1f} s  step {number} of {len(schema.STEPS)}", flush=True)

    async with await psycopg.AsyncConnection.connect(url, **settings(0, 0)) as connection:
        showing = asyncio.create_task(_show_indexes(url, began))
        try:
            steps = await schema.migrate(connection, begins=begins)
        finally:
            showing.cancel()
        known = await roles.grant(connection)
    say(f"schema {len(schema.STEPS)}: {steps} steps done" + (f"; {known} roles have their rights" if known else ""))
    return 0


async def _show_indexes(url: str, began: float) -> None:
    """How far the index is that is being built: over a year's events it takes long."""
    import psycopg

    from fairshoe_floor.database import settings

    async with await psycopg.AsyncConnection.connect(url, **settings()) as connection:
        while True:
            await asyncio.sleep(PROGRESS_S)
            for phase, done, of in await (await connection.execute(_PROGRESS)).fetchall():
                share = f", {100 * done // of} %" if of else ""
                say(f"{time.monotonic() - began:6.1f} s  index: {printable(phase)}{share}", flush=True)


def _rules(options: argparse.Namespace) -> RuleBook:
    from fairshoe_floor.alarms.rules import DEFAULT, load_rules

    return load_rules(Path(options.rules) if options.rules else DEFAULT)


def _history(db: psycopg.Connection[Any], options: argparse.Namespace) -> int:
    from fairshoe_floor.history import queries
    from fairshoe_floor.house_time import shown

    where, since, until = _window(options)
    rows = queries.events(db, _device(options), options.kind, since, options.limit, until, options.table)
    for row in rows:
        say(f"{shown(row.received, where)}  {row.device:08x}  {row.seq:7d}  {row.name:20s} {json.dumps(row.fields)}")
    if len(rows) == options.limit:
        say(f"there may be more: these are the newest {options.limit} (--limit)", file=sys.stderr)
    return 0


def _window(options: argparse.Namespace) -> tuple[ZoneInfo, float, float]:
    """The house's time zone, and the time that is asked for."""
    from fairshoe_floor.house_time import parse_day, parse_time, shift, zone

    where = zone(options.zone or os.environ.get("FAIRSHOE_ZONE") or "UTC")
    now = time.time()
    if options.day:
        since, until = shift(parse_day(options.day), options.shift, where)
        return where, since, min(until, now)
    if options.shift != WHOLE_DAY:
        raise UsageError("a shift needs the day on which it begins.", "Give --day 2026-11-03.")
    since = parse_time(options.begin, where) if options.begin else now - options.days * DAY_S
    return where, since, parse_time(options.end, where) if options.end else now


def _report(db: psycopg.Connection[Any], options: argparse.Namespace) -> int:
    from fairshoe_floor.history.report import report
    from fairshoe_floor.house_time import shown

    where, since, until = _window(options)
    lines = report(db, since, until, options.pit)
    if options.json:
        for line in lines:
            say(json.dumps({**vars(line), "device": f"{line.device:08x}", "state": line.state}))
        return 0
    say(f"from {shown(since, where)} to {shown(until, where)}, {(until - since) / 3600:.1f} h, {where.key}")
    for line in lines:
        meters = "".join(f", {count} {name}" for name, count in (line.meters or {}).items())
        counts = ", ".join(f"{count} {name}" for name, count in line.counts.items())
        say(printable(f"{line.place:10s} pit {line.pit:4s} {line.device:08x}  {line.state:10s}  {counts}{meters}"))
        if (line.began, line.ended) != (since, until):
            say(f"           there from {shown(line.began, where)} to {shown(line.ended, where)}")
        for begin, end in line.silent:
            say(f"           NOT HEARD from {shown(begin, where)} to {shown(end, where)}: counts may grow")
        if line.lost:
            say(f"           {line.lost} EVENTS LOST: see fairshoe floor gaps")
    silent = sum(line.silent_s > 0 for line in lines)
    say(f"{len(lines)} lines; {silent} not heard all the time")
    return 0


def _assignments(db: psycopg.Connection[Any], options: argparse.Namespace) -> int:
    from fairshoe_floor.assignments import assignments
    from fairshoe_floor.house_time import shown

    where, since, until = _window(options)
    device = _device(options)
    for it in assignments(db, options.table, since, until):
        if device in (None, it.device):
            end = shown(it.ended, where) if it.ended is not None else "now"
            text = f"{it.place:10s} pit {it.pit:4s} {it.device:08x}  {shown(it.began, where)} to {end}  {it.gateway}"
            say(printable(text))
    return 0


def _assign(db: psycopg.Connection[Any], options: argparse.Namespace) -> int:
    from fairshoe_floor.assignments import Assignment, assign
    from fairshoe_floor.house_time import parse_time, zone

    where = zone(options.zone or os.environ.get("FAIRSHOE_ZONE") or "UTC")
    device, now = _device(options), time.time()
    begin = parse_time(options.begin, where)
    # Where a shoe is now its gateway's inventory says: a person corrects the past, or takes a shoe off the floor.
    end = parse_time(options.end, where) if options.end else None if options.place == "-" else now
    if device is None or not begin < (end or now + 1) <= now + 1:
        raise UsageError("these times cannot be.", "--from comes before --to, and neither is after now.")
    assign(db, Assignment(device, options.place.strip("-"), options.pit, "", begin, end))
    return 0


def _retention(db: psycopg.Connection[Any], options: argparse.Namespace) -> int:
    for what in ("events", "samples"):
        days = getattr(options, f"{what}_days")
        if days is not None and not options.by:
            raise UsageError("who sets it is missing.", "Give --by NAME.")
        if days == 0 and what == "events":
            db.execute("DELETE FROM policies WHERE what = 'events'")
        elif days is not None:
            if days < 1:
                raise UsageError("less than a day cannot be kept.", "Give 1 or more; events also 0, for ever.")
            db.execute(
                "INSERT INTO policies VALUES (%s, %s, %s) ON CONFLICT (what) DO UPDATE SET days = excluded.days,"
                " set_by = excluded.set_by, set_at = now()",
                (what, days, options.by),
            )
    for what, days, by in db.execute("SELECT what, days, set_by FROM policies ORDER BY what").fetchall():
        say(f"{what}: kept {days:g} days, set by {printable(by)}")
    if not db.execute("SELECT 1 FROM policies WHERE what = 'events'").fetchall():
        say("events: kept for ever")
    return 0


def _size(db: psycopg.Connection[Any], options: argparse.Namespace) -> int:
    from fairshoe_floor.history.size import size_text, sizes

    found = sizes(db, time.time(), options.shoes)
    for line in (
        [json.dumps({**vars(it), "bytes_per_year": it.bytes_per_year}) for it in found]
        if options.json
        else size_text(found)
    ):
        say(line)
    return 0


def _device(options: argparse.Namespace) -> int | None:
    try:
        return int(options.device, 16) if options.device else None
    except ValueError as error:
        raise UsageError(f"no device {options.device}.", "Its number is hexadecimal, for example 00510001.") from error


def _versions(db: psycopg.Connection[Any], options: argparse.Namespace) -> int:
    from fairshoe.ship.release_facts import read_release
    from fairshoe_floor.history import queries

    if bool(options.release) != bool(options.key):
        raise UsageError(
            "a release counts by its signature.", "Give --release FOLDER and --key FILE, the public key of its maker."
        )
    facts = read_release(Path(options.release), [Path(name) for name in options.key]) if options.release else None
    if facts is not None:
        say(f"release {facts.version}, firmware {facts.firmware}, signed by {facts.signer[:16]}...")
    others = 0
    for row in queries.versions(db):
        name = facts.boards.get(row.board_crc, "unknown") if facts else ""
        wrong = facts.differs(row.firmware, row.board_crc) if facts else ""
        others += bool(wrong)
        said = f"NOT THE RELEASE: {wrong}" if wrong else "as the release" if facts else ""
        line = f"{row.device:08x}  {row.firmware:8s}  board config {row.board_crc:08x} {name:16s}  {said}"
        say(printable(line).rstrip())
    say("Each shoe reports this of itself; `fairshoe firmware verify` proves it.")
    return 1 if others else 0


def _keys(db: psycopg.Connection[Any], _options: argparse.Namespace) -> int:
    from fairshoe_floor.history import queries

    now = time.time()
    for row in queries.keys(db):
        days = f"{(now - row.since) / DAY_S:6.0f} days old"
        said = f"generation {row.generation:3d}  {days}" if row.generation else f"no change on record  {days} or older"
        say(f"{row.device:08x}  {said}")
    return 0


def _journals(db: psycopg.Connection[Any], options: argparse.Namespace) -> int:
    from fairshoe_floor.history import queries

    rows = queries.journals(db, _device(options), time.time() - options.days * DAY_S)
    return _list_pulls(rows, lambda row: queries.export(db, row.device, row.kept_at), options)


def _store_journals(options: argparse.Namespace) -> int:
    """The same from the file beside the store of one gateway."""
    from fairshoe_floor.journals import JournalFile, journals_path

    path = journals_path(options.store)
    if not path.exists():
        raise UsageError(f"there is no {path}.", "Name the store of a gateway: `store` of its inventory.")
    device, since = _device(options), time.time() - options.days * DAY_S
    with contextlib.closing(JournalFile(path)) as file:
        kept = file.newest_of_each() if device is None else file.of(device, since)
    return _list_pulls([it for it in kept if it.kept_at >= since], lambda it: it.content, options)


def _fill(options: argparse.Namespace) -> int:
    from fairshoe_floor.journals import fill_from_file

    if not options.store.exists():
        raise UsageError(f"there is no {options.store}.", "Name the store of a gateway: `store` of its inventory.")
    device, added = fill_from_file(options.store, options.export)
    say(f"{added} events of device {device:08x} were added; the publisher sends them within a minute")
    return 0


def _list_pulls(rows: Sequence[Pull], content: Callable[[Pull], bytes], options: argparse.Namespace) -> int:
    wrong = 0
    for row in rows:
        wrong += bool(row.problem)
        said = f"WRONG: {row.problem}" if row.problem else "whole, and continues the one before"
        say(f"{_when(row.kept_at)}  {row.device:08x}  records {row.first} to {row.last}  {printable(said)}")
        data = content(row) if options.out else b""
        if data:
            path = Path(options.out) / f"{row.device:08x}-{row.first}-{row.last}.journal"
            try:
                path.write_bytes(data)
            except OSError as error:
                raise UsageError(
                    f"cannot write {path}: {error.strerror or error}.", "Name a folder that can be written."
                ) from error
    return 1 if wrong else 0


def _alarms(db: psycopg.Connection[Any], options: argparse.Namespace) -> int:
    from fairshoe_floor.alarms import book, desk

    if options.dry_run:
        now = time.time()
        for change in desk.dry_run(db, _rules(options), now - options.days * DAY_S, now):
            word = "raised " if change.raised else "cleared"
            say(f"{_when(change.at)}  {word}  {change.device:08x}  {change.rule.name}: {change.text}")
        return 0
    for alarm in book.alarms(db, open_only=not options.all):
        seen = f"seen by {alarm.acknowledged_by}" if alarm.acknowledged_by else "NOT SEEN"
        state = "cleared" if alarm.cleared_at else "open"
        say(f"{alarm.id:5d}  {_when(alarm.raised_at)}  {alarm.severity:8s}  {state:7s}  {seen}")
        say(f"       {alarm.device:08x}  {alarm.rule}: {alarm.text}")
    return 0


def _acknowledge(db: psycopg.Connection[Any], options: argparse.Namespace) -> int:
    from fairshoe_floor.alarms import book

    alarm = book.acknowledge(db, options.id, options.by, options.note, time.time())
    say(f"alarm {alarm.id} ({alarm.rule}, device {alarm.device:08x}) is acknowledged by {options.by}")
    return 0


def _number(options: argparse.Namespace) -> int:
    try:
        return int(options.id)
    except (TypeError, ValueError):
        raise UsageError(
            f"`{options.what}` needs the number of one.", f"`fairshoe floor {options.action}` lists them."
        ) from None


def _dead_letters(db: psycopg.Connection[Any], options: argparse.Namespace) -> int:
    from fairshoe_floor.history import dead_letters

    if options.what == "retry":
        every = options.id == "all"
        return asyncio.run(_retry(database(options), dead_letters.letters(db, None if every else _number(options))))
    if options.what == "close":
        dead_letters.letters(db, _number(options))
        return _close(db, options)
    found = dead_letters.letters(db, _number(options) if options.what == "show" else None, options.all)
    for it in found:
        if options.json:
            say(json.dumps({**vars(it), "device": f"{it.device:08x}", "data": it.data.hex()}))
            continue
        state = it.outcome or "open"
        say(f"{it.id:5d}  {_when(it.found_last)}  {it.times} times  {printable(it.subject)}  {printable(state)}")
        say(f"       {printable(it.reason)}")
        if options.what == "show":
            say(f"       stream {it.stream}, message {it.seq}, {len(it.data)} bytes:")
            say(printable(it.data.decode("utf-8", "replace")))
    return 0


async def _retry(url: str, letters: Sequence[LetterRow]) -> int:
    import psycopg

    from fairshoe_floor.database import settings
    from fairshoe_floor.history.take_again import take_again
    from fairshoe_floor.schema_check import Refused

    left = 0
    async with await psycopg.AsyncConnection.connect(url, **settings(0, 0)) as db:
        for letter in letters:
            try:
                said = await take_again(db, letter)
            except Refused as error:
                left += 1
                said = f"still refused: {error}"
            say(f"{letter.id:5d}  {printable(said)}", flush=True)
    return 1 if left else 0


def _gaps(db: psycopg.Connection[Any], options: argparse.Namespace) -> int:
    from fairshoe_floor.history import queries

    if options.what == "close":
        if not any(gap.id == _number(options) for gap in queries.gaps(db, True)):
            raise UsageError(f"there is no gap {options.id}.", "`fairshoe floor gaps` lists them.")
        return _close(db, options)
    for gap in queries.gaps(db, options.all):
        if options.json:
            say(json.dumps({**vars(gap), "device": f"{gap.device:08x}", "log": gap.log.hex()}))
            continue
        times = f"between {_when(gap.after)} and {_when(gap.before)}" if gap.after else f"before {_when(gap.before)}"
        say(f"{gap.id:5d}  {gap.device:08x}  events {gap.first} to {gap.last} were lost at gateway {gap.gateway}")
        say(f"       recorded {times}; {printable(gap.outcome) or queries.GAP_ADVICE.format(gap=gap)}")
    return 0


def _forget(db: psycopg.Connection[Any], options: argparse.Namespace) -> int:
    names = [f"{kind} {options.name}" for kind in ("gateway", "publisher", "trouble publisher")]
    if not db.execute("DELETE FROM parts WHERE name = ANY(%s)", (names,)).rowcount:
        raise UsageError(f"no gateway {options.name} was heard.", "Write its name as its publisher has it: --name.")
    return 0


def _close(db: psycopg.Connection[Any], options: argparse.Namespace) -> int:
    """A gap or a dead letter that nothing more will be done about."""
    if not options.note:
        raise UsageError("a note is missing.", "Say who closes it and why: --note TEXT.")
    table = options.action.replace("-", "_")
    db.execute(
        f"UPDATE {table} SET closed = now(), outcome = %s WHERE id = %s AND closed IS NULL".encode(),
        (f"closed: {options.note}", _number(options)),
    )
    return 0


def _accounts(options: argparse.Namespace) -> int:
    from fairshoe_floor.inventory import read_inventory
    from fairshoe_floor.kit.accounts import FILE, write_accounts
    from fairshoe_floor.stream.names import Names

    inventories = [read_inventory(path) for path in options.inventory]
    for name in write_accounts(options.out, inventories, Names(options.stream)):
        say(f"a new key: {options.out / name}.nkey")
    say(f"{options.out / FILE}: {len(inventories)} gateways. Now reload the broker: nats-server --signal reload")
    return 0


def _broker(options: argparse.Namespace) -> int:
    from fairshoe_floor.stream.health import health, restart_due

    if options.restart_due is not None:
        due = restart_due(options.health, options.restart_due)
        say("a restart is due" if due else "no restart is due")
        return 0 if due else 1
    if options.purge:
        return asyncio.run(_purge(options))
    wrong = health(options.health)
    say(printable(f"the broker is not well: {wrong}" if wrong else "the broker is well"))
    return 1 if wrong else 0


async def _purge(options: argparse.Namespace) -> int:
    from fairshoe_floor.stream import broker as link
    from fairshoe_floor.stream.names import Names

    url, more = broker(options)
    names = Names(options.stream)
    into = (
        names.stream
        if options.purge.startswith((f"{names.stream}.events.", f"{names.stream}.refill."))
        else names.latest
    )
    async with link.connected(url, "fairshoe floor broker", **more) as (_client, stream):
        before = (await stream.stream_info(into)).state.messages
        await stream.purge_stream(into, subject=options.purge)
        after = (await stream.stream_info(into)).state.messages
    say(f"{before - after} messages of {into} are deleted; gateways send again what the central record lacks")
    return 0


def _kit(options: argparse.Namespace) -> int:
    from dataclasses import fields

    from fairshoe_floor.inventory import read_inventory
    from fairshoe_floor.kit.kit import House, Kit

    hosts = dict(it.partition("=")[::2] for it in options.host)
    inventories = [read_inventory(path) for path in options.inventory]
    unknown = sorted(hosts.keys() - {it.name for it in inventories})
    if unknown:
        raise UsageError(f"no inventory has the name {unknown[0]}.", "Write --host NAME=HOST for a gateway.")
    given = {it.name: getattr(options, it.name) for it in fields(House) if hasattr(options, it.name)}
    Kit(options.folder, options.inventory, inventories, House(**given, hosts=hosts)).write()
    say(f"{options.folder}: {len(inventories)} gateways. Begin with {options.folder / 'RUNBOOK.md'}")
    if not options.mail_to:
        say("NOTE: alertmanager.yml has no receiver yet. Give --mail-to ADDRESS, or write one.")
    return 0


def _when(at: float) -> str:
    return datetime.fromtimestamp(at, timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")


def _apart(options: argparse.Namespace) -> int:
    return load_command(f"floor-{options.action}").run(options)


_ACTIONS = {
    "history": _history,
    "report": _report,
    "assignments": _assignments,
    "assign": _assign,
    "retention": _retention,
    "size": _size,
    "versions": _versions,
    "keys": _keys,
    "journals": _journals,
    "alarms": _alarms,
    "acknowledge": _acknowledge,
    "dead-letters": _dead_letters,
    "gaps": _gaps,
    "forget": _forget,
}
_WITHOUT_DATABASE: dict[str, Callable[[argparse.Namespace], int]] = {
    **dict.fromkeys(ACTIONS["floor"], _apart),
    "fill": _fill,
    "accounts": _accounts,
    "broker": _broker,
    "kit": _kit,
}
