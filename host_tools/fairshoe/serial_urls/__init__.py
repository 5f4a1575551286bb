"""sim:// for every pyserial program. Importing this package is all it takes:

import fairshoe.serial_urls
port = serial.serial_for_url("sim://pico-carousel?seed=3", timeout=1)
"""

import serial

if __name__ not in serial.protocol_handler_packages:
    serial.protocol_handler_packages.append(__name__)
