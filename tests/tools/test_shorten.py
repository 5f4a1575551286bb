"""Short names are the same program: exchanged everywhere or nowhere, and never what belongs to MicroPython."""

import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import size

from fairshoe.ship import machine_code, shorten
from fairshoe.ship.join import Part
from fairshoe.ship.restore import restore
from fairshoe.ship.shorten_dicts import text_hash

ROOT = Path(__file__).resolve().parents[2]
ShipOnce = Callable[[str], tuple[list[size.Shipped], Path]]
NODE = Path(sys.executable).with_name("node")
FOREIGN = shorten.Foreign(
    frozenset({"print", "open", "append", "value", "handler", "Pin"}),
    frozenset({"print", "open"}),
    frozenset({"machine", "a", "os"}),
)
BOX = "class Box:\n    def lid(self):\n"
CASE = "class Case:\n    def bolt(self): pass\n"
PACKAGE = {"pack": '"""docs"""\n', "main": "from pack.use import start\nstart()\n"}


def shortened(use: str, **more: str) -> shorten.Shortened:
    """One module of a package, with a main.py that starts it."""
    modules = {f"pack.{name}": source for name, source in more.items()}
    return shorten.shorten({**PACKAGE, "pack.use": use, **modules}, FOREIGN, "main")


def run(result: shorten.Shortened) -> list[object]:
    """What the short program prints, each module under its new name."""
    said: list[object] = []
    spaces: dict[str, dict[str, object]] = {}

    def load(name: str, *_: object) -> object:
        if name not in spaces:
            known = {"__import__": load, "print": said.append, "__build_class__": __build_class__}
            spaces[name] = {"__builtins__": known, "__name__": name}
            old = next(old for old, new in [*result.modules.items(), ("main", "main")] if new == name)
            exec(compile(result.sources[old], name, "exec"), spaces[name])
        return type("module", (), spaces[name])

    load("main")
    return said


# --- what is exchanged -------------------------------------------------------------------------


def test_names_are_exchanged_everywhere_and_the_program_is_the_same() -> None:
    result = shortened(
        "from pack.box import Crate, fill as stuff\n"
        "from pack import box as boxes\n"
        "def start():\n"
        "    crate = Crate(content=5)\n"
        "    stuff(crate, amount=3)\n"
        "    print(crate.content + boxes.LIMIT)\n",
        box="LIMIT = 100\n"
        "class Crate:\n    def __init__(self, content):\n        self.content = content\n"
        "def fill(crate, amount):\n    crate.content += amount\n",
    )
    assert run(result) == [108]
    # `self` is one of the texts that every MicroPython has: nothing is shorter.
    assert " ".join(sorted(result.names)) == "Crate LIMIT amount boxes content crate fill stuff"
    for source in result.sources.values():
        assert not set(result.names) & set(re.findall(r"\w+", source))


def test_the_most_frequent_name_is_the_shortest_and_the_table_is_the_same_every_time() -> None:
    more = {f"part{i}": f"def step{i}(often):\n    return often\n" for i in range(60)}
    use = "".join(f"from pack.part{i} import step{i}\n" for i in range(60)) + "def start(): pass\n"
    result = shortened(use, **more)
    assert len(result.names["often"]) == 1
    assert {len(new) for new in result.names.values()} == {1, 2}
    assert shortened(use, **dict(reversed(more.items()))) == result


def test_modules_are_exchanged_too_and_lie_beside_each_other() -> None:
    result = shortened("from pack.other import thing\ndef start(): thing()\n", other="def thing(): print(1)\n")
    assert set(result.modules) == {"pack.use", "pack.other"}  # the package itself is not needed any more
    assert not set(result.modules.values()) & FOREIGN.modules
    assert all(new == new.lower() for new in result.modules.values())
    assert run(result) == [1]


def test_lines_stay_where_they_were() -> None:
    use = (
        "from pack.other import (\n    first,  # why\n    second,\n)  # all\n"
        "from pack import (\n    other,\n)\n"
        "def start():\n    from pack.other import (\n        first as again,\n    ); print(again)\n    mark = 12\n"
    )
    result = shortened(use, other="first = 1\nsecond = 2\n")
    source = result.sources["pack.use"]
    compile(source, "use.py", "exec")
    assert source.count("\n") == use.count("\n")
    assert source.split("\n")[11].strip().endswith("= 12")
    assert run(result) == [1]


def test_places_are_counted_in_characters() -> None:
    use = 'def start(): print("\u00e9\u00e9"); from pack.other import thing; print(thing)\n'
    result = shortened(use, other="thing = 7\n")
    assert run(result) == ["\u00e9\u00e9", 7]


