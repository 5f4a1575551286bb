"""What `make hil` judges: the least that is free, the largest block and the stack, with and without an intake."""

from hil import report

RESTS = """\
@ heap_rest 0 81000 112000
@ heap_rest 1 81500 111000
@ stack 5500 8192
@ largest 94560
"""


def figures(printed: str) -> dict[str, report.Row]:
    return {row.name: row for row in report.round_rows(report.words_of(printed), 1, True, extra=100)}


def test_the_least_that_is_free_is_that_of_all_rests_and_of_the_end_of_an_intake() -> None:
    assert figures(RESTS)["heap free, least"].value == 110900
    intake = figures(RESTS + "@ heap_least 49000\n")["heap free, least"]
    assert intake.value == 48900 and not intake.kept


def test_a_quarter_of_the_stack_stays_free() -> None:
    assert figures(RESTS)["stack used"].kept
    assert not figures(RESTS.replace("5500", "6145"))["stack used"].kept
