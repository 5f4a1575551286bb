"""The law of each game: rules/law/GAME.law, row by row."""

from law_table import check_law


def test_the_law_of_boston_5_stud():
    check_law("boston-5-stud")


def test_the_law_of_caribbean_stud():
    check_law("caribbean-stud")


def test_the_law_of_double_cross_poker():
    check_law("double-cross-poker")


def test_the_law_of_double_down_stud():
    check_law("double-down-stud")
