"""Completion scripts for bash, zsh and fish, made from the parser: commands, options, names, files and ports.

The scripts contain the words themselves, so that Tab starts no Python; make them again after an update. Only ports are
looked up at the time: serial devices with the usual names, and simulated shoes that are running.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairshoe.boards import configs
from fairshoe.games import profiles

PORTS = ("/dev/ttyACM*", "/dev/ttyUSB*", "/dev/cu.usb*")
# Every running simulator has a file with its ports.
_SIM_FILES = ("${XDG_RUNTIME_DIR:-/nowhere}/fairshoe", "${TMPDIR:-/tmp}/fairshoe-$(id -u)")
_SIM_PORT = 's/.*"port": "\\([^"]*\\)".*/\\1/p'
_FILES = frozenset({"FILE", "F", "FOLDER", "OUT", "FILE|-|PORT", "FILE.json"})


@dataclass
class Words:
    """What may follow a command: commands below it, options, which of them want a value, and what kind of one."""

    path: tuple[str, ...]
    about: str = ""
    commands: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    options: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    values: dict[str, list[str]] = field(default_factory=dict[str, list[str]])  # by option; empty: anything
    files: set[str] = field(default_factory=set[str])  # options whose value is a file
    choices: list[str] = field(default_factory=list[str])  # of the first positional argument
    port: bool = False
    file: bool = False


def words_of(parser: Any, path: tuple[str, ...] = (), about: str = "") -> list[Words]:
    """Of a parser and every one below it."""
    words = Words(path, about)
    found = [words]
    for action in parser._actions:
        if hasattr(action.choices, "values"):
            helps = {choice.dest: choice.help or "" for choice in action._get_subactions()}
            for name, inner in action.choices.items():
                words.commands.append((name, helps.get(name, "")))
                found += words_of(inner, (*path, name), helps.get(name, ""))
        elif action.option_strings:
            _option(words, action)
        else:
            words.choices += [choice for choice in _choices(action) if choice not in words.choices]
            words.port |= action.dest in ("port", "url")
            words.file |= action.metavar in _FILES or action.dest in ("file", "board", "game", "plan")
    return found


def _option(words: Words, action: Any) -> None:
    if action.help == argparse.SUPPRESS:
        return
    about = " ".join((action.help or "").replace("%(default)s", str(action.default)).split())
    for name in action.option_strings:
        words.options.append((name, about))
        if action.nargs != 0:
            words.values[name] = _choices(action)
            if action.metavar in _FILES:
                words.files.add(name)


def _choices(action: Any) -> list[str]:
    """The words that an argument can be: choices of argparse, those its command names, boards and games."""
    named = {"board": configs.board_names, "game": profiles.game_names}.get(action.dest)
    return [str(choice) for choice in action.choices or getattr(action, "completes", ()) or (named() if named else ())]


def _list_ports(globs: str) -> str:
    """A shell command that prints the ports there are, one a line. `globs` prints the serial devices."""
    files = " ".join(f'"{folder}"/sim-*.json' for folder in _SIM_FILES)
    return f"{globs}; sed -n '{_SIM_PORT}' {files} 2>/dev/null"


def _filled(template: str, **parts: str) -> str:
    text = Path(__file__).with_name(template).read_text(encoding="utf-8")
    return re.sub("@([a-z]+)@", lambda found: parts[found[1]], text)


# --- bash ------------------------------------------------------------------------------------------------------


def bash(parser: Any) -> str:
    cases = "\n".join(_bash_case(words) for words in words_of(parser))
    ports = _list_ports("; ".join(f"compgen -G '{pattern}'" for pattern in PORTS))
    return _filled("completion.bash", ports=ports, cases=cases, values=_bash_values(parser))


def _bash_case(words: Words) -> str:
    parts = [
        ("commands", [name for name, _about in words.commands]),
        ("choices", words.choices),
        ("options", [name for name, _about in words.options]),
        ("value_options", list(words.values)),
        ("file_options", sorted(words.files)),
        ("ports", ["1"] if words.port else []),
        ("files", ["1"] if words.file else []),
    ]
    sets = "; ".join(f"{name}={_quoted(' '.join(values))}" for name, values in parts if values)
    return f"        {_quoted(' '.join(('fairshoe', *words.path)))}) {sets or ':'} ;;"


def _bash_values(parser: Any) -> str:
    lines = [
        f"        {_quoted(' '.join(('fairshoe', *words.path, option)))}) echo {_quoted(' '.join(values))} ;;"
        for words in words_of(parser)
        for option, values in words.values.items()
        if values
    ]
    return "\n".join([*lines, "        *) ;;"])


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# --- zsh -------------------------------------------------------------------------------------------------------


def zsh(parser: Any) -> str:
    functions = "\n".join(_zsh_function(words) for words in words_of(parser))
    ports = _list_ports("print -l " + " ".join(f"{pattern}(N)" for pattern in PORTS))
    return _filled("completion.zsh", ports=ports, functions=functions)


def _zsh_name(path: tuple[str, ...]) -> str:
    return "_" + "_".join(("fairshoe", *path)).replace("-", "_")


def _zsh_function(words: Words) -> str:
    specs = [_zsh_option(words, name, about) for name, about in words.options]
    if words.commands:
        entries = " ".join(_quoted(f"{name}:{about}") for name, about in words.commands)
        calls = "\n".join(f"            {name}) {_zsh_name((*words.path, name))} ;;" for name, _about in words.commands)
        lines = " \\\n        ".join([*specs, "'1: :->command'", "'*:: :->rest'"])
        return f"""\
{_zsh_name(words.path)}() {{
    local state line
    typeset -A opt_args
    _arguments -C \\
        {lines}
    case $state in
        command) local -a all; all=({entries}); _describe command all ;;
        rest) case $line[1] in
{calls}
        esac ;;
    esac
}}"""
    # The space before the name: without it _arguments adds words of its own to the call.
    rest = [f"'*: : _fairshoe_words {int(words.port)} {int(words.file)} {' '.join(words.choices)}'"]
    if not (words.choices or words.port or words.file):
        rest = []
    lines = " \\\n        ".join([*specs, *rest])
    return f"{_zsh_name(words.path)}() {{\n    _arguments \\\n        {lines}\n}}"


def _zsh_option(words: Words, name: str, about: str) -> str:
    text = about.replace("\\", "").replace("[", "(").replace("]", ")").replace(":", ",")
    spec = f"{name}[{text}]"
    if name in words.files:
        spec += ": :_files"
    elif name in words.values:
        spec += f": :({' '.join(words.values[name])})" if words.values[name] else ": : "
    return _quoted(spec)


# --- fish ------------------------------------------------------------------------------------------------------


# In a for loop a pattern may match nothing.
_FISH_PORTS = f"""\
function __fairshoe_ports
    for p in {" ".join(PORTS)}
        echo $p
    end
    for f in $XDG_RUNTIME_DIR/fairshoe/sim-*.json /tmp/fairshoe-(id -u)/sim-*.json
        echo (sed -n '{_SIM_PORT}' $f)
    end
