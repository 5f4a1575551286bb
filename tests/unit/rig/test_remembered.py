"""A table that is a copy of one that was played before goes on as that one would have done, byte by byte."""

import game_tables
from game_tables import Table
from remembered import remembered
from support import SLOW, raises, replaced

from rig import story

KINDS = (("carousel", "shoe"), ("shelves", "manual"))


def begun(kind, dealing, seed=3):
    return Table("boston-5-stud", kind, {"dealing": dealing}, seed)


def gone_on(table):
    if table.flow.machine.deals and not table.flow.profile.mode:
        table.deal(2)
    table.release().end()
    table.shuffle()
    table.close()
    return bytes(table.stage.transcript), table.op, table.stage.rig.plant.now_us


def test_a_copy_goes_on_like_a_table_that_was_played():
    for kind, dealing in KINDS:
        played = begun(kind, dealing)
        assert played.stage  # a look at it: from here on nothing is remembered
        expected = gone_on(played.shuffle())
        for _ in range(2):
            assert gone_on(begun(kind, dealing).shuffle()) == expected, (kind, dealing)


def test_steps_that_were_given_something_else_are_others():
    tables = [begun("carousel", "shoe", seed).shuffle().deal(boxes) for seed in (3, 4) for boxes in (1, 2)]
    assert len({bytes(table.stage.transcript) for table in tables}) == 4


def test_nothing_is_remembered_while_values_are_replaced():
    with replaced(game_tables, KEY=bytes(32)):
        other = begun("carousel", "shoe", 5).stage.transcript
    assert other != begun("carousel", "shoe", 5).stage.transcript


def test_a_step_that_fails_is_not_remembered():
    for _ in range(2):
        table = begun("carousel", "shoe", 6)
        assert raises(story.Stuck, table.deal, 2)


def test_a_step_is_played_once():
    played = []

    class Counted(Table):
        @remembered
        def shuffle(self, deck=1):
            played.append(deck)
            return super().shuffle(deck)

    for _ in range(3):
        assert Counted("boston-5-stud", seed=3).shuffle().flow.profile.deck_cards == 52
    assert len(played) == (3 if SLOW else 1)
