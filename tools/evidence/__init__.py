"""What a test laboratory gets: one folder with a page and a PDF, each figure with its command and commit."""
