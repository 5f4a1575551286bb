"""Choose the port that was left out: the one shoe that is attached to this machine."""

from __future__ import annotations

import sys

from fairshoe.errors import UsageError
from fairshoe.observe import discovery
from fairshoe.printable import say
from fairshoe.text.screen import waiting


def attached_port(service: bool = False) -> str:
    """The port of the only shoe, a simulated one included. UsageError if there is none, or more than one."""
    with waiting("looking for a shoe"):
        ports = discovery.attached(service)
    if not ports:
        raise UsageError(
            "no port was given, and no shoe is attached to this machine.",
            "Attach one, name its PORT, or start a simulated one: fairshoe sim. `fairshoe ports` lists what is there.",
        )
    if len(ports) > 1:
        raise UsageError(
            f"no port was given, and {len(ports)} shoes are attached: {', '.join(ports)}.",
            "Name one of them as PORT. `fairshoe ports` says more about each.",
        )
    say(f"fairshoe: using {ports[0]}, the only shoe attached", file=sys.stderr)
    return ports[0]
