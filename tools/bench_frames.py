"""Receives and sends frames of 16 bytes of payload for a while and prints, for each way, `frames us bytes` as measured:
frames handled, microseconds taken, bytes of heap taken. Runs on the MicroPython VM; CPython has no such heap."""

import gc
import sys
import time

from firmware.protocol.frame import FrameReader, FrameWriter

PAYLOAD = bytes(range(16))


def send(writer, count):
    for sequence in range(count):
        writer.begin(2, 0, 261, 7, sequence)
        body = writer.body
        at = writer.at
        for i in range(16):
            body[at + i] = PAYLOAD[i]
        writer.at = at + 16
        writer.finish()


def receive(reader, wire, size, count):
    for _ in range(count):
        reader.push(wire, 0, size)


def measure(function, *arguments):
    """The count is the last argument. Heap first, with nothing collected meanwhile; then time."""
    function(*arguments[:-1], 10)
    gc.collect()
    gc.disable()
    before = gc.mem_alloc()
    function(*arguments[:-1], 200)
    taken = gc.mem_alloc() - before
    gc.enable()
    count = arguments[-1]
    start = time.ticks_us()
    function(*arguments)
    print(count, time.ticks_diff(time.ticks_us(), start), taken / 200)


def main():
    count = int(sys.argv[1])
    writer = FrameWriter()
    send(writer, 1)
    wire = bytearray(writer.wire[: writer.end])
    reader = FrameReader()
    measure(receive, reader, wire, len(wire), count)
    if reader.good != 10 + 200 + count:
        raise SystemExit("frames went missing")
    measure(send, writer, count)


main()
