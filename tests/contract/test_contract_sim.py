"""The contract of hal/api.py, held by the port called sim."""

from drivers import SimDriver
from promises import hold

hold(SimDriver, __name__)
