"""Games and their tables: profiles, kinds of record, the order of cuts, jackpot links, Double Attack Blackjack.

Rules and words as data and pure functions. Imports boards and the modules at the top of fairshoe.
"""
