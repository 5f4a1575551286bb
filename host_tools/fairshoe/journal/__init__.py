"""The journal of a device as a file: pull it, verify it, check that it makes sense; and audit a shuffle by its seed.

Reads only. Imports client and link.
"""
