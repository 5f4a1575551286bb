"""The demonstration behind `make run`: scenario files, played at the pace of a clock and told in words.

Imports boards, games, link, sim, text and the rig.
"""
