"""How long interrupts had to wait: for code that masks them, or for another one's handler."""

from emulator.pico import Pico

LOOK_US = 5


class MaskedTime:
    """The longest times so far. Bursts time every change of PRIMASK and IPSR; without them the core is looked at often,
    and times are known to the microseconds between two looks."""

    def __init__(self, pico: Pico) -> None:
        self.masked_us = 0
        self.handler_us = 0
        self._bursts = pico.bursts
        self._core = pico.mcu.core
        self._masked = 0
        self._handler = 0
        self._alarm = pico.alarm(self._look)

    def start(self) -> None:
        self.masked_us = self.handler_us = self._masked = self._handler = 0
        if self._bursts:
            self._bursts.forget_waits()
        else:
            self._alarm.schedule(LOOK_US * 1000)

    def stop(self) -> None:
        self._alarm.cancel()
        if self._bursts:
            self.masked_us, self.handler_us = self._bursts.longest_waits_us()

    def _look(self) -> None:
        core = self._core
        # A core that sleeps wakes up for an interrupt, masked or not.
        masked = core.pm and not core.waiting
        self._masked = self._masked + LOOK_US if masked else 0
        self._handler = self._handler + LOOK_US if core.ipsr else 0
        self.masked_us = max(self.masked_us, self._masked)
        self.handler_us = max(self.handler_us, self._handler)
        self._alarm.schedule(LOOK_US * 1000)
