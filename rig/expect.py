"""What a scenario expects at its end, and whether it came: events and their fields, ledger, state, cards taken, meters,
how soon a fault was noticed."""

from firmware.deck.ledger import ZONE_NAMES
from firmware.fault import FAULT_NAMES, FIGURE_NAMES
from firmware.protocol import ids, table
from firmware.protocol.dictionary import SENSOR_NAMES
from rig.event_fields import FIELDS, TEXTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rig.peer import Event, Peer
    from rig.story import Stage

    Data = dict[str, Any]

KEYS = (
    "events",
    "exactly",
    "never",
    "fields",
    "ledger",
    "state",
    "warning",
    "taken",
    "detected",
    "meters",
    "display",
    "invariants",
)


# Fields that a file gives as a word.
WORDS = {
    "warning": FAULT_NAMES,
    "sensor": SENSOR_NAMES,
    "figure": FIGURE_NAMES,
    "consequence": ids.CONSEQUENCE_NAMES,
    "need": ids.NEED_NAMES,
    "what": ids.RECORD_NAMES,
    "answer": ids.ANSWER_NAMES,
}
_DETECTED = ("warning", "within_ms", "after")
_MESSAGE_SIZE = 2  # before the body in what a peer keeps of an event
_DECK_AT = _MESSAGE_SIZE + 20
_TEXT_SIZE = 8


def check_expect(expect: "Data") -> None:
    """Raise ValueError for an expectation that nothing could meet."""
    for key in expect:
        if key not in KEYS:
            raise ValueError("expect: no key %r; known: %s" % (key, ", ".join(KEYS)))
    names = list(expect.get("events", ())) + list(expect.get("exactly", ())) + list(expect.get("never", ()))
    for entry in expect.get("fields", ()):
        if "event" not in entry:
            raise ValueError("expect.fields: each needs 'event'")
        names.append(entry["event"])
        known = ["event", "nth", "round", "deck"] + FIELDS.get(entry["event"], []) + list(TEXTS.get(entry["event"], ()))
        for key in entry:
            if key not in known:
                raise ValueError("expect.fields: %s has no field %r" % (entry["event"], key))
    for name in names:
        if name not in FIELDS:
            raise ValueError("expect: no event %r" % name)
    if expect.get("state", "warning") not in ids.STATE_NAMES.split():
        raise ValueError("expect: no state %r" % expect["state"])
    for word in (expect.get("warning", "none"), expect.get("detected", {}).get("warning", "none")):
        if word not in FAULT_NAMES.split():
            raise ValueError("expect: no warning %r; known: %s" % (word, FAULT_NAMES))
    _check_end(expect)


def _check_end(expect: "Data") -> None:
    detected = expect.get("detected", {"warning": "none", "within_ms": 0})
    for key in detected:
        if key not in _DETECTED:
            raise ValueError("expect.detected: no key %r; known: %s" % (key, ", ".join(_DETECTED)))
    for key in _DETECTED[:2]:
        if key not in detected:
            raise ValueError("expect.detected: needs %r" % key)
    for name in expect.get("meters", {}):
        if name not in _meter_names():
            raise ValueError("expect.meters: no meter %r; known: %s" % (name, " ".join(_meter_names())))
    for zone in expect.get("ledger", {}):
        if zone not in ZONE_NAMES.split():
            raise ValueError("expect.ledger: no zone %r; known: %s" % (zone, ZONE_NAMES))


def judge(stage: "Stage", expect: "Data", done_us: "dict[str, int]", detected_us: int) -> "list[str]":
    """What is not as expected. That the machine was not broken and no event lost is expected always."""
    rig = stage.rig
    problems: "list[str]" = []
    if rig.plant.crashes:
        problems.append("the firmware broke the machine")
    # Moving the link to the service port cuts a frame short: what matters is that its event came again.
    if stage.peer.ahead > stage.peer.seq_last and stage.to_host is None:
        problems.append("an event was lost")
    if rig.powered:
        try:
            rig.app.flow.ledger.check()
        except Exception:
            problems.append("the ledger does not add up")
    _events(stage, expect, problems)
    _end(stage, expect, problems)
    _detected(stage, expect, done_us, detected_us, problems)
    return problems


def _events(stage: "Stage", expect: "Data", problems: "list[str]") -> None:
    names = stage.names()
    if "exactly" in expect and names != expect["exactly"]:
        problems.append("events were %s" % " ".join(names))
    at = 0
    for name in expect.get("events", ()):
        if name not in names[at:]:
            problems.append("no %s after %s" % (name, " ".join(names[:at][-3:]) or "the start"))
            break
        at += names[at:].index(name) + 1
    for name in expect.get("never", ()):
        if name in names:
            problems.append("there was a %s" % name)
    for entry in expect.get("fields", ()):
        _fields(stage, entry, problems)


