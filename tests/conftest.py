"""Makes the device packages importable in every test."""

from fairshoe import _device

_device.load()
