"""The port to boards with an STM32H7: what of them is not as hal/board has it."""