def _fields(stage: "Stage", entry: "Data", problems: "list[str]") -> None:
    found = [event for event in stage.peer.events if event.name == entry["event"]]
    nth = entry.get("nth", 0)
    if nth >= len(found):
        problems.append("no %s number %d" % (entry["event"], nth))
        return
    event = found[nth]
    for key in sorted(entry):
        if key in ("event", "nth"):
            continue
        if key in TEXTS[event.name]:
            value: object = text_of(stage.peer, event, key)
        elif key == "round":
            value = event.round
        elif key == "deck":
            value = stage.peer.payloads[event.seq][_DECK_AT]
        else:
            number = event.fields[FIELDS[event.name].index(key)]
            value = WORDS[key].split()[number] if key in WORDS else number
        if value != entry[key]:
            problems.append("%s %d: %s is %s, not %s" % (event.name, nth, key, value, entry[key]))


def text_of(peer: "Peer", event: "Event", field: str) -> str:
    """A text field of an event."""
    at = _MESSAGE_SIZE + TEXTS[event.name][field]
    return peer.payloads[event.seq][at : at + _TEXT_SIZE].rstrip(b"\0").decode()


def _end(stage: "Stage", expect: "Data", problems: "list[str]") -> None:
    flow = stage.rig.app.flow
    state = ids.STATE_NAMES.split()[flow.state]
    if state != expect.get("state", state):
        problems.append("ended in %s, not in %s" % (state, expect["state"]))
    warning = FAULT_NAMES.split()[flow.warning]
    if warning != expect.get("warning", warning):
        problems.append("the warning is %s, not %s" % (warning, expect["warning"]))
    zones = ZONE_NAMES.split()
    for zone in sorted(expect.get("ledger", {})):
        count = flow.ledger.zone[zones.index(zone)]
        if count != expect["ledger"][zone]:
            problems.append("ledger: %s is %d, not %d" % (zone, count, expect["ledger"][zone]))
    if "taken" in expect and [len(cards) for cards in stage.taken] != expect["taken"]:
        problems.append("taken were %s cards" % [len(cards) for cards in stage.taken])
    problem = misread(stage, expect.get("display", ""))
    if problem:
        problems.append(problem)
    _meters(stage, expect, problems)


def misread(stage: "Stage", wanted: "str | list[str]") -> str:
    """The display's text if it is not as expected (four lines, or a part); empty if it is."""
    lines = list(stage.rig.hal.lines)
    text = "\n".join(lines)
    there = lines == wanted if isinstance(wanted, list) else wanted in text
    return "" if there else "the display says %r, not %r" % (text, wanted)


def _meters(stage: "Stage", expect: "Data", problems: "list[str]") -> None:
    names = _meter_names()
    for name in sorted(expect.get("meters", {})):
        value = stage.rig.app.flow.meters.values[names.index(name)]
        if value != expect["meters"][name]:
            problems.append("meters: %s is %d, not %d" % (name, value, expect["meters"][name]))


def _meter_names() -> "list[str]":
    spec = next(spec for message, _kind, spec in table.MESSAGES if message == ids.METERS)
    return [word.split(":")[0] for word in spec.split()[1:]]


def _detected(
    stage: "Stage", expect: "Data", done_us: "dict[str, int]", detected_us: int, problems: "list[str]"
) -> None:
    """From the moment the first fault struck, or an action was done, to the moment the machine stopped for it."""
    if "detected" not in expect:
        return
    wanted = expect["detected"]
    struck_us = stage.rig.plant.faults.struck_us
    if "after" in wanted:
        struck_us = done_us.get(wanted["after"], -1)
    if struck_us < 0:
        problems.append("no fault struck")
    elif detected_us < 0:
        problems.append("nothing was noticed")
    else:
        took_ms = (detected_us - struck_us) // 1000
        if took_ms > wanted["within_ms"]:
            problems.append("noticed after %d ms, not within %d" % (took_ms, wanted["within_ms"]))
    latched = [event.fields[0] for event in stage.peer.events if event.name == "warning_latched"]
    word = FAULT_NAMES.split()[latched[0]] if latched else "none"
    if word != wanted["warning"]:
        problems.append("the fault was called %s, not %s" % (word, wanted["warning"]))
