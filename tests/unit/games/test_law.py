"""The law of each game, clause by clause: a test plays the rows of rules/law whose headers begin with its clause."""

from law_table import check_rows

from rig.law import GAMES, law_of, test_name


def _test_of(rows):
    def test():
        check_rows(rows)

    return test


_ROWS = {}
for _game in GAMES:
    for _row in law_of(_game):
        _ROWS.setdefault(test_name(_row), []).append(_row)
for _name in _ROWS:
    globals()[_name] = _test_of(_ROWS[_name])
