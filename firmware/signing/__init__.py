"""Ed25519 signatures of the journal, computed in short steps at rest. A stock RP2040 has no memory for this package."""
