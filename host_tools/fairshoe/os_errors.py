"""What the system refuses, as an error of this library."""

import contextlib
from collections.abc import Generator

from fairshoe.errors import FairshoeError


@contextlib.contextmanager
def os_errors_as(kind: type[FairshoeError], what: str, advice: str) -> Generator[None]:
    """An OSError inside becomes an error of this kind, which says what failed, the system's reason, and what to do."""
    try:
        yield
    except OSError as error:
        raise kind(f"{what}: {error.strerror or error}.", advice) from error
