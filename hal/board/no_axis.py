"""A machine without an axis: every move reports it as lost, like an axis that does not find home."""

from micropython import const

_LOST = const(2)
_NOWHERE = const(0xFFFF)


class NoAxis:
    """The interface of an axis."""

    def __init__(self) -> None:
        self.state = 0
        self.resting = False
        self.early = 0

    def move(self, places: int, home: bool) -> None:
        self.state = _LOST

    def step(self, steps: int, pace: int) -> None:
        self.state = _LOST

    def home_at(self) -> int:
        return _NOWHERE

    def service(self) -> None:
        """Nothing to do: it never moves."""

    def halt(self) -> None:
        """Nothing turns."""
