"""Simulated people and hands, and everything that is played with them. No other package imports this one."""
