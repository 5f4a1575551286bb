"""From the sources of the firmware to the files of one board: folded, shortened, compiled."""
