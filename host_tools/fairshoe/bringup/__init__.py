"""Bring-up: lead a technician from a wired machine to one that moves cards; every step is confirmed by a sensor."""
