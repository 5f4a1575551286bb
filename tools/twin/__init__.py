"""A second Pico as the machine: docs/TWIN.md."""
