"""What is checked: the bounds of every run, and errors that are planted in a table to see them found.

N is one more than the highest sequence number, S, LOGS and OPS likewise of sessions, logs and operations; CAP is the
ring's capacity in records, WINDOW how many events may be under way. CUTS, KILLS, FAILS, CRASHES and DIES bound how
often power, a process and storage fail; BATCH is one more than the most events in a message.
"""

from __future__ import annotations

from dataclasses import dataclass

from model.steps import Table, source_of

_JOURNAL = {"K": 16, "WINDOW": 2, "OPS": 1, "LOGS": 2, "CUTS": 1, "KILLS": 0, "FAILS": 0, "TOKENS": 3, "DELIVER": 0}


def _journal(**bounds: int) -> dict[str, int]:
    return {**_JOURNAL, **bounds}


_NEVER = dict.fromkeys(("CRASHES", "DIES", "LOSSES", "RESTORES", "POISONS"), 0)
_FLOOR = {"LOGS": 2, "CONS": 2, "LEASES": 5, "BATCH": 2, **_NEVER}


def _floor(**bounds: int) -> dict[str, int]:
    return {**_FLOOR, **bounds}


RUNS: dict[str, tuple[str, dict[str, int]]] = {
    "events": ("journal", _journal(CAP=2, N=4, S=3, KILLS=1)),
    "program": ("journal", _journal(CAP=2, N=3, S=3, CUTS=0, KILLS=1, TOKENS=2, DELIVER=1)),
    "logs": ("journal", _journal(CAP=2, N=3, S=3, LOGS=3)),
    "commands": ("journal", _journal(CAP=6, WINDOW=0, N=6, S=3, OPS=2, KILLS=1, TOKENS=0)),
    "two-commands": ("journal", _journal(CAP=8, WINDOW=0, N=8, S=3, OPS=3, TOKENS=0)),
    "ring": ("journal", _journal(CAP=4, WINDOW=1, N=7, S=2, OPS=2, CUTS=2, TOKENS=0)),
    "failing-writes": ("journal", _journal(CAP=2, N=4, S=3, LOGS=3, FAILS=1)),
    "failing-commands": ("journal", _journal(CAP=6, WINDOW=0, N=6, S=3, OPS=2, FAILS=1, TOKENS=0)),
    "floor": ("floor", _floor(N=4, M=6, CRASHES=1, DIES=1, LEASES=4)),
    "floor-logs": ("floor", _floor(N=3, LOGS=3, M=4, LEASES=2)),
    "floor-lease": ("floor", _floor(N=3, M=4, DIES=2, CONS=3, LEASES=4, CRASHES=1)),
    "floor-gaps": ("floor", _floor(N=4, M=5, LOSSES=1, CRASHES=1, LEASES=3)),
    "floor-restored": ("floor", _floor(N=4, M=6, RESTORES=1, LEASES=3)),
    "floor-batches": ("floor", _floor(N=4, M=5, BATCH=3, DIES=1, CRASHES=1, LEASES=3)),
    "floor-letters": ("floor", _floor(N=3, M=4, POISONS=1, CRASHES=1, RESTORES=1, LEASES=4)),
    "key-cuts": ("key", {"GENERATIONS": 6, "CUTS": 3, "FAILS": 0}),
    "key-failing-writes": ("key", {"GENERATIONS": 6, "CUTS": 3, "FAILS": 3}),
}


@dataclass(frozen=True)
class Planted:
    """An error in the design: what the table says, and what it would say then; `run` must find it."""

    name: str
    run: str
    changes: tuple[tuple[str, str], ...]


