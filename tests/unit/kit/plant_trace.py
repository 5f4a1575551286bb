"""Abuses machines of every kind for the seeds given as arguments and prints every edge, on whichever VM runs it."""

import sys

from plants import abuse


def main():
    for seed in [int(word) for word in sys.argv[1:]]:
        for kind in ("carousel", "shelves", "shoe", "draw"):
            edges = abuse(kind, seed, 250)
            print("seed", seed, kind, len(edges), edges)


main()
