"""The port to boards with an STM32H7: what differs from hal/board."""
