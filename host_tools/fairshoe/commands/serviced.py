"""`fairshoe serviced`: record in a shoe that a part was cleaned or replaced; its trends begin again."""

from __future__ import annotations

import argparse
import json

from fairshoe.bringup.opening import open_machine
from fairshoe.bringup.service import record_service
from fairshoe.cli.connection import Connection
from fairshoe.messages import Part, Role
from fairshoe.printable import say
from fairshoe.text.describe import describe_event


def run(options: argparse.Namespace) -> int:
    connection = Connection(options, service=True)
    machine = open_machine(connection.port, connection.key(Role.SERVICE))
    try:
        machine.shoe.greet()
        machine.enter()
        event = record_service(machine, Part[options.part.upper().replace("-", "_")], not options.cleaned)
        kept = connection.wear_file(machine.shoe.welcome)
        if kept is not None:
            kept.serviced(event)
        machine.leave()
    finally:
        machine.shoe.close()
    if options.json:
        say(json.dumps({"seq": event.seq, "part": event.part.name.lower(), "cycles": event.cycles}))
    else:
        say(f"record {event.seq}: {describe_event(event)}")
    return 0
