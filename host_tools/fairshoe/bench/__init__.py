"""Bench plans: what they are, how they are run on a device, and the report they end in.

Imports client, transport, link, journal, text and sim.
"""
