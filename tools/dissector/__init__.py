"""Runs the Wireshark dissector in the real tshark and compares what it shows with the golden vectors.

    make test-dissector    needs tshark; as root on Debian it is installed first

tshark.py writes captures and runs tshark on them. protocol/ generates the dissector.
"""
