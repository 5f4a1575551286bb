"""`fairshoe floor publish`: carries the events of a gateway's store to NATS JetStream."""

from __future__ import annotations

import argparse

from fairshoe.cli.floor_options import broker, floor_extra, run_until_stopped
from fairshoe.errors import UsageError


def run(options: argparse.Namespace) -> int:
    if not options.store.exists():
        raise UsageError(f"there is no {options.store}.", "Name the store of a gateway: `store` of its inventory.")
    with floor_extra():
        from fairshoe_floor.logs import set_up_logs
        from fairshoe_floor.metrics import MetricsServer
        from fairshoe_floor.stream.names import Names
        from fairshoe_floor.stream.publisher import Publisher
    set_up_logs(True)
    url, more = broker(options)
    name = options.name or options.store.stem
    publisher = Publisher(options.store, url, name, Names(options.stream), more, journals_again=options.journals_again)
    with MetricsServer.on(options.metrics_port, publisher.metrics, publisher.health, publisher.ready):
        run_until_stopped(publisher)
    return 0
