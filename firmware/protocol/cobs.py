"""Consistent Overhead Byte Stuffing for frames of at most 253 bytes: no zero inside a frame, one byte of overhead.

Each of these functions is shipped as machine code: fairshoe/ship/machine_code.py."""

from micropython import const

FRAME_MAX = const(253)  # decoded; longer blocks would need the 0xFF code, which therefore never occurs
WIRE_MAX = const(256)  # delimiter, COBS overhead byte, 253, delimiter
FILL_BITS = const(9)  # for up to WIRE_MAX + 1


def cobs_gather(buf: bytearray, fill: int, chunk: bytearray, start: int, end: int) -> int:
    """Append chunk[start:end] to buf[:fill] up to the zero that ends a frame; pass over zeros before the first byte.

    Returns two numbers as one: where it stopped << FILL_BITS | the new fill, which is WIRE_MAX + 1 if there was no room
    for all bytes."""
    while start < end:
        byte = chunk[start]
        if byte:
            if fill < WIRE_MAX:
                buf[fill] = byte
            if fill <= WIRE_MAX:
                fill += 1
        elif fill:
            break
        start += 1
    return start << FILL_BITS | fill


def cobs_decode(buf: bytearray, size: int) -> int:
    """Decode buf[:size] in place. Returns the decoded length, or -1 if this cannot be a frame of ours."""
    read = 0
    write = 0
    while read < size:
        code = buf[read]
        end = read + code
        if code == 0 or code == 255 or end > size:
            return -1
        read += 1
        while read < end:
            byte = buf[read]
            if byte == 0:
                return -1
            buf[write] = byte
            write += 1
            read += 1
        if read < size:
            buf[write] = 0
            write += 1
    return write


def cobs_encode(buf: bytearray, at: int, end: int) -> None:
    """Encode buf[at + 1:end] (at most FRAME_MAX) in place; buf[at] becomes the byte of overhead."""
    code = 1
    # From the end: at a zero it is known then how far away the next one is.
    end -= 1
    while end > at:
        if buf[end]:
            code += 1
        else:
            buf[end] = code
            code = 1
        end -= 1
    buf[at] = code
