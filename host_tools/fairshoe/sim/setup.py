"""Set up a simulated shoe: its game, its storage, its faults, and the options of a `sim://` URL.

sim://pico-carousel?game=caribbean-stud&seed=3&speed=0&faults=jam:throat:12&dealer=auto
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl, unquote, urlsplit

from fairshoe.boards import DEFAULT_BOARD, configs
from fairshoe.errors import GameError, SimulatorError, UsageError
from fairshoe.files import make_private, parse_json, read_regular
from fairshoe.games import profiles
from fairshoe.games.profiles import game_names, load_game
from fairshoe.keys import read_device_key
from hal.disk import Disk
from hal.sim.faults import FAULTS
from hal.sim.persistent_nv import GRAIN, PersistentNv
from rig.games import load_profile
from rig.rig import Rig

try:
    import fcntl
except ImportError:  # a system without it has no lock of this kind: one simulator at a time there
    fcntl = None

SCHEME = "sim"
DEFAULT_GAME = "caribbean-stud"
GAMES = {"shelves": "house:deck_cards=52", "draw": "house:deck_cards=30"}  # of mechanisms that deal no stacks
DEALERS = ("auto", "hands", "none")
MODES = ("report_only", "table")
AUDITS = ("erase", "disclose")
SPEED_MAX = 1000.0
JAM_UM = 60000  # where a card stops by default

Game = str | dict[str, object]
Fault = dict[str, Any]


@dataclass(frozen=True)
class SimSetup:
    """A simulated shoe in words. Speed 0 has no clock: time jumps whenever a program waits."""

    board: str = DEFAULT_BOARD
    game: str = ""
    seed: int = 1
    speed: float = 0.0
    faults: tuple[Fault, ...] = field(default_factory=tuple[Fault, ...])
    dealer: str = "auto"
    key: str = ""
    storage: str = ""
    mode: str = ""
    audit: str = ""
    table: tuple[str, ...] = ()
    truth: str = ""
    service: str = ""


def parse_url(url: str) -> SimSetup:
    """The words of a sim:// URL; UsageError names what would be right."""
    parts = urlsplit(url)
    if parts.scheme != SCHEME:
        raise UsageError(f"{url!r} is no sim:// URL.", "For example sim://pico-carousel?seed=3.")
    board = unquote(parts.netloc + parts.path).rstrip("/") or DEFAULT_BOARD
    found: dict[str, Any] = {}
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name not in _WORDS:
            raise UsageError(f"sim:// knows no {name!r}.", f"Known: {', '.join(_WORDS)}.")
        if name == "table":
            found[name] = (*found.get(name, ()), value)
            continue
        if name in found:
            raise UsageError(f"sim:// has {name} twice.", "Say it once.")
        found[name] = _WORDS[name](value)
    return SimSetup(board, **found)


def make_rig(setup: SimSetup) -> tuple[Rig, Disk | None]:
    """The device and its machine, and the file behind its storage if it has one; the caller closes it."""
    config, crc = configs.load_board(setup.board)
    key = read_device_key(Path(setup.key)) if setup.key else b""
    profiles.set_table(config, list(setup.table))
    # Who gives a simulated device a key wants to command it.
    config["link"]["mode"] = setup.mode or ("table" if key else config["link"]["mode"])
    if setup.audit:
        config["audit"] = {**config.get("audit", {}), "seeds": setup.audit}
    game = setup.game or config.get("game", GAMES.get(config["mechanism"]["kind"], DEFAULT_GAME))
    disk = open_disk(setup.storage, config["nv"]["bytes"]) if setup.storage else None
    try:
        nv = PersistentNv(config["nv"]["bytes"], disk) if disk else None
        rig = Rig(config, check_game(game), setup.seed, crc, key, nv, truth=read_truth(setup.truth))
        for fault in setup.faults:
            rig.plant.add_fault(fault)
    except BaseException as error:
        if disk is not None:
            disk.close()
        if isinstance(error, ValueError):
            advice = "Choose another game, board, fault or truth."
            raise GameError(f"{setup.board} with {game}: {error}.", advice) from error
        if isinstance(error, RuntimeError):
            raise storage_refused(error) from error
        raise
    return rig, disk


def read_truth(path: str) -> dict[str, Any] | None:
    """In what the machine differs from its board config: hal/sim/truth.py."""
    if not path:
        return None
    try:
        found = parse_json(read_regular(Path(path)))
        if not isinstance(found, dict):
            raise ValueError("it is something else")
        return cast(dict[str, Any], found)
    except (OSError, ValueError) as error:
        raise UsageError(f"truth {path}: {error}.", "It is a JSON object: docs/SCENARIOS.md.") from error


def storage_refused(error: RuntimeError) -> SimulatorError:
    """The simulated firmware does not know the layout of its storage file."""
    return SimulatorError(f"the storage file: {error}.", "Name a file that does not exist yet.")


