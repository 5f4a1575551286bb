"""Statistical evidence that a shuffle is uniform: exact laws, tests, bad shufflers beside it, and the page.

Imports boards, sim and text; firmware_decks.py alone knows the inside of the firmware.
"""
