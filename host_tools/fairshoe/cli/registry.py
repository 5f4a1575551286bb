"""The commands there are: in which group of --help, and what each is for.

A command `some-name` has `add_some_name(command)` in the module of arguments/ that its group has here, which loads
little, its text in arguments/help/some-name.txt, and `run(options) -> int` in commands/some_name.py. So has a command
below another one (`fairshoe firmware flash`); the upper one has its text alone.
"""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import Protocol, cast

# In the order of --help. The texts are here and not in the modules, so that --help need not load those.
GROUPS: dict[str, dict[str, str]] = {
    "look at a shoe": {
        "start": "choose a port and what to do next; the same as fairshoe alone",
        "ports": "list ports and say which of them is a shoe",
        "status": "show identity, state, warnings and the next step, once",
        "monitor": "show what a shoe is doing, live",
        "selftest": "check whether a shoe is fit for work; no card moves",
        "decode": "print the frames of a capture or of a live port",
    },
    "simulate a shoe": {
        "demo": "play rounds on a simulated shoe and show them",
        "web": "show a shoe in the browser: a simulated one, or one live",
        "sim": "run a simulated shoe that any program can open",
        "scenario": "play scenario files on a simulated shoe",
        "table": "serve a dealer's page; play and settle the five games",
    },
    "drive a shoe": {
        "round": "lead through a whole round, step by step",
        "shuffle": "shuffle and verify the deck in the hopper",
        "deal": "deal a verified deck, stack by stack",
        "command": "send one command and wait for its outcome",
    },
    "test a shoe": {
        "bench": "run a test plan and write a report",
        "report": "make the HTML page of a bench report",
    },
    "prove what a shoe did": {
        "journal": "read, show and verify a device's journal",
        "proof": "audit a shuffle, write a receipt, test shuffle and noise",
    },
    "watch a floor": {
        "floor": "record many shoes, show them, and keep the record of all",
    },
    "set up a device": {
        "bringup": "try every input and motor of a new machine, step by step",
        "calibrate": "measure a machine and write its board config",
        "serviced": "record that a part was cleaned or replaced",
        "firmware": "build, flash, update, release and verify what a board runs",
        "provision": "install or replace the key of a device",
        "keys": "make keys for a simulated shoe or a test",
        "config": "show settings; check board configs",
        "game": "list and check games",
    },
    "this program": {
        "explain": "explain a clause, warning, event, exit status, key or word",
        "docs": "read the documentation, offline",
        "help": "explain a command, with examples",
        "version": "print the version",
        "support": "write an archive for a report, without secrets",
        "completion": "print a completion script for your shell",
    },
}
# Commands below a command.
BELOW: dict[str, dict[str, str]] = {
    "proof": {
        "audit": "verify a shuffle from its disclosed seed",
        "receipt": "write what a player can check on a phone",
        "shuffle-test": "test statistically that the shuffle is uniform",
        "noise": "capture raw noise for NIST's SP 800-90B tool",
    },
    "firmware": {
        "image": "build the firmware of a board as one UF2",
        "flash": "write the firmware onto a device and check that it runs",
        "verify": "compare a device with a signed release",
        "update": "replace the image of a device at a table, and record it",
        "release": "build and sign a release",
    },
}
ABOVE = {name: upper for upper, lower in BELOW.items() for name in lower}
# What --help shows without --all.
EVERY_DAY = ("demo", "web", "status", "monitor", "round", "table", "floor", "bench", "proof", "firmware")
# The module of arguments/ for each group. Those of a floor, and the table, have one each: they stand beside packages
# of their own.
_GROUP_MODULES = ("look", "simulate", "drive", "test", "prove", "", "device", "program")
_ALONE = ("table",)
# Actions that have modules and a text of their own, as a command has them: floor_gateway.py, help/floor-gateway.txt.
ACTIONS = {"floor": ("gateway", "inventory", "publish")}
COMMANDS = {name: about for group in GROUPS.values() for name, about in group.items()}


class CommandModule(Protocol):
    """What a module of commands/ has."""

    def run(self, options: argparse.Namespace) -> int: ...


def add_arguments(command: argparse.ArgumentParser, name: str) -> None:
    """Give a command its description, examples and arguments."""
    describe(command, name)
    if name in BELOW:
        lower = command.add_subparsers(dest="command", required=True, metavar="COMMAND")
        for each, about in BELOW[name].items():
            add_arguments(lower.add_parser(each, help=about), each)
        return
    module = importlib.import_module(f"fairshoe.arguments.{arguments_module(name)}")
    getattr(module, "add_" + name.replace("-", "_"))(command)


def describe(command: argparse.ArgumentParser, name: str) -> None:
    """Give a command, or an action that has examples of its own, its description and examples."""
    text = (Path(__file__).parents[1] / "arguments" / "help" / f"{name}.txt").read_text(encoding="utf-8")
    command.description, _, command.epilog = text.partition("\n\n")


def arguments_module(name: str) -> str:
    """Where the arguments of a command are."""
    groups = zip(GROUPS.values(), _GROUP_MODULES, strict=True)
    shared = next(module for group, module in groups if ABOVE.get(name, name) in group)
    return name.replace("-", "_") if name in _ALONE or not shared else shared


def path_of(name: str) -> list[str]:
    """The words that call a command."""
    return [ABOVE[name], name] if name in ABOVE else [name]


def load_command(name: str) -> CommandModule:
    return cast(CommandModule, importlib.import_module(f"fairshoe.commands.{name.replace('-', '_')}"))
