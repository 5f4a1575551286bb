"""Errors between the sources and a device that runs them. Each says what to do next."""

from __future__ import annotations

import importlib
from typing import Any

from fairshoe.errors import Exit, FairshoeError, install_advice


class ShipError(FairshoeError):
    """A board's files cannot be built."""

    exit_code = Exit.BUILD

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(what, advice)


class NoPrompt(FairshoeError):
    """No MicroPython prompt at the port."""

    exit_code = Exit.DEVICE


class NotForDevice(FairshoeError):
    """A device that these files are not for: another chip, another MicroPython, or foreign code."""

    exit_code = Exit.DEVICE


class DeviceFailed(FairshoeError):
    """The device did not do what it was asked to: no room, or a write that cannot be read back."""

    exit_code = Exit.DEVICE


class NotUp(FairshoeError):
    """The files are on the device, and it does not run as they say."""

    exit_code = Exit.DEVICE


class ManifestError(FairshoeError):
    """A release manifest that is missing or malformed."""

    exit_code = Exit.INPUT


class SignatureError(FairshoeError):
    """A release manifest without a good signature of a key that is trusted."""

    exit_code = Exit.PROOF


class Differs(FairshoeError):
    """A device, an image or a folder that is not what the manifest says."""

    exit_code = Exit.PROOF


class ImageError(FairshoeError):
    """A flash image that cannot be read."""

    exit_code = Exit.INPUT


class NoImage(FairshoeError):
    """An image that cannot be built: the MicroPython checkout, the toolchain or the build itself."""

    exit_code = Exit.BUILD


class OlderRelease(FairshoeError):
    """A release that is older than the one that would be replaced, or than the oldest that is allowed."""

    exit_code = Exit.PROOF


def need(module: str, extra: str) -> Any:
    """An optional package; untyped, because its types may be missing too."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ShipError(
            f"the Python package {module.partition('.')[0].replace('_', '-')} is not installed.",
            install_advice(extra),
        ) from error
