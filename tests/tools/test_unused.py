"""What no shipped module mentions is left out, line for line, and nothing else is."""

from fairshoe.ship.unused import drop_unused


def test_a_text_that_nobody_reads_is_left_out_and_lines_stay_where_they_were() -> None:
    sources = {"a": 'WORDS = (\n    "one"\n    " two"\n)\nNUMBER = 3\n\ndef f():\n    return NUMBER\n'}
    assert drop_unused(sources) == {"a": "\n\n\n\nNUMBER = 3\n\ndef f():\n    return NUMBER\n"}


def test_what_another_module_imports_or_reaches_through_the_module_stays() -> None:
    a = 'ONE = "x"\nTWO = "y"\nTHREE = "z"\n'
    b = "from a import ONE\nimport a\n\nprint(a.TWO)\n"
    assert drop_unused({"a": a, "b": b}) == {"a": 'ONE = "x"\nTWO = "y"\n\n', "b": b}


def test_what_only_made_something_unused_goes_as_well() -> None:
    assert drop_unused({"a": 'PART = "x"\nWHOLE = (PART, "y")\nKEPT = print(1)\n'})["a"] == (
        'PART = "x"\nWHOLE = (PART, "y")\nKEPT = print(1)\n'
    ), "a name is no constant: whoever wants it dropped writes it out"
    assert drop_unused({"a": 'WHOLE = ("x", "y")\n'}) == {"a": "\n"}


def test_what_does_something_is_never_left_out() -> None:
    source = "made = make()\n__version__ = '1'\nvalues = [1]\n"
    assert drop_unused({"a": source}) == {"a": source}
