"""The errors of this library, each with what to do next. `exit_code` is the exit status of the command line."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from enum import IntEnum


class Exit(IntEnum):
    """The exit statuses of the command line. The message on standard error says more than the number."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    INPUT = 3
    PORT = 4
    DEVICE = 5
    PROOF = 6
    UNPROVED = 7
    BUILD = 8
    STORAGE = 9
    PARTIAL = 10
    INTERNAL = 70  # as in sysexits.h
    INTERRUPTED = 130  # as shells have it: 128 and the number of SIGINT

    @property
    def meaning(self) -> str:
        return _MEANINGS[self]


_MEANINGS = {
    Exit.DONE: "done",
    Exit.FAILED: "the command ran, and the result is negative: a check failed, a round is void, no shoe was found",
    Exit.USAGE: "wrong arguments or settings",
    Exit.INPUT: "a file cannot be used: board, game, plan, scenario, capture, report, release, image or key",
    Exit.PORT: "the port cannot be opened, is in use, or went away",
    Exit.DEVICE: "the device does not answer, refuses, could not start, or did not do what it was asked",
    Exit.PROOF: "a proof failed: journal, seed, signature, files or version are not what they must be",
    Exit.UNPROVED: "nothing is wrong, and not everything is proved: a key, a seal or a seed is missing",
    Exit.BUILD: "files or an image cannot be built",
    Exit.STORAGE: "a file cannot be read or written: check permissions and free space",
    Exit.PARTIAL: "what is there is proved, and the beginning or the end of the records is missing",
    Exit.INTERNAL: "internal error: please report it",
    Exit.INTERRUPTED: "interrupted (Ctrl-C)",
}


_NEAR = 0.75  # of difflib: a hint below that would be a guess


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that a mistyped one means, for "did you mean"."""
    from difflib import get_close_matches  # needed only after a mistake

    return next(iter(get_close_matches(name, list(known), 1, _NEAR)), None)


def install_advice(extra: str) -> str:
    """How to get the packages of an extra. pip finds fairshoe itself installed, wherever it came from."""
    return f"Install what it needs: pip install 'fairshoe[{extra}]'; in a clone: make ready."


class FairshoeError(Exception):
    """Base of every error this library raises on purpose."""

    exit_code: Exit = Exit.FAILED

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(f"{what} {advice}".strip())
        self.what = what
        self.advice = advice


class UsageError(FairshoeError):
    """Invalid arguments."""

    exit_code = Exit.USAGE


class QueueFull(UsageError):
    """More commands wait for one shoe than its queue holds."""


class BoardError(FairshoeError):
    """A board config that does not exist or cannot work."""

    exit_code = Exit.INPUT


class GameError(FairshoeError):
    """A game without a profile."""

    exit_code = Exit.INPUT


class PortError(FairshoeError):
    """A port that cannot be opened."""

    exit_code = Exit.PORT


class PortBusy(PortError):
    """A port that another program has open."""


def cannot_listen(host: str, port: int, error: Exception, option: str = "--port") -> PortError:
    """A server's address that cannot be used: the same message and exit status for every server."""
    number = error.errno if isinstance(error, OSError) else None
    kind = PortBusy if number == errno.EADDRINUSE else PortError
    why = os.strerror(number) if number else str(error)  # asyncio adds the address to its own text
    return kind(f"cannot listen on {host}:{port}: {why}.", f"Choose another with {option}.")


class PortLost(FairshoeError):
    """A port that disappeared."""

    exit_code = Exit.PORT


class WrongDevice(PortLost):
    """Another device than the one that was expected answers on this port."""


class StorageReplaced(PortLost):
    """The device no longer has events that it delivered before."""


class NoAnswer(FairshoeError):
    """No answer of a shoe on the port, or not in time."""

    exit_code = Exit.DEVICE


class WrongKey(NoAnswer):
    """A shoe answers, and has another key than we have."""


class SimulatorError(FairshoeError):
    """The simulated shoe did not start or stopped early."""

    exit_code = Exit.DEVICE


class StoreError(FairshoeError):
    """The file with events and operation numbers cannot be read or written."""

    exit_code = Exit.STORAGE


class KeyFileError(FairshoeError):
    """A key file that is missing, open to others or not a key."""

    exit_code = Exit.INPUT


class HelloRefused(FairshoeError):
    """The device refuses the session; `why` is its reason, if it gave one."""

    exit_code = Exit.DEVICE

    def __init__(self, what: str, advice: str, why: int | None = None) -> None:
        super().__init__(what, advice)
        self.why = why


class AuditFailed(FairshoeError):
    """The records of a shuffle contradict each other, or the given seed."""

    exit_code = Exit.PROOF


class NonceAltered(AuditFailed):
    """The device recorded another nonce than this table gave it."""


class DeckNotShared(AuditFailed):
    """The order of the deck inside does not come from the table's nonce: it is not to be played."""


class DeviceSuspect(DeckNotShared):
    """Too many shuffles of a shift ended without the table's share: the device is to be removed."""


class DeviceHalted(FairshoeError):
    """The device answers, but its firmware could not start: see docs/FIRMWARE.md."""

    exit_code = Exit.DEVICE


# Not failures that pass: a program stops, tries nothing again, and calls a person.
ALARMS = (NonceAltered, DeckNotShared, WrongDevice, WrongKey, StorageReplaced)
