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


def heap_of(function, arguments, count):
    """Bytes of heap taken by so many frames and the call itself, with nothing collected meanwhile."""
    gc.collect()
    gc.disable()
    before = gc.mem_alloc()
    function(*arguments, count)
    taken = gc.mem_alloc() - before
    gc.enable()
    return taken


def measure(function, arguments, count):
    function(*arguments, 10)
    heap = heap_of(function, arguments, 200) - heap_of(function, arguments, 0)
    start = time.ticks_us()
    function(*arguments, count)
    print(count, time.ticks_diff(time.ticks_us(), start), heap / 200)


def main():
    count = int(sys.argv[1])
    writer = FrameWriter()
    send(writer, 1)
    wire = bytearray(writer.wire[: writer.end])
    reader = FrameReader()
    measure(receive, (reader, wire, len(wire)), count)
    if reader.good != 10 + 200 + count:
        raise SystemExit("frames went missing")
    measure(send, (writer,), count)


main()
