"""A second Pico as the machine: docs/TESTING.md."""
