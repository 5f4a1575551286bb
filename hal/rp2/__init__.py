"""The port to boards with an RP2040 or RP2350: what differs from hal/board."""
