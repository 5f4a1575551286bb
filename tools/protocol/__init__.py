"""Generates everything that follows from the message table, firmware/protocol/table.py.

    make generate                                            write them, and all other generated files
    PYTHONPATH=tools .venv/bin/python -m protocol --check    write nothing; fail if a file is out of date

gen_messages.py writes the host's typed messages and the device's layout. gen_docs.py writes docs/PROTOCOL.md and
docs/protocol/: the page (page.py, words.json, examples.py, page.md), vectors (vectors.py, golden.py, bad.py), the
Wireshark dissector (dissector.py, dissector.lua); and the tables of the JavaScript client (javascript.py). table.py and
frames.py are what they share.
"""
