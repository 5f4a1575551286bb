"""Messages as plain data: words for codes, and back; and the published schema says the same."""

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import fastjsonschema  # pyright: ignore[reportMissingTypeStubs]
import pytest

from fairshoe import messages
from fairshoe.client.store import Arrived, Store
from fairshoe.errors import UsageError
from fairshoe.link import framing
from fairshoe.message_data import from_dict, from_json, to_dict, to_json
from fairshoe.messages import UNKNOWN, CommandEnded, Event, Hello, Role, RoundEnded, UnknownMessage

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "protocol"
SCHEMA: dict[str, Any] = json.loads((FOLDER / "messages.schema.json").read_text())
GOLDEN = [frame.message for frame in framing.decode_all((FOLDER / "golden.bin").read_bytes())]
VECTORS = [
    frame.message
    for entry in json.loads((FOLDER / "vectors.json").read_text())["frames"]
    for frame in framing.decode_all(bytes.fromhex(entry["frame_hex"]))
]
KNOWN = [message for message in (*GOLDEN, *VECTORS) if not isinstance(message, UnknownMessage)]


def test_every_message_comes_back_from_its_data() -> None:
    assert {type(message) for message in KNOWN} == set(messages.ALL)
    for message in (*GOLDEN, *VECTORS):
        assert from_dict(to_dict(message)) == message
        assert from_json(to_json(message)) == message


def test_every_golden_message_is_as_the_schema_says() -> None:
    validate: Any = fastjsonschema.compile(SCHEMA)  # pyright: ignore[reportUnknownMemberType]
    for message in KNOWN:
        validate(json.loads(to_json(message)))
    for wrong in ({"state": "asleep"}, {"round": -1}, {"more": 1}):
        with pytest.raises(fastjsonschema.JsonSchemaValueException):
            validate({**to_dict(next(it for it in KNOWN if it.NAME == "status")), **wrong})


def test_codes_become_words_and_what_is_not_known_null() -> None:
    ended = to_dict(RoundEnded(7, 1, 2, 0, 0, 3, 1, 255, 65535, 65535, 65535, 52))
    assert ended["message"] == "round_ended" and ended["stub_counted"] == 52
    assert [ended[name] for name in ("stacks", "dealt", "remainder", "stub")] == [None] * 4
    command = to_dict(next(it for it in KNOWN if isinstance(it, CommandEnded)))
    assert (command["role"], command["command"]) == ("table", "release")
    assert to_dict(Hello(1, Role.OBSERVER, bytes(16)))["nonce"] == "00" * 16


def test_no_value_that_stands_for_not_known_is_published_as_a_number(tmp_path: Path) -> None:
    """In JSON, in the schema and in the store: for every message with its highest values."""
    validate: Any = fastjsonschema.compile(SCHEMA)  # pyright: ignore[reportUnknownMemberType]
    found: set[tuple[str, str]] = set()
    for message in KNOWN:
        data = to_dict(message)
        for name, number in UNKNOWN.get(message.NAME, {}).items():
            assert (data[name] is None) == (getattr(message, name) == number)
            with pytest.raises(fastjsonschema.JsonSchemaValueException):
                validate({**data, name: number})
            if data[name] is None:
                found.add((message.NAME, name))
    assert found == {(kind, name) for kind, names in UNKNOWN.items() for name in names}
    with Store(tmp_path / "store.db") as store:
        log = store.resume(1, b"i" * 16, 0xFFFFFFFF, 1)
        events = {it.seq: it for it in KNOWN if isinstance(it, Event)}
        store.add(log.id, [Arrived(seq, it, b"") for seq, it in sorted(events.items())])
        rows = sqlite3.connect(store.path).execute("SELECT seq, fields FROM events").fetchall()
    assert len(rows) == len(events)
    for seq, text in rows:
        assert json.loads(text).items() <= to_dict(events[seq]).items()


def test_what_devices_send_for_not_known_in_scenarios_is_in_the_table() -> None:
    texts = "\n".join(path.read_text() for path in (FOLDER.parents[1] / "tests" / "scenarios").glob("*.json"))
    expected = [json.loads(it) for it in re.findall(r'\{"event":[^{}]*\}', texts)]
    found = {(it["event"], name) for it in expected for name, value in it.items() if value in (255, 65535)}
    assert len(found) > 5 and found <= {(kind, name) for kind, names in UNKNOWN.items() for name in names}


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"message": "no_such_message"},
        {"message": "event_ack"},
        {"message": "event_ack", "seq": 1, "more": 2},
        {"message": "event_ack", "seq": "1"},
        {"message": "hello", "version_max": 1, "role": "king", "nonce": "00" * 16},
        {"message": "hello", "version_max": 1, "role": "table", "nonce": "xx"},
        {"message": "event_ack", "seq": None},
    ],
)
def test_what_is_no_message_is_refused_in_words(data: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        from_dict(data)
    with pytest.raises(UsageError):
        from_json(json.dumps(data))
    with pytest.raises(UsageError, match="no JSON"):
        from_json("{")
