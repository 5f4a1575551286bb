"""Open a shoe from arguments and settings: which port, which key, which store of operation numbers."""

from __future__ import annotations

import argparse
from functools import cached_property
from pathlib import Path
from typing import Any

from fairshoe.cli import settings
from fairshoe.cli.attached import attached_port
from fairshoe.cli.settings import Settings
from fairshoe.client.operation_numbers import Unfinished
from fairshoe.client.shoe import Shoe
from fairshoe.client.store import Store
from fairshoe.errors import UsageError
from fairshoe.keys import RoleKey, read_key
from fairshoe.messages import Role, Welcome
from fairshoe.wear import WearFile


class Connection:
    """What it takes to reach one shoe."""

    def __init__(self, options: argparse.Namespace, service: bool = False) -> None:
        self.settings: Settings = settings.load(options)
        self._service = service  # the service port of a simulated shoe, not its table port
        self._no_key: bool = getattr(options, "no_key", False)
        self.answer_s: float = self.settings["answer_s"]
        self.timeout_s: float = self.settings["timeout_s"]

    @cached_property
    def port(self) -> str:
        """The port given or set; if there is none, that of the only shoe attached."""
        port: str | None = self.settings["port"]
        return attached_port(self._service) if port is None else port

    def key(self, role: Role | None = None) -> RoleKey | None:
        """The key, if there is one anywhere; a device key stands for `role`, or for the one that is set."""
        path: str | None = self.settings["key_file"]
        if path is None or self._no_key:
            return None
        return read_key(Path(path), role or self._role())

    def _role(self) -> Role | None:
        """Only a device key leaves a choice; the role that is set by default must not refuse the key of another one."""
        chosen = self.settings.values["role"]
        return None if chosen.origin == "default" else Role[str(chosen.value).upper()]

    def open_to_command(self) -> Shoe:
        """A shoe that takes commands: with a key, and with numbers that outlive us."""
        port = self.port  # report a missing port before a missing key
        key = self.key()
        if key is None:
            raise UsageError(
                "commands need a key.",
                "Pass --key-file, or set FAIRSHOE_KEY_FILE or key_file in the settings file.",
            )
        return Shoe.open(port, key, Store(self.settings["store"]), answer_s=self.answer_s)

    def unfinished(self, welcome: Welcome | None) -> Unfinished | None:
        """The command of ours that this shoe has never answered. Looking makes no file."""
        path = Path(self.settings["store"])
        if welcome is None or welcome.role == Role.CLEAR or not path.exists():
            return None
        with Store(path) as store:
            return store.unfinished(welcome.device, welcome.role)

    def wear_file(self, welcome: Welcome | None) -> WearFile | None:
        """Where the trends of this shoe are kept: beside the store."""
        return WearFile(Path(self.settings["store"]).parent, welcome.device) if welcome is not None else None


def json_ready(value: Any) -> Any:
    """For json.dumps(default=): bytes as hex."""
    return value.hex() if isinstance(value, bytes) else str(value)
