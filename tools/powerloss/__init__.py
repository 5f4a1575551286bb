"""Cuts power at every storage write and at sampled instants, then boots, checks, recovers and plays on.

    make powerloss [MINUTES= SEED= JOBS= BOARD= GAME=]
    PYTHONPATH=tools .venv/bin/python -m powerloss --board NAME --game NAME --cut write:33:12    replay one cut

jobs.py lists what is cut and plays one cut; run.py draws jobs and keeps the tally. docs/TESTING.md says what is
checked.
"""
