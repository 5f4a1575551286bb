"""Consistent Overhead Byte Stuffing for frames of at most 253 bytes: no zero inside a frame, one byte of overhead."""

from micropython import const

FRAME_MAX = const(253)  # decoded; longer blocks would need the 0xFF code, which therefore never occurs


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


def cobs_encode(src: bytearray, size: int, dst: bytearray, at: int) -> int:
    """Encode src[:size] (at most FRAME_MAX) into dst from `at`. Returns the position after the last byte."""
    end = at + size + 1
    code = 1
    # From the end: at a zero it is known then how far away the next one is.
    while size:
        byte = src[size - 1]
        if byte:
            dst[at + size] = byte
            code += 1
        else:
            dst[at + size] = code
            code = 1
        size -= 1
    dst[at] = code
    return end
