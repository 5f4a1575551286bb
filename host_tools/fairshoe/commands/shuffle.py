"""`fairshoe shuffle`: have the deck in the hopper taken in, shuffled and verified."""

from __future__ import annotations

import argparse
import json

from fairshoe.cli.operating import driver_of, event_facts
from fairshoe.messages import DeckVerified, Shuffle
from fairshoe.printable import say


def run(options: argparse.Namespace) -> int:
    with driver_of(options) as (driver, screen):
        driver.begin()
        result = driver.give(Shuffle)
        screen.finish()
        verified: DeckVerified | None = event_facts(driver.events, DeckVerified)
        if options.json:
            counts = {"counted": verified.counted, "swept": verified.swept} if verified else None
            facts = {"op": result.op, "outcome": result.outcome.name.lower(), "reason": result.reason.name.lower()}
            say(json.dumps({**facts, "verified": counts}))
        if not result.done:
            raise driver.why("shuffle", result)
        if not options.json:
            screen.line(f"shuffled and verified: {verified.counted} cards" if verified else "loaded", "good")
    return 0
