"""Constants of SHA-512 and of the curve, in base 64. tests/unit/test_ed25519.py computes each from its definition.

Kept in RAM: a row of TABLE is chosen by secret bits, and the time that flash takes depends on what its cache holds.
"""

from binascii import a2b_base64

START_STATE = a2b_base64(
    b"agnmZ/O8yQi7Z66FhMqnOzxu83L+lPgrpU/1Ol8dNvFRDlJ/reaC0ZsFaIwrPmwfH4PZq/tBvWtb4M0ZE34heQ=="
)

# Of the 80 rounds, eight bytes each, highest first.
ROUND_CONSTANTS = a2b_base64(
    b"QoovmNcoriJxN0SRI+9lzbXA+8/sTTsv6bXbpYGJ27w5VsJb80i1OFnxEfG2BdAZkj+CpK8ZT5urHF7V2m2BGNgHqpijAwJCEoNbAUVwb74kMYW+"
    b"TuSyjFUMfcPV/7Ticr5ddPJ7iW+A3rH+OxaWsZvcBqclxxI1wZvxdM9pJpTkm2nBnvFK0u++R4Y4TyXjD8GdxouM1bUkDKHMd6ycZS3pLG9ZKwJ1"
    b"SnSEqm6m5INcsKncvUH71Hb5iNqDEVO1mD5RUu5m36uoMcZtLbQyELADJ8iY+yE/v1l/x77vDuTG4AvzPaiPwtWnkUeTCqclBspjUeADgm8UKSln"
    b"Cg5ucCe3CoVG0i/8LhshOFwmySZNLG38WsQq7VM4DROdlbPfZQpzVIuvY952agq7PHeyqIHCyS5H7a7mknIshRSCNTuiv+ihTPEDZKgaZku8QjAB"
    b"wkuLcND4l5HHbFGjBlS+MNGS6BnW71IY1pkGJFVlqRD0DjWFV3EgKhBqoHAyu9G4GaTBFrjS0MgeN2wIUUGrUydId0zfjuuZNLC8teGbSKg5HAyz"
    b"xclaY07YqkrjQYrLW5zKT3dj43NoLm/z1rK4o3SPgu5d77L8eKVjb0MXL2CEyHgUofCrcozHAggaZDnskL7/+iNjHiikUGzr3oK96b75o/eyxnkV"
    b"xnF48uNyUyvKJz7O6iZhnNGGuMchwMIH6tp91s3g6x71fU9/7m7ReAbwZ6pyF2+6CmN9xaLImKYRP5gEvvkNrhtxCzUTHEcbKNt39SMEfYQyyqt7"
    b"QMckkzyevgoVyb68Qx1nxJwQDUxMxdS+yz5Ctll/KZz8ZX4qX8tvqzrW+uxsRBmMSkdYFw=="
)

