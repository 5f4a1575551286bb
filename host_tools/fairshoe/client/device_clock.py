"""Set the clock of a device: after each of its boots, once a day, and whenever the program asks.

A device has no battery: after a boot its clock is not set, and its records say 0 until a host has sent the time.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from fairshoe.link.session import HostSession
from fairshoe.messages import Role, TimeIs, TimeSet, Welcome

EPOCH_S = 1_577_836_800  # 2020-01-01T00:00:00Z, from which a device counts
NEAR_S = 2  # a clock that is right within this is left alone: setting it costs a record
KEEP_S = 86400.0  # a crystal that is off by 30 ppm is off by 3 s after so long
RESEND_S = 1.0
ROLES = (Role.RECORDER, Role.TABLE, Role.SERVICE)


class DeviceClock:
    """What is due to be said about the time. `automatic`: set it after every boot of the device, and keep it."""

    def __init__(self, automatic: bool) -> None:
        self.automatic = automatic
        self.host_s: Callable[[], float] = time.time  # UTC in seconds since 1970
        self.answer: TimeIs | None = None  # to the last `ask`
        self.due = False
        self._asked = False  # by the program
        self._boot = 0
        self._keep_at: float | None = None  # when it is set again, once it was right
        self.again_at = 0.0

    def opened(self, welcome: Welcome) -> None:
        """A session has begun."""
        self.again_at = 0.0
        if self.automatic and welcome.role in ROLES and welcome.boot != self._boot:
            self.due = True

    def heard(self, welcome: Welcome, utc_s: int) -> None:
        """The device has said what its clock shows: leave it alone if that is right."""
        if not self._asked and abs(utc_s - self._utc_s()) <= NEAR_S:
            self._boot = welcome.boot
            self.due = False

    def ask(self) -> None:
        """Set it, whatever it shows."""
        self.answer = None
        self.due = self._asked = True
        self.again_at = 0.0

    def tick(self, session: HostSession, now: float) -> None:
        """Send the time if it is due. A device that cannot record the change does not answer: repeat it."""
        if self.automatic and session.welcome is not None and session.welcome.role in ROLES:
            self._keep_at = self._keep_at or now + KEEP_S
            if now >= self._keep_at:
                self.due, self._keep_at = True, now + KEEP_S
        if self.due and not session.log_due and now >= self.again_at:
            self.again_at = now + RESEND_S
            session.send(TimeSet(self._utc_s()))

    def take(self, welcome: Welcome, answer: TimeIs) -> None:
        """The device's answer."""
        self._boot = welcome.boot
        self.due = self._asked = False
        self.answer = answer

    def _utc_s(self) -> int:
        return max(0, round(self.host_s()) - EPOCH_S)
