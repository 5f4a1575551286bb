"""Each check catches what it is for: a planted violation is found, the like of it that is allowed is not."""

import pytest
import style_checks as checks

LAYER_CASES = [
    # path, import, allowed
    ("firmware/main.py", "import hal.rp2", True),
    ("firmware/main.py", "from hal.sim import plant", False),
    ("firmware/main.py", "from hal import sim", False),
    ("firmware/app.py", "from firmware.games.flow import Flow", True),
    ("firmware/app.py", "from hal.rp2 import pins", False),
    ("firmware/app.py", "from firmware.main import main", False),
    ("firmware/games/flow.py", "from firmware.machines import tray", True),
    ("firmware/games/flow.py", "from firmware.journal.store import Journal", False),
    ("firmware/machines/tray.py", "from firmware.deck.ledger import TRAY", True),
    ("firmware/machines/tray.py", "from firmware.games.flow import Flow", False),
    ("firmware/machines/tray.py", "from ..games import flow", False),
    ("firmware/machines/tray.py", "def f():\n    import hal.rp2", False),
    ("firmware/machines/tray.py", "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from hal.api import Config", True),
    ("firmware/machines/tray.py", "if TYPE_CHECKING:\n    from firmware.games.flow import Flow", False),
    ("firmware/machines/tray.py", "if TYPE_CHECKING:\n    x = 1\nelse:\n    from hal.api import Config", False),
    ("firmware/deck/ledger.py", "from firmware.fault import require", True),
    ("firmware/deck/ledger.py", "from firmware.machines.tray import Tray", False),
    ("firmware/journal/store.py", "from firmware.ticks import ticks_diff", True),
    ("firmware/journal/store.py", "from firmware.deck.ledger import TRAY", False),
    ("firmware/protocol/frame.py", "from firmware.journal.store import Journal", False),
    ("firmware/ticks.py", "from firmware.fault import require", False),
    ("firmware/newcomer.py", "x = 1", False),
    ("hal/rp2/port.py", "from hal.rp2.pins import PINS", True),
    ("hal/rp2/port.py", "from firmware.image import IN_EXIT", False),
    ("hal/rp2/port.py", "from hal.sim.plant import Plant", False),
    ("hal/rp2/port.py", "from hal.board.port import BoardHal", True),
    ("hal/board/port.py", "from hal.rp2.axis import Axis", False),
    ("hal/sim/plant.py", "from firmware.ticks import ticks_diff", False),
    ("rig/run.py", "from hal.sim.plant import Plant\nfrom firmware.app import App", True),
    ("rig/run.py", "from fairshoe import Shoe", False),
    ("host_tools/fairshoe/link/framing.py", "from firmware.protocol import frame", True),
    ("host_tools/fairshoe/link/framing.py", "from fairshoe.link import session", True),
    ("host_tools/fairshoe/link/framing.py", "from fairshoe.errors import UsageError", True),
    ("host_tools/fairshoe/link/framing.py", "from fairshoe.client import shoe", False),
    ("host_tools/fairshoe/link/framing.py", "from fairshoe import client", False),
    ("host_tools/fairshoe/link/framing.py", "import fairshoe", False),
    ("host_tools/fairshoe/link/framing.py", "from firmware.app import App", False),
    ("host_tools/fairshoe/link/framing.py", "from rig.run import run", False),
    ("host_tools/fairshoe/sim/pty_server.py", "from rig.run import run", True),
    ("host_tools/fairshoe/observe/observer.py", "from fairshoe.operate.driver import Driver", False),
    ("host_tools/fairshoe/cli/settings.py", "from fairshoe.commands import sim", False),
    ("host_tools/fairshoe/newcomer.py", "x = 1", False),
    ("host_tools/fairshoe/newcomer/module.py", "x = 1", False),
    ("tests/host/client/test_link.py", "from rig.run import run", True),
]


@pytest.mark.parametrize(("path", "source", "allowed"), LAYER_CASES)
def test_layers(path: str, source: str, allowed: bool) -> None:
    assert (checks.check_layers(path, source) == []) is allowed


@pytest.mark.parametrize(
    ("path", "source", "allowed"),
    [
        ("firmware/deck/drbg.py", "from hashlib import sha256", True),
        ("firmware/deck/drbg.py", "import random", False),
        ("firmware/deck/drbg.py", "import hmac", False),
        ("firmware/deck/drbg.py", "from typing import Any", False),
        ("firmware/deck/drbg.py", "import dataclasses, enum", False),
        ("firmware/deck/drbg.py", "if TYPE_CHECKING:\n    from typing import Any", True),
        ("firmware/app.py", "import time", False),
        ("firmware/app.py", "import sys", False),
        ("firmware/app.py", "import asyncio", False),
        ("hal/board/usb.py", "import sys", True),
        ("rig/run.py", "import sys", True),
        ("rig/run.py", "import time", False),
        ("hal/rp2/port.py", "import machine, rp2, time", True),
        ("hal/rp2/port.py", "import random", False),
        ("hal/sim/plant.py", "import time", False),
        ("host_tools/fairshoe/link/framing.py", "import random", True),
    ],
)
def test_device_imports(path: str, source: str, allowed: bool) -> None:
    assert (checks.check_device_imports(path, source) == []) is allowed


