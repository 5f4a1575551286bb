"""The contract of hal/api.py, held by the port called pico2."""

from drivers import Pico2Driver
from promises import hold

hold(Pico2Driver, __name__, ("", "storage", "noise", "fake"))
