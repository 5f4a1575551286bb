"""The errors of this library, each with what to do next. `exit_code` is the exit status of the command line."""

from __future__ import annotations


class FairshoeError(Exception):
    """Base of every error this library raises on purpose."""

    exit_code = 1

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(f"{what} {advice}".strip())
        self.what = what
        self.advice = advice


class UsageError(FairshoeError):
    """Words that do not fit together."""

    exit_code = 2


class QueueFull(UsageError):
    """More commands wait for one shoe than its queue holds."""


class BoardError(FairshoeError):
    """A board config that does not exist or cannot work."""

    exit_code = 3


class GameError(FairshoeError):
    """A game without a profile."""

    exit_code = 3


class PortError(FairshoeError):
    """A port that cannot be opened."""

    exit_code = 4


class PortBusy(PortError):
    """A port that another program has open."""


class PortLost(FairshoeError):
    """A port that was there and is gone."""

    exit_code = 5


class WrongDevice(PortLost):
    """Another device than the one that was expected answers on this port."""


class StorageReplaced(PortLost):
    """The device does not remember what it has told before."""


class NoAnswer(FairshoeError):
    """Something is on the port, but it does not talk like a shoe, or not in time."""

    exit_code = 6


class WrongKey(NoAnswer):
    """A shoe answers, and has another key than we have."""


class SimulatorError(FairshoeError):
    """The simulated shoe did not start or stopped early."""

    exit_code = 7


class StoreError(FairshoeError):
    """The file with events and operation numbers cannot be read or written."""

    exit_code = 9


class KeyFileError(FairshoeError):
    """A key file that is missing, open to others or not a key."""

    exit_code = 10


class HelloRefused(FairshoeError):
    """The device is there and does not want to talk to us; `why` as it said, if it did."""

    exit_code = 11

    def __init__(self, what: str, advice: str, why: int | None = None) -> None:
        super().__init__(what, advice)
        self.why = why


class AuditFailed(FairshoeError):
    """What is on record about a shuffle does not agree with itself, or not with what was given to it."""

    exit_code = 13


class NonceAltered(AuditFailed):
    """The device recorded another nonce than this table gave it."""


class DeviceHalted(FairshoeError):
    """The device is there, and its firmware could not start: see docs/RECOVERY.md."""

    exit_code = 18
