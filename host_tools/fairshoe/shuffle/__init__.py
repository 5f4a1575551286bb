"""Statistical evidence that a shuffle is uniform: exact laws, tests, bad shufflers beside it, and the page."""