def test_a_short_name_is_never_one_that_is_used_already() -> None:
    # Every letter but one is taken by somebody who has no name to exchange.
    letters = [letter for letter in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" if letter != "q"]
    use = "def start(thing=1):\n    " + "; ".join(f"{letter} = 0" for letter in letters) + "\n    print(thing)\n"
    result = shortened(use)
    assert sorted(result.names.values())[-1] == "q"
    assert run(result) == [1]


# --- what stays --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("use", "name", "reason"),
    [
        ("def start(box):\n    box.append = 1\n", "append", "MicroPython has something"),
        ("def start(handler): pass\n", "handler", "MicroPython has something"),
        ("def start(box): box.missing()\n", "missing", "no shipped module defines it"),
        ("def start(box): box(baudrate=1)\n", "baudrate", "no shipped module defines it"),
        ("from machine import unheard\ndef start(): pass\n", "unheard", "imported in pack.use"),
        ("import machine\ndef start(reset_kind):\n    machine.reset_kind\n", "reset_kind", "MicroPython's in pack.use"),
        ("from machine import Pin\ndef start(level):\n    Pin(1).level()\n", "level", "MicroPython's in pack.use"),
        ("from machine import Pin\ndef start(pull):\n    Pin(1, pull=2)\n", "pull", "a keyword of MicroPython's"),
        ("def start(fresh):\n    open(1).fresh\n", "fresh", "MicroPython's in pack.use"),
        ("def start(text):\n    return f'{text}'\n", "text", "in an f-string"),
        ("def start(text):\n    return getattr(text, 'start')\n", "start", "looked up as text"),
        (
            "from rp2 import asm_pio\n@asm_pio(side=1)\ndef program():\n    wrap(pins)\n"
            "def start(wrap): pass\n",
            "wrap",
            "PIO assembler",
        ),
    ],
)
def test_what_is_not_ours_alone_stays(use: str, name: str, reason: str) -> None:
    result = shortened(use)
    assert name not in result.names
    assert reason in result.kept[name]
    assert name in result.sources["pack.use"]


def test_special_methods_and_strings_stay() -> None:
    case = "class Case:\n    def __len__(self):\n        return {'Case': 3}['Case']\n"
    result = shortened(case + "def start(): print(Case().__len__())\n")
    assert "__len__" not in result.names
    assert run(result) == [3]


@pytest.mark.parametrize("never", ["False", "0"])
def test_what_never_runs_says_nothing(never: str) -> None:
    result = shortened(f"if {never}:\n    from nowhere import ghost\n    vars()\ndef start(ghost): print(ghost)\n")
    assert "ghost" in result.names


@pytest.mark.parametrize(
    ("use", "message"),
    [
        ("def start(): return globals()\n", r"pack\.use, line 1: globals\(\)"),
        ("def start(box): return box.__dict__\n", r"\.__dict__ gives names as text"),
        ("def start(box, name): return getattr(box, name)\n", "only running the program tells"),
        ("def start(config): return open(**config)\n", "keywords out of a dict"),
        ("def start(**config): pass\n", "keywords into a dict"),
        ("start = lambda **config: 1\n", "keywords into a dict"),
        ("from pack.other import *\n", r"imports \* from pack\.other"),
        ("from .other import thing\n", "a relative import"),
        ("import pack.other\n", "write `from ... import` for pack.other"),
        ("import machine, pack.other as other\n", "write two"),
        ("from pack import nothing\n", "pack.nothing is not shipped"),
        ("def start(box):\n    try:\n        box.lid\n    except AttributeError: pass\n", "counts on AttributeError"),
        ("class Box:\n    def lid(self):\n        self = 1\n", "gives self another meaning"),
        ("def start(:\n", r"pack\.use, line 1"),
    ],
)
def test_refuses_what_asks_for_names_as_text(use: str, message: str) -> None:
    with pytest.raises(shorten.ShortenError, match=message):
        shortened(use, other="thing = 1\n")


def test_refuses_a_package_that_does_something() -> None:
    with pytest.raises(shorten.ShortenError, match="pack: a package that does something"):
        shorten.shorten({**PACKAGE, "pack": "X = 1\n", "pack.use": "def start(): pass\n"}, FOREIGN, "main")


def test_any_main_gets_the_same_modules() -> None:
    mains = ["from pack.use import begin\nbegin()\n", "import machine\nfrom pack.use import begin\nb = machine.ready\n"]
    use = "ready = 1\ndef begin(): pass\n"
    one, two = (shorten.shorten({**PACKAGE, "pack.use": use, "main": main}, FOREIGN, "main", mains) for main in mains)
    assert one.sources["pack.use"] == two.sources["pack.use"]
    assert "ready" not in one.names  # what stays for the sake of one of them stays for all
    assert "b" not in one.names.values()


