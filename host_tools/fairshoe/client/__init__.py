"""A shoe as a program sees it: Shoe and AsyncShoe, events, commands that act once, and the store behind them.

What is public of it is exported by fairshoe/__init__.py. Imports link, transport, the words of text.advice, and the
kinds of record and views of rounds of games.
"""
