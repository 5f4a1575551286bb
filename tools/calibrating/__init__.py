"""Calibration against machines that differ from their config: `make calibrate-truths`."""
