"""Random play at simulated machines, with faults and power cuts; every invariant is checked after each scan.

    make soak [MINUTES= SEED=]                                      runs until the time is over or one fails
    PYTHONPATH=tools .venv/bin/python -m soak --seed N --runs 1 --verbose    replay one run, step by step
    make sweep [KIND= MINUTES= SEED= BOARD=]                        one thing wrong at a time
    make soak-kill [ROUNDS= KILLS= SEED=]                           rounds by commands; host, power and cable are killed

hands.py draws a board, a game, faults and steps; run.py plays them as a scenario while they are drawn; shrink.py makes
a failing scenario shorter; proofs.py verifies the journal at the end. sweep.py plays cases one by one: small_round.py
is what pulses.py, storms.py and truths.py share, and calibrations.py measures. killing.py is the harness of all that
kills: kill.py with kill_host.py and kill_world.py, kill_tcp.py with kill_tcp_host.py (`kill -9` of a host's process
over TCP), and table.py (`make table-soak`).
"""
