"""Noise on trial: raw samples of a board's source, judged by the non-IID estimators of NIST SP 800-90B."""
