"""From a URL to an open port: serial devices, TCP, RFC 2217 and simulated shoes, blocking or for asyncio.

Moves bytes, without decoding them. Imports sim.port for sim:// URLs.
"""
