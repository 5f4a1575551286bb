"""Open a shoe for its diagnostic mode: the service port, its key, and hands: a technician's, or simulated ones."""

from __future__ import annotations

import sys
from pathlib import Path

from fairshoe.calibrate.hands import PATIENCE_S, SimHands, Technician
from fairshoe.calibrate.machine import Machine
from fairshoe.client.shoe import Shoe
from fairshoe.errors import UsageError
from fairshoe.keys import RoleKey, read_device_key, role_key
from fairshoe.link.session import HostSession
from fairshoe.messages import Role
from fairshoe.printable import say
from fairshoe.transport.urls import PortAddress

START_S = 8.0  # a simulated machine tries to prove itself empty first


def _to_stderr(text: str) -> None:
    say(f"> {text}", file=sys.stderr, flush=True)


def open_machine(url: str, service: RoleKey | None, patience_s: float = PATIENCE_S) -> Machine:
    """Its port is open; `machine.shoe.greet` is the next step. A simulated machine brings its key and its hands;
    a person is asked on standard error."""
    if url.startswith("sim://"):
        from fairshoe.sim.port import SimPort

        port = SimPort.from_url(url)
        if not port.setup.service or not port.setup.key:
            raise UsageError(
                "the diagnostic mode needs the service port and a key.",
                "Try: sim://pico-carousel?service=on&dealer=none&key=keys/device.key (fairshoe keys new keys).",
            )
        port.sleep(START_S)
        key = role_key(read_device_key(Path(port.setup.key)), Role.SERVICE)
        return Machine(Shoe(port, url, HostSession(key)), SimHands(port))
    if service is None:
        raise UsageError("the diagnostic mode needs the key of the role service.", "Pass --key-file keys/service.key.")
    hands = Technician(_to_stderr, patience_s)
    hands.machine = Machine(Shoe(PortAddress(url).open(), url, HostSession(service)), hands)
    return hands.machine
