"""The contract of hal/api.py, held by the port called stm32."""

from drivers import Stm32Driver
from promises import hold

hold(Stm32Driver, __name__, ("", "storage", "noise", "fake"))
