"""Holds recorded steps against the table, and changes recorded runs to see that the table rejects them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from model.monitor import Monitor, Rejected
from model.steps import Table, source_of
from model.tracer import Step, Trace

_NO_BOUND = 1 << 30
_BOUNDS = {
    "K": 1 << 20,
    "WINDOW": 8,
    "N": 1 << 24,
    "S": _NO_BOUND,
    "LOGS": 1 << 8,
    "OPS": _NO_BOUND,
    "CUTS": _NO_BOUND,
    "KILLS": _NO_BOUND,
    "FAILS": _NO_BOUND,
    "TOKENS": _NO_BOUND,
    "DELIVER": 1,
}
# What the model has after a step, and the real code had.
_AFTER = {
    "written": "last",
    "mark": "acked",
    "take_log": "taken",
    "confirm": "confirmed",
    "deliver": "given",
}


@dataclass(frozen=True)
class Refused:
    """The first step that the table does not allow."""

    at: int
    step: Step
    why: str

    def __str__(self) -> str:
        return f"step {self.at}, {' '.join(str(word) for word in self.step)}: {self.why}"


def replay(steps: Sequence[Step]) -> Refused | None:
    """None if every step is allowed and breaks no promise."""
    return Replay(steps).go_on(steps)


class Replay:
    """Of a run that is not over yet: `go_on` takes the steps that are new."""

    def __init__(self, steps: Sequence[Step]) -> None:
        capacity = next((step[4] for step in steps if step[0] == "boot"), 1)
        self._run = _Replay(Monitor(Table(source_of("journal"), {**_BOUNDS, "CAP": capacity})))
        self._done = 0

    def go_on(self, steps: Sequence[Step]) -> Refused | None:
        for at in range(self._done, len(steps)):
            try:
                self._run.take(steps[at])
            except Rejected as error:
                return Refused(at, steps[at], str(error))
            except AssertionError:
                return Refused(at, steps[at], "a promise of the table is broken")
        self._done = len(steps)
        return None


def held(trace: Trace) -> list[str]:
    """Problems of a recorded run, as its other invariants word them."""
    refused = replay(trace.steps) or trace.key_problem()
    return [f"Finding: model: {refused}"] if refused else []


class _Replay:
    """Real steps, as the table names them."""

    def __init__(self, monitor: Monitor) -> None:
        self.monitor = monitor
        self.state = monitor.state
        self.logs: dict[bytes, int] = {}

    def take(self, step: Step) -> None:
        name, *values = step
        special = getattr(self, f"_{name}", None)
        if special is not None:
            special(*values)
            return
        if self._said_before(name, values):
            return
        self.monitor.take(name, *(values[:1] if name not in _AFTER and name != "send_answer" else ()))
        if name in _AFTER:
            self._expect(_AFTER[name], values[0])

    def _said_before(self, name: str, values: list[int]) -> bool:
        """The real code may say a thing twice that changes nothing."""
        state = self.state
        if name == "confirm":
            return state["confirmed"] == values[0]
        return name == "journal_is" and bool(state["journal_log"][state["session"]])

    def _expect(self, name: str, value: int) -> None:
        if self.state[name] != value:
            raise Rejected(f"{name} is {self.state[name]} in the model, {value} in the run")

    def _boot(self, acked: int, last: int, op: int, _capacity: int, log: bytes) -> None:
        state, monitor = self.state, self.monitor
        if state["up"]:
            if state["acked"] < acked == state["received"] and not state["writing"]:
                monitor.take("mark")  # power failed after the last byte of the mark
            if state["refused"] and state["mark_op"] < op == state["run_op"]:
                monitor.take("refuse_mark")  # the same, of a mark with a refusal
            monitor.take("cut_whole" if state["writing"] and last == state["last"] + 1 else "cut")
        if log not in self.logs:
            if state["log"]:
                monitor.take("replace_storage")
            monitor.take("make_log")
            self.logs[log] = state["log"]
        monitor.take("boot")
        self._expect("log", self.logs[log])
        self._expect("acked", acked)
        self._expect("last", last)
        self._expect("lane_op", op)

    def _welcome(self, session: int, _first: int) -> None:
        self.state["welcomes"].discard(session)  # a hello that arrives twice is answered twice
        self.monitor.take("welcome", session)

    def _write_accepted(self, outcome: int, op: int) -> None:
        self.monitor.take("write_accepted", outcome * _BOUNDS["K"] + op)

    def _write_ended(self, outcome: int, op: int) -> None:
        self.monitor.take("write_ended", outcome * _BOUNDS["K"] + op)

    def _send(self, seq: int) -> None:
        if self.state["next_seq"] != seq:
            self.monitor.take("rewind")
        self._expect("next_seq", seq)
        self.monitor.take("send")

    def _answer(self, op: int, outcome: int) -> None:
        self.monitor.take("answer")
        self._expect("answer_due", 8 * op + outcome)

    def _commit(self, seq: int) -> None:
        self._up_to("taken", seq, "commit")

    def _note_handled(self, seq: int) -> None:
        if self.state["handled"][self.state["host_log"]] != seq:
            self._up_to("given", seq, "note_handled")

    def _up_to(self, name: str, seq: int, step: str) -> None:
        """The writer thread takes a step with what there was when it was asked, and the loop has gone on since."""
        now = self.state[name]
        if seq > now:
            raise Rejected(f"{name} is {now} in the model, {seq} in the run")
        self.state[name] = seq
        self.monitor.take(step)
        self.state[name] = now

    def _send_command(self, op: int) -> None:
        if not self.state["pending"] and op == self.state["op_last"]:
            self.monitor.take("ask_again")
        self.monitor.take("send_command")
        self._expect("pending", op)

    def _finish(self) -> None:
        if self.state["op_open"]:  # else it was asked again, and is finished on file
            self.monitor.take("finish")

    def _peer_log(self, _seq: int) -> None:
        self.state["journal_log"][self.state["joined"]] = self.state["log"]
        self.monitor.take("take_log")

    def _peer_command(self, op: int) -> None:
        self.state["commands"][self.state["joined"]].add(op)


# -- changed runs

Change = Callable[[Sequence[Step], int], "list[Step] | None"]


def _without_commit(steps: Sequence[Step], at: int) -> list[Step] | None:
    return [*steps[:at], *steps[at + 1 :]] if _commits(steps, at) else None


def _acknowledged_first(steps: Sequence[Step], at: int) -> list[Step] | None:
    return [*steps[:at], steps[at + 1], steps[at], *steps[at + 2 :]] if _commits(steps, at) else None


def _commits(steps: Sequence[Step], at: int) -> bool:
    return steps[at][0] == "commit" and at + 1 < len(steps) and steps[at + 1][0] == "confirm"


def _after(name: str, *more: Step) -> Change:
    def change(steps: Sequence[Step], at: int) -> list[Step] | None:
        again = [steps[at] if step == () else step for step in more]
        return [*steps[: at + 1], *again, *steps[at + 1 :]] if steps[at][0] == name else None

    return change


def _sent_before(steps: Sequence[Step], at: int) -> list[Step] | None:
    if not steps[at][0].startswith("write_") or at + 1 == len(steps) or steps[at + 1][0] != "written":
        return None
    return [*steps[:at], ("send", steps[at + 1][1]), *steps[at:]]


def _one_more(steps: Sequence[Step], at: int) -> list[Step] | None:
    return [*steps[:at], ("take_ack", steps[at][1] + 1), *steps[at + 1 :]] if steps[at][0] == "take_ack" else None


def _lost(steps: Sequence[Step], at: int) -> list[Step] | None:
    step = steps[at]
    if step[0] != "boot" or not step[2]:
        return None
    return [*steps[:at], (*step[:2], step[2] - 1, *step[3:]), *steps[at + 1 :]]


def _another_answer(steps: Sequence[Step], at: int) -> list[Step] | None:
    if steps[at][0] != "take_result" or steps[at][1] not in (2, 3):
        return None
    return [*steps[:at], ("take_result", 5 - steps[at][1]), *steps[at + 1 :]]


CHANGES: dict[str, Change] = {
    "a commit left out, and acknowledged all the same": _without_commit,
    "acknowledged before the commit": _acknowledged_first,
    "a command acts twice": _after("act", ("act",)),
    "a command acts before its acceptance is recorded": _after("take_command", ("act",)),
    "an event sent before it is recorded": _sent_before,
    "one event more acknowledged": _one_more,
    "a record lost over a boot": _lost,
    "a number given twice": _after("begin_op", ("finish",), ()),
    "an event given to the program twice": _after("deliver", ()),
    "another answer": _another_answer,
}


def changed(steps: Sequence[Step], change: Change, most: int = 25) -> Iterator[list[Step]]:
    """The run with this change, at each place where it can be made."""
    for at in range(len(steps)):
        made = change(steps, at)
        if made is not None:
            yield made
            most -= 1
            if not most:
                return
