"""Settings from one TOML file and environment variables, and where each value comes from.

    port = "/dev/ttyACM0"            # ~/.config/fairshoe/config.toml
    key_file = "table.key"           # a relative path starts at the file's own folder

Arguments override environment variables, which override the file, which overrides defaults. An unknown name or invalid
value is an error that names its place: a setting without effect would go unnoticed.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from fairshoe.errors import Exit, FairshoeError
from fairshoe.files import read_regular

CONFIG_VARIABLE = "FAIRSHOE_CONFIG"
# Ends with a slash, since files are fetched beside the page; without user, query and fragment.
_HTTPS = re.compile(r"https://[A-Za-z0-9.-]+(:[0-9]{1,5})?/([A-Za-z0-9._~-]+/)*")


class SettingsError(FairshoeError):
    """A settings file or environment variable that cannot be used."""

    exit_code = Exit.USAGE


@dataclass(frozen=True)
class Setting:
    """One thing that can be set. `kind` is text, path, number, role or https."""

    name: str
    kind: str
    about: str
    has_flag: bool = True  # no: what a house has decided is no matter of one call

    @property
    def variable(self) -> str:
        return f"FAIRSHOE_{self.name.upper()}"

    @property
    def flag(self) -> str:
        return "PORT" if self.name == "port" else f"--{self.name.replace('_', '-')}"


SETTINGS = (
    Setting("port", "text", "the shoe: a serial device or a URL"),
    Setting("key_file", "path", "file with the key of a role"),
    Setting("role", "role", "the role to use with a device key"),
    Setting("store", "path", "file for the numbers of commands"),
    Setting("answer_s", "number", "seconds to wait for the first answer"),
    Setting("timeout_s", "number", "seconds to wait for an outcome"),
    Setting("shufflers", "text", "numbers of devices that shuffle", False),
    Setting("receipt_url", "https", "where the house serves receipts", False),
    Setting("receipt_ref", "text", "under which receipts are approved", False),
)
_BY_NAME = {setting.name: setting for setting in SETTINGS}
_DEFAULTS: dict[str, Any] = {"role": "table", "answer_s": 4.0, "timeout_s": 120.0}


@dataclass(frozen=True)
class Value:
    """What is in force, and where it is from: `flag`, a variable, file and line, or `default`."""

    value: Any
    origin: str


class Settings:
    """All settings in force. `values` has an entry for each, None where there is nothing."""

    def __init__(self, values: Mapping[str, Value], path: Path) -> None:
        self.values = values
        self.path = path

    def __getitem__(self, name: str) -> Any:
        return self.values[name].value


def load(options: argparse.Namespace | None = None, environment: Mapping[str, str] | None = None) -> Settings:
    """From flags that were given, the environment and the file, in that order. SettingsError says what is wrong."""
    from fairshoe.client.store import default_path  # here: the arguments of `config` need no store

    environment = os.environ if environment is None else environment
    path, asked = _file(options, environment)
    values = {name: Value(_DEFAULTS.get(name), "default") for name in _BY_NAME}
    values["store"] = Value(str(default_path()), "default")
    if asked or path.exists():
        values |= _from_file(path)
    for setting in SETTINGS:
        text = environment.get(setting.variable, "")
        if text:
            place = f"environment {setting.variable}"
            values[setting.name] = Value(_checked(setting, _number(setting, text), place, Path()), place)
        given = getattr(options, setting.name, None)
        if given is not None:
            place = f"flag {setting.flag}"
            values[setting.name] = Value(_checked(setting, given, place, Path()), place)
    return Settings(values, path)


def _file(options: argparse.Namespace | None, environment: Mapping[str, str]) -> tuple[Path, bool]:
    """Which file, and whether it was named explicitly: then it must exist."""
    named = getattr(options, "config_file", None) or environment.get(CONFIG_VARIABLE)
    if named:
        return Path(named), True
    base = environment.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "fairshoe" / "config.toml", False


def _from_file(path: Path) -> dict[str, Value]:
    try:
        text = read_regular(path).decode("utf-8")
        found = _toml(text)
    except OSError as error:
        raise SettingsError(
            f"cannot read the settings in {path}: {error.strerror or error}.", "Check the name and your permission."
        ) from error
    except (ValueError, RecursionError) as error:  # what both TOML readers and the decoder raise
        raise SettingsError(f"{path} is not TOML: {error}.", "Correct the file at that place.") from error
    values: dict[str, Value] = {}
    for name, value in found.items():
        place = f"{path}:{_line(text, name)}"
        if name not in _BY_NAME:
            raise SettingsError(f"{place}: there is no setting {name!r}.", f"Known: {', '.join(_BY_NAME)}.")
        values[name] = Value(_checked(_BY_NAME[name], value, place, path.parent), place)
    return values


def _toml(text: str) -> dict[str, Any]:
    # tomllib came with Python 3.11; tomli is the same module for 3.10.
    module: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    return cast("dict[str, Any]", module.loads(text))


def _line(text: str, name: str) -> int:
    """Where a name of the top level stands: a TOML reader does not tell."""
    shape = re.compile(rf"""\s*(?:{re.escape(name)}|"{re.escape(name)}"|\[+\s*{re.escape(name)})\s*[=.\]]""")
    return next((number for number, line in enumerate(text.splitlines(), 1) if shape.match(line)), 1)


def _number(setting: Setting, text: str) -> Any:
    """Everything in the environment is text."""
    if setting.kind != "number":
        return text
    try:
        return float(text)
    except ValueError:
        return text


def _roles() -> Mapping[str, object]:
    from fairshoe.keys import ROLES  # only now: most commands start without keys

    return ROLES


def _checked(setting: Setting, value: Any, place: str, folder: Path) -> Any:
    """The value as the rest of the program wants it."""
    if setting.kind == "number":
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 86400:
            raise SettingsError(f"{place}: {setting.name} is {value!r}.", "It must be a number of seconds above 0.")
        return float(value)
    if not isinstance(value, str) or not value:
        raise SettingsError(f"{place}: {setting.name} is {value!r}.", f"It must be a text: {setting.about}.")
    if setting.kind == "role" and value not in _roles():
        raise SettingsError(f"{place}: there is no role {value!r}.", f"Known: {', '.join(_roles())}.")
    if setting.kind == "https" and not _HTTPS.fullmatch(value):
        raise SettingsError(
            f"{place}: {setting.name} is {value!r}.", "It must be an address as https://house.example/shoe/."
        )
    if setting.kind == "path":
        return str(folder / Path(value).expanduser())
    return value
