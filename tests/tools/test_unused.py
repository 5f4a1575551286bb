"""What no shipped module mentions is left out, line for line, and nothing else is."""

from fairshoe.ship.unused import drop_unused


def test_a_text_that_nobody_reads_is_left_out_and_lines_stay_where_they_were() -> None:
    sources = {"a": 'WORDS = (\n    "one"\n    " two"\n)\nNUMBER = 3\n\ndef f():\n    return NUMBER\nf()\n'}
    assert drop_unused(sources) == {"a": "\n\n\n\nNUMBER = 3\n\ndef f():\n    return NUMBER\nf()\n"}


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


def test_a_function_and_a_method_that_nobody_mentions_are_left_out() -> None:
    a = (
        "class A:\n    def first(self):\n        return 1\n\n    def lost(self):\n        return 2\n\n"
        "def g():\n    return 3\n"
    )
    assert drop_unused({"a": a, "b": "from a import A\n"})["a"] == (
        "class A:\n    def first(self):\n        return 1\n\n\n\n\n\n\n"
    ), "a class keeps its first statement"
    assert drop_unused({"a": a}, ["x.lost(g)"])["a"] == a
    called = "from a import A, g\nA().lost()\n"
    assert drop_unused({"a": a, "b": called})["a"] == a


def test_what_python_or_a_file_system_calls_by_itself_stays() -> None:
    a = (
        "class A:\n    x = 1\n    def __init__(self):\n        pass\n"
        "    def readblocks(self):\n        pass\n    @property\n    def p(self):\n        pass\n"
    )
    assert drop_unused({"a": a}) == {"a": a}
