"""Random play at simulated machines, with faults and power cuts; every invariant is checked after each scan.

    make soak [MINUTES= SEED=]                                      runs until the time is over or one fails
    PYTHONPATH=tools .venv/bin/python -m soak --seed N --runs 1 --verbose    replay one run, step by step
    make soak-kill [ROUNDS= KILLS= SEED=]                           rounds by commands; host, power and cable are killed

hands.py draws a board, a game, faults and steps; run.py plays them as a scenario while they are drawn; shrink.py makes
a failing scenario shorter; proofs.py verifies the journal at the end. kill.py, kill_host.py and kill_world.py are
`make soak-kill` (`python -m soak.kill`); kill_tcp.py and kill_tcp_host.py are its second part, `kill -9` of a host's
process over TCP (`python -m soak.kill_tcp`).
"""
