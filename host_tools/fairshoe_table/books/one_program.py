"""One program for the folder of a table: two desks would give one shoe two orders."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from fairshoe.errors import UsageError
from fairshoe.files import held_alone

LOCK = "table.lock"


@contextmanager
def one_program(folder: Path) -> Generator[None]:
    """Hold the folder. Looking at books and entering racks needs no hold."""
    with ExitStack() as held:
        try:
            held.enter_context(held_alone(folder / LOCK))
        except BlockingIOError as error:
            advice = "End it first; `fairshoe table books` and `rack` work beside it."
            raise UsageError(f"another program serves the table in {folder}.", advice) from error
        except OSError as error:
            raise UsageError(f"{folder} cannot be used: {error.strerror}.", "Check folder and permission.") from error
        yield
