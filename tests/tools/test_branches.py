"""Ways that a board cannot take are closed, line for line; all others are left as they were."""

import pytest

from fairshoe.ship.branches import close_branches
from fairshoe.ship.mpy_compile import compile_mpy


def closed(source: str) -> str:
    result = close_branches(source, lambda name: name.startswith("home"))
    compile(result, "x.py", "exec")
    assert result.count("\n") == source.count("\n")
    return result


CHAIN = (
    "def make(kind):\n"
    "    if kind == 'a':\n        from home.a import K\n"
    "    elif kind == 'b':\n        from here.b import K\n"
    "    elif kind == 'é':\n        from home.c import K\n"
    "    else:\n        raise ValueError(kind)\n"
    "    return K()\n"
)


def test_only_the_way_whose_module_is_there_stays_open() -> None:
    assert closed(CHAIN) == CHAIN.replace("kind == 'a'", "0").replace("kind == 'é'", "0")


def test_an_else_that_cannot_be_taken_makes_its_condition_true() -> None:
    source = "if x in y:\n    from here import a\nelse:\n    from home import b\n"
    assert closed(source) == source.replace("x in y", "1")


def test_a_condition_over_lines_keeps_its_lines() -> None:
    source = "if (\n    x\n    and y  # why\n):\n    import home.x\nmark()\n"
    assert closed(source).split("\n")[5] == "mark()"


@pytest.mark.parametrize(
    "source",
    [
        "if x:\n    from here import a\n",
        "from home import a\nif x:\n    a()\n",  # not in a branch
        "if x:\n    if y:\n        pass\n    a()\n",
        "if x:\n    import there.home\n",
        "while x:\n    from home import a\n",
    ],
)
def test_everything_else_is_left_alone(source: str) -> None:
    assert closed(source) == source


def test_the_compiler_leaves_out_what_is_closed() -> None:
    short = compile_mpy(closed(CHAIN), "m", "-O3", "-march=armv6m")
    whole = compile_mpy(CHAIN, "m", "-O3", "-march=armv6m")
    assert len(short) < len(whole) - 20
    assert b"here.b" in short and b"home" not in short
