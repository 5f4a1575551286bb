"""Numbers modulo 2**255 - 19: twenty limbs of 13 bits with a sign, lowest first, in an array of words.

Operands may be sums or differences of two results, and no more: then 20 products of limbs stay below 2**31, and the
loops give the same numbers as Python and as machine code: ship/machine_code.py.
"""

from array import array

from micropython import const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LIMBS = const(20)
_PART = const(10)
PRIME = (1 << 255) - 19
_BITS = const(13)
_HALF = const(4096)
_MASK = const(8191)
_FOLD = const(608)  # 2**260 modulo the prime


class Element:
    """A number, with views of its lower and its upper ten limbs."""

    def __init__(self, value: int = 0) -> None:
        self.limbs = array("i", [0] * LIMBS)
        self.limbs[0] = value
        view: "Any" = memoryview(self.limbs)  # arrays of words to those who take them
        self.low: "array[int]" = view[:_PART]
        self.high: "array[int]" = view[_PART:]


class Product:
    """Room for a product, which is zeros between two multiplications."""

    def __init__(self) -> None:
        self.limbs = array("i", [0] * 2 * LIMBS)
        view: "Any" = memoryview(self.limbs)
        self.low: "array[int]" = view
        self.middle: "array[int]" = view[_PART:]
        self.high: "array[int]" = view[LIMBS:]


def field_bytes(a: Element) -> bytes:
    """The one number from 0 to PRIME - 1, lowest byte first."""
    value = 0
    for i in range(LIMBS - 1, -1, -1):
        value = (value << _BITS) + a.limbs[i]
    return (value % PRIME).to_bytes(32, "little")


def load(r: "array[int]", data: bytes, at: int) -> None:
    """r = 32 bytes of data, lowest first."""
    end = at + 32
    held = 0
    bits = 0
    for i in range(LIMBS):
        while bits < _BITS and at < end:
            held |= data[at] << bits
            bits += 8
            at += 1
        r[i] = held & _MASK
        held >>= _BITS
        bits -= _BITS


def add_subtract(total: "array[int]", difference: "array[int]", a: "array[int]", b: "array[int]") -> None:
    """a + b and a - b, not carried."""
    for i in range(LIMBS):
        x = a[i]
        y = b[i]
        total[i] = x + y
        difference[i] = x - y


def double_add(r: "array[int]", a: "array[int]", b: "array[int]", sign: int) -> None:
    """r = 2a + b, or 2a - b with sign -1."""
    carry = 0
    for i in range(LIMBS):
        carry += 2 * a[i] + sign * b[i]
        high = (carry + _HALF) >> _BITS
        r[i] = carry - (high << _BITS)
        carry = high
    carry = r[0] + _FOLD * carry
    high = (carry + _HALF) >> _BITS
    r[0] = carry - (high << _BITS)
    r[1] = r[1] + high


def multiply(r: Element, a: Element, b: Element, t: Product) -> None:
    """r = a * b, which may all be one."""
    add_product(t.low, a.low, b.low)
    add_product(t.middle, a.low, b.high)
    add_product(t.middle, a.high, b.low)
    add_product(t.high, a.high, b.high)
    reduce(r.limbs, t.limbs)


def add_product(t: "array[int]", a: "array[int]", b: "array[int]") -> None:
    """t += a * b, of ten limbs each, not carried. Written out: as a loop it takes twice as long."""
    t[0] += a[0] * b[0]
    t[1] += a[0] * b[1] + a[1] * b[0]
    t[2] += a[0] * b[2] + a[1] * b[1] + a[2] * b[0]
    t[3] += a[0] * b[3] + a[1] * b[2] + a[2] * b[1] + a[3] * b[0]
    t[4] += a[0] * b[4] + a[1] * b[3] + a[2] * b[2] + a[3] * b[1] + a[4] * b[0]
    t[5] += a[0] * b[5] + a[1] * b[4] + a[2] * b[3] + a[3] * b[2] + a[4] * b[1] + a[5] * b[0]
    t[6] += a[0] * b[6] + a[1] * b[5] + a[2] * b[4] + a[3] * b[3] + a[4] * b[2] + a[5] * b[1] + a[6] * b[0]
    t[7] += a[0] * b[7] + a[1] * b[6] + a[2] * b[5] + a[3] * b[4] + a[4] * b[3] + a[5] * b[2] + a[6] * b[1]
    t[7] += a[7] * b[0]
    t[8] += a[0] * b[8] + a[1] * b[7] + a[2] * b[6] + a[3] * b[5] + a[4] * b[4] + a[5] * b[3] + a[6] * b[2]
    t[8] += a[7] * b[1] + a[8] * b[0]
    t[9] += a[0] * b[9] + a[1] * b[8] + a[2] * b[7] + a[3] * b[6] + a[4] * b[5] + a[5] * b[4] + a[6] * b[3]
    t[9] += a[7] * b[2] + a[8] * b[1] + a[9] * b[0]
    t[10] += a[1] * b[9] + a[2] * b[8] + a[3] * b[7] + a[4] * b[6] + a[5] * b[5] + a[6] * b[4] + a[7] * b[3]
    t[10] += a[8] * b[2] + a[9] * b[1]
    t[11] += a[2] * b[9] + a[3] * b[8] + a[4] * b[7] + a[5] * b[6] + a[6] * b[5] + a[7] * b[4] + a[8] * b[3]
    t[11] += a[9] * b[2]
    t[12] += a[3] * b[9] + a[4] * b[8] + a[5] * b[7] + a[6] * b[6] + a[7] * b[5] + a[8] * b[4] + a[9] * b[3]
    t[13] += a[4] * b[9] + a[5] * b[8] + a[6] * b[7] + a[7] * b[6] + a[8] * b[5] + a[9] * b[4]
    t[14] += a[5] * b[9] + a[6] * b[8] + a[7] * b[7] + a[8] * b[6] + a[9] * b[5]
    t[15] += a[6] * b[9] + a[7] * b[8] + a[8] * b[7] + a[9] * b[6]
    t[16] += a[7] * b[9] + a[8] * b[8] + a[9] * b[7]
    t[17] += a[8] * b[9] + a[9] * b[8]
    t[18] += a[9] * b[9]


def reduce(r: "array[int]", t: "array[int]") -> None:
    """r = t, carried; t = 0."""
    carry = 0
    for k in range(2 * LIMBS - 1):
        carry += t[k]
        high = (carry + _HALF) >> _BITS
        t[k] = carry - (high << _BITS)
        carry = high
    t[2 * LIMBS - 1] = carry
    carry = 0
    for k in range(LIMBS):
        carry += t[k] + _FOLD * t[k + LIMBS]
        t[k] = 0
        t[k + LIMBS] = 0
        high = (carry + _HALF) >> _BITS
        r[k] = carry - (high << _BITS)
        carry = high
    carry = r[0] + _FOLD * carry
    high = (carry + _HALF) >> _BITS
    r[0] = carry - (high << _BITS)
    r[1] = r[1] + high
