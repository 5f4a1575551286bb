"""The protocol on the host, without any port: frames, messages as bytes, the session, the dictionary, a halted device.

Bytes in, messages out. Imports firmware.protocol and the modules at the top of fairshoe.
"""
