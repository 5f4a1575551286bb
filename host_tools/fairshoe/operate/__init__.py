"""Operate a shoe: give commands and follow what happens, lead a round to its end, install keys.

Asks a person through the functions that a command passes in; prints nothing. Imports client, journal and text.
"""
