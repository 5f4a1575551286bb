"""Keys, signatures and digests of the device are those of `cryptography` and hashlib."""

from collections.abc import Generator
from hashlib import sha512 as host_sha512
from typing import TypeVar

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from draws import seeded

from firmware.signing.ed25519 import public_key, sign
from firmware.signing.sha512 import sha512

T = TypeVar("T")


def result(steps: Generator[None, None, T]) -> T:
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


def test_keys_and_signatures_are_those_of_cryptography() -> None:
    dice = seeded()
    for size in (91, 300):
        secret, message = dice.randbytes(32), dice.randbytes(size)
        key = Ed25519PrivateKey.from_private_bytes(secret)
        public = result(public_key(secret))
        assert public == key.public_key().public_bytes_raw()
        assert result(sign(secret, public, message)) == key.sign(message)


def test_digests_of_every_padding_are_those_of_hashlib() -> None:
    for size in (0, 1, 110, 111, 112, 127, 128, 129, 239, 240):
        message = bytes(range(size))
        assert result(sha512(message)) == host_sha512(message).digest(), size
