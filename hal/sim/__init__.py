"""The simulated machine: cards, rollers, beams and axes in integer time, behind the same verbs as a board."""
