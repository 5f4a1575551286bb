"""Measure a machine in the diagnostic mode: find wiring faults, recover the figures of its board config, report."""