# Sixteen points, (y - x, y + x, 2dxy) of 32 bytes each, lowest first: row j is the sum of 2**(64 i) B over all bits i
# that are set in j, where B is the base point.
TABLE = a2b_base64(
    b"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    b"AAAAAAAAAAAAAAAAPpFA1wU5EJ2zvkDRBZ85/QmKj2g0hMGlZxL4mJIv/USFO4z1xpO8LxkOjPvGLZPPwkI9ZJhICydlutQzOp3PB2iqeocFEsmr"
    b"nsSqzCPo2SaMWUPdy30bWqhlDJ9oexFv/rD2jceOE1Eb9XXlidqXU7nxenEdeiAJUNYgK7r9AiEV9dF352UqzfFgqo+HkYlU5Qa82rw7t7H7yXyp"
    b"y3hIZaHmXAUF5J6WKa1REminvDYVpH2qF/UaOrqy7CnbJdcKpGKEnLa4dcvXHNNnxW/YLfZCE4jschnNLy/BD5e1dQnoWR5ghcVVAGAOSGYrNJOH"
    b"TORF/tCqFD4rzxNI5tjqJkOnW9oDI89jbrrxUoGdvwTaZ3Oq0JA3M+rF9p1HcEZTR74962J1Ol+4oL2OVDjq95lydEUx5cMAUdUnFufpBBOijq2s"
    b"vwQ7WIToixToQ7cp28UQCDtYHiuqu7OO5UlUK/6c3GrSFJh4C91Iiz+rGzwKxnn5/+EP2pPWLXwt3mhE7jmjEzstUikpldhsUCVShfHw9KzUOurf"
    b"LnRCebpr10lIZ7zjjScYIfcOstBg/R/nmLF7xlG+UfVNPVTQZDahJh3mVo0zQvoUmilRw0Y5HRmFsa2nbVd9JMLt/Kjjrx9OHHASnHboAP5fO5wD"
    b"CtzclRvrAgxLRWnBDFOHX9MhcHJMBGojPQXnFeOHjTuxvN08KKgh09JgmVGku8UPD5pVTh4k3ycHBHGlNg2QsqrvRd/emqZgXNtu/h3Auwcwt/xk"
    b"BNyYOLTL85MntwdDsv+RBx2YNM6WgL3XbZ+Ei46LWQvKkNNvzFjvOPyYGhd1ZXjvX9ZCxI+3UIjvhtBvbcY0b4n2wgyKwc8RKs4ptQdGEYFAWQvA"
    b"RsCbCshmrLGwKCFBpnVWOBQgeO/oqf2qMJ9kosuo31xQ69FMs8BNHbpaEUbAGgzIncxtpjakOBv0XKCXxtfblb7z66erfX6N9rigfXbatcNTGQ/U"
    b"m54RIXNvrB1gWbL+IWDMA0tLZ4N+iF9ahPFB/dFm8/4e4c8BEUppi02nUAFe4TlLulHTaj3wE0D0waIMGGCNCkDfaMzbsF6BmU4vuEd65tfAFX9g"
    b"kCigRcxl4G7cggK9RuZKIv2UuTZ06Lz+2JpOU09u8NnBVSJIjGPlo0oR3hIN8sQpqUoquqMTi3ud0rBWRHmbe0kauWsA+M5xz+oDPLv+ispEdTaQ"
    b"d8QpaijqPzhiVGW8sJOFTgbS58VG5kkqRcRjks35PrGeUqvt6GyrUJvj67B5fc8gyn3+8J2TtH3OUanLD7kO9R0dfjUc5osJnUaZiDdiNQJIXOeK"
    b"To/Sy2ALAESRAt48cCG8mMi5OzeGCFefU4gRfANMWuH67/YgBY53PJQKRy9n3pn8Awr1eYMUBtGIAdI4FzIHx/JHwfYM0q/zGblRxgL4QXD9248l"
    b"PgdFT6lPPBffFWMOrRHoI5CyruIFDWULbFhdp1kPurfuTR9e1O0+BMT5jZJg6nE9LVZzMwZ4fluyUpWiTFGw2XLEPJkkcCoepPsJNbkJBTF1G2MF"
    b"drONDYccQFK6zN6Xc+eyEfRJRgQfgVzUvA8aYAMI7JJ9vLckf0DSFyvmyqAmWyIG7kPLX18hmJWtJA0MjGI2zCaQfxvq3BZwVS+OM4/lwFz6G4oM"
    b"wAEoi7RW0nnED0A8rL6ffkG6M0cdq1GnyopB3fUr3glMEB1otQPnjUXLYxJZei89Y2zlHBcMca7K5sP8fnyFa39o8O/zD/E7onvj8TTqul5NA2Yd"
    b"JmGe5MpCssMqbkZbPPh+3EvLqKImwpNf+sa1lqXjZAYb6+vUL8/G5dxKm0BCuPtHZ+t+E4sagWB1XN95msj4cW+nK1rC/8g7ViqVCcRQQ4O5PdVE"
    b"tAX1pQWTKYkv/0lZovoi+2R9ZQSnaLlp"
)
