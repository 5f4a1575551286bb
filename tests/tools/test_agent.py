"""What `make hil-contract` speaks with: an edge found on the device is the edge that the promises are held against."""

import sys
from types import ModuleType
from typing import Any

import pytest
from emulator.remote import AGENT, RemoteHal

from firmware.image import IN_DOOR, IN_EXIT, IN_THROAT_B, Inputs

# Modules that only a board has, or has otherwise, and what the agent takes from them.
ONLY_THERE = {"machine": "reset", "uctypes": "addressof", "hal.rp2.port": "make_hal", "time": "sleep_ms"}
EDGES = ((IN_EXIT, 1, 7), (IN_EXIT, 0, (1 << 30) - 1), (IN_DOOR, 1, 123456))


class Port:
    """A port that finds the edges, in an image that may hold some."""

    def sample(self, inp: Inputs) -> bool:
        inp.axis = 2
        inp.raw[IN_THROAT_B] = 1
        for line, level, us in EDGES:
            inp.edge[inp.edge_count] = line << 1 | level
            inp.edge_us[inp.edge_count] = us
            inp.edge_count += 1
        return True


def load(patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The agent, all but its service."""
    names: dict[str, Any] = {}
    with patch.context() as patched:
        for module, name in ONLY_THERE.items():
            stub: Any = ModuleType(module)
            setattr(stub, name, None)
            patched.setitem(sys.modules, module, stub)
        exec(AGENT.read_text(encoding="utf-8").split("\ntry:\n    serve()")[0], names)
    return names


class Remote(RemoteHal):
    """Without a board between the two."""

    def __init__(self, agent: dict[str, Any]) -> None:
        self.agent = agent

    def _call(self, verb: str, *numbers: int, data: bytes = b"") -> int:
        result = self.agent["VERBS"][verb](*numbers, *[0] * (3 - len(numbers)), data)
        self._data = bytes(self.agent["answer"])
        return int(result)


@pytest.mark.parametrize("there", [0, 3])
def test_a_sample_comes_out_as_the_port_made_it(there: int, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = load(monkeypatch)
    agent["hals"].append(Port())
    inp = Inputs()
    inp.edge_count = there
    assert Remote(agent).sample(inp)
    found = [(inp.edge[i] >> 1, inp.edge[i] & 1, inp.edge_us[i]) for i in range(there, inp.edge_count)]
    assert found == list(EDGES)
    assert (inp.axis, inp.raw[IN_THROAT_B], inp.edge_lost) == (2, 1, False)
