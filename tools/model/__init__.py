"""The promises as a model: `make model` checks it exhaustively within bounds, and recorded runs are held against it.

    tables/    the steps of the code, transcribed: journal to program, gateway to PostgreSQL, change of the key
    steps.py   reads a table; promela.py makes SPIN's language of it, monitor.py a machine that replays recorded steps
    spin.py    runs spin, gcc and the checker they make
    plan.py    bounds of every run, and errors that are planted to see them found
    tracer.py  records the steps of the real firmware and host; replay.py holds them against the table

docs/TESTING.md says what this promises, and what not.
"""
