"""Joined modules are the same program: one name for one thing, in the order in which imports would have run them."""

import ast
import re
from pathlib import Path

import pytest
import size

from fairshoe.ship.join import Joined, JoinError, join
from fairshoe.ship.mpy_compile import compile_mpy
from fairshoe.ship.often_first import often_first

ROOT = Path(__file__).resolve().parents[2]
MAIN = "from pack.use import start\nstart()\n"


def joined(use: str, alone: dict[str, str] | None = None, main: str = MAIN, **more: str) -> Joined:
    """The modules of a package in one file, with a main.py that starts it; `alone` are not joined."""
    modules = {"pack.use": use, **{f"pack.{name}": source for name, source in more.items()}}
    everything = {**modules, **{f"pack.{name}": source for name, source in (alone or {}).items()}, "main": main}
    return join(everything, {"file": list(modules)}, "pack.use")


def run(result: Joined, main: str = "main") -> list[object]:
    """What the program prints."""
    said: list[object] = []
    spaces: dict[str, dict[str, object]] = {}
    theirs = {"time": {"ticks": lambda: 7, "sleep": lambda: 8}, "gc": {"collect": lambda: 9}}

    def load(name: str, *_: object) -> object:
        if name not in spaces:
            known = {"__import__": load, "print": said.append, "__build_class__": __build_class__}
            known |= {"sum": sum, "len": len, "range": range}
            spaces[name] = {"__builtins__": known, "__name__": name, **theirs.get(name, {})}
            if name not in theirs:
                exec(compile(result.sources[name], name, "exec"), spaces[name])
        return type("module", (), {key: _plain(value) for key, value in spaces[name].items()})

    load(main)
    return said


def _plain(value: object) -> object:
    return staticmethod(value) if callable(value) and not isinstance(value, type) else value


# --- what goes ---------------------------------------------------------------------------------


def test_what_modules_of_a_file_import_of_each_other_needs_no_import() -> None:
    result = joined("from pack.box import Crate\ndef start(): print(Crate.lid)\n", box="class Crate:\n    lid = 3\n")
    assert run(result) == [3]
    assert "import" not in result.sources["file"]
    assert result.names == {}


def test_what_several_import_from_elsewhere_is_imported_once() -> None:
    use = "import gc\nfrom time import ticks\nfrom pack.box import wait\n"
    use += "def start(): print(ticks() + wait() + gc.collect())\n"
    box = "import gc\nfrom time import sleep, ticks\ndef wait(): return sleep() + ticks() + gc.collect()\n"
    result = joined(use, box=box)
    assert run(result) == [7 + 8 + 7 + 9 + 9]
    assert result.sources["file"].split("\n")[:2] == ["", "import gc; from time import sleep, ticks"]
    assert result.sources["file"].count("import") == 2


def test_an_import_that_runs_under_a_folded_condition_is_one_of_the_file() -> None:
    use = "if False:\n    from pack.none import ticks\nelse:\n    from time import ticks\ndef start(): print(ticks())\n"
    assert run(joined(use)) == [7]


def test_lines_move_as_a_whole() -> None:
    box = '"""A box."""\n\nfrom time import (\n    sleep,\n    ticks,\n)\n\n\ndef lid(): return sleep() + ticks()'
    use = "from pack.box import lid\n\n\ndef start():\n    print(lid())\n"
    result = joined(use, box=box)
    assert run(result) == [15]
    lines = result.sources["file"].split("\n")
    sources = {"pack.box": box, "pack.use": use}
    assert [part.module for part in result.parts["file"]] == ["pack.box", "pack.use"]
    for part in result.parts["file"]:
        for at, line in enumerate(sources[part.module].split("\n")):
            if "def " in line or "print" in line:
                assert lines[part.first_line - 1 + at] == line


# --- names -------------------------------------------------------------------------------------


def test_what_is_called_alike_is_told_apart() -> None:
    use = (
        "from pack.box import lid as cover\n"
        "limit = 1\n"
        "def _step(): return limit\n"
        "def start():\n    print(_step() + cover())\n"
    )
    result = joined(use, box="limit = 10\ndef _step(): return limit\ndef lid(limit=limit): return _step() + limit\n")
    assert run(result) == [21]
    assert sorted(result.names.values()) == ["_step", "_step", "lid", "limit", "limit"]


