"""Ends a program between any two statements of its books: each statement that writes is met by one kill.

`Sweep` gives a kind of connection. The first time that a statement comes, the program dies before it; the program that
is started after it does the same work, and the statement is passed. So one run of a story kills at every statement of
it, and each kill meets the program that was started after the one before. With `full` the program lives, and finds the
disk full at that statement.
"""

import re
import sqlite3
from typing import Any

_TIME = re.compile(r"20\d\d-\d\d-\d\dT[\d:.]+Z")
_READS = ("SELECT", "PRAGMA", "ROLLBACK")


class Killed(BaseException):
    """The program ends here; nothing in it may notice."""


class Sweep:
    """`on`: kills happen, and are counted."""

    def __init__(self, full: bool = False) -> None:
        self.on = False
        self.full = full
        self.kills = 0
        self._met: set[str] = set()
        self._dead: list[sqlite3.Connection] = []

    def bury(self) -> None:
        """What the end of the program does with its files: close them, without a commit."""
        while self._dead:
            self._dead.pop().close()

    def meets(self, statement: str) -> bool:
        """Whether the program dies before this statement: if it comes for the first time."""
        if not self.on or statement in self._met:
            return False
        self._met.add(statement)
        self.kills += 1
        return True

    @property
    def connection(self) -> type[sqlite3.Connection]:
        sweep = self

        class Fragile(sqlite3.Connection):
            dead, last = False, ""

            def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
                if not sql.startswith(_READS):
                    statement = _TIME.sub("", f"{sql} {values}")  # the same work at another time is the same
                    # BEGIN and COMMIT are alike everywhere: what was written before tells them apart.
                    if sql.startswith(("BEGIN", "COMMIT")):
                        statement += f" after {self.last}"
                    if not self.dead and sweep.meets(statement):
                        if sweep.full:
                            raise sqlite3.OperationalError("database or disk is full")
                        self.dead = True
                        sweep._dead.append(self)  # pyright: ignore[reportPrivateUsage]
                    self.last = statement[:200]
                if self.dead:
                    raise Killed
                return super().execute(sql, *values)

        return Fragile
