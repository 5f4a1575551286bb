"""Small functions of the firmware, checked for all inputs: `make contracts` runs CrossHair, which solves what a test
would have to try."""
