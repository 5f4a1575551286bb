"""The contract of hal/api.py, held by the port called rp2."""

from drivers import Rp2Driver
from promises import hold

hold(Rp2Driver, __name__, ("", "storage", "noise", "fake"))