def test_a_name_of_one_module_does_not_hide_the_built_in_of_another() -> None:
    use = "from pack.box import add\ndef start(): print(sum((1, 2)) + add())\n"
    result = joined(use, box="def sum(all): return 100\ndef add(): return sum((1, 2))\n")
    assert run(result) == [103]


def test_a_name_under_another_one_is_not_caught_by_a_local() -> None:
    use = "from pack.box import lid as cover\ndef start():\n    lid = 1\n    print(cover() + lid)\n"
    assert run(joined(use, box="def lid(): return 10\n")) == [11]


def test_attributes_arguments_and_locals_of_the_same_name_stay() -> None:
    use = (
        "from pack.box import Crate\n"
        "lid = 1\n"
        "def start():\n"
        "    print(Crate(lid=lid).lid() + sum([lid for lid in range(3)]) + (lambda lid: lid)(5))\n"
    )
    box = "lid = 100\nclass Crate:\n    def __init__(self, lid): self.held = lid\n"
    box += "    def lid(self): return self.held + lid\n"
    result = joined(use, box=box)
    assert run(result) == [1 + 100 + 3 + 5]
    assert "def lid(self)" in result.sources["file"]


def test_what_a_module_passes_on_is_imported_from_who_made_it() -> None:
    use, box = "from pack.box import lid\ndef start(): print(lid)\n", "from pack.far import lid\n"
    assert run(joined(use, box=box, far="lid = 4\n")) == [4]
    result = joined(use, {"far": "lid = 5\n"}, box=box)
    assert run(result) == [5]
    assert "from pack.far import lid" in result.sources["file"]


def test_a_module_as_a_value_becomes_its_names() -> None:
    far = {"far": "from pack import box\ndef twice(): return box.lid() + box.SIZE\n"}
    use = "from pack import box\ndef start(): print(box.lid())\n"
    main = MAIN + "from pack.far import twice\nprint(twice())\n"
    result = joined(use, far, main, box="SIZE = 3\ndef lid(): return SIZE\n")
    assert run(result) == [3, 6]
    assert "box" not in re.findall(r"\w+", result.sources["file"])


def test_who_is_not_joined_imports_from_the_file() -> None:
    far = {"far": "from pack.box import lid\ndef all():\n    from pack.box import hinge as h\n    return lid() + h()\n"}
    use = "def hinge(): return 1\ndef start():\n    from pack.far import all\n    print(all() + hinge())\n"
    main = "from pack.use import start\nfrom pack.box import hinge\nstart()\nprint(hinge())\n"
    result = joined(use, far, main, box="def lid(): return 20\ndef hinge(): return 300\n")
    assert run(result) == [321, 300]
    assert "import pack.far" not in result.sources["file"].split("def")[0]  # when it is asked for, as before


# --- order -------------------------------------------------------------------------------------


def test_modules_run_in_the_order_of_their_imports() -> None:
    use = "from pack.b import two\nfrom pack.a import one\nprint(3)\ndef start(): print(one + two)\n"
    a = "from pack.c import zero\nprint(2)\none = zero + 1\n"
    result = joined(use, a=a, b="print(0)\ntwo = 2\n", c="print(1)\nzero = 0\n")
    assert run(result) == [0, 1, 2, 3, 3]


def test_an_import_inside_a_function_finds_its_module_in_the_file() -> None:
    use = (
        "def start(kind=1):\n"
        "    from pack.far import far\n"
        "    if kind == 1:\n        from pack.box import Box as Kind, size\n"
        "    else:\n        from pack.case import Case as Kind, size\n"
        "    print(Kind().lid + size + far)\n"
    )
    box, case = "class Box:\n    lid = 1\nsize = 10\n", "class Case:\n    lid = 2\nsize = 20\n"
    result = joined(use, box=box, case=case, far="far = 100\n")
    assert run(result) == [111]
    assert "import" not in result.sources["file"]


def test_files_that_need_each_other_are_refused() -> None:
    sources = {"a": "from b import x\ny = x\n", "b": "x = 1\n", "c": "from a import y\nz = y\n", "main": ""}
    with pytest.raises(JoinError, match="need each other: one, two; let them be one"):
        join(sources, {"one": ["a"], "two": ["b", "c"]}, "c")
    assert join(sources, {"one": ["a", "b", "c"]}, "c").parts["one"][0].module == "b"
    with pytest.raises(JoinError, match="need each other: a, two"):
        join(sources, {"two": ["b", "c"]}, "c")


