"""The specification page: prose from page.md, every `{{name}}` in it replaced by what is generated here."""

from __future__ import annotations

import re
from collections.abc import Callable

from fairshoe.games.record_kinds import NUMBERS
from fairshoe.text.advice import STEPS
from firmware.link import admission, handshake, report
from firmware.protocol import cobs, frame, ids, session
from protocol.bad import RECEIVED
from protocol.examples import example_ack, example_command, example_event
from protocol.table import (
    CLASS_NAMES,
    COMMAND_FIELDS,
    DICTIONARY,
    DICTIONARY_HASH,
    ENUMS,
    EVENT_FIELDS,
    MESSAGES,
    ROOT,
    Field,
    Message,
)
from protocol.words import NEED_WHAT, meaning, sentence

TEMPLATE = ROOT / "tools" / "protocol" / "page.md"
BODY_MAX = cobs.FRAME_MAX - frame.HEADER_SIZE - frame.CRC_SIZE
LINE_MAX = BODY_MAX - 4

_HEAD = "<!-- Written by tools/protocol/gen_docs.py; edit page.md and words.json there instead. -->\n\n"


# Numbers that the prose names: when one changes, the page has to be read again before it can be published.
PROSE: dict[str, int] = {
    "frame_max": 253,
    "window": 8,
    "resend_ms": 1000,
    "resend_ms_max": 8000,
    "alive_ms": 10000,
    "guesses_max": 3,
    "backoff_ms": 1000,
    "backoff_ms_max": 4000,
    "sequence_warn": 0xFF00,
    "received": 20,
    "residue": 0x2144DF1C,
}


def prose_now() -> dict[str, int]:
    """The same numbers as the firmware has them."""
    return {
        "frame_max": cobs.FRAME_MAX,
        "window": report.WINDOW,
        "resend_ms": report.RESEND_MS,
        "resend_ms_max": report.RESEND_MS_MAX,
        "alive_ms": admission.ALIVE_MS,
        "guesses_max": admission.GUESSES_MAX,
        "backoff_ms": admission.BACKOFF_MS,
        "backoff_ms_max": admission.BACKOFF_MS_MAX,
        "sequence_warn": session.SEQUENCE_WARN,
        "received": RECEIVED,
        "residue": frame.CRC_RESIDUE,
    }


def page() -> str:
    changed = [name for name, value in prose_now().items() if PROSE[name] != value]
    if changed:
        raise SystemExit(f"read tools/protocol/page.md again: it names {', '.join(changed)} (PROSE there)")
    for line in DICTIONARY:
        if len(line) > LINE_MAX:
            raise SystemExit(f"a dictionary line must fit a frame, {LINE_MAX} bytes; this has {len(line)}: {line}")
    text = TEMPLATE.read_text()
    for name, make in _PARTS.items():
        mark = "{{" + name + "}}"
        if mark not in text:
            raise SystemExit(f"tools/protocol/page.md has no place for {name}")
        text = text.replace(mark, f"<!-- generated: {name} -->\n\n{make()}\n\n<!-- end: {name} -->")
    left = re.findall(r"\{\{.*?\}\}", text)
    if left:
        raise SystemExit(f"tools/protocol/page.md asks for {', '.join(left)}, which no function makes")
    return _HEAD + text


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [" | ".join(row) for row in [head, tuple("---" for _ in head), *rows]]
    return "\n".join(f"| {line} |" for line in lines)


def _limits() -> str:
    def seconds(ms: int) -> str:
        return f"{ms / 1000:g} s"

    rows = [
        ("frame before stuffing", f"{frame.HEADER_SIZE + frame.CRC_SIZE} to {cobs.FRAME_MAX} bytes"),
        ("on the wire, with both delimiters", f"at most {cobs.FRAME_MAX + 3} bytes"),
        ("body", f"at most {BODY_MAX} bytes, {session.MAC_SIZE} less if keyed"),
        ("dictionary line", f"at most {LINE_MAX} bytes; today {len(DICTIONARY)} lines"),
        ("device key, nonce, MAC", f"{session.KEY_SIZE}, {session.NONCE_SIZE}, {session.MAC_SIZE} bytes"),
        ("events on their way", f"at most {report.WINDOW}"),
        ("resend time", f"{seconds(report.RESEND_MS)}, doubling to {seconds(report.RESEND_MS_MAX)}"),
        ("`status`", f"every {seconds(report.STATUS_MS)}, and on a change of state"),
        ("`link_counters`", f"every {seconds(report.COUNTERS_MS)}, with a status"),
        ("a keyed host counts as gone after", f"{seconds(admission.ALIVE_MS)} of silence"),
        ("wrong MACs before a back-off", f"{admission.GUESSES_MAX}"),
        ("back-off", f"{seconds(admission.BACKOFF_MS)}, doubling to {seconds(admission.BACKOFF_MS_MAX)}"),
        ("`session_ending` from link sequence", f"0x{session.SEQUENCE_WARN:04X}"),
        ("last link sequence of a device", f"0x{session.SEQUENCE_MAX - 1:04X}"),
        ("last link sequence of a host", f"0x{session.SEQUENCE_MAX:04X}"),
        ("device takes per scan (about 2 ms)", f"{admission.RX_BYTES} bytes, one frame"),
    ]
    return _table(("what", "limit"), rows)


