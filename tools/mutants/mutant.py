"""One change of one file, and the tests that should notice it."""

from __future__ import annotations

from dataclasses import dataclass

UNREACHED = "no test of the clause in this mode gets there"
ENDED = "process ended with status"  # caught by no test in particular: the mutant hangs, or breaks the run itself


@dataclass(frozen=True)
class Mutant:
    name: str  # place and change: `boston-5-stud stack_cards 3 -> 4`
    path: str  # of the file, from the root of the repository
    text: str  # the whole file with the change
    about: str  # what it breaks: clauses, for a reader
    tests: tuple[str, ...]  # pytest nodes, and scenarios as FILE or FILE:CASE
    probe: str = ""  # the file so broken that each test which gets there fails; empty: they all do


@dataclass(frozen=True)
class Verdict:
    caught_by: str  # the test that failed; empty: none did
    processor_s: float
