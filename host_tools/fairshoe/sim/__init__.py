"""Simulated shoes: the firmware on a simulated machine, as a port in this process, behind pseudo-terminals or TCP, and
scenario files played on it.

The only package that joins firmware, rig and hal.sim; shuffle and bench reach them through it where they can. Imports
boards and games.
"""
