"""Measures speed: machines against the shortest possible time, both VMs, and the link against other codecs.

    make bench
    PYTHONPATH=tools .venv/bin/python -m bench --json    figures for a program

lower_bound.py computes the shortest possible time of a job; machine.py plays the jobs; link.py measures the codec.
"""