def check_game(text: Game) -> Game:
    """A game by its name or file, or the house's own with changes: house:deck_cards=384,plan=1+1+1+4; or as a config
    has it."""
    if isinstance(text, dict):
        return text
    if text.endswith(".json"):
        return load_game(text)
    name, _, changes = text.partition(":")
    game: Game = name
    try:
        if name == "house" and changes:
            game = dict(_change(word) for word in changes.split(","))
        if name not in game_names() or (changes and name != "house"):
            known = ", ".join(game_names())
            raise GameError(f"no game {text!r}.", f"Known games: {known}; or the path of a .json file.")
        load_profile(game)
    except ValueError as error:
        raise GameError(
            f"game {text!r}: {error}.", "For example house:deck_cards=384 or house:stack_cards=3 or house:plan=1+1+4."
        ) from error
    return game


def _change(word: str) -> tuple[str, object]:
    key, _, value = word.partition("=")
    return key, [int(part) for part in value.split("+")] if key == "plan" else int(value)


def open_disk(path: str, size: int) -> Disk:
    """A shoe's storage in a file, for this simulator alone until it is closed or the process ends."""
    try:
        disk = Disk(path, size, GRAIN)
    except ValueError as error:
        raise SimulatorError(
            f"storage {error}.", "It was cut short, or belongs to another board; name a file that does not exist yet."
        ) from error
    except OSError as error:
        why = error.strerror or error
        raise SimulatorError(f"storage {path}: {why}.", "Name a file that can be written.") from error
    make_private(Path(path))  # before the first key is written
    try:
        if fcntl is not None:
            fcntl.flock(disk.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        disk.close()
        raise SimulatorError(f"storage {path}: another simulator has it.", "End that one, or name a file.") from error
    return disk


# --- words ------------------------------------------------------------------------------------


def parse_faults(text: str) -> tuple[Fault, ...]:
    """`jam:throat:12,misfeed:3:2`, or JSON as in a scenario file: one object, or a list of them."""
    if text.lstrip()[:1] in ("[", "{"):
        try:
            found: object = json.loads(text)
        except ValueError as error:
            raise UsageError(f"faults: {error}.", "docs/SCENARIOS.md has the table of faults.") from error
        items = cast(list[object], found) if isinstance(found, list) else [found]
        if not all(isinstance(item, dict) for item in items):
            raise UsageError("faults: a list of objects is wanted.", "docs/SCENARIOS.md has the table of faults.")
        return tuple(_completed(cast(Fault, item)) for item in items)
    return tuple(_fault(word) for word in text.split(",") if word)


def fault_words(name: str) -> list[str]:
    """What the values after a fault's name mean, in order; any other key is given as key=value."""
    own, selectors = FAULTS[name]
    needed = [key for key, value in own.items() if value is None and key != "at_um"]
    which = [key for key in selectors if key in ("card", "move")]
    return needed + which + [key for key in own if key not in needed]


def _fault(text: str) -> Fault:
    name, *words = text.split(":")
    if name not in FAULTS:
        raise UsageError(f"no fault {name!r}.", f"Known: {', '.join(sorted(FAULTS))}.")
    order = fault_words(name)
    made: Fault = {"fault": name}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign:
            left = [key for key in order if key not in made]
            if not left:
                raise UsageError(f"fault {text!r} has too many values.", f"{name}:{':'.join(order)}.")
            key, value = left[0], word
        made[key] = _number_or_word(value)
    return _completed(made)


def _completed(fault: Fault) -> Fault:
    name = fault.get("fault")
    if name in ("jam", "stall"):
        return {"at_um": JAM_UM, **fault}
    return fault


def _number_or_word(text: str) -> int | str:
    with contextlib.suppress(ValueError):
        return int(text)
    return text


def _seed(text: str) -> int:
    if not text.isdigit() or not text.isascii():
        raise UsageError(f"seed is a whole number, not {text!r}.", "For example seed=3.")
    return int(text)


def _speed(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= SPEED_MAX:
        raise UsageError(
            f"speed is a number from 0 to {SPEED_MAX:.0f}, not {text!r}.",
            "1 is real time; 0 has no clock of its own and is as fast as it can.",
        )
    return value


def _one_of(name: str, known: tuple[str, ...]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in known:
            raise UsageError(f"{name} is not {text!r}.", f"Known: {', '.join(known)}.")
        return text

    return read


_WORDS: dict[str, Callable[[str], Any]] = {
    "game": str,
    "seed": _seed,
    "speed": _speed,
    "faults": parse_faults,
    "dealer": _one_of("dealer", DEALERS),
    "key": str,
    "storage": str,
    "mode": _one_of("mode", MODES),
    "audit": _one_of("audit", AUDITS),
    "table": str,
    "truth": str,
    "service": _one_of("service", ("on",)),
}
