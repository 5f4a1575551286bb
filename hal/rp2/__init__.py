"""The port to boards with an RP2040: pins, PIO and DMA, port expander, FRAM."""
