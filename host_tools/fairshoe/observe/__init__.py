"""Watch a shoe without taking anything from its table system: an observer, one snapshot, the monitor's view,
discovery of ports, fitness for work, captures decoded.

Acknowledges no event and sends no command. Imports journal, client, transport, link and text.
"""
