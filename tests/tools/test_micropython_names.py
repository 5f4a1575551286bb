"""The table of names that belong to MicroPython is the one that the pinned stubs give."""

import gen_micropython_names as generator

from fairshoe.ship.foreign import TABLE, foreign_names


def test_the_table_is_what_the_stubs_say() -> None:
    text = TABLE.read_text(encoding="utf-8")
    assert text == generator.table(), "run tools/gen_micropython_names.py"


def test_stubs_name_attributes_functions_arguments_and_classes() -> None:
    stub = "LOW: int = 0\nclass Pin:\n    OUT = 1\n    def irq(self, handler, *, wake=0): ...\nasync def go(): ...\n"
    assert generator.names_of([stub]) == {"LOW", "Pin", "OUT", "irq", "handler", "wake", "go"}


def test_only_what_a_source_can_come_across_is_foreign() -> None:
    pins = foreign_names(["from machine import Pin\n"])
    none = foreign_names(["x = 1\n"])
    assert "irq" in pins.names
    assert "irq" not in none.names
    assert "append" in none.names
    assert {"print", "len"} <= none.builtins
    assert {"machine", "os"} <= none.modules
