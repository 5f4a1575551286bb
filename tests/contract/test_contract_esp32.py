"""The contract of hal/api.py, held by the port called esp32."""

from drivers import Esp32Driver
from promises import hold

hold(Esp32Driver, __name__, ("", "storage", "noise", "fake"))
