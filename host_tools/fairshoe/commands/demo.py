"""`fairshoe demo`: scenarios on a simulated shoe, shown live."""

from __future__ import annotations

import argparse

from fairshoe.demo.choice import chosen
from fairshoe.demo.told import play
from fairshoe.text.screen import Screen


def run(options: argparse.Namespace) -> int:
    return play(chosen(options), options.speed, Screen(story=True, shoe_clock=True))
