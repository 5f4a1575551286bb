"""From the sources of the firmware to a device: build for one board, write files or an image, sign, verify.

Imports boards, games and link.
"""
