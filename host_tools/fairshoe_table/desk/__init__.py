"""The dealer's page: taps come in, what the page shows goes out."""
