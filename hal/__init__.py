"""The hardware abstraction: one set of verbs for a board or the simulated machine."""
