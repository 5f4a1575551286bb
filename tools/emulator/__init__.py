"""An emulated Raspberry Pi Pico in emulated time, and the chips and the plant that a board has around it."""