_SEND = "    assert cell[next_seq % CAP] == next_seq\n    sent[session * N + next_seq] = body[next_seq % CAP]\n"
_SEND_EARLY = """\
    sent[session * N + next_seq] = body[next_seq % CAP]
    if next_seq > last:
        sent[session * N + next_seq] = writing
"""
_LOG_FAILS = "    fails = fails + 1\n    drawn = drawn + 1"
_LOG_IGNORED = "\n    up = 1\n    own_log = drawn\n    boot_due = 1\n    next_seq = 1"
_ACTS = "when(up and job == 2 and not writing)\n    job = 3\n    assert lane_op == run_op and acted"
_DOUBT = "    if run_outcome == 1:\n        run_outcome = 4\n        end_due = 4 * K + run_op"
_ROWS_FIRST = "    store_message(c)\n    place = read[c]\n    place_stamp = stamp[read[c]]\n"
_PLACE_FIRST = """\
    if place == read[c] and place_stamp == stamp[read[c]]:
        store_message(c)
    else:
        place = read[c]
        place_stamp = stamp[read[c]]
        read[c] = read[c] - 1
"""
PLANTED = (
    Planted(
        "an event is sent before it is durable",
        "events",
        (
            ("and next_seq <= last and", "and (next_seq <= last or (writing and next_seq == last + 1)) and"),
            (_SEND, _SEND_EARLY),
        ),
    ),
    Planted(
        "the host acknowledges before its commit",
        "events",
        (
            (
                "confirmed < stored[host_log])\n    confirmed = stored[host_log]",
                "confirmed < taken)\n    confirmed = taken",
            ),
        ),
    ),
    Planted("a repetition acknowledges what is not stored", "events", (("n and n <= confirmed", "n and n <= taken"),)),
    Planted("the ring is freed before the mark", "events", (("last - acked < CAP", "last - received < CAP"),)),
    Planted(
        "the host does not ask which log it is", "logs", (("    log_due = 1", "    log_due = 0 + (host_log == 0)"),)
    ),
    Planted(
        "the host knows an event by its number alone",
        "logs",
        (("    if host_log != journal_log[joined]:", "    if not host_log:"),),
    ),
    Planted(
        "the device takes an acknowledgement of another session",
        "logs",
        (("n in acks[session] and", "(n in acks[session] or n in acks[1]) and"),),
    ),
    Planted(
        "a boot goes on though its log is not written",
        "failing-writes",
        (
            (
                _LOG_FAILS,
                _LOG_FAILS + _LOG_IGNORED,
            ),
        ),
    ),
    Planted(
        "a boot forgets the last operation",
        "commands",
        (("            if body[i] / K:\n                restore(body[i] % K, body[i] / K)", "            pass"),),
    ),
    Planted(
        "a command acts before its acceptance is durable",
        "commands",
        ((_ACTS, "when(up and job and job < 3 and not writing)\n    job = 3\n    assert acted"),),
    ),
    Planted(
        "a refusal is answered before its mark",
        "commands",
        (("not writing and not refused)\n    answer_due", "not writing)\n    answer_due"),),
    ),
    Planted("a number is sent that is not on file", "commands", (("    op_last = op\n    op_open = op\n", ""),)),
    Planted(
        "a command in doubt acts again after a boot",
        "commands",
        ((_DOUBT, "    if run_outcome == 1:\n        job = 2"),),
    ),
    Planted(
        "an acceptance found later in the ring replaces its outcome",
        "ring",
        (("(op == lane_op and outcome > 1 and (", "(op == lane_op and ("),),
    ),
    Planted(
        "a new key is in force after its second write alone",
        "key-failing-writes",
        (
            ("    key = old + 1\n    due = (generation + 1) / 2\n    stage = 2", "    stage = 2"),
            (
                "    overwrite()\n    stage = 0",
                "    key = old + 1\n    overwrite()\n    due = (generation + 1) / 2\n    stage = 0",
            ),
        ),
    ),
    Planted(
        "a boot leaves the key before this one",
        "key-cuts",
        (("        overwrite()\n    announce()", "        pass\n    announce()"), ("generation % 2 == 0 and ", "")),
    ),
    Planted(
        "a change found at boot is not recorded",
        "key-cuts",
        (("        due = (generation + 1) / 2\n", "        pass\n"),),
    ),
    Planted(
        "a store prunes what the broker has acknowledged",
        "floor",
        (
            (
                "            subject_last[l] = message[length] % N\n",
                "            subject_last[l] = message[length] % N\n            passed[l] = subject_last[l]\n",
            ),
        ),
    ),
    Planted(
        "a consumer notes its place before its rows",
        "floor",
        ((_ROWS_FIRST, _PLACE_FIRST),),
    ),
    Planted(
        "a place has no time of its message",
        "floor",
        (("(place > length or stamp[place] != place_stamp)", "place > length"),),
    ),
    Planted(
        "a message does not name the one before it",
        "floor",
        (("if at[l] == subject_seq[l]:", "if 1:"), ("append(l, b)\n    known.discard(l)", "append(l, b)")),
    ),
    Planted(
        "a consumer does not prove its lease",
        "floor-lease",
        (("number[c] and number[c] == lease and", "number[c] and"),),
    ),
    Planted(
        "a consumer knows an event by its number alone",
        "floor-logs",
        (("                rows[message[read[c]] / N % LOGS].add(n)\n", "                rows[1].add(n)\n"),),
    ),
    Planted(
        "a consumer stores the last event of a batch alone",
        "floor-batches",
        (("n >= begins[read[c]] and n <= message[read[c]] % N", "n == message[read[c]] % N"),),
    ),
    Planted(
        "a message that is no event is passed over without a letter",
        "floor-letters",
        (("        letters.add(stamp[read[c]])\n", "        pass\n"),),
    ),
    Planted(
        "a gap is declared for what the central record has",
        "floor-gaps",
        (
            (" or first[l] <= passed[l] + 1", ""),
            ("begins[length] = max(subject_last[l], passed[l]) + 1", "begins[length] = subject_last[l] + 1"),
        ),
    ),
    Planted(
        "an event that turned up late does not turn the cursor back",
        "floor-gaps",
        (("            if passed[l] >= n:\n                passed[l] = n - 1\n", ""),),
    ),
)


def table_of(run: str, changes: tuple[tuple[str, str], ...] = ()) -> Table:
    name, bounds = RUNS[run]
    source = source_of(name)
    for old, new in changes:
        if old not in source:
            raise ValueError(f"the table {name} does not say: {old}")
        source = source.replace(old, new)
    return Table(source, bounds)
