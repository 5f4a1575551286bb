"""Records the steps of tables/journal.steps while real firmware and a real host run; no line of theirs is changed.

The host is the client library (`make soak-kill`) or the rig's own (power cuts, scenarios); the role is the table's, and
one device at a time is watched. What a process does that dies before its commit is not recorded: its store forgets it.
"""

from __future__ import annotations

import contextlib
import threading
import zlib
from collections.abc import Callable, Generator, Iterator
from typing import Any

from fairshoe.client import command_queue, exchange, store, store_file
from fairshoe.link import session as host
from fairshoe.link.session import event_seq
from fairshoe.messages import Command
from firmware.journal import store as journal
from firmware.link import admission, commands, dispatch, handshake, report
from firmware.protocol import ids
from model import key_trace
from rig import peer

TABLE = ids.ROLE_TABLE
Step = tuple[Any, ...]  # its name, and what the real code had
Real = Callable[..., Any]
_NONE = 1 << 32  # no event has this number
_CONTENTS = 1 << 19  # the content of a plain record is a checksum below this


class Trace:
    """What was recorded."""

    def __init__(self) -> None:
        self.steps: list[Step] = [("start",)]  # the rig's host is there from the beginning
        self.nonces: dict[bytes, int] = {}  # sessions that were asked for, by the host's nonce
        self.numbers: dict[int, Any] = {}  # and by the device's number
        self.uncommitted: list[Step] = []
        self.uncommitted_from = _NONE  # the first event that is written and not known to be committed
        self._telling = threading.Lock()  # of what is committed: the writer's thread and a reader's
        self.keys: list[Step] = []  # of the table of the key, by key_trace

    def add(self, *step: Any) -> None:
        self.steps.append(step)

    def key_problem(self) -> str:
        return key_trace.replay_keys(self.keys)

    def process(self, name: str) -> None:
        """A host's process ends or starts; what it had not committed is gone."""
        self.uncommitted.clear()
        self.uncommitted_from = _NONE
        self.add(name)

    def ask(self, nonce: bytes) -> None:
        self.nonces[nonce] = len(self.nonces) + 1
        self.add("hello", self.nonces[nonce])

    def asked(self, nonce: bytes) -> Any:
        """The session that was asked for; None if the host is another one."""
        return self.nonces.get(nonce)

    def commit(self, real: Callable[[], None]) -> None:
        real()
        self.committed()

    def committed(self, found: int = _NONE) -> None:
        """Told by the thread that commits, or before it by one that finds an event in the file."""
        with self._telling:
            if self.uncommitted_from <= found:
                self._committed()
                self.uncommitted.clear()
                self.uncommitted_from = _NONE

    def _committed(self) -> None:
        self.steps += self.uncommitted


HOOKS: list[tuple[Any, str, Callable[..., Any]]] = []


