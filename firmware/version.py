"""The firmware's version, as booted and welcome messages carry it: at most eight ASCII bytes."""

VERSION_TEXT = b"0.2.0"
