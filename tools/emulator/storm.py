"""A storm on input pins: each toggles at a frequency until it is calm, whatever the plant shows there."""

from collections.abc import Callable

from emulator.pico import Pico


class Storm:
    """The pins of one board that toggle. They start out of step, so that no two change in the same instant."""

    def __init__(self, pico: Pico, pins: dict[str, int], hz: int) -> None:
        self.pins = frozenset(pins.values())
        self._pico = pico
        self.edges = 0  # changes so far
        self._half_ns = 5e8 / hz
        self._levels = dict.fromkeys(pins.values(), False)
        self._alarms = [pico.alarm(self._toggle(pin, at)) for at, pin in enumerate(self._levels)]
        for at, alarm in enumerate(self._alarms):
            alarm.schedule(self._half_ns * (at + 1) / len(self._alarms))

    def end(self) -> None:
        for alarm in self._alarms:
            alarm.cancel()

    def _toggle(self, pin: int, at: int) -> Callable[[], None]:
        def toggle() -> None:
            self._levels[pin] = not self._levels[pin]
            self.edges += self._pico.level(pin) != self._levels[pin]
            self._pico.drive(pin, self._levels[pin])
            self._alarms[at].schedule(self._half_ns)

        return toggle