def hook(owner: Any, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The function is called in place of the real one, with the trace and the real one first."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        HOOKS.append((owner, name, function))
        return function

    return register


@contextlib.contextmanager
def recording(trace: Trace | None = None) -> Generator[Trace]:
    """Into a new trace, or on with this one."""
    trace = trace or Trace()
    with patched([*HOOKS, *key_trace.HOOKS], trace):
        yield trace


@contextlib.contextmanager
def patched(hooks: list[tuple[Any, str, Callable[..., Any]]], trace: Any) -> Generator[None]:
    with contextlib.ExitStack() as stack:
        for owner, name, function in hooks:
            real = getattr(owner, name)
            stack.callback(setattr, owner, name, real)
            setattr(owner, name, _bound(function, trace, real))
        yield


def _bound(function: Callable[..., Any], trace: Any, real: Real) -> Real:
    def call(*args: Any) -> Any:
        return function(trace, real, *args)

    return call


def outcome_of(outcome: int, detail: int) -> int:
    """As the table numbers them."""
    if outcome == ids.OUTCOME_IN_DOUBT:
        return 4 if detail == ids.UNKNOWN_U16 else 5
    return {ids.OUTCOME_ACCEPTED: 1, ids.OUTCOME_RUNNING: 1, ids.OUTCOME_REJECTED: 3}.get(outcome, 2)


# -- device


@hook(journal.Journal, "append")
def _append(trace: Trace, real: Real, self: Any, message: int, prefix: Any, values: Any, text: Any) -> bool:
    place = len(trace.steps)
    if message in (ids.EV_COMMAND_ACCEPTED, ids.EV_COMMAND_ENDED) and values[0] == TABLE:
        outcome = 1 if message == ids.EV_COMMAND_ACCEPTED else outcome_of(values[4], values[6])
        trace.add("write_accepted" if outcome == 1 else "write_ended", outcome, values[1])
    else:
        name = "write_boot" if message == ids.EV_BOOTED else "write_plain"
        trace.add(name, 1)  # a write that power cuts short has no content
    done = real(self, message, prefix, values, text)
    if done and len(trace.steps[place]) == 2:
        content = zlib.crc32(bytes(self.payload()), message) % _CONTENTS + 1
        trace.steps[place] = (trace.steps[place][0], content)
    trace.add("written", self.seq_last) if done else trace.add("write_fails")
    return done


@hook(journal.Journal, "recover")
def _recover(trace: Trace, real: Real, self: Any, hal: Any) -> None:
    real(self, hal)
    trace.add("boot", self.seq_acked, self.seq_last, self.lanes.by_role[TABLE].op, self.capacity, bytes(self.log))


@hook(journal.Journal, "acknowledge")
def _acknowledge(trace: Trace, real: Real, self: Any, seq: int) -> bool:
    done = real(self, seq)
    if done:
        trace.add("mark", seq)
    return done


@hook(journal.Journal, "refuse")
def _refuse(trace: Trace, real: Real, self: Any, role: int, lane: Any) -> bool:
    done = real(self, role, lane)
    if role == TABLE:
        trace.add("refuse_mark" if done else "refuse_mark_fails")
    return done


@hook(journal.Journal, "keep_boot")
def _keep_boot(trace: Trace, real: Real, self: Any, boot: int) -> bool:
    done = real(self, boot)
    if done:
        trace.add("keep_boot")
    return done


@hook(journal.Journal, "attested")
def _attested(trace: Trace, real: Real, self: Any, *rest: Any) -> bytes:
    trace.add("journal_is")
    return real(self, *rest)


@hook(handshake, "_welcome")
def _welcome(trace: Trace, real: Real, shake: Any, session: Any, role: int, received: int, now: int) -> int:
    done = real(shake, session, role, received, now)
    asked = trace.asked(bytes(shake.link.host_nonce))
    if session.hmac and role == TABLE and asked is not None:
        trace.numbers[session.number] = asked
        trace.add("welcome", asked, received + 1)
    return done


@hook(admission, "_promote")
def _promote(trace: Trace, real: Real, link: Any, session: Any) -> Any:
    if session.number in trace.numbers:
        trace.add("proof", trace.numbers[session.number])
    return real(link, session)


@hook(report, "_event")
def _send(trace: Trace, real: Real, reporter: Any, seq: int) -> bool:
    done = real(reporter, seq)
    if done and reporter.link.session.role == TABLE:
        trace.add("send", seq)
    return done


@hook(dispatch, "_handle")
def _handle(trace: Trace, real: Real, reporter: Any, message: int, now: int) -> None:
    before = reporter.seq_received
    real(reporter, message, now)
    if reporter.seq_received != before:
        trace.add("take_ack", reporter.seq_received)


@hook(commands.CommandRunner, "_begin")
def _begin(trace: Trace, real: Real, self: Any, role: int, lane: Any, op: int, *rest: Any) -> None:
    real(self, role, lane, op, *rest)
    if role == TABLE:
        trace.add("refuse_command" if self.refused else "take_command", op)


@hook(commands.CommandRunner, "_act")
def _act(trace: Trace, real: Real, self: Any, *rest: Any) -> None:
    real(self, *rest)
    if self.acted and self.role == TABLE:
        trace.add("act")


@hook(commands.CommandRunner, "_end")
def _end(trace: Trace, real: Real, self: Any, role: int, outcome: int, reason: int, detail: int) -> None:
    if role == TABLE:
        if outcome == ids.OUTCOME_IN_DOUBT:
            if detail != ids.UNKNOWN_U16:
                trace.add("count_found")
        elif self.lanes.by_role[role].command == ids.CMD_RECORD and outcome == ids.OUTCOME_DONE:
            trace.add("act")
            trace.add("end_command")
        else:
            trace.add("end_command" if self.acted else "drop_command")
    real(self, role, outcome, reason, detail)


@hook(commands.CommandRunner, "_answer")
def _answer(
    trace: Trace, real: Real, self: Any, role: int, op: int, command: int, outcome: int, reason: int, detail: int
) -> None:
    real(self, role, op, command, outcome, reason, detail)
    repeats = outcome in (ids.OUTCOME_STALE, ids.OUTCOME_CONFLICT)  # of what another number had
    if role == TABLE and not repeats and reason != ids.REASON_ROLE:
        trace.add("answer", op, outcome_of(outcome, detail))


@hook(report, "link_send")
def _link_send(trace: Trace, real: Real, link: Any, session: Any, kind: int, message: int, values: Any) -> None:
    real(link, session, kind, message, values)
    if message == ids.RESULT:
        trace.add("send_answer", values[0])


# -- host: the client library


@hook(host.HostSession, "_say_hello")
def _say_hello(trace: Trace, real: Real, self: Any, now: float) -> None:
    real(self, now)
    trace.ask(bytes(self._nonce))


@hook(host.HostSession, "_open")
def _open(trace: Trace, real: Real, self: Any, frame: Any, welcome: Any, now: float) -> None:
    real(self, frame, welcome, now)
    if self.connected and self.welcome is welcome:
        trace.add("take_welcome", trace.asked(bytes(welcome.host_nonce)))


@hook(host.HostSession, "resume_after")
def _resume_after(trace: Trace, real: Real, self: Any, seq: int) -> Iterator[Any]:
    trace.add("take_log", seq)
    yield from real(self, seq)


@hook(host.HostSession, "_in_order")
def _in_order(trace: Trace, real: Real, self: Any, seq: int) -> bool:
    new = real(self, seq)
    if new or seq <= self.acknowledged:
        trace.add("take_event" if new else "repeated", seq)
    return new


@hook(host.HostSession, "acknowledge")
def _confirm(trace: Trace, real: Real, self: Any, seq: int) -> None:
    trace.add("confirm", seq)
    real(self, seq)


@hook(host.HostSession, "send")
def _send_command(trace: Trace, real: Real, self: Any, message: Any) -> None:
    if isinstance(message, Command) and self.connected:
        trace.add("send_command", message.op)
    real(self, message)


@hook(store_file.StoreFile, "put_rows")
def _put_rows(trace: Trace, real: Real, self: Any, db: Any, rows: Any) -> None:
    if rows:  # of each, its log and number come first
        trace.uncommitted.append(("commit", rows[-1][1]))
        trace.uncommitted_from = min(trace.uncommitted_from, rows[0][1])
    real(self, db, rows)


@hook(store_file.StoreFile, "put_handled")
def _put_handled(trace: Trace, real: Real, self: Any, db: Any, handled: Any) -> None:
    trace.uncommitted += [("note_handled", seq) for seq in handled.values()]
    real(self, db, handled)


@hook(store, "_put_lane")
def _put_lane(trace: Trace, real: Real, db: Any, device: int, role: int, lane: Any) -> None:
    trace.uncommitted.append(("begin_op", lane.op))
    real(db, device, role, lane)


@hook(store, "_note_finished")
def _note_finished(trace: Trace, real: Real, db: Any, values: Any) -> None:
    trace.uncommitted.append(("finish",))
    real(db, values)


@hook(store_file.StoreFile, "_commit")
def _commit(trace: Trace, real: Real, self: Any, db: Any) -> None:
    trace.commit(lambda: real(self, db))


@hook(store.Store, "unhandled")
def _unhandled(trace: Trace, real: Real, self: Any, log: int, after: int, limit: int) -> Any:
    found = real(self, log, after, limit)
    if found:
        trace.committed(event_seq(found[-1]) or 0)
    return found


@hook(exchange.Core, "next_message")
def _next_message(trace: Trace, real: Real, self: Any) -> Any:
    message = real(self)
    seq = None if message is None else event_seq(message)
    if seq is not None:
        trace.add("deliver", seq)
    return message


@hook(command_queue.CommandQueue, "settle")
def _settle(trace: Trace, real: Real, self: Any, welcome: Any, result: Any, statuses: int) -> None:
    pending = self.current
    if pending is not None and result.op == pending.op and result.outcome not in _OPEN:
        trace.add("take_result", outcome_of(result.outcome, result.detail))
    real(self, welcome, result, statuses)


_OPEN = (ids.OUTCOME_ACCEPTED, ids.OUTCOME_RUNNING)


# -- host: the rig's own, which keeps one log and does not ask for it


@hook(peer.Peer, "hello")
def _peer_hello(trace: Trace, real: Real, self: Any) -> bytes:
    data = real(self)
    if self.role == TABLE:
        trace.ask(bytes(self.nonce))
    return data


@hook(peer.Peer, "_open")
def _peer_open(trace: Trace, real: Real, self: Any, number: int, hmac: Any) -> None:
    real(self, number, hmac)
    if self.role == TABLE:
        trace.add("take_welcome", trace.asked(bytes(self.nonce)))
        trace.add("peer_log", self.seq_last)


@hook(peer.Peer, "_event")
def _peer_event(trace: Trace, real: Real, self: Any, frame: Any, message: int, codes: Any) -> Any:
    before = self.seq_last
    answer = real(self, frame, message, codes)
    seq = int.from_bytes(frame[8:12], "little")
    if self.role != TABLE:
        return answer
    if seq == before + 1:
        trace.add("take_event", seq)
        trace.add("commit", seq)
        if self.acknowledges:
            trace.add("confirm", seq)
    elif seq <= before and self.acknowledges:
        trace.add("repeated", seq)
    return answer


@hook(peer.Peer, "command")
def _peer_command(trace: Trace, real: Real, self: Any, op: int, *rest: Any) -> bytes:
    if self.role == TABLE:
        trace.add("peer_command", op)
    return real(self, op, *rest)