def body(lines: int) -> str:
    return "def long():\n" + "    x = 1\n" * (lines - 1)


@pytest.mark.parametrize(
    ("path", "source", "allowed"),
    [
        ("firmware/a.py", body(40), True),
        ("firmware/a.py", body(41), False),
        ("rig/a.py", body(41), False),
        ("tools/a.py", body(60), True),
        ("tools/a.py", body(61), False),
        ("hal/a.py", "x = 1\n" * 450, True),
        ("hal/a.py", "x = 1\n" * 451, False),
        ("host_tools/fairshoe/a.py", "x = 1\n" * 601, False),
        ("firmware/a.py", "class A:\n    async def f(self):\n" + "        x = 1\n" * 40, False),
    ],
)
def test_sizes(path: str, source: str, allowed: bool) -> None:
    assert (checks.check_sizes(path, source) == []) is allowed


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        ("from hal.b import x", "", []),
        ("from hal.b import x", "from hal import a", [["hal.a", "hal.b"]]),
        ("from hal.b import x", "def f():\n    import hal.a\n", [["hal.a", "hal.b"]]),
        ("from hal.b import x", "if TYPE_CHECKING:\n    from hal.a import y\n", [["hal.a", "hal.b"]]),
        ("from hal.c import x", "from hal.a import y", [["hal.a", "hal.b", "hal.c"]]),
    ],
)
def test_circles_of_imports_are_found(a: str, b: str, found: list[list[str]]) -> None:
    files = {"hal/__init__.py": "", "hal/a.py": a, "hal/b.py": b, "hal/c.py": "from hal.b import z"}
    assert checks.import_circles(files) == found


def test_circles_among_tools_are_found_by_the_names_they_import() -> None:
    files = {"tools/soak/run.py": "from soak import hands", "tools/soak/hands.py": "from soak.run import Run"}
    assert checks.import_circles(files) == [["soak.hands", "soak.run"]]


@pytest.mark.parametrize("mark", ["TO" + "DO", "FIX" + "ME", "X" + "XX"])
def test_leftover_marks_are_found(mark: str) -> None:
    assert len(checks.check_marks("README.md", f"fine\n# {mark}: later\n")) == 1
    assert checks.check_marks("README.md", f"{mark}S_ARE_WORDS\n") == []


@pytest.mark.parametrize(
    "line",
    [
        "cd /wo" + "rk/main",
        "/ro" + "ot/.cache",
        "/ho" + "me/ann/src",
        "https://registry.npm" + "js.org/x",
        "--index-url https://pypi" + ".org/simple",
        '"resolved"' + ': "x"',
    ],
)
def test_machine_paths_and_registries_are_found(line: str) -> None:
    assert len(checks.check_private("a.txt", f"fine\n{line}\n")) == 1
    assert checks.check_private("a.txt", "network/works.py and the root of a tree\n") == []


@pytest.mark.parametrize(
    ("path", "source", "allowed"),
    [
        ("firmware/a.py", "match x:\n    case 1:\n        pass\n", False),
        ("firmware/a.py", "def f(a, /):\n    pass\n", False),
        ("tools/a.py", "def f(a, /):\n    assert a\n", True),
    ],
)
def test_device_syntax(path: str, source: str, allowed: bool) -> None:
    assert (checks.check_device_syntax(path, source) == []) is allowed


@pytest.mark.parametrize(
    ("source", "allowed"),
    [
        ("def f(a, *, b=1):\n    return f'{a}'\n", True),
        ("x = [*a, 1]\n", False),
        ("x = {**a}\n", False),
        ("try:\n    pass\nexcept* ValueError:\n    pass\n", False),
        ("with (open(a) as b, open(c) as d):\n    pass\n", False),
    ],
)
def test_the_devices_compiler_has_the_last_word(source: str, allowed: bool) -> None:
    findings = checks.check_mpy_cross("firmware/a.py", source)
    assert (findings == []) is allowed
    assert all("firmware/a.py" in finding for finding in findings)


@pytest.mark.parametrize(
    "line",
    [
        "print(event)",
        "sys.stdout.write(text)",
        "sys.stderr.write(text)",
        "logging.basicConfig()",
        "logging.Formatter('%(message)s')",
        "name = raw.decode('ascii', 'replace')",
    ],
)
def test_text_reaches_a_terminal_through_one_function(line: str) -> None:
    place = "host_tools/fairshoe/observe/a.py"
    assert len(checks.check_output(place, f"{line}\n")) == 1
    assert checks.check_output("host_tools/fairshoe/printable.py", f"{line}\n") == []
    assert checks.check_output("tools/a.py", f"{line}\n") == []
    assert checks.check_output(place, "say(event)\nself.print(1)\ncode = 'print(1)'\n") == []
