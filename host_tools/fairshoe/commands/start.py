"""`fairshoe start`: for people who do not know the commands yet. Opens no port and sends nothing before a yes."""

from __future__ import annotations

import argparse
import sys

from fairshoe.cli.command_line import main
from fairshoe.errors import Exit, UsageError
from fairshoe.observe import discovery
from fairshoe.printable import printable, say

ANYWHERE = {
    "d": ("demo", "watch a simulated shoe deal, refuse a short deck and jam; 30 s"),
    "b": ("web", "a simulated shoe in the browser, to handle and break"),
    "s": ("sim --display", "be the dealer at a simulated shoe"),
    "h": ("help", "all commands"),
}
AT_A_PORT = {
    "s": ("status {port}", "who it is, its state and the next step, once"),
    "m": ("monitor {port}", "watch it live, until Ctrl-C"),
    "t": ("selftest {port}", "check whether it is fit for work; no card moves"),
}


def run(options: argparse.Namespace) -> int:
    if not sys.stdin.isatty():
        raise UsageError("start asks questions, and standard input is no terminal.", "See fairshoe help.")
    found = discovery.find(ask=False)
    say("Ports of this machine (none was opened):")
    for number, each in enumerate(found, 1):
        say(f"  {number}  {printable(each.port)}  {printable(each.about) or each.kind}")
    if not found:
        say("  none: plug a shoe in, or start a simulated one below")
    say("Or:")
    _menu(ANYWHERE)
    ports = [str(number) for number in range(1, len(found) + 1)]
    choice = _ask("What next? (Enter leaves) ", [*ports, *ANYWHERE])
    if choice in ports:
        return _at_port(found[int(choice) - 1])
    return _run(ANYWHERE[choice][0]) if choice else Exit.DONE


def _at_port(found: discovery.FoundPort) -> int:
    _menu(AT_A_PORT)
    choice = _ask("What next? (Enter leaves) ", AT_A_PORT)
    if not choice:
        return Exit.DONE
    if found.kind != discovery.SIMULATED and not _agreed(found.port):
        say("Nothing was opened.")
        return Exit.DONE
    return _run(AT_A_PORT[choice][0], found.port)


def _agreed(port: str) -> bool:
    say(f"This opens {printable(port)} and sends a hello. A device that is no shoe may react to it.")
    return _ask("Open it? (y/n) ", ["y", "n"]) == "y"


def _menu(choices: dict[str, tuple[str, str]]) -> None:
    for key, (_words, about) in choices.items():
        say(f"  {key}  {about}")


def _ask(question: str, known: list[str] | dict[str, tuple[str, str]]) -> str:
    """One of the known answers, or "" to leave."""
    while True:
        try:
            answer = input(question).strip().lower()
        except EOFError:
            say()
            return ""
        if not answer or answer in known:
            return answer
        say(f"  Type one of: {', '.join(known)}.")


def _run(words: str, port: str = "") -> int:
    arguments = [word.format(port=port) for word in words.split()]
    say(f"$ fairshoe {printable(' '.join(arguments))}\n", flush=True)
    return main(arguments)