end"""


def fish(parser: Any) -> str:
    lines = ["# fish completion for fairshoe: save it as ~/.config/fish/completions/fairshoe.fish", _FISH_PORTS]
    for words in words_of(parser):
        when = _fish_when(words)
        for name, about in words.commands:
            lines.append(f"complete -c fairshoe -f -n {_fish(when)} -a {name} -d {_fish(about)}")
        for choice in words.choices:
            lines.append(f"complete -c fairshoe -f -n {_fish(when)} -a {_fish(choice)}")
        if words.port:
            lines.append(f"complete -c fairshoe -n {_fish(when)} -a '(__fairshoe_ports)'")
        for name, about in words.options:
            lines.append(_fish_option(words, name, about, when))
    return "\n".join(lines) + "\n"


def _fish_when(words: Words) -> str:
    if not words.path:
        return "__fish_use_subcommand"
    parts = [f"__fish_seen_subcommand_from {name}" for name in words.path]
    if words.commands:
        parts.append(f"not __fish_seen_subcommand_from {' '.join(name for name, _about in words.commands)}")
    return "; and ".join(parts)


def _fish_option(words: Words, name: str, about: str, when: str) -> str:
    kind = f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
    line = f"complete -c fairshoe -n {_fish(when)} {kind} -d {_fish(about)}"
    if name in words.files:
        return f"{line} -r"
    if name in words.values:
        return f"{line} -x -a {_fish(' '.join(words.values[name]))}"
    return line


def _fish(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}
