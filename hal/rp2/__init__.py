"""The port to boards with an RP2040 or RP2350: what of them is not as hal/board has it."""
