"""Types of fields as type codes: how table.py becomes layout.py. A device carries the result."""

# The code of a field is its size in bytes: 1, 2 and 4 are integers.
_CODES = {"u8": 1, "u16": 2, "u32": 4, "t8": 8, "b8": 8, "b16": 16, "b32": 32, "rest": 255}


def field_codes(spec: str) -> bytes:
    """Type codes of "field:type ..." words; words without a type (the message's name) are passed over."""
    codes = bytearray()
    for word in spec.split():
        if ":" in word:
            codes.append(_CODES[word.split(":")[1]])
    return bytes(codes)
