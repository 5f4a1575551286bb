"""`fairshoe floor gateway`: record all shoes of an inventory and serve what is known of them."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib.util
import sys
import tempfile
from pathlib import Path

from fairshoe.cli.floor_options import on_signals
from fairshoe.errors import UsageError, install_advice
from fairshoe.printable import say

NEEDED = ("prometheus_client", "starlette", "uvicorn", "websockets")


def run(options: argparse.Namespace) -> int:
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"the gateway needs {', '.join(missing)}.", install_advice("floor"))
    if (options.inventory is None) == (options.demo is None):
        raise UsageError("give an inventory or --demo N.", "For example: fairshoe floor gateway --demo 20.")
    with tempfile.TemporaryDirectory(prefix="fairshoe-") as scratch, contextlib.suppress(KeyboardInterrupt):
        return asyncio.run(_serve(options, Path(scratch)))
    return 0


async def _serve(options: argparse.Namespace, scratch: Path) -> int:
    # Loaded here: no other command needs the floor.
    from fairshoe_floor.alarms.rules import DEFAULT, load_rules
    from fairshoe_floor.api.server import Binding
    from fairshoe_floor.api.tokens import new_token, read_tokens
    from fairshoe_floor.gateway.demo import demo_inventory, demo_rules
    from fairshoe_floor.gateway.process import SAMPLE_S, Gateway, Settings
    from fairshoe_floor.inventory import read_inventory
    from fairshoe_floor.logs import set_up_logs

    demo = options.demo is not None
    folder = (options.folder or scratch).resolve()
    inventory = demo_inventory(folder, options.demo, options.speed) if demo else read_inventory(options.inventory)
    grants = read_tokens(options.tokens) if options.tokens else []
    token, own = new_token("this run", ("metrics", "meters", "table"))
    rules = load_rules(options.rules or DEFAULT)
    binding = Binding(options.host, options.port, options.tls_cert, options.tls_key)
    settings = Settings(
        binding,
        grants or [own],
        bool(grants),
        _devices(options.new_log),
        2.0 if demo else SAMPLE_S,
        demo_rules(rules) if demo else rules,
    )
    set_up_logs()
    async with Gateway(inventory, settings) as gateway:
        running = asyncio.create_task(gateway.run())
        on_signals(running.cancel)
        say(f"{len(inventory.shoes)} shoes; the floor page: {gateway.url}{'' if grants else f'#{token}'}", flush=True)
        if demo:
            say("Each is the real firmware on a simulated machine. Ctrl-C ends it.", file=sys.stderr)
        with contextlib.suppress(asyncio.CancelledError):
            await running
    return 0


def _devices(words: list[str]) -> set[int]:
    try:
        return {int(word, 16) for word in words}
    except ValueError:
        raise UsageError(
            "--new-log takes the number of a device.", "Eight hex digits, as `fairshoe ports` prints."
        ) from None
