"""Measures speed: machines against the shortest possible time, both VMs, and the link against other codecs.

    make bench
    PYTHONPATH=tools .venv/bin/python -m bench --json    figures for a program

Sections are listed in __main__.py; lower_bound.py computes the shortest possible time of a job that machine.py plays.
"""
