"""What is public, as a table for each kind, and whether a change of it may ship under this version: `make surface`.

    python -m surface [--write] [--json]

A surface is lines: a name and its properties in words. A line that is gone or reads differently since the last release
breaks a user; docs/COMPATIBILITY.md says which version step allows that. A new line breaks none. What the last release
had is collected by its own programs, in a worktree of its tag. Messages are promised from the first commit on, because
journals hold them: their lines are kept in tests/surface/messages.json, and `--write` adds the new ones.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import enum
import importlib
import inspect
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import release_files

import fairshoe
from docs import reference
from fairshoe import Shoe, messages
from fairshoe.cli import command_line, settings
from fairshoe.errors import Exit
from fairshoe.files import write_private
from fairshoe.messages import Status
from fairshoe.ship.identity import Identity

ROOT = Path(__file__).resolve().parents[1]
MESSAGES = ROOT / "tests" / "surface" / "messages.json"
PAGE = ROOT / "docs" / "INTEGRATE.md"
PLANS = "host_tools/fairshoe/bench/plans"
SCHEMAS = (
    "board_configs/schema.json",
    "game_profiles/schema.json",
    f"{PLANS}/schema.json",
    f"{PLANS}/report_schema.json",
)
Lines = dict[str, str]


# --- the library -------------------------------------------------------------------------------


def library() -> Lines:
    """Names of the public modules that docs/INTEGRATE.md lists, with members and parameters."""
    rows: list[str] = re.findall(r"^\| `(fairshoe[\w.]*)` \|", PAGE.read_text("utf-8"), re.MULTILINE)
    lines: Lines = {}
    for module in rows:
        loaded = importlib.import_module(module)
        names: list[str] = (
            fairshoe.__all__ if module == "fairshoe" else [name for name in vars(loaded) if name[0] != "_"]
        )
        for name in names:
            it = getattr(loaded, name)
            ours = module == "fairshoe" or getattr(it, "__module__", "") == module
            if ours and (inspect.isclass(it) or inspect.isfunction(it)):
                lines |= _described(f"{module}.{name}", it)
    return lines


def _described(name: str, it: Any) -> Lines:
    if not inspect.isclass(it):
        return parameters(name, it)
    lines = {name: " ".join(base.__name__ for base in it.__mro__[1:-1] if base.__module__.startswith("fairshoe"))}
    if issubclass(it, enum.Enum):
        return lines | {f"{name}.{member.name}": repr(member.value) for member in it}
    if dataclasses.is_dataclass(it):
        lines |= {f"{name}.{field.name}": "field" for field in dataclasses.fields(it)}
    for word, member in ((word, member) for base in it.__mro__ for word, member in vars(base).items()):
        if word[0] == "_" or not _is_ours(member):
            continue
        if isinstance(member, property):
            lines[f"{name}.{word}"] = "property"
        else:
            lines |= parameters(f"{name}.{word}", getattr(it, word))
    return lines


def _is_ours(member: Any) -> bool:
    inner = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
    return inspect.isfunction(inner) and inner.__module__.startswith("fairshoe")


def parameters(name: str, function: Any) -> Lines:
    """Which parameters a caller must give, in order; and a line for each that may be left out."""
    found = list(inspect.signature(function).parameters.values())
    needed = [it.name for it in found if it.default is it.empty and it.name != "self"]
    lines = {name: f"({', '.join(needed)})"}
    return lines | {f"{name}({it.name})": it.kind.description for it in found if it.default is not it.empty}


# --- the command line --------------------------------------------------------------------------


def commands() -> Lines:
    """Every option and argument of every command: what it takes, and whether it must be given."""
    return dict(_of_parser(command_line.full_parser()))


def _of_parser(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for action in parser._actions:  # pyright: ignore[reportPrivateUsage]
        if isinstance(action, argparse._SubParsersAction):  # pyright: ignore[reportPrivateUsage]
            choices: dict[str, argparse.ArgumentParser] = dict(action.choices)  # pyright: ignore
            for name in choices:
                yield from _of_parser(choices[name])
            continue
        takes = "nothing" if action.nargs == 0 else f"a value ({action.nargs})" if action.nargs else "a value"
        words = [takes, *(["required"] if action.required else [])]
        words += ["of " + " ".join(map(str, action.choices))] if action.choices else []
        for name in action.option_strings or [action.dest.upper()]:
            yield f"{parser.prog} {name}", ", ".join(words)


def statuses() -> Lines:
    return {f"{status.value}": status.name.lower() for status in Exit}


def variables() -> Lines:
    """Settings, by their name in the file."""
    return {it.name: f"{it.kind}, {it.variable}, {it.flag}" for it in settings.SETTINGS}


# --- JSON of commands --------------------------------------------------------------------------

# Commands whose JSON takes little time, by the name of their lines. SIM is a simulated shoe, KEYED one that takes
# commands, FILES what a release left on disks. Messages as JSON (monitor) are in `messages`.
GOLDEN = "docs/protocol/golden.bin"
_VERIFY = "journal verify FILES/pico-draw.journal --key-file FILES/seal.key --last"
JSON_OF = {
    **{
        words: words
        for words in (
            *("version", "config show", "config check pico-shoe", "game check boston-5-stud", "explain jam"),
            *("scenario run b5-all-fold", f"decode {GOLDEN}"),
        )
    },
    "status": "status SIM",
    "selftest": "selftest SIM",
    "round": "round KEYED 2 --yes --key-file FILES/table.key",
    "journal show": "journal show FILES/pico-draw.journal",
    "journal verify": f"{_VERIFY} 1",
    "journal verify of a file that is too short": f"{_VERIFY} 9999",
    **{f"table books {what}": f"table books FILES {what}" for what in ("audit", "rounds", "meters")},
}
# A device at a table is refused an older image, led through an update, and started again before the last words.
_UPDATE = "PORT --record FILES/u.json --key-file FILES/table.key --seal-key FILES/seal.key"
UPDATES = {
    "update before with an older image": f"update before {_UPDATE} --image FILES/0.0.1.uf2",
    "update before": f"update before {_UPDATE} --image FILES/new.uf2",
    "update after without a restart": f"update after {_UPDATE}",
}
UPDATED = {"update after": f"update after {_UPDATE}"}


def outputs() -> Lines:
    """The keys of what commands print with --json, with the kind of each value, and how they end."""
    lines: Lines = {}
    with tempfile.TemporaryDirectory() as name, mock.patch.dict(os.environ, {"FAIRSHOE_STORE": f"{name}/store.db"}):
        files = Path(name)
        _lay_out(files)
        keyed = f"sim://pico-carousel?seed=7&speed=0&dealer=hands&mode=table&key={files / 'device.key'}"
        places = {GOLDEN: ROOT / GOLDEN, "SIM": "sim://pico-draw?speed=0", "KEYED": keyed, "FILES": files}
        lines |= _of_commands(JSON_OF, places)
        with _shoe(files, ["--key-file", str(files / "device.key")]) as port:
            with Shoe.open(port, files / "table.key", store=files / "host.db", clock=False) as shoe:
                next(it for it in shoe.messages() if isinstance(it, Status) and _is_at_rest(it))
            lines |= _of_commands(UPDATES, {**places, "PORT": port})
        with _shoe(files, []) as port:
            lines |= _of_commands(UPDATED, {**places, "PORT": port})
    return lines


def _is_at_rest(status: Status) -> bool:
    return status.state == messages.State.WAITING_FOR_DECK and not status.events_waiting


def _of_commands(commands: Mapping[str, str], places: Mapping[str, object]) -> Lines:
    lines: Lines = {}
    for name, words in commands.items():
        said = io.StringIO()
        given = [re.sub("|".join(places), lambda found: str(places[found[0]]), word) for word in words.split()]
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            lines[f"fairshoe {name}: exit status"] = str(int(command_line.main([*given, "--json"])))
        for value in _values(said.getvalue()):
            lines |= {f"fairshoe {name}: {path}": kind for path, kind in shape(value)}
    return lines


def _lay_out(files: Path) -> None:
    """Files of a release as files again, and two images."""
    release = release_files.newest()
    for name, text in json.loads((release / "keys.json").read_text("utf-8")).items():
        write_private(files / name, text)
    shutil.copy(release / "pico-draw.journal", files)
    for script in release.glob("*.table.sql"):
        release_files.database_from(script.read_text("utf-8"), files / f"{script.name.split('.')[0]}.db")
    for name, version in (("new", fairshoe.__version__), ("0.0.1", "0.0.1")):
        page = Identity("pico-draw", "house", version, 0, True, "0" * 64).line()
        block = (0x0A324655, 0x9E5D5157, 0x2000, 0x10000000, 256, 0, 1, 0xE48BFF56, page, 0x0AB16F30)
        (files / f"{name}.uf2").write_bytes(struct.pack("<8I476sI", *block))


@contextlib.contextmanager
def _shoe(files: Path, key: list[str]) -> Generator[str]:
    """A simulated shoe in a process of its own, so that one host can follow another; its memory stays, and its key."""
    words = ["sim", "--board", "pico-draw", "--speed", "20", "--tcp", "0", "--json", "--mode", "table"]
    command = [sys.executable, "-m", "fairshoe", *words, "--storage", str(files / "shoe.nv"), *key]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as sim:
        try:
            yield json.loads(sim.stdout.readline() if sim.stdout else "")["tcp"]
        finally:
            sim.terminate()


def _values(said: str) -> list[Any]:
    """One JSON value, or one on each line."""
    try:
        return [json.loads(said)]
    except ValueError:
        return [json.loads(line) for line in said.splitlines()]


def shape(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Paths and kinds in a JSON value. The items of a list are taken for one; null says nothing about its kind."""
    if isinstance(value, dict):
        for key, inner in value.items():  # pyright: ignore
            yield from shape(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in value:  # pyright: ignore
            yield from shape(inner, f"{path}[]")
    elif value is not None:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        yield path, "number" if number else type(value).__name__


# --- what is on the wire and in files ----------------------------------------------------------


def message_table() -> Lines:
    """Each message with its number, class and layout, and its fields in order."""
    lines: Lines = {}
    for kind in messages.ALL:
        fields = " ".join(field.name for field in dataclasses.fields(kind))
        lines[kind.NAME] = f"{kind.ID}, class {kind.CLASS}, {kind.LAYOUT.format}: {fields}"
    for name, it in vars(messages).items():
        if inspect.isclass(it) and issubclass(it, enum.IntEnum) and it.__module__ == messages.__name__:
            lines |= {f"{name} {member.name.lower()}": str(member.value) for member in it}
    return lines


def schemas() -> Lines:
    """Every constraint of the schema files. What a file may say is a promise, and what it must say."""
    lines: Lines = {}
    for name in SCHEMAS:
        flat = _flat(json.loads((ROOT / name).read_text("utf-8")), name)
        lines |= {path: text for path, text in flat if not re.search(r"/(description|title|\$id|examples)\b", path)}
    return lines


def _flat(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():  # pyright: ignore
            yield from _flat(inner, f"{path}/{key}")
    elif path.endswith("/enum"):  # a further value breaks none
        yield from ((f"{path}/{item}", "") for item in value)
    else:
        yield path, json.dumps(value)


def scenarios() -> Lines:
    """Keys of scenario files, and the actions of a host with their arguments."""
    from rig import scenario

    lines = {f"key {key}": "" for key in (*scenario.KEYS, "cases", "values", "steps")}
    lines |= {f"step {key}": "" for key in scenario._STEP}  # pyright: ignore[reportPrivateUsage]
    actions = scenario._HOST_ACTIONS  # pyright: ignore[reportPrivateUsage]
    return lines | {f"action {name} {word}".strip(): "" for name in actions for word in ("", *actions[name])}


def formats() -> Lines:
    """Versions of what is stored, and the routes of the floor's API."""
    from fairshoe.client.store_file import SCHEMA
    from fairshoe.journal import export
    from fairshoe.ship import manifest
    from fairshoe_floor.api.route_table import ROUTES
    from fairshoe_floor.history.schema import STEPS
    from fairshoe_table.books import schema as books
    from firmware.journal import cells

    # A version that can be read is a promise; a newer one beside it breaks no user.
    newest = {"store": SCHEMA, "books": books.VERSION, "export": export.FORMAT, "floor database": len(STEPS)}
    newest["storage layout"] = int(cells.LAYOUT)
    lines = {f"{name} {version}": "read" for name, last in newest.items() for version in range(1, last + 1)}
    lines[manifest.FORMAT] = "read"
    for it in ROUTES:
        lines[f"GET {it.path}"] = f"{it.schema}, for {' '.join(it.scope) or 'all'}"
        lines |= {f"GET {it.path} ?{parameter.name}": parameter.kind for parameter in it.parameters}
    return lines


def metrics() -> Lines:
    """Names and kinds of what the floor's programs measure: dashboards and alerts ask for them."""
    tables = {prefix: texts for _title, prefix, _about, texts in reference.metric_tables()}
    return {
        f"fairshoe_{prefix}_{name}": reference.metric_kind(name) for prefix, texts in tables.items() for name in texts
    }


SURFACES: dict[str, Callable[[], Lines]] = {
    "library": library,
    "commands": commands,
    "statuses": statuses,
    "settings": variables,
    "json": outputs,
    "messages": message_table,
    "schemas": schemas,
    "scenarios": scenarios,
    "formats": formats,
    "metrics": metrics,
}


# --- comparing ---------------------------------------------------------------------------------


def kept_messages() -> tuple[str, Lines]:
    """The version that the messages were written down for, and their lines."""
    value = json.loads(MESSAGES.read_text("utf-8"))
    return value["version"], value["lines"]


def last_release(root: Path = ROOT) -> str:
    """The newest tag of a release that this commit comes from; empty if there is none."""
    command = ["git", "-C", str(root), "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def of_release(tag: str, root: Path = ROOT) -> tuple[str, dict[str, Lines]]:
    """What a release has, said by its own collector: its version, and its lines by surface."""
    with tempfile.TemporaryDirectory(prefix="fairshoe-surface-") as name:
        tree = Path(name) / "tree"
        git = ["git", "-C", str(root), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(tree), tag], check=True)
        try:
            path = os.pathsep.join(str(tree / folder) for folder in ("tools", "host_tools", "."))
            said = subprocess.run(
                [sys.executable, "-m", "surface", "--json"],
                cwd=tree,
                env={**os.environ, "PYTHONPATH": path},
                stdout=subprocess.PIPE,
                check=True,
            ).stdout
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)
    value = json.loads(said)
    return value["version"], value["surfaces"]


def _holds(old: str, new: str) -> bool:
    """The same; or a choice with more words to choose from."""
    (head, _, words), (new_head, _, more) = old.partition(", of "), new.partition(", of ")
    return head == new_head and (old == new or (bool(words) and {*words.split()} <= {*more.split()}))


def broken(old: Lines, new: Lines) -> list[str]:
    """What a user of the old surface misses in the new one, in words."""
    gone = [f"gone: {name}" for name in old if name not in new]
    other = [name for name in old if name in new and not _holds(old[name], new[name])]
    return gone + [f"changed: {name}: was {old[name]!r}, is {new[name]!r}" for name in other]


def may_break(old: str, new: str) -> bool:
    """Whether the step between two versions allows it: of the first number; before 1.0 also of the second."""
    before, after = ([int(word) for word in version.split(".")[:2]] for version in (old, new))
    return after[0] > before[0] or (before[0] == 0 and after > before)


def advice(version: str) -> str:
    major, minor = (int(word) for word in version.split(".")[:2])
    step = f"0.{minor + 1}.0" if major == 0 else f"{major + 1}.0.0"
    return (
        f"{version} promised this. Put it back, beside what is new; or, if users must change something: step the"
        f" version to {step} (docs/RELEASE.md says where it stands), write into CHANGELOG.md what they have to do, and"
        " for messages run `make surface WRITE=1`."
    )


def check(name: str, version: str, old: Lines, new: Lines) -> bool:
    """Print what is new and what is broken; whether a release may have it."""
    lost = broken(old, new)
    good = not lost or may_break(version, fairshoe.__version__)
    if not good:
        print(f"{name}:", *lost, advice(version), sep="\n  ", file=sys.stderr)
    print(f"{name:10s} {len(new):5d} lines, {len(new.keys() - old.keys())} new since {version}, {len(lost)} broken")
    return good


def problems() -> list[str]:
    """The surfaces that break a promise without a version step; progress and causes are printed."""
    version, kept = kept_messages()
    bad = [] if check("messages", version, kept, message_table()) else ["messages"]
    tag = last_release()
    if not tag:
        print("no release is tagged yet: nothing but messages is promised")
        return bad
    print(f"collecting what {tag} has ...", flush=True)
    version, promised = of_release(tag)
    others = {name: take for name, take in SURFACES.items() if name != "messages"}
    return bad + [name for name, take in others.items() if not check(name, version, promised.get(name, {}), take())]


def write_messages() -> None:
    value = {"version": fairshoe.__version__, "lines": dict(sorted(message_table().items()))}
    MESSAGES.write_text(json.dumps(value, indent=0) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser("surface", description="Compare what is public with what was promised.")
    parser.add_argument("--write", action="store_true", help="write down the messages that there are now")
    parser.add_argument("--json", action="store_true", help="print what is public, and compare nothing")
    options = parser.parse_args()
    if options.json:
        surfaces = {name: take() for name, take in SURFACES.items()}
        print(json.dumps({"version": fairshoe.__version__, "surfaces": surfaces}))
        return 0
    bad = problems()
    if options.write and "messages" not in bad:
        write_messages()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
