"""The firmware on an emulated Raspberry Pi Pico: played and measured by `make hil`, its port by `make hil-contract`."""
