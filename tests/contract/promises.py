"""The contract: what hal/api.py promises of every port, as functions of a driver class, each a test of each port.

    hold(SimDriver, __name__)

makes them tests of the file that says so, on CPython under pytest and on the MicroPython VM alike.
"""

import sys

ALL = ("carousel", "shelves", "shoe", "draw")
AXES = ("carousel", "shelves")
ROLLERS = ("shoe",)  # one machine with motors, beams and a panel that every port has

REST, MOVING, LOST = range(3)
MASK = 0x3FFFFFFF

_promises = []


def promise(kinds, about=""):
    """Holds for machines of these kinds, where the port has them. About nothing special; about storage; about noise; or
    about what can be seen only on a fake board."""

    def keep(function):
        _promises.append((kinds, about, function))
        return function

    return keep


def promised(kind, about=("", "storage", "noise")):
    """What is promised of machines of a kind about these things."""
    import promises_axis
    import promises_board
    import promises_lines
    import promises_noise
    import promises_storage

    assert promises_axis and promises_board and promises_lines and promises_noise and promises_storage
    if "fake" in about:
        import promises_display
        import promises_fake

        assert promises_display and promises_fake
    return [function for kinds, what, function in _promises if kind in kinds and what in about]


def hold(driver, module, about=("", "storage", "noise")):
    """Every promise about these things, to which this port can be held, becomes a test of a module."""
    count = 0
    for kind in driver.kinds:
        for function in promised(kind, about):
            # Not into globals(): MicroPython's dir() finds only names that have been attributes.
            setattr(sys.modules[module], "test_%s_%s" % (function.__name__, kind), _test(function, driver, kind))
            count += 1
    assert count > 5


def _test(function, driver, kind):
    def test():
        function(driver, kind)

    return test
