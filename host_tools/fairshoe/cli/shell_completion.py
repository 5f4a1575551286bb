"""Completion scripts, made by shtab from the parser. Here: which words, files and ports an argument takes.

The scripts contain the words themselves, so that Tab starts no Python; make them again after an update. Only ports are
looked up at the time: serial devices with the usual names, and simulated shoes that are running.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import shtab

from fairshoe.boards import configs
from fairshoe.games import profiles

SHELLS = ("bash", "fish", "zsh")
_FILES = frozenset({"FILE", "F", "FOLDER", "OUT", "FILE|-|PORT", "FILE.json"})
_NAMES = {"board": configs.board_names, "game": profiles.game_names}
# Every running simulator has a file with its ports. `find` is quiet about folders that are not there.
_LIST_PORTS = (
    "{ find /dev -maxdepth 1 '(' -name 'ttyACM*' -o -name 'ttyUSB*' -o -name 'cu.usb*' ')'; "
    'find "${XDG_RUNTIME_DIR:-/nowhere}/fairshoe" "${TMPDIR:-/tmp}/fairshoe-$(id -u)" -name "sim-*.json" '
    """-exec sed -n 's/.*"port": "\\([^"]*\\)".*/\\1/p' {} +; } 2>/dev/null | sort"""
)


def script(parser: Any, shell: str) -> str:
    """For the parser and every one below it."""
    _prepare(parser)
    return shtab.complete(parser, shell)


def _prepare(parser: Any) -> None:
    for action in parser._actions:
        if hasattr(action.choices, "values"):
            action.help = ""  # shtab leaves out what has no help, and these have none of their own
            for inner in action.choices.values():
                _prepare(inner)
        elif action.nargs != 0 and not action.choices:
            _mark(action)


def _mark(action: Any) -> None:
    names = _NAMES.get(action.dest, tuple)()
    words = [str(word) for word in getattr(action, "completes", names)]
    is_file = action.metavar in _FILES or (not action.option_strings and action.dest in ("file", "plan", *_NAMES))
    is_port = not action.option_strings and action.dest in ("port", "url")
    if words or is_file or is_port:
        action.complete = _completion(words, is_file, is_port)


def _completion(words: Sequence[str], is_file: bool, is_port: bool) -> dict[str, Any]:
    """A function of the script for each shell that offers these."""
    text = " ".join(words)
    name = f"_fairshoe_{crc32(f'{text} {is_file} {is_port}'.encode()):08x}"
    bash = [f'compgen -W "{text}" -- "$1"'] * bool(words)
    zsh = [f"compadd -- {text}"] * bool(words)
    fish = [f"string split ' ' -- {_quoted(text)}"] * bool(words)
    if is_port:
        bash.append(f'compgen -W "$({_LIST_PORTS})" -- "$1"')
        zsh.append(f'compadd -- ${{(f)"$({_LIST_PORTS})"}}')
        fish.append(f"sh -c {_quoted(_LIST_PORTS)}")
    if is_file:
        bash.append('compgen -f -- "$1"')
        zsh.append("_files")
        fish.append("__fish_complete_path (commandline -ct)")
    preamble = {
        "bash": "\n  ".join([f"{name}() {{", *bash]) + "\n}\n",
        "zsh": "\n  ".join([f"{name}() {{", *zsh]) + "\n}\n",
        "fish": "\n  ".join([f"function {name}", *fish]) + "\nend\n",
    }
    return {"bash": name, "zsh": name, "fish": f"({name})", "preamble": preamble}


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
