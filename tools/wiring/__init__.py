"""Writes docs/WIRING.md and a picture for each board, docs/wiring/BOARD.svg, from the board configs.

    make generate                                          write them, and all other generated files
    PYTHONPATH=tools .venv/bin/python -m wiring --check    write nothing; fail if one is not up to date

page.py writes the page, svg.py the pictures.
"""