# --- what shares -------------------------------------------------------------------------------


def test_names_that_never_meet_share_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shorten, "SHORT_MAX", 4)
    boxes = "".join(
        f"class Box{i}:\n    def __init__(self, first{i}, second{i}):\n"
        f"        self.left{i} = first{i}\n        self.right{i} = second{i}\n"
        f"    def sum{i}(self, extra{i}):\n        return self.left{i} + self.right{i} + extra{i}\n"
        for i in range(9)
    )
    sums = " + ".join(f"Box{i}({i}, 10).sum{i}(100)" for i in range(9))
    result = shortened(boxes + f"def start():\n    print({sums})\n")
    assert run(result) == [36 + 9 * 110]
    assert len(result.names) == 9 * 7
    assert len(set(result.names.values())) < 15
    for i in range(9):
        assert len({result.names[f"{name}{i}"] for name in ("left", "right", "sum")}) == 3
        assert result.names[f"first{i}"] != result.names[f"second{i}"]


@pytest.mark.parametrize(
    ("use", "names"),
    [
        # in a function: arguments, other names and what it needs of its module
        ("limit = 1\ndef begin(first, second):\n    other = limit\n    print(other)\n", "limit first second"),
        ("def begin(first):\n    def inner(second):\n        return first\n", "first inner second"),
        # on an object: what it and the classes that it is made of have
        (BOX + "        self.depth = 1\nclass Case(Box):\n    def bolt(self): pass\n", "lid depth bolt"),
        ("class Box:\n    lid = 1\n    def hinge(self): pass\n", "lid hinge"),
        # in the body of a class: its own names and those of the module
        (BOX + "        pass\n    def hinge(self, depth=limit): pass\nlimit = 1\n", "lid hinge limit"),
        # anywhere: what is set from outside might be any object's
        (CASE + "def begin(box):\n    box.depth = 1\n", "bolt depth"),
        (CASE + BOX + "        pass\n    @fixed\n    def hinge(box): box.depth = 1\n", "bolt depth"),
        (CASE + BOX + "        def hinge(self):\n            self.depth = 1\n", "bolt depth"),
    ],
)
def test_names_that_meet_differ(monkeypatch: pytest.MonkeyPatch, use: str, names: str) -> None:
    monkeypatch.setattr(shorten, "SHORT_MAX", 1)  # whoever may share has to
    result = shortened(use)
    short = [result.names[name] for name in names.split()]
    assert len(set(short)) == len(short), result.names


def test_names_that_are_looked_up_are_found_at_once() -> None:
    fields = [f"field{i}" for i in range(23)]
    use = "class Box:\n    def __init__(self):\n" + "".join(f"        self.{name} = 0\n" for name in fields)
    result = shortened(use)
    places = {text_hash(result.names[name]) % 23 for name in fields}
    assert len(places) == 23  # a dict of 23 places, and every name at its own
    assert len({text_hash(name) % 23 for name in fields}) < 23


def test_a_large_file_has_its_names_where_they_are_looked_for_too() -> None:
    functions = [f"function{i}" for i in range(220)]
    result = shortened("".join(f"def {name}(): pass\n" for name in functions) + "def start(): pass\n")
    taken: set[int] = set()
    late = 0
    for text in ["__file__", "__name__", "start", *(result.names[name] for name in functions)]:
        place = text_hash(text) % 223
        late += place in taken
        while place in taken:
            place = (place + 1) % 223
        taken.add(place)
    assert late < 10  # of a dict that is full to its last place


def test_the_hash_is_the_one_of_the_device() -> None:
    # From the table of names in MicroPython's ROM, at one byte each.
    assert [text_hash(text) for text in ("__init__", "append", "self")] == [0x5F, 0x6B, 0x79]


# --- back again --------------------------------------------------------------------------------


def test_a_traceback_gets_its_names_back() -> None:
    app = "def scan(flow):\n    flow_warn(flow)\n\n\n"
    app += "class App:\n    def send(self, flow):\n        flow.outbox.post()\n"
    names = {"flow_warn": "b", "App": "b", "Flow": "c", "outbox": "d", "post": "d", "nobody": "d", "send": "b"}
    text = (
        "b d c\n"
        "Traceback (most recent call last):\n"
        '  File "main.py", line 2, in <module>\n'
        '  File "f", line 2, in scan\n'
        '  File "f", line 7, in b\n'
        "AttributeError: 'c' object has no attribute 'd'\n"
    )
    short = shorten.Shortened({}, names, {"firmware.app": "f"}, {})
    assert restore(text, short, {"firmware.app": app}) == (
        "b d c\n"
        "Traceback (most recent call last):\n"
        '  File "main.py", line 2, in <module>\n'
        '  File "firmware/app.py", line 2, in scan\n'
        '  File "firmware/app.py", line 7, in send\n'
        "AttributeError: 'Flow' object has no attribute 'outbox|post'\n"
    )


