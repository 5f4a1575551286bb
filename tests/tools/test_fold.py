"""Folded sources are the same program: constants as numbers, lines and all other names as they were."""

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
import size

from fairshoe.ship.build import Shipped, folded_sources
from fairshoe.ship.fold import FoldError, fold
from fairshoe.ship.import_closure import module_at
from fairshoe.ship.mpy_compile import compile_mpy

ROOT = Path(__file__).resolve().parents[2]
ShipOnce = Callable[[str], tuple[list[Shipped], Path]]
CONST = "from micropython import const\n"
A = CONST + "X = const(5)\nY = const(X * 2 - 1)\nLOW = const(-1)\ndef f():\n    return X\n"


def folded(user: str, a: str = A, **more: str) -> str:
    """A module that uses the constants of `a`, folded together with it."""
    return fold({"a": a, "user": user, **more})["user"]


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
    one = fold({**sources, "user": "from p import ids\nprint(ids.ONE)\n"})
    assert one["user"] == "\nprint(1)\n"
    both = fold({**sources, "user": "from p import ids\nprint(ids.ONE, ids.TEXT)\n"})
    assert both["user"] == "from p import ids\nprint(1, ids.TEXT)\n"
    assert one["p.ids"] == both["p.ids"] == "\n\nTEXT = 't'\n"


def test_chains_of_constants_are_worked_out_across_modules() -> None:
    b = CONST + "from a import X\nimport a as other\nB = const((X << 4) | other.Y & ~1)\nC = const(B // 3 % 7)\n"
    assert folded("from b import B, C\nprint(B, C)\n", b=b) == f"\nprint({5 << 4 | 8}, {88 // 3 % 7})\n"


def test_a_constant_that_was_imported_through_another_module_is_found() -> None:
    assert folded("from b import X\nprint(X)\n", b="from a import X\nprint(X)\n") == "\nprint(5)\n"


def test_an_import_inside_a_function_goes_without_emptying_it() -> None:
    assert folded("def g():\n    from a import X\n    return X\n") == "def g():\n    0\n    return 5\n"


def test_numbers_stay_apart_from_what_stands_around_them() -> None:
    assert folded("from a import X, LOW\n-LOW\nx = LOW ** X\n") == "\n-(-1)\nx = (-1) ** 5\n"
    assert folded("from a import X\nprint('é', X, 'é', X)\n") == "\nprint('é', 5, 'é', 5)\n"


def test_constants_go_in_their_own_module_and_the_import_of_const_with_them() -> None:
    assert fold({"a": A})["a"] == "\n\n\n\ndef f():\n    return 5\n"
    private = CONST + "_LONG = const(3)\n_P = const(_LONG + _LONG)\nprint(_P)\n"
    assert fold({"a": private})["a"] == "\n\n\nprint(6)\n"


def test_imports_for_types_do_not_reach_the_device() -> None:
    source = "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from a import X\nelse:\n    y = 1\n"
    assert folded(source) == "\nif False:\n    from a import X\nelse:\n    y = 1\n"
    unseen = source.replace("X", "for_types")
    assert b"for_types" in compile_mpy(unseen, "user.py")
    assert b"for_types" not in compile_mpy(folded(unseen), "user.py")


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
        "def g():\n    from b import X\n    return X",
        "def g():\n    try: pass\n    except OSError as X: print(X)",
        "def g():\n    with h() as X: print(X)",
        "def g():\n    def X(): pass\n    return X",
        "def g():\n    global X\n    X = 1",
        "def g():\n    [X := 1 for i in h()]\n    return X",
        "g = lambda X: X",
        "g = [X for X in h()]",
        "class C:\n    X = 1\n    y = X",
        "class X: pass",
    ],
)
def test_a_name_with_two_meanings_in_a_module_stays(code: str) -> None:
    user = f"from a import X\n{code}\nprint(X)\n"
    result = fold({"a": A, "user": user})
    assert result["user"] == user
    assert "\nX = const(5)\n" in result["a"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def g(x=X): return X", "def g(x=5): return 5"),
        ("g(X=X)", "g(X=5)"),
        ("self.X = X", "self.X = 5"),
        ("@h(X)\nclass C(h(X), k=X): pass", "@h(5)\nclass C(h(5), k=5): pass"),
    ],
)
def test_an_attribute_or_keyword_of_the_same_name_is_no_use(code: str, expected: str) -> None:
    assert folded(f"from a import X\n{code}\n").endswith(f"\n{expected}\n")


@pytest.mark.parametrize(
    "definition",
    [
        "X = const(1)\nX = const(2)",
        "if y: X = const(1)",
        "X = const(1)\ndef g():\n    global X\n    X = 2",
        "X = const(1)\nX += 1",
        "X = const('text')",
        "X = const(y)",
        "X = const(X)",
        "X = 1",
    ],
)
def test_what_is_not_one_number_for_ever_stays(definition: str) -> None:
    sources = {"a": CONST + definition + "\n", "user": "from a import X\nprint(X)\n"}
    assert fold(sources) == sources


