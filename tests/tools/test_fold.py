"""Folded sources are the same program: constants as numbers, lines where they were, looked-up names kept."""

from collections.abc import Callable
from pathlib import Path

import pytest
import size

from fairshoe.ship import fold
from fairshoe.ship.mpy_compile import compile_mpy

ROOT = Path(__file__).resolve().parents[2]
ShipOnce = Callable[[str], tuple[list[size.Shipped], Path]]
CONST = "from micropython import const\n"
A = CONST + "X = const(5)\nY = const(X * 2 - 1)\nLOW = const(-1)\ndef f():\n    return X\n"


def folded(user: str, a: str = A, **more: str) -> str:
    """A module that uses the constants of `a`, folded together with it."""
    return fold.fold({"a": a, "user": user, **more}).sources["user"]


def kept(user: str, a: str = A, **more: str) -> dict[str, str]:
    return fold.fold({"a": a, "user": user, **more}).kept


# --- what becomes a number ---------------------------------------------------------------------


def test_an_imported_constant_becomes_a_number_and_its_import_goes() -> None:
    assert folded("from a import X\nprint(X, X+1)\n") == "\nprint(5, 5+1)\n"


def test_an_import_keeps_the_names_that_are_no_constants() -> None:
    assert folded("from a import X, f, Y\nprint(f(X, Y))\n") == "from a import f\nprint(f(5, 9))\n"
    assert folded("from a import LOW, X, f as g\nprint(g(X, LOW))\n") == "from a import f as g\nprint(g(5, (-1)))\n"


def test_a_constant_under_another_name_is_found() -> None:
    assert folded("from a import X as other\nX = 'mine'\nprint(other, X)\n") == "\nX = 'mine'\nprint(5, X)\n"


def test_constants_of_a_module_that_was_imported_become_numbers() -> None:
    sources = {"p": "", "p.ids": CONST + "ONE = const(1)\nTEXT = 't'\n"}
    one = fold.fold({**sources, "user": "from p import ids\nprint(ids.ONE)\n"})
    assert one.sources["user"] == "\nprint(1)\n"
    both = fold.fold({**sources, "user": "from p import ids\nprint(ids.ONE, ids.TEXT)\n"})
    assert both.sources["user"] == "from p import ids\nprint(1, ids.TEXT)\n"
    whole = fold.fold({**sources, "user": "import p.ids\nprint(p.ids.ONE, p.ids.TEXT)\n"})
    assert whole.sources["user"] == "import p.ids\nprint(1, p.ids.TEXT)\n"
    assert one.kept == both.kept == whole.kept == {}


def test_chains_of_constants_are_worked_out_across_modules() -> None:
    b = CONST + "from a import X\nimport a as other\nB = const((X << 4) | other.Y & ~1)\nC = const(B // 3 % 7)\n"
    assert folded("from b import B, C\nprint(B, C)\n", b=b) == f"\nprint({5 << 4 | 8}, {88 // 3 % 7})\n"


def test_a_constant_that_was_imported_through_another_module_is_found() -> None:
    assert folded("from b import X\nprint(X)\n", b="from a import X\nprint(X)\n") == "\nprint(5)\n"


def test_an_import_inside_a_function_goes_without_emptying_it() -> None:
    assert folded("def g():\n    from a import X\n    return X\n") == "def g():\n    0\n    return 5\n"


def test_numbers_stay_apart_from_what_stands_around_them() -> None:
    assert folded("from a import X, LOW\nX.bit_length(); -LOW\nx = LOW ** X\n").splitlines()[1:] == [
        "(5).bit_length(); -(-1)",
        "x = (-1) ** 5",
    ]
    assert folded("from a import X\nprint('é', X, 'é', X)\n") == "\nprint('é', 5, 'é', 5)\n"


def test_constants_go_in_their_own_module_and_the_import_of_const_with_them() -> None:
    assert fold.fold({"a": A}).sources["a"] == "\n\n\n\ndef f():\n    return 5\n"
    private = CONST + "_LONG = const(3)\n_P = const(_LONG + _LONG)\nprint(_P)\n"
    assert fold.fold({"a": private}).sources["a"] == "\n\n\nprint(6)\n"


