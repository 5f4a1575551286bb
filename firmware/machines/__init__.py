"""Scan functions, one small state machine per part of the mechanism. They read the image and write their outputs."""
