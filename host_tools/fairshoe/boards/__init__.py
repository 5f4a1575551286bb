"""Board configs: find, load and check them, against the schema, the pins of the chip and the limits of a mechanism.

No game, no port, no simulator. Imports only the modules at the top of fairshoe.
"""

DEFAULT_BOARD = "pico-carousel"  # where none is named
