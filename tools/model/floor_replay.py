"""Holds a recorded run of a floor against tables/floor.steps.

Each log is replayed alone, so a place in the stream counts the messages of that log. Programs are processes that may
be killed between what they do and its answer, and servers are copied while they work. So the order of the steps is
that of the clock, and where it leaves a doubt, what was found later decides:

- A message is in the stream when the broker says so, or when another part has seen it, whichever comes first.
- A transaction counts from its beginning, if it was answered or if the next consumer found its place on file.
- A copy has what its server had answered before. Of a message or a transaction that was under way meanwhile, what was
  found after the restore says whether the copy has it.
- An answer over a connection to a broker that was restored meanwhile says nothing.

A consumer that reads more messages again than the table would is let be.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from model.floor_run import AGAIN, GAP, OTHER
from model.monitor import Monitor, Rejected
from model.replay import Refused
from model.steps import Table, source_of
from model.tracer import Step

_NO_BOUND = 1 << 30
_BOUNDS = dict.fromkeys(("LEASES", "DIES", "LOSSES", "RESTORES", "POISONS", "BATCH"), _NO_BOUND)
_ANSWERS = ("find", "stored", "refused", "follow", "said")  # their first value is the connection
_CLOSE_S = 0.002  # between two readings of the time of one message
Message = tuple[int, int, int]  # kind, first and last number
Placed = tuple[int, Step]  # with its place in the run


def replay_logs(steps: Sequence[Step], only: str = "") -> dict[str, Refused | None]:
    settled = _settled(steps)
    keys = [only] if only else sorted({step[1] for _at, step in settled} - {""})
    by_key: dict[str, list[Placed]] = {key: [] for key in keys}
    for at, step in settled:
        for key in keys if not step[1] else [step[1]] if step[1] in by_key else ():
            by_key[key].append((at, step))
    return {key: _replay_log(mine) for key, mine in by_key.items()}


def _replay_log(steps: Sequence[Placed]) -> Refused | None:
    mine = [step for _at, step in takewhile(lambda it: it[1][0] != "cut", steps)]
    run = _Log(mine)
    for (at, _step), (name, _key, *values) in zip(steps, mine, strict=False):
        try:
            getattr(run, name)(*values)
        except Rejected as error:
            return Refused(at, (name, _key, *values), str(error))
        except AssertionError:
            return Refused(at, (name, _key, *values), "a promise of the table is broken")
    return None


def _next(steps: Sequence[Step], begin: int, name: str, before: str = "") -> int:
    """Where the next step of this name is, if no other comes first; 0 if there is none."""
    for at in range(begin + 1, len(steps)):
        if steps[at][0] == name:
            return at
        if steps[at][0] == before:
            break
    return 0


def _is_at(place: Step, transaction: Step) -> bool:
    """Whether the place that a consumer found is the one that this transaction has written."""
    return place[4] == transaction[3] and abs(place[5] - transaction[4]) < _CLOSE_S


def _settled(steps: Sequence[Step]) -> list[Placed]:
    """Without what had no effect, and each transaction on its side of a copy."""
    kept = {step[2]: at for at, step in enumerate(steps) if step[0] == "kept"}
    after: dict[int, int] = {}  # by transaction, the copy that does not have it
    for at, step in enumerate(steps):
        if step[0] == "transaction" and step[2] not in kept:
            found = _next(steps, at, "place")
            if found and _is_at(steps[found], step):
                kept[step[2]] = found
        if step[0] == "database_copied":
            restored = _next(steps, at, "database_restored", "database_copied")
            found = restored and _next(steps, restored, "place")
            begun = next((it for it in reversed(steps[:at]) if it[0] == "transaction"), None)
            if found and begun and kept.get(begun[2], 0) > at and not _is_at(steps[found], begun):
                after[begun[2]] = at
    links: set[int] = set()
    out: list[tuple[tuple[int, int], Step]] = []
    for at, step in enumerate(steps):
        name = step[0]
        if name == "link":
            links.add(step[2])
        elif name == "broker_restored":
            links.clear()
        dropped = name in ("link", "transaction", "kept") or (name in _ANSWERS and step[2] not in links)
        if not dropped and (name != "consume" or step[2] in kept):
            out.append(((after.get(step[2], at), at) if name == "consume" else (at, 0), step))
    return [(place[1] or place[0], step) for place, step in sorted(out, key=lambda it: it[0])]


class _Log:
    """The steps of one log, as the table names them."""

    def __init__(self, steps: list[Step]) -> None:
        numbers = [step[6] for step in steps if step[0] == "put"] + [step[3] for step in steps if step[0] == "head"]
        messages = sum(step[0] == "put" or (step[0] == "consume" and step[5] == OTHER) for step in steps)
        consumers = {step[2] for step in steps if step[0] == "place"}
        crashes = sum(step[0] == "broker_restored" for step in steps)
        bounds = {"N": max(numbers, default=0) + 3, "M": messages + 2, "CONS": len(consumers) + 1, "CRASHES": crashes}
        self.monitor = Monitor(Table(source_of("floor"), {**_BOUNDS, **bounds, "LOGS": 2}))
        self.state = self.monitor.state
        self.n = bounds["N"]
        self.at: dict[int, int] = {}  # by place in the real stream, the place in the table's
        self.open: dict[int, tuple[int, Message]] = {}  # messages that may be in the stream or not, with connection
        self.link = 0  # by which the publisher has last found the end of the subject
        self.copies = [_end_of_copy(steps, at) for at, step in enumerate(steps) if step[0] == "broker_copied"]
        self.streams = _messages(steps)  # what the stream will have, up to the restore of each
        self.said_before: list[set[int]] = [set()]
        self.read: set[int] = set()  # what the publisher has read last of what the record has
        self.refilled: set[int] = set()  # since then
        self.consumers: dict[object, int] = {}

    def _expect(self, what: str, model: object, real: object) -> None:
        if model != real:
            raise Rejected(f"{what} is {model} in the model, {real} in the run")

    # -- the publisher

    def head(self, first: int, last: int, passed: int) -> None:
        """What the store has: the end, the cursor, and what was deleted."""
        self.recorded(last)
        if passed > self.state["passed"][1]:  # by a process that was killed before it could say so
            self.passes(passed)
        self._expect("the cursor of the store", self.state["passed"][1], passed)
        while self.state["pruned"][1] + 1 < first:
            self.monitor.take("prune", 1)

    def find(self, link: int, seq: int, last: int) -> None:
        if seq and seq not in self.at:
            self._seen(seq, lambda put: put[0] != AGAIN and put[2] == last)
        self.link = link
        self.state["known"].discard(1)
        self.monitor.take("find", 1)
        self._expect("the end of the subject", self.state["subject_seq"][1], self.at.get(seq, 0))
        self._expect("the last event of the subject", self.state["subject_last"][1], last)

    def put(self, link: int, name: int, kind: int, first: int, last: int) -> None:
        self.recorded(last + (kind == GAP))
        self.open[name] = (link, (kind, first, last))

    def stored(self, _link: int, name: int, seq: int) -> None:
        if seq not in self.at:
            self._earlier(seq)
            self._append(name, seq, "publish")
        self.open.pop(name, None)

    def refused(self, _link: int, name: int) -> None:
        """The end of the subject is another one: of a message of a process that was killed, seen or not."""
        del self.open[name]
        self.state["last_of"](1)
        fits = 1 in self.state["known"] and self.state["at"][1] == self.state["subject_seq"][1]
        self.state["clear"](1)
        if fits and all(put[0] == AGAIN for _link, put in self.open.values()):
            raise Rejected("the broker refused a message that follows the last one")
        self.state["known"].discard(1)

    def unsure(self, _link: int, name: int) -> None:
        self.state["known"].discard(1)

    def _earlier(self, seq: int) -> None:
        """Messages before this one are in the stream, whenever they are seen."""
        for each, message in sorted(self.streams[0].items()):
            if each < seq and each not in self.at:
                self._seen(each, message.__eq__)

    def _seen(self, seq: int, fits: Callable[[Message], bool]) -> None:
        if self.streams[0].get(seq, (0,))[0] == OTHER:
            self.monitor.take("poison")
            self.at[seq] = self.state["length"]
            return
        self._earlier(seq)
        name = next((name for name, (_link, put) in self.open.items() if fits(put)), 0)
        if not name:
            raise Rejected(f"message {seq} was not sent")
        link, (kind, _first, _last) = self.open[name]
        late = link != self.link or 1 not in self.state["known"]  # its publisher does not know that it is there
        if late and kind != AGAIN and 1 not in self.state["known"]:
            self.monitor.take("find", 1)
        self._append(name, seq, "publish_unanswered" if late else "publish")

    def _append(self, name: int, seq: int, step: str) -> None:
        if name not in self.open:
            raise Rejected("the message is in the stream already")
        _link, (kind, first, last) = self.open.pop(name)
        said = self.state["said"][1]
        if kind == AGAIN:
            self.state["said"][1] = self.read | self.refilled
            self.refilled.update(range(first, last + 1))
        self.monitor.take("refill" if kind == AGAIN else step, 1, last - first + 1)
        self.state["said"][1] = said
        self.at[seq] = self.state["length"]
        self._expect("the message", self._message(self.at[seq]), (kind, first, last))

    def _message(self, place: int) -> Message:
        message = self.state["message"][place]
        return message // self.n // 2, self.state["begins"][place], message % self.n

    def follow(self, _link: int, ranges: list[list[int]]) -> None:
        real, now = _numbers(ranges), set(self.state["said"][1])
        if real not in self.said_before:  # an earlier word may be read while the next one is under way
            raise Rejected(f"the record has said {sorted(now)}, the publisher read {sorted(real)}")
        self.state["said"][1] = real
        if real:
            self.monitor.take("follow", 1)
        self.state["said"][1] = now
        self.read, self.refilled = real, set()

    def passes(self, end: int) -> None:
        now, self.state["said"][1] = self.state["said"][1], self.read
        while self.read and self.state["passed"][1] < end:
            before = self.state["passed"][1]
            self.monitor.take("follow", 1)
            if self.state["passed"][1] == before:
                break
        self.state["said"][1] = now
        self._expect("the cursor of retention", self.state["passed"][1], end)

    def recorded(self, last: int) -> None:
        while self.state["have"][1] < last:
            self.monitor.take("event", 1)

    # -- servers that are copied and restored

    def broker_copied(self) -> None:
        seq, last = self.copies.pop(0)
        if seq and seq not in self.at:
            self._seen(seq, lambda put: put[0] != AGAIN and put[2] == last)
        with contextlib.suppress(Rejected):  # nothing is new since the last copy
            self.monitor.take("sync")

    def broker_restored(self) -> None:
        self.monitor.take("broker_crash")
        self.at = {seq: place for seq, place in self.at.items() if place <= self.state["length"]}
        self.open.clear()
        del self.streams[0]

    def database_copied(self) -> None:
        for name in ("rows", "gaps"):  # the table has one copy in a run
            self.state[f"copy_{name}"][1].clear()
        self.state["copy_letters"].clear()
        self.state["copied"] = 0
        self.monitor.take("copy_database")

    def database_restored(self) -> None:
        self.monitor.take("restore_database")

    # -- the consumer

    def place(self, consumer: object, seq: int, _seq: int, _stored_at: float) -> None:
        c = self.consumers.setdefault(consumer, len(self.consumers) + 1)
        if self.state["number"][c]:
            self.monitor.take("consumer_dies", c)
        self.monitor.take("connect", c)
        if not seq:
            self.state["read"][c] = 0
        self._expect("the place", self.state["read"][c], max((p for s, p in self.at.items() if s <= seq), default=0))

    def consume(self, _name: int, consumer: object, seq: int, kind: int, first: int, last: int) -> None:
        if seq not in self.at:
            self._seen(seq, (kind, first, last).__eq__)
        c, place = self.consumers[consumer], self.at[seq]
        self.state["read"][c] = min(self.state["read"][c], place - 1)
        self.monitor.take("consume", c)
        self._expect("the place of the message that is taken", self.state["read"][c], place)
        self._expect("the message that is taken", self._message(place), (kind, first, last))

    def said(self, _link: int, ranges: list[list[int]]) -> None:
        holder = next((c for c in self.consumers.values() if self.state["number"][c]), 1)
        self.monitor.take("committed", 1, holder)
        self._expect("what the record has", set(self.state["said"][1]), _numbers(ranges))
        self.said_before.append(_numbers(ranges))


def _numbers(ranges: list[list[int]]) -> set[int]:
    return {number for first, last in ranges for number in range(first, last + 1)}


def _end_of_copy(steps: Sequence[Step], copied: int) -> tuple[int, int]:
    """Message and event that the subject ended with after this copy was restored; 0 if it was not."""
    restored = _next(steps, copied, "broker_restored", "broker_copied")
    found = restored and _next(steps, restored, "find", "broker_restored")
    return steps[found][3:5] if found else (0, 0)


def _messages(steps: Sequence[Step]) -> list[dict[int, Message]]:
    """By place in the stream, every message that some part has seen; a new one after every restore."""
    streams: list[dict[int, Message]] = [{}]
    sent: dict[int, Message] = {}
    for step in steps:
        if step[0] == "broker_restored":
            streams.append({})
        elif step[0] == "put":
            sent[step[3]] = step[4:7]
        elif step[0] == "stored" and step[3] in sent:
            streams[-1][step[4]] = sent[step[3]]
        elif step[0] == "consume":
            streams[-1][step[4]] = step[5:8]
    return streams


# -- changed runs, which must be rejected


def _longer(ranges: list[list[int]], more: int = 1) -> list[list[int]]:
    return [*ranges[:-1], [ranges[-1][0], ranges[-1][1] + more]]


TRIED_MAX = 6  # steps of a log that are changed, one at a time, until a changed run is rejected
CHANGES: dict[str, tuple[str, Callable[[Step], list[Step]]]] = {  # the step that is changed, and to what
    "a message is passed over": ("consume", lambda _step: []),
    "a message is taken that was not sent": ("consume", lambda step: [(*step[:4], step[4] + 5000, *step[5:])]),
    "a message has lost an event": ("consume", lambda step: [(*step[:7], step[7] - 1)]),
    "the record says one event too many": ("said", lambda step: [(*step[:3], _longer(step[3]))]),
    "the publisher reads what was never said": ("follow", lambda step: [(*step[:3], _longer(step[3], 5000))]),
    "the cursor goes one event too far": ("passes", lambda step: [(*step[:2], step[2] + 1)]),
    "the stream ends elsewhere": ("find", lambda step: [(*step[:4], step[4] + 1)]),
    "the store has another cursor": ("head", lambda step: [(*step[:4], step[4] + 5000)]),
    "an event is deleted too early": ("head", lambda step: [(step[0], step[1], step[4] + 2, *step[3:])]),
    "an event is left out": ("put", lambda step: [(*step[:5], step[5] + 1, step[6] + 1)]),
    "a message is stored twice": (
        "stored",
        lambda step: [step, ("put", step[1], step[2], -1, 0, 1, 1), ("stored", *step[1:3], -1, step[4] + 5000)],
    ),
}


def changed(steps: Sequence[Step]) -> Iterator[tuple[str, str, list[Step]]]:
    """Runs with one change each: its name, and the log that is changed, the one with the most steps of that kind.
    Several runs of each name, the last but one step first: no fault is left then that could explain the change. What
    still may is a message that the broker never got; another of its steps has to be rejected."""
    cut = {step[1] for step in steps if step[0] == "cut"}
    settled = [(at, step) for at, step in _settled(steps) if step[1] not in cut]
    for name, (kind, change) in CHANGES.items():
        found = [(at, step) for at, step in settled if step[0] == kind]
        logs = Counter(step[1] for _at, step in found)
        if logs:
            key = max(sorted(logs), key=lambda log: logs[log])
            last = [it for it in found if it[1][1] == key][-TRIED_MAX:]
            for at, step in [*last[-2::-1], last[-1]]:
                yield name, key, [*steps[:at], *change(step), *steps[at + 1 :]]


def rejected(steps: Sequence[Step], judge: Callable[[list[Step], str], object]) -> dict[str, bool]:
    """By name of the change, whether `judge` finds something wrong in one of its runs."""
    found: dict[str, bool] = {}
    for name, key, run in changed(steps):
        found[name] = found.get(name, False) or bool(judge(run, key))
    return found
