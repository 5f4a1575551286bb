"""The seam between the firmware and whatever carries the cards: a board, or the simulated machine."""
