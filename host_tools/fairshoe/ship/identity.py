"""The line that an image carries about itself: board, game, version, rollback number, and the hash of what is frozen.

    fairshoe-image 1 board=pico-carousel game=caribbean-stud version=0.2.0 rollback=0 kind=release content=<64 hex>

It is a constant in the image (`image_data.IDENTITY`), and so it stands in the flash as it is: what reads the flash back
can find it. It proves nothing by itself; `fairshoe firmware verify` compares every byte.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from fairshoe.ship.errors import ImageError, OlderRelease

NO_GAME = "house"  # a game that the board config itself describes
_LINE = re.compile(
    rb"fairshoe-image 1 board=(?P<board>[a-z0-9][a-z0-9-]{0,63}) game=(?P<game>[a-z0-9-]{1,64}) "
    rb"version=(?P<version>[0-9A-Za-z.+-]{1,8}) rollback=(?P<rollback>[0-9]{1,5}) kind=(?P<kind>release|bench) "
    rb"content=(?P<content>[0-9a-f]{64})\n"
)
ROLLBACK_MAX = 47  # the boot ROM of an RP2350 counts in two OTP rows of 24 bits, and refuses 2 * 24 and above


@dataclass(frozen=True)
class Identity:
    """What an image says about itself."""

    board: str
    game: str
    version: str
    rollback: int
    release: bool
    content: str

    def line(self) -> bytes:
        kind = "release" if self.release else "bench"
        text = (
            f"fairshoe-image 1 board={self.board} game={self.game} version={self.version} rollback={self.rollback} "
            f"kind={kind} content={self.content}\n"
        )
        return text.encode("ascii")

    @property
    def age(self) -> tuple[int, tuple[int, ...]]:
        """Orders releases: by rollback number, then by version."""
        return self.rollback, version_numbers(self.version)


def version_numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"[0-9]+", version))


def game_name(config: dict[str, Any], default: str) -> str:
    game = config.get("game", default)
    return game if isinstance(game, str) else NO_GAME


def find_identity(flash: bytes) -> Identity | None:
    """The identity in a flash; None if there is no image in it."""
    found = {match.group(): match for match in _LINE.finditer(flash)}
    if not found:
        return None
    if len(found) > 1:
        raise ImageError(
            f"{len(found)} identities of fairshoe images in one flash.",
            "Erase the whole flash, install the image again (docs/FIRMWARE.md) and find out how the other one came "
            "there.",
        )
    words = {name: value.decode("ascii") for name, value in next(iter(found.values())).groupdict().items()}
    release = words["kind"] == "release"
    rollback = int(words["rollback"])
    return Identity(words["board"], words["game"], words["version"], rollback, release, words["content"])


def refuse_below(version: str, at_least: str | None) -> None:
    """Raise OlderRelease if the release is older than the floor allows; its signature is good all the same."""
    if at_least and version_numbers(version) < version_numbers(at_least):
        raise OlderRelease(
            f"release {version} is older than {at_least}, the oldest that is allowed.",
            "Use a newer release; an older one may have faults that are known.",
        )


def refuse_older(new: tuple[int, str], there: tuple[int, str], where: str, older: str | None) -> None:
    """Raise OlderRelease if `new` (rollback number and version) is older than what is there, unless `older` names it.

    The version has to be named: an option without a value would be typed by habit."""
    if (new[0], version_numbers(new[1])) >= (there[0], version_numbers(there[1])) or older == new[1]:
        return
    raise OlderRelease(
        f"{where} has version {there[1]} (rollback {there[0]}); {new[1]} (rollback {new[0]}) is older.",
        f"To go back on purpose, name it: --older {new[1]}.",
    )
