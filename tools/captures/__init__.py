"""Takes the captures in docs/captures: terminals with real commands (.svg), pages in Chromium (.png).

    make captures [NAMES=]          take them, and say which changed
    make captures-check [NAMES=]    take them and compare; status 1 if one is stale

catalogue.py lists the captures; player.py plays their steps in a pseudo-terminal; svg.py draws a screen; compare.py
compares two drawings; pages.py takes the pictures of pages.
"""
