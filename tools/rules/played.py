"""Which game a device plays and in which dealing mode, as its firmware says after it has booted."""

from __future__ import annotations

import copy
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, SupportsIndex

from fairshoe import _device

_device.load()

from fairshoe.boards import configs  # noqa: E402
from firmware.app import App  # noqa: E402
from rig.scenario import Scenario  # noqa: E402

if TYPE_CHECKING:
    from firmware.games.profile import Profile
    from firmware.link.queries import Words
    from hal.api import Config, Hal

# In the order of `table.dealing`: the device deals; a manual shoe, which is this device or one that it fills; the hand.
MODES = ("automated", "manual", "hand")
HOST = "host"  # no device: what a host tool or a file does

Played = tuple[str, str]  # code of the game, mode


def device_plays(app: App) -> Played:
    profile = app.flow.profile
    mode = profile.mode if profile.mode or app.flow.machine.deals else MODES.index("manual")
    return profile.code.decode(), MODES[mode]


def scenario_plays(data: dict[str, Any]) -> Played:
    """What a scenario plays: its device is booted and asked."""
    scenario = Scenario(data, copy.deepcopy(_board(data["board"])))
    return device_plays(scenario.stage.rig.app)


@cache
def _board(name: str) -> dict[str, Any]:
    return configs.load_board(name)[0]


@contextmanager
def noting() -> Generator[set[Played]]:
    """Collects what every device plays that boots meanwhile in this process."""
    played: set[Played] = set()
    boot = App.__init__

    def noted(self: App, hal: Hal, config: Config, profile: Profile, board_crc: int, words: Words) -> None:
        boot(self, hal, config, profile, board_crc, words)
        played.add(device_plays(self))

    def copied(self: App, version: SupportsIndex) -> str | tuple[Any, ...]:
        played.add(device_plays(self))
        return object.__reduce_ex__(self, version)

    App.__init__ = noted
    App.__reduce_ex__ = copied
    try:
        yield played
    finally:
        App.__init__ = boot
        del App.__reduce_ex__
