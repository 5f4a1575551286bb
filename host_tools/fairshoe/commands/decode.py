"""`fairshoe decode`: print the frames of a capture or of a live port."""

from __future__ import annotations

import argparse

from fairshoe.observe import capture_decoder


def run(options: argparse.Namespace) -> int:
    return capture_decoder.run(options.source, options.follow, options.hex, options.json, options.key_file)
