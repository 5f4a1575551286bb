"""Takes the captures in docs/captures: terminals with real commands (.svg), pages in Chromium (.png).

    make captures [NAMES=]          take them, and say which changed

catalogue.py lists the captures; terminal.py runs their commands and draws what they wrote; pages.py takes the pages.
"""
