"""The demonstration behind `make run`: a simulated shoe in a process of its own, and the stories that are played on it.

Imports client, games and text.
"""