@pytest.mark.parametrize(
    ("use", "message"),
    [
        ("from pack import box\ndef start(): print(box)\n", r"pack\.use, line 2: hands on pack\.box"),
        ("def start():\n    from pack import box\n    box.lid\n", r"pack\.use, line 2: imports pack\.box"),
        ("from pack.box import *\n", "line 1: an import that does not name what it binds"),
        ("import pack.box\n", "binds the package of pack.box"),
        ("try:\n    from time import ticks\nexcept OSError: ticks = 1\n", "imports something at its top, sometimes"),
        ("if len(()):\n    from time import ticks\n", "imports something at its top, sometimes"),
        ("from time import ticks\nticks = 1\n", "binds a name that it imports a second time"),
        ("class Case:\n    from time import ticks\n", "imports something in a class"),
        ("limit = 1\ndef start():\n    global limit\n    limit = 2\n", "changes what its top has bound"),
        ("limit = 1\nclass Case:\n    limit = limit\n", "a class that mentions limit"),
        ("try:\n    print(1)\nexcept OSError as error: print(error)\n", "catches at its top"),
        ("lid = 1\ndef start(): print(f'{lid}')\n", "lid in an f-string needs another name"),
        ("def start(:\n", r"pack\.use, line 1"),
    ],
)
def test_refuses_what_it_cannot_tell_apart(use: str, message: str) -> None:
    with pytest.raises(JoinError, match=message):
        joined(use, box="lid = 2\n")


# --- what is mentioned often -------------------------------------------------------------------


def names_of(mpy: bytes) -> list[str]:
    """The table of names of a compiled file; those that have numbers instead of text as those numbers."""
    at = 4

    def number() -> int:
        nonlocal at
        value, more = 0, True
        while more:
            value, more = value << 7 | mpy[at] & 0x7F, bool(mpy[at] & 0x80)
            at += 1
        return value

    count, _ = number(), number()
    names: list[str] = []
    for _ in range(count):
        head = number()
        if head & 1:
            names.append(str(head >> 1))
        else:
            names.append(mpy[at : at + (head >> 1)].decode())
            at += (head >> 1) + 1
    return names


def test_names_that_are_mentioned_often_take_one_byte() -> None:
    rare = "".join(f"def rare{i}(): pass\n" for i in range(150))
    source = "\n" + rare + "def step(box):\n" + "    box.often = box.lid\n" * 100
    plain, first = (compile_mpy(text, "f", "-O3") for text in (source, often_first(source)))
    assert min(names_of(plain).index(name) for name in ("often", "lid")) > 127
    assert {names_of(first).index(name) for name in ("often", "lid")} == {2, 3}
    assert len(first) < len(plain) - 180
    assert sorted(names_of(first)) == sorted(names_of(plain))


def test_the_statement_itself_does_nothing_and_takes_four_bytes() -> None:
    source = "\ndef step(box: ghost) -> phantom:\n    shade: spirit = box.lid\n    return shade\n"
    source += "if 0:\n    from a import wraith\n"
    text = often_first(source)
    assert text.count("\n") == source.count("\n")
    exec(compile(text.replace("box: ghost", "box").replace(" -> phantom", ""), "f", "exec"), {})
    plain, with_it = (compile_mpy(each, "f", "-O3") for each in (source, text))
    assert len(with_it) == len(plain) + 4
    assert not {"ghost", "phantom", "spirit", "wraith"} & set(names_of(with_it))


# --- the firmware ------------------------------------------------------------------------------

# MicroPython remembers places in a dict up to this one, and its hashes begin nowhere beyond it.
PLACES_FOUND_AT_ONCE = 256


@pytest.mark.parametrize("board", ["pico-shelves", "pico-draw"])
def test_what_is_loaded_at_every_start_is_joined_into_files_whose_names_are_found_at_once(board: str) -> None:
    names = size.ship_names(board)
    short = size.short_sources(names, ROOT)
    packages = {name for name in names if any(other.startswith(name + ".") for other in names)}
    inside = {part.module for parts in short.parts.values() for part in parts}
    alone = {"hal.board.usb", "hal.rp2.steps"} & set(names)
    assert inside == set(names) - packages - alone
    assert set(short.modules) == {"base", "games", "top", "port"} | alone
    for file in short.parts:
        tree = ast.parse(short.sources[file])
        top = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
        top |= {alias.asname or alias.name for node in imports for alias in node.names}
        assert 20 < len(top) < PLACES_FOUND_AT_ONCE - 30, file