def test_imports_for_types_do_not_reach_the_device() -> None:
    source = "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from a import X\nelse:\n    y = 1\n"
    assert folded(source) == "\nif False:\n    from a import X\nelse:\n    y = 1\n"
    assert kept(source) == {}
    unseen = source.replace("X", "for_types")
    assert b"for_types" in compile_mpy(unseen, "user.py")
    assert b"for_types" not in compile_mpy(folded(unseen), "user.py")


def test_a_guard_that_is_not_false_is_an_if_like_any_other() -> None:
    source = "from b import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a import X\n    print(X)\n"
    assert folded(source) == "from b import TYPE_CHECKING\nif TYPE_CHECKING:\n    0\n    print(5)\n"


# --- what does not -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        "def g(X): return X",
        "def g(*X): return X",
        "def g(*, X=1): return X",
        "def g():\n    X = 1\n    return X",
        "def g():\n    for X in (1, 2): print(X)",
        "def g():\n    import X\n    return X",
        "def g():\n    try: pass\n    except OSError as X: print(X)",
        "def g():\n    with h() as X: print(X)",
        "def g():\n    def X(): pass\n    return X",
        "def g():\n    X = 1\n    def inner(): return X\n    return inner",
        "def g():\n    [X := 1 for i in h()]\n    return X",
        "g = lambda X: X",
        "g = [X for X in h()]",
        "g = {i: X for i in h() for X in i}",
        "class C:\n    X = 1\n    y = X",
    ],
)
def test_another_thing_of_the_same_name_is_left_alone(code: str) -> None:
    assert folded(f"from a import X\n{code}\nprint(X)\n") == f"\n{code}\nprint(5)\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def g(x=X): return X", "def g(x=5): return 5"),
        ("def g(X=X): return X", "def g(X=5): return X"),
        ("class C:\n    X = 1\n    def m(self): return X", "class C:\n    X = 1\n    def m(self): return 5"),
        ("g = [i for i in X if i in [X for X in i]]", "g = [i for i in 5 if i in [X for X in i]]"),
        ("g(X=X)", "g(X=5)"),
        ("g = [X for X in X]", "g = [X for X in 5]"),
        ("@h(X)\ndef g(): pass", "@h(5)\ndef g(): pass"),
        ("@h(X)\nclass C(h(X), k=X): pass", "@h(5)\nclass C(h(5), k=5): pass"),
    ],
)
def test_scopes_are_those_of_python(code: str, expected: str) -> None:
    assert folded(f"from a import X\n{code}\n") == f"\n{expected}\n"


@pytest.mark.parametrize(
    "definition",
    [
        "X = const(1)\nX = const(2)",
        "if y: X = const(1)",
        "X = const(1)\ndef g():\n    global X\n    X = 2",
        "X = const(1)\nX += 1",
        "X = const('text')",
        "X = const(y)",
        "X = const(1 // 0)",
        "X = const(1 << 999)",
        "X = const(1 << -1)",
        "X = const(X)",
        "X = 1",
        "const = str\nX = const(1)",
    ],
)
def test_what_is_not_one_number_for_ever_stays(definition: str) -> None:
    user = "from a import X\nprint(X)\n"
    result = fold.fold({"a": CONST + definition + "\n", "user": user})
    assert result.sources == {"a": CONST + definition + "\n", "user": user}


def test_constants_that_import_each_other_in_a_circle_stay() -> None:
    sources = {
        "a": CONST + "from b import Y\nX = const(Y)\n",
        "b": CONST + "from a import X\nY = const(X)\n",
    }
    assert fold.fold(sources).sources == sources


@pytest.mark.parametrize(
    ("user", "reason"),
    [
        ("import a\nprint(getattr(a, name))\n", "hands on"),
        ("from p import a\nprint(getattr(a, 'X'))\n", "string"),
        ("from b import find\nfind('X')\n", "string"),
        ("from b import find\nfind('a.X')\n", "string"),
        ("__all__ = ('X',)\n", "string"),
        ("find().X\n", "attribute"),
        ("def g(m):\n    return m.X\n", "attribute"),
        ("import a\nprint(a)\n", "hands on"),
        ("import a\nprint(a.__dict__)\n", "hands on"),
        ("from a import *\n", "imports *"),
        ("from a import X\nprint(f'{X}')\n", "f-string"),
        ("from a import X\n", "for others"),
        ("from a import X as X\nprint(X)\n", "for others"),
        ("from a import X\nX = X or 1\nprint(X)\n", "not the only"),
    ],
)
def test_a_name_that_may_be_looked_up_is_kept_with_a_reason(user: str, reason: str) -> None:
    result = fold.fold({"a": A, "user": user})
    assert reason in result.kept["a.X"]
    assert "\nX = const(5)\n" in result.sources["a"]
    assert result.sources["a"].startswith(CONST)
    # Whatever the user imports is still there to be imported.
    assert result.sources["user"].splitlines()[0] == user.splitlines()[0]


