"""Each check catches what it is for: a planted violation is found, the like of it that is allowed is not."""

import pytest
import style_checks as checks

LAYER_CASES = [
    # path, import, allowed
    ("firmware/main.py", "import hal.rp2", True),
    ("firmware/main.py", "from hal.sim import plant", False),
    ("firmware/app.py", "from firmware.games.flow import Flow", True),
    ("firmware/app.py", "from hal.rp2 import pins", False),
    ("firmware/games/flow.py", "from firmware.machines import tray", True),
    ("firmware/machines/tray.py", "from firmware.games.flow import Flow", False),
    ("firmware/machines/tray.py", "from ..games import flow", False),
    ("firmware/machines/tray.py", "def f():\n    import hal.rp2", False),
    ("firmware/machines/tray.py", "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from hal.api import Config", True),
    ("firmware/machines/tray.py", "if TYPE_CHECKING:\n    x = 1\nelse:\n    from hal.api import Config", False),
    ("firmware/newcomer.py", "x = 1", False),
    ("hal/rp2/port.py", "from firmware.image import IN_EXIT", False),
    ("hal/board/port.py", "from hal.rp2.axis import Axis", False),
    ("rig/run.py", "from fairshoe import Shoe", False),
    ("host_tools/fairshoe/link/framing.py", "from fairshoe.client import shoe", False),
    ("host_tools/fairshoe/link/framing.py", "import fairshoe", False),
    ("host_tools/fairshoe/observe/observer.py", "from fairshoe.operate.driver import Driver", False),
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
