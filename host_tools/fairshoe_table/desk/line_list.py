"""The lines of a settlement as the dealer works them off: what to do for each, and whether it is done.

A correction may change a line that is done already. Then its successor says what to move now: the difference.
"""

from __future__ import annotations

from dataclasses import dataclass

from fairshoe_table.books.books import Books
from fairshoe_table.desk import prompts
from fairshoe_table.rules.ledger import IN_SUSPENSE, Line, Outcome
from fairshoe_table.rules.money import dollars


@dataclass(frozen=True)
class ShownLine:
    """`line` is the one that stands; of a line that was reversed and has no successor, the one that was done."""

    key: str
    line: Line
    text: str
    done: bool


def shown_lines(books: Books, number: int) -> list[ShownLine]:
    """In the order in which they were booked."""
    done = {fact.key for fact in books.inputs(number) if fact.kind == "done"}
    newest: dict[str, ShownLine] = {}
    moved: dict[str, Line | None] = {}  # what the chips of a line lie by now
    versions: dict[str, int] = {}
    for name, line in books.history(number):
        versions[name] = versions.get(name, 0) + 1
        key = f"done:{name}:{versions[name]}"
        newest.pop(name, None)
        before = moved.get(name)
        if line is not None:
            text = prompts.for_line(line).do if before is None and not line.state else _instead(before or line, line)
            newest[name] = ShownLine(key, line, text, key in done)
        elif before is not None:
            newest[name] = ShownLine(key, before, f'correction: undo "{prompts.for_line(before).do}"', key in done)
        if key in done:
            moved[name] = line
    return list(newest.values())


def _instead(before: Line, now: Line) -> str:
    """What to move when the chips lie as if `before` were right."""
    change, who = now.net - before.net, prompts.whose(now)
    if now.state == IN_SUSPENSE:
        return f"dispute: {dollars(now.paid)} of {now.wager} of {who} is in suspense; a supervisor decides"
    head = "void" if now.outcome is Outcome.VOID else "correction"
    if not change:
        return f"{head}: nothing to move for {now.wager} of {who}"
    move = f"pay {who} {dollars(change)} more" if change > 0 else f"take {dollars(-change)} back from {who}"
    return f"{head}: {move} ({now.wager}: {prompts.for_line(now).do})"