def _classes() -> str:
    rows: list[tuple[str, ...]] = []
    for value, name in enumerate(CLASS_NAMES):
        members = [message for message in MESSAGES if message.kind == value]
        ways = {_sender(message) for message in members}
        sender = "both" if len(ways) == 2 else ways.pop()
        span = ", ".join(str(message.id) for message in members)
        if len(members) > 6:
            span = f"{members[0].id} to {members[-1].id}"
        rows.append((str(value), name, sender, span))
    return _table(("class", "name", "sent by", "messages"), rows)


def _rows(fields: tuple[Field, ...]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for field in fields:
        size = str(field.size) if field.size else "rest"
        rows.append((str(field.offset), size, field.kind, f"`{field.name}`", meaning(field)))
    return rows


_COLUMNS = ("offset", "size", "type", "field", "meaning")


def _messages() -> str:
    parts = [_message(message) for message in MESSAGES]
    return "\n\n".join(parts)


def _message(message: Message) -> str:
    sender = _sender(message)
    key = "clear" if message.clear_only else "keyed" if message.keyed_only else "clear or keyed"
    head = f"#### {message.id} `{message.name}`\n\n"
    size = f"{message.size} bytes" if message.fields else "empty body"
    if message.fields and message.fields[-1].kind == "rest":
        size = f"{message.size} bytes or more"
    text = f"{head}{CLASS_NAMES[message.kind]}, from the {sender}, {key}, {size}. {sentence(message)}"
    own = tuple(field for field in message.fields if field.owner == message.name)
    prefix = {ids.CLASS_EVENT: "event", ids.CLASS_COMMAND: "command"}.get(message.kind)
    if prefix and not own:
        return f"{text} No fields but the {prefix} prefix."
    return f"{text}\n\n{_table(_COLUMNS, _rows(own))}" if own else text


def _enums() -> str:
    parts: list[str] = []
    for name, words in ENUMS.items():
        listed = ", ".join(f"{value} `{word}`" for value, word in enumerate(words))
        parts.append(f"**{name}**: {listed}")
    return "\n\n".join(parts)


def _index() -> str:
    rows = [
        (str(m.id), f"[`{m.name}`](#{m.id}-{m.name})", CLASS_NAMES[m.kind], _sender(m), sentence(m)) for m in MESSAGES
    ]
    return _table(("id", "message", "class", "from", ""), rows)


def _sender(message: Message) -> str:
    return "host" if message.from_host else "device"


def _dictionary() -> str:
    return f"Today's hash: `{DICTIONARY_HASH}`, {len(DICTIONARY)} lines. The first and the last:\n\n" + "\n".join(
        f"    {line}" for line in (DICTIONARY[0], DICTIONARY[-1])
    )


def _fresh() -> str:
    """So that the page stops being generated if what it says about refusals is no longer so."""
    order = ("version", "no_key", "backoff", "role", "switch", "busy")
    if ENUMS["why"] != order or handshake.NOISE_BYTES < session.NONCE_SIZE:
        raise SystemExit("the refusals have changed: rewrite the section on sessions in tools/protocol/page.md")
    return _table(
        ("why", "when", "detail"),
        [
            ("`version`", "`version_max` is below the device's version", "the device's version"),
            ("`no_key`", "a role other than clear, and the device has no key", "0"),
            ("`backoff`", "a role other than clear, during a back-off", "seconds left"),
            ("`role`", "there is no such role", "the role asked for"),
            ("`switch`", "the role service, and the key switch is off", "0"),
            ("`busy`", "a live session of a role that may do more has the line", "0"),
        ],
    )


def _records() -> str:
    """Arguments of `record`, by the number of what is put on record."""
    rows = [
        (str(number), f"`{name}`", *[_argument(name, place) for place in (0, 1)])
        for number, name in enumerate(ENUMS["what"])
        if name != "none"
    ]
    return _table(("what", "name", "a", "b"), rows)


def _argument(name: str, place: int) -> str:
    numbers = NUMBERS[name]
    if place >= len(numbers):
        return "0"
    words = ", ".join(f"{value} {word.replace('_', ' ')}" for word, value in numbers[place].words.items())
    return numbers[place].name + (f": {words}" if words else "") + ("" if numbers[place].needed else "; may be 0")


def _needs() -> str:
    """Who can do what each need asks for, from the host's own table."""
    rows: list[tuple[str, ...]] = []
    for need, step in STEPS.items():
        command = f"`{step.command.NAME}`" if step.command else ""
        rows.append((str(int(need)), f"`{need.name.lower()}`", NEED_WHAT[need.name.lower()], command))
    return _table(("need", "name", "what must happen, and who does it", "command"), rows)


_PARTS: dict[str, Callable[[], str]] = {
    "needs": _needs,
    "classes": _classes,
    "event_prefix": lambda: _table(_COLUMNS, _rows(EVENT_FIELDS)),
    "command_prefix": lambda: _table(_COLUMNS, _rows(COMMAND_FIELDS)),
    "refusals": _fresh,
    "records": _records,
    "dictionary": _dictionary,
    "limits": _limits,
    "example_event": example_event,
    "example_ack": example_ack,
    "example_command": example_command,
    "index": _index,
    "messages": _messages,
    "enums": _enums,
}
