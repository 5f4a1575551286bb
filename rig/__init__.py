"""The test rig: real firmware, simulated machine, a dealer's hands and a listening table system, on either VM."""
