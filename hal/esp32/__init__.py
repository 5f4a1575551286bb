"""The port to boards with an ESP32-S3: what of them is not as hal/board has it."""
