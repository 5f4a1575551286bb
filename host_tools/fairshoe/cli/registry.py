"""The commands there are: in which group of --help, and what each is for.

A command `some-name` is the module commands/some_name.py, with `add_arguments(command)` and `run(options) -> int`.
"""

from __future__ import annotations

import argparse
import importlib
from typing import Protocol, cast

# In the order of --help. The texts are here and not in the modules: loading all of those takes most of a second.
GROUPS: dict[str, dict[str, str]] = {
    "look at a shoe": {
        "ports": "list ports and say which of them is a shoe",
        "status": "one look: who a shoe is, what it waits for, and the next step",
        "monitor": "show what a shoe is doing, live",
        "selftest": "whether a shoe is fit for work, without moving a card",
        "decode": "print the frames of a capture or of a live port",
    },
    "play without one": {
        "demo": "play rounds on a simulated shoe and show them live",
        "web": "a simulated shoe in the browser, to watch, handle and break",
        "sim": "run a simulated shoe behind a pseudo-terminal",
        "scenario": "play scenario files on a simulated machine",
    },
    "drive a shoe": {
        "round": "walk through a whole round, step by step",
        "shuffle": "have the deck in the hopper shuffled and verified",
        "deal": "deal a verified deck: close betting, stack by stack",
        "command": "give a shoe one command and wait for its outcome",
    },
    "test one": {
        "bench": "run a test plan on a shoe and write a report",
        "report": "make the page of a bench report",
    },
    "prove what it did": {
        "journal": "a device's journal: pull it, show it, prove it",
        "audit": "prove afterwards what a device did",
        "shuffle-test": "statistical evidence that the firmware's shuffle is uniform",
    },
    "set up": {
        "flash": "put the firmware onto a device and see that it runs",
        "image": "build the firmware of a board as one UF2",
        "verify": "compare a device with a signed release",
        "release": "build and sign what devices are to run",
        "provision": "give a device its key, or a new one",
        "config": "settings of this tool; check board configs",
        "game": "game files",
        "completion": "a script for your shell that completes commands and options",
    },
}
COMMANDS = {name: about for group in GROUPS.values() for name, about in group.items()}


class CommandModule(Protocol):
    """What a command is."""

    def add_arguments(self, command: argparse.ArgumentParser) -> None: ...
    def run(self, options: argparse.Namespace) -> int: ...


def load_command(name: str) -> CommandModule:
    return cast(CommandModule, importlib.import_module(f"fairshoe.commands.{name.replace('-', '_')}"))
