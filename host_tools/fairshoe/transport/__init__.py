"""From a URL to an open port: serial devices, TCP, RFC 2217 and simulated shoes, blocking or for asyncio.

Moves bytes and knows nothing of what they mean. Imports sim.port for sim:// URLs.
"""
