"""Exact returns of the games that the table system settles."""
