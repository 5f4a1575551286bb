"""The law of each game, clause by clause: a test plays the rows of rules/law whose headers begin with its clause."""

import sys

from law_table import check_rows

from rig.law import GAMES, law_of


def _test_of(rows):
    def test():
        check_rows(rows)

    return test


_ROWS = {}
for _game in GAMES:
    for _row in law_of(_game):
        _ROWS.setdefault(_row.clause, []).append(_row)
for _clause in _ROWS:
    # Not by globals(): MicroPython lists only names that it has interned.
    setattr(sys.modules[__name__], "test_" + _clause.replace("-", "_"), _test_of(_ROWS[_clause]))
