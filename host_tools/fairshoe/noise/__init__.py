"""Raw samples of a board's noise source, as NIST's SP 800-90B tool reads them, and what its reports say of a claim."""