def test_a_traceback_of_joined_modules_gets_its_lines_back() -> None:
    sources = {"pack.one": "def first():\n    pass\n", "pack.two": "def first():\n    pass\n\n\ndef second(): pass\n"}
    names = {"first": "b", "first_2": "c", "second": "d"}
    parts = {"base": [Part("pack.one", 3), Part("pack.two", 5)]}
    short = shorten.Shortened({}, names, {"base": "f"}, {}, parts, {"first_2": "first"})
    lines = {
        ("4", "b"): 'File "pack/one.py", line 2, in first',
        ("5", "c"): 'File "pack/two.py", line 1, in first',
        ("9", "d"): 'File "pack/two.py", line 5, in second',
        # Without line numbers all that is left is what the function is called.
        ("1", "d"): 'File "pack/two.py", line unknown, in second',
        ("1", "c"): 'File "pack/one.py|pack/two.py", line unknown, in first',
        ("1", "q"): 'File "pack/one.py" or one joined with it, line unknown, in q',
    }
    for (line, name), told in lines.items():
        assert restore(f'File "f", line {line}, in {name}', short, sources) == told
    text = "File \"f\", line 6, in c\nNameError: name 'c' isn't defined"
    assert restore(text, short, sources).endswith("name 'first' isn't defined")


def test_size_reads_a_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    short = size.short_sources(size.ship_names("pico-draw"), ROOT)
    source = (ROOT / "firmware/app.py").read_text(encoding="utf-8").split("\n")
    at = next(number for number, line in enumerate(source, 2) if "def _connect(" in line)
    every = [(file, part) for file, parts in short.parts.items() for part in parts]
    file, part = next((file, part) for file, part in every if part.module == "firmware.app")
    place = f'"{short.modules[file]}", line {at + part.first_line - 1}'
    line = f"  File {place}, in {short.names['_connect']}\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(line))
    assert size.main(["--board", "pico-draw", "--names"]) == 0
    assert capsys.readouterr().out == f'  File "firmware/app.py", line {at}, in _connect\n'


# --- the firmware ------------------------------------------------------------------------------


def test_the_table_of_names_has_every_module_that_is_shipped(ship_once: ShipOnce) -> None:
    files = {path.name for path in ship_once(size.BOARD_DEFAULT)[1].iterdir()}
    table = json.loads((ROOT / f"build/names-{size.BOARD_DEFAULT}.json").read_text())
    data = {"main.py", "board.json", "game.json", "words.txt", "files.crc"}
    assert {f"{new}.mpy" for new in table["modules"].values()} | data == files
    assert len(table["names"]) > 500


# These name arguments as text, as files do; the stories do not need them.
UNNAMED = ("rig.scenario", "rig.powercut")


@pytest.mark.parametrize("script", [Path("tests/differential/same_bytes.py"), Path("tests/differential/four_kinds.py")])
def test_the_firmware_with_short_names_gives_the_same_bytes(
    tmp_path: Path, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_code, "COMPILED", {})  # this VM has no processor
    folders = ("firmware", "hal", "rig")
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    names = [name for name in (size.module_at(path, ROOT) for path in paths) if name not in UNNAMED]
    result = size.short_sources(names, ROOT, (ROOT / script).read_text(encoding="utf-8"))
    place = tmp_path / script.parent
    place.mkdir(parents=True)
    for name, source in result.sources.items():
        (place / f"{result.modules.get(name, script.stem)}.py").write_text(source, encoding="utf-8")
    for folder in ("board_configs", "game_profiles"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    # Against CPython with the sources as they are, whose bytes are those of the VM: tests/differential.
    loader = f"import sys, runpy; sys.argv = sys.argv[1:]; import fairshoe; runpy.run_path({str(ROOT / script)!r})"
    runner = [str(NODE), str(ROOT / "tools/mpy/exec.mjs"), "--limit-s", "100", "--root"]
    plain, small = (
        subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110, check=False)
        for command in (
            [sys.executable, "-c", loader, script.name, "2"],
            [*runner, str(tmp_path), str(tmp_path / script), "2"],
        )
    )
    assert plain.stdout.count("bytes ") > 1
    assert (small.stdout, small.stderr) == (plain.stdout, plain.stderr)
    assert (plain.returncode, small.returncode) == (0, 0)
