"""What a signed release says that devices report of themselves: the firmware, and the CRC of each board config."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from fairshoe.ship import signing
from fairshoe.ship.manifest import read_manifest, released_files


@dataclass(frozen=True)
class ReleaseFacts:
    """`boards` has the name of each board by the CRC that its devices report; `signer` is the key that signed."""

    version: str
    firmware: str
    signer: str
    boards: Mapping[int, str]

    def differs(self, firmware: str, board_crc: int | None) -> str:
        """What of this is not of the release, in words; empty if nothing. A CRC that is not known does not count."""
        words = [] if firmware == self.firmware else [f"firmware {firmware}, the release has {self.firmware}"]
        words += [] if board_crc is None or board_crc in self.boards else ["no board config of the release"]
        return "; ".join(words)


def read_release(path: Path, keys: list[Path]) -> ReleaseFacts:
    """Check the signature with the public keys in these files, and each file that counts against the manifest."""
    manifest = read_manifest(path)
    signer = signing.check_signature(path, manifest, [signing.read_public_key(key) for key in keys])
    boards = {crc32(released_files(path, board)["board.json"]): name for name, board in manifest.boards.items()}
    return ReleaseFacts(manifest.version, manifest.firmware, signer, boards)