def test_constants_that_import_each_other_in_a_circle_stay() -> None:
    sources = {
        "a": CONST + "from b import Y\nX = const(Y)\n",
        "b": CONST + "from a import X\nY = const(X)\n",
    }
    assert fold(sources) == sources


@pytest.mark.parametrize(
    "user",
    [
        "import a\nprint(getattr(a, name))\n",
        "import a\nprint(a)\n",
        "import a\nprint(a.__dict__)\n",
        "from p import a\nprint(getattr(a, 'X'))\n",
        "from b import find\nfind('X')\n",
        "from b import find\nfind('a.X')\n",
        "__all__ = ('X',)\n",
        "find().X\n",
        "def g(m):\n    return m.X\n",
        "from a import X\nprint(f'{X}')\n",
        "from a import X\n",
    ],
)
def test_a_name_that_may_be_looked_up_stays(user: str) -> None:
    result = fold({"a": A, "user": user})
    assert "\nX = const(5)\n" in result["a"]
    assert result["a"].startswith(CONST)
    # Whatever the user imports is still there to be imported.
    assert result["user"].splitlines()[0] == user.splitlines()[0]


def test_a_module_that_looks_into_itself_keeps_all_its_names() -> None:
    result = fold({"a": A + "print(globals())\n", "user": "from a import X\nprint(X)\n"})
    assert result["a"].count("const(") == 3
    assert result["user"] == "\nprint(5)\n"
    assert folded("from a import X\nprint(X, eval('2'))\n").startswith("from a import X\n")


def test_docstrings_keep_nothing() -> None:
    user = "'X'\nfrom a import X\ndef g():\n    'X'\n    return X\n"
    assert "const" not in fold({"a": A, "user": user})["a"]


def test_what_would_be_wrong_is_refused() -> None:
    with pytest.raises(FoldError, match="user, line 2: cannot assign"):
        folded("import a\na.X = 1\n")
    for star in ("from . import a\n", "from a import *\n"):
        with pytest.raises(FoldError, match="user, line 1: name the module in full"):
            folded(star)
    with pytest.raises(FoldError, match="user, line 1"):
        folded("def\n")


# --- lines -------------------------------------------------------------------------------------


def test_lines_stay_where_they_were() -> None:
    user = (
        "from a import (\n    X,  # why\n    f,\n)  # all\n"
        "from a import (\n    Y,\n    LOW,\n)\n"
        "import a\n"
        "Z = (a.\n    X)\n"
        "def g():\n    from a import (\n        X,\n    )  # here\n    return X + Y + LOW\n"
        "mark(f)\n"
    )
    result = folded(user)
    compile(result, "user.py", "exec")
    assert result.count("\n") == user.count("\n")
    assert [line for line, text in enumerate(result.split("\n"), 1) if text == "mark(f)"] == [17]
    assert result.split("\n")[15] == "    return 5 + 9 + (-1)"


def test_a_definition_over_several_lines_leaves_them_empty() -> None:
    a = CONST + "Z = const(\n    3\n)  # why\nprint(Z)\n"
    assert fold({"a": a})["a"] == "\n\n\n  # why\nprint(3)\n"


# --- the firmware ------------------------------------------------------------------------------


def functions(source: str) -> list[tuple[int, str, list[str]]]:
    """Every function and class, its line and its arguments."""
    found: list[tuple[int, str, list[str]]] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            arguments = [each.arg for each in node.args.args] if isinstance(node, ast.FunctionDef) else []
            found.append((node.lineno, node.name, arguments))
    return found


def test_the_firmware_keeps_its_names_and_lines_and_no_constant_is_left() -> None:
    tops = ("firmware", "hal", "rig")
    paths = {module_at(path, ROOT): path for top in tops for path in (ROOT / top).rglob("*.py")}
    result = folded_sources(list(paths), ROOT)
    for name, path in paths.items():
        source = path.read_text(encoding="utf-8")
        assert result[name].count("\n") == source.count("\n"), name
        assert functions(result[name]) == functions(source), name
        assert "const(" not in result[name], f"{name}: a constant with a second meaning, or that is looked up by name"


@pytest.mark.full
def test_a_main_of_another_kind_gets_the_same_modules(tmp_path: Path, ship_once: ShipOnce) -> None:
    folder = ship_once(size.BOARD_DEFAULT)[1]
    modules = [path.relative_to(folder) for path in sorted(folder.rglob("*.mpy"))]
    assert modules
    for other in ("agent", "probe"):
        source = (ROOT / f"tools/emulator/{other}.py").read_text(encoding="utf-8")
        size.ship(size.BOARD_DEFAULT, tmp_path, main=source)
        for path in modules:
            assert (folder / path).read_bytes() == (tmp_path / path).read_bytes(), path
    assert "SHUFFLING" in source
    assert "SHUFFLING" not in (tmp_path / "main.py").read_text(encoding="utf-8")