def test_a_module_that_looks_into_itself_keeps_all_its_names() -> None:
    result = fold.fold({"a": A + "print(globals())\n", "user": "from a import X\nprint(X)\n"})
    assert set(result.kept) == {"a.X", "a.Y", "a.LOW"}
    assert set(kept("from a import X\nprint(X, eval('2'))\n")) == {"a.X"}
    assert folded("from p import a\nprint(a.X, globals())\n", **{"p.a": A}).startswith("from p import a\n")


def test_a_kept_name_stays_in_every_import() -> None:
    result = fold.fold({"a": A, "b": "from a import X\nprint(X)\n", "user": "from b import f\nf('X')\n"})
    assert result.sources["b"] == "from a import X\nprint(5)\n"


def test_docstrings_and_strangers_keep_nothing() -> None:
    user = "'''X'''\nfrom machine import Pin\nfrom a import X\ndef g():\n    'X'\n    return Pin.X, X\n"
    assert kept(user) == {}


def test_what_would_be_wrong_is_refused() -> None:
    with pytest.raises(fold.FoldError, match=r"user, line 2: assigns to the constant a\.X"):
        folded("import a\na.X = 1\n")
    with pytest.raises(fold.FoldError, match="user, line 1: a relative import"):
        folded("from . import a\n")
    with pytest.raises(fold.FoldError, match="user, line 1"):
        folded("def\n")


# --- lines -------------------------------------------------------------------------------------


def test_lines_stay_where_they_were() -> None:
    user = (
        "from a import (\n    X,  # why\n    f,\n)  # all\n"
        "from a import (\n    Y,\n    LOW,\n)\n"
        "import a\n"
        "Z = (a.\n    X)\n"
        "def g():\n    from a import (\n        X,\n    ); print(1)\n    return X + Y + LOW\n"
        "mark(f)\n"
    )
    result = folded(user)
    compile(result, "user.py", "exec")
    assert result.count("\n") == user.count("\n")
    assert [line for line, text in enumerate(result.split("\n"), 1) if text == "mark(f)"] == [17]
    assert "return 5 + 9 + (-1)" in result.split("\n")[15]


def test_definitions_share_lines_and_span_them() -> None:
    a = CONST + "X = const(1); Y = 2\nZ = const(\n    3\n)\nprint(X, Y, Z)\n"
    result = fold.fold({"a": a}).sources["a"]
    assert result == "\n0; Y = 2\n\n\n\nprint(1, Y, 3)\n"


# --- the firmware ------------------------------------------------------------------------------


def firmware_names() -> list[str]:
    folders = ("firmware", "hal", "rig")
    return [size.module_at(path, ROOT) for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def test_no_constant_of_the_firmware_is_left() -> None:
    result = size.folded_sources(firmware_names(), ROOT)
    assert result.kept == {}
    assert [name for name, source in result.sources.items() if "const(" in source] == []
    for name in firmware_names():
        source = size.find_module(name, ROOT).read_text(encoding="utf-8")
        assert result.sources[name].count("\n") == source.count("\n"), name


def test_a_main_of_another_kind_gets_the_same_modules(tmp_path: Path, ship_once: ShipOnce) -> None:
    modules = sorted(ship_once(size.BOARD_DEFAULT)[1].rglob("*.mpy"))
    assert modules
    for other, constant in (("probe", "SHUFFLING"), ("agent", "INPUTS")):
        source = (ROOT / f"tools/emulator/{other}.py").read_text(encoding="utf-8")
        size.ship(size.BOARD_DEFAULT, tmp_path, main=source)
        for path in modules:
            assert path.read_bytes() == (tmp_path / path.name).read_bytes(), path.name
        text = (tmp_path / "main.py").read_text(encoding="utf-8")
        assert constant in source
        assert constant not in text
