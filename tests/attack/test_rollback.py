"""Offer an older release, whose signature is good: verify and flash refuse it where a newer one is asked for."""

from pathlib import Path

from test_release import FILES, folder_of, release, verify

from fairshoe import __version__
from fairshoe.cli import command_line

__all__ = ["release"]
SAME, USAGE, OLDER = 0, 2, 6


def test_a_device_with_an_older_signed_release_does_not_pass(release: Path, tmp_path: Path) -> None:
    files = str(folder_of(tmp_path / "device", FILES))
    verify(release, "--folder", files, code=SAME)
    for allowed in ("0", "0.0.9", "0.2", __version__):
        verify(release, "--folder", files, "--at-least", allowed, code=SAME)
    for asked in ("0.2.1", "0.3", "0.10.0", "1"):
        verify(release, "--folder", files, "--at-least", asked, code=OLDER)


def test_an_older_signed_release_is_not_written(release: Path) -> None:
    words = [
        "firmware",
        "flash",
        "--board",
        "small",
        "--release",
        str(release),
        "--key",
        f"{release.parent}/signing.key.pub",
    ]
    assert command_line.main([*words, "--at-least", "0.3"]) == OLDER


def test_a_version_that_is_none_is_refused(release: Path, tmp_path: Path) -> None:
    files = str(folder_of(tmp_path / "device", FILES))
    for word in ("", "new", "1.", "v1"):
        verify(release, "--folder", files, "--at-least", word, code=USAGE)
