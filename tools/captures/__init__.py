"""Takes the terminal captures of the documentation: real commands, a simulated shoe, docs/captures/NAME.svg.

    make captures [NAMES=]          take them, and say which changed
    make captures-check [NAMES=]    take them and compare; status 1 if one is stale

catalogue.py lists the captures; player.py plays their steps in a pseudo-terminal; svg.py draws a screen; compare.py
compares two drawings.
"""
