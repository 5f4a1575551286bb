"""The port to boards with an ESP32-S3: what differs from hal/board."""
