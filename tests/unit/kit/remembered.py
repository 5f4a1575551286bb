"""Tables that have been played once: the next test that begins the same way takes a copy.

More than half of the time of the games' tests went into the shuffle that brings a table to its first deal, a thousand
times the same ones. A device has no clock and no chance but those of its simulation: equal steps from an equal start
end in equal states, and a copy costs a tenth of a shuffle. The MicroPython VM cannot copy and plays each table, so a
test which passes on a copy alone is found there. Nothing is remembered while values of a module are replaced.
"""

import json

from support import SLOW, replaced

if not SLOW:
    import copyreg
    import ctypes
    import gc
    from copy import deepcopy

    def _view(whole, start, size, kind):
        return memoryview(whole).cast("B")[start : start + size].cast(kind)

    def _reduce_view(view):
        """How deepcopy copies a view: as the same part of a copy of what it looks at."""
        if view.readonly or not view.nbytes:
            return "it cannot change"
        starts = [ctypes.addressof(ctypes.c_char.from_buffer(it)) for it in (view, view.obj)]
        return _view, (view.obj, starts[0] - starts[1], view.nbytes, view.format)

    copyreg.pickle(memoryview, _reduce_view)

_STATES = {(): (None, 0)}  # by the steps that led there: the stage, and how many commands it was given


def remembered(step):
    """A method that does something at the machine and returns the table: what it leads to is played once."""
    if SLOW:
        return step

    def taken(table, *given, **named):
        if table.path is None or replaced.blocks:
            return step(table, *given, **named)
        try:
            path = table.path + (json.dumps([step.__qualname__, given, named]),)
        except TypeError:  # what is given has no text: it may change
            return step(table, *given, **named)
        if path not in _STATES:
            played = object.__new__(type(table))
            played.__dict__.update(table.__dict__)
            played._take()
            step(played, *deepcopy(given), **deepcopy(named))
            _STATES[path] = played.stage, played.op
            gc.freeze()  # what is kept for good: looking for garbage among it would cost more than the copies
        table.path = path
        return table

    return taken


class Remembered:
    """What has a stage and a number of commands: those of its path, until the first look at them takes a copy."""

    def __init__(self):
        self.path = ()
        self._stage = None
        self._op = 0

    def _take(self):
        if self.path is not None:
            self._stage, self._op = deepcopy(_STATES[self.path]) if self.path else _STATES[()]
            self.path = None

    @property
    def stage(self):
        self._take()
        return self._stage

    @property
    def glance(self):
        """The stage for a look that changes nothing, and so needs no copy."""
        return _STATES[self.path][0] if self.path else self._stage

    @stage.setter
    def stage(self, stage):
        self._take()
        self._stage = stage

    @property
    def op(self):
        self._take()
        return self._op

    @op.setter
    def op(self, op):
        self._take()
        self._op = op
