"""A round as reported: what a game is, its options, irregularities, and the round that follows from the inputs."""
