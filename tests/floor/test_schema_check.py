"""The check of what comes from the stream: what it takes PostgreSQL can hold, and whatever a shoe sends passes it."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from math import isfinite
from pathlib import Path
from typing import Any
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairshoe import Store, messages
from fairshoe.client.store import Arrived, StoredEvent
from fairshoe_floor import schema_check as are
from fairshoe_floor.alarms.engine import JUDGED
from fairshoe_floor.history import schema
from fairshoe_floor.samples import Link, Sample, sample_from_json, sample_of, sample_to_json
from fairshoe_floor.schema_check import Refused
from fairshoe_floor.stream.event_lines import SQL_TYPES, STORE_COLUMNS, EventRow, Gap, from_line, gap_line, to_lines
from fairshoe_floor.stream.outbox import Outbox

ROW = EventRow(0x510001, b"\1" * 16, 7, 261, "door_opened", 1, 100.005, 0, 3, 1, '{"a": 1}', b"\0\xff", 5.5, "p")
EVENTS = [kind for kind in messages.ALL if issubclass(kind, messages.Event)]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=20,
)


def holdable(value: Any) -> bool:
    """Whether PostgreSQL takes it as jsonb, and a terminal shows it: by the categories of Unicode, not by the check."""
    if isinstance(value, (dict, list)):
        return all(map(holdable, [*value, *value.values()] if isinstance(value, dict) else value))  # pyright: ignore
    if isinstance(value, str):
        return not any(category(sign) in ("Cc", "Cs") for sign in value)
    return not isinstance(value, float) or isfinite(value)


@given(JSON)
def test_what_the_check_takes_can_be_held(value: Any) -> None:
    try:
        are.plain(value)
    except Refused:
        return
    assert holdable(value)
    assert are.plain(json.loads(json.dumps(value))) == value


@given(st.sampled_from(list(SQL_TYPES)), JSON)
def test_an_event_with_any_value_in_any_column_is_taken_with_the_type_of_the_column_or_refused(
    name: str, value: Any
) -> None:
    said = json.loads(to_lines([ROW])) | {name: value}
    try:
        found = from_line(json.dumps(said).encode())
    except Refused as error:
        assert str(error).startswith(name) or "no number" in str(error)
        return
    assert isinstance(found, EventRow)
    limits = {"bigint": 1 << 63, "integer": 1 << 31, "double precision": 1 << 40}
    kept = getattr(found, name)
    assert type(kept) is type(getattr(ROW, name))
    if SQL_TYPES[name] in limits:
        assert abs(kept) < limits[SQL_TYPES[name]]
    assert from_line(to_lines([found])) == found


@given(st.binary(max_size=200))
def test_any_bytes_are_an_event_or_are_refused(data: bytes) -> None:
    with pytest.raises(Refused):
        from_line(data)
    with pytest.raises(Refused):
        are.load(b"[" * 200_000)


@given(st.dictionaries(st.sampled_from([*json.loads(sample_to_json(Sample(1, 5.0, Link.OPEN))), "before"]), JSON))
def test_a_sample_with_any_values_is_a_sample_or_is_refused(values: dict[str, Any]) -> None:
    said = json.loads(sample_to_json(Sample(1, 5.0, Link.OPEN, heard_at=4.0))) | values
    try:
        found = sample_of(said)
    except Refused:
        return
    assert holdable(json.loads(sample_to_json(found))) and (found.heard_at is None or found.heard_at >= 0)


@given(st.text(st.characters(codec=None), max_size=30))
def test_a_text_of_our_own_is_cleaned_and_then_taken(text: str) -> None:
    clean = sample_to_json(Sample(1, 5.0, Link.OPEN, link_text=text))
    assert len(sample_of(json.loads(clean)).link_text) >= len(text)
    kept = sample_from_json(json.dumps(json.loads(clean) | {"link_text": text})).link_text  # as an older one stored it
    are.text()(kept)
    assert are.clean_text(text) == kept or any(ord(it) > 0xFFFF for it in text)


@given(kind=st.sampled_from(EVENTS), noise=st.binary(min_size=300, max_size=300))
def test_whatever_bytes_a_shoe_sends_as_an_event_the_row_of_the_store_passes(
    tmp_path_factory: pytest.TempPathFactory, kind: Any, noise: bytes
) -> None:
    body = noise[: kind.LAYOUT.size]
    event = StoredEvent.of_body(1, b"", 1, "", 0.0, kind.ID, body).event
    folder = tmp_path_factory.mktemp("store")
    with Store(folder / "pit.db") as store:
        log = store.resume(1, b"\2" * 16, 1, 1)
        store.add(log.id, [Arrived(7, event, body)])
    with closing(Outbox(folder / "pit.db", "pit-1")) as outbox:
        rows = outbox.events(outbox.heads()[0], 0, 10)
    assert from_line(to_lines(rows)) == rows[0] and rows[0].body == body


def test_a_text_that_an_older_version_stored_is_cleaned_on_its_way_out(tmp_path: Path) -> None:
    with Store(tmp_path / "pit.db") as store:
        log = store.resume(1, b"\2" * 16, 1, 1)
        event = messages.Booted(7, 1, 0, 0, 0, 0, 0, 1, 2, "a", 0, "")
        store.add(log.id, [Arrived(7, event, b"body")])
    with closing(sqlite3.connect(tmp_path / "pit.db")) as db, db:
        db.execute("UPDATE events SET fields = ?", (json.dumps({"firmware": 'a\0b\\u0000"', "n": 1}),))
    with closing(Outbox(tmp_path / "pit.db", "pit-1")) as outbox:
        (row,) = outbox.events(outbox.heads()[0], 0, 10)
    assert json.loads(row.fields) == {"firmware": 'a\ufffdb\\u0000"', "n": 1} and row.body == b"body"
    assert from_line(to_lines([row])) == row


def test_a_gap_travels_as_a_line() -> None:
    gap = Gap(0x510001, b"\1" * 16, 837, 924, "pit-1", 5.5, 6.5)
    assert from_line(gap_line(gap)) == gap
    with pytest.raises(Refused, match="a gap from 9 to 8"):
        from_line(gap_line(Gap(1, b"\1", 9, 8, "pit-1", 5.5, 6.5)))


# --- one fact, one place: released steps are texts that never change, so they are compared ------


def test_the_tables_of_store_and_database_have_the_columns_of_an_event_row(tmp_path: Path) -> None:
    table = re.search(r"CREATE TABLE events \((.*?)CONSTRAINT", schema.STEPS[0], re.DOTALL)
    assert table
    lines = [line.strip().rstrip(",").split(maxsplit=1) for line in table.group(1).strip().splitlines()]
    own = {name: kind.removesuffix(" NOT NULL") for name, kind in lines}
    assert {name: own.get(name) for name in SQL_TYPES} == SQL_TYPES
    assert own.keys() - SQL_TYPES.keys() == {"position", "stored", "month"}
    with Store(tmp_path / "pit.db") as store, closing(sqlite3.connect(store.path)) as db:
        found = [row[1] for row in db.execute("PRAGMA table_info(events)")]
    assert found == ["log", *STORE_COLUMNS]


def test_the_index_of_judged_events_names_those_that_rules_judge() -> None:
    """Another event that rules judge needs another step, which makes the index again."""
    made = [step for step in schema.STEPS if "CREATE INDEX events_judged" in step][-1]
    where = made[made.index("CREATE INDEX events_judged") :]
    assert sorted(re.findall(r"'(\w+)'", where[: where.index(";")])) == list(JUDGED)
