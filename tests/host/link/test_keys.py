"""Key files and the derivation of session keys, the same on both sides."""

import os
from pathlib import Path

import pytest
from draws import seeded

from fairshoe import keys
from fairshoe.errors import KeyFileError
from fairshoe.messages import Role
from firmware.protocol.session import FROM_DEVICE, FROM_HOST, role_key, session_hmac

KEY = bytes(range(32))


def test_host_and_device_derive_the_same_session_key_and_mac() -> None:
    noise = seeded()
    for role in (Role.OBSERVER, Role.TABLE, Role.SERVICE, Role.AUDITOR, Role.RECORDER):
        key, host, device = noise.randbytes(32), noise.randbytes(16), noise.randbytes(16)
        number = noise.randrange(1, 65536)
        signed = noise.randbytes(noise.randrange(8, 230))
        theirs = session_hmac(role_key(key, role), 1, number, host, device)
        ours = keys.session_key(keys.role_key(key, role).secret, 1, number, host, device)
        assert keys.host_sealer(ours)(signed) == theirs.digest(FROM_HOST, signed)[:16]
        assert keys.device_sealer(ours)(signed) == theirs.digest(FROM_DEVICE, signed)[:16]


def test_a_key_file_is_written_for_its_owner_alone_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "shoe.key"
    key = os.urandom(32)
    keys.write_key(path, "device", key)
    assert path.stat().st_mode & 0o777 == 0o600
    assert keys.read_device_key(path) == key
    assert keys.read_key(path, Role.OBSERVER) == keys.role_key(key, Role.OBSERVER)
    with pytest.raises(KeyFileError, match="cannot write"):
        keys.write_key(path, "device", key)


def test_a_key_is_in_its_file_before_the_file_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "shoe.key"
    synced: list[str] = []

    def fsync(descriptor: int) -> None:
        synced.append(path.read_text(encoding="utf-8"))

    monkeypatch.setattr(os, "fsync", fsync)
    keys.write_key(path, "device", KEY)
    assert synced[0] == f"device {KEY.hex()}\n"


def test_the_key_of_one_role_is_not_taken_for_another_and_never_printed(tmp_path: Path) -> None:
    path = tmp_path / "table.key"
    key = keys.role_key(bytes(32), Role.TABLE)
    keys.write_key(path, "table", key.secret)
    assert keys.read_key(path) == key
    with pytest.raises(KeyFileError, match="holds the key of the table role"):
        keys.read_key(path, Role.SERVICE)
    with pytest.raises(KeyFileError, match="device key is needed"):
        keys.read_device_key(path)
    assert key.secret.hex() not in repr(key)


def test_a_key_file_open_to_others_or_without_a_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "shoe.key"
    keys.write_key(path, "device", bytes(32))
    path.chmod(0o644)
    with pytest.raises(KeyFileError, match="chmod 600"):
        keys.read_key(path)
    path.chmod(0o600)
    path.write_text("abc")
    with pytest.raises(KeyFileError, match="64 hex digits"):
        keys.read_key(path)
    with pytest.raises(KeyFileError, match="cannot read"):
        keys.read_key(tmp_path / "none")


def test_a_seal_key_verifies_and_opens_nothing(tmp_path: Path) -> None:
    device, seal, table = tmp_path / "device.key", tmp_path / "seal.key", tmp_path / "table.key"
    keys.write_key(device, "device", KEY)
    keys.write_key(seal, "seal", keys.seal_key(KEY))
    keys.write_key(table, "table", keys.role_key(KEY, Role.TABLE).secret)
    assert keys.read_seal_key(seal) == keys.read_seal_key(device) == keys.seal_key(KEY)
    with pytest.raises(KeyFileError, match="opens no session"):
        keys.read_key(seal)
    with pytest.raises(KeyFileError, match="holds a seal key"):
        keys.read_device_key(seal)
    with pytest.raises(KeyFileError, match="verifies no journal"):
        keys.read_seal_key(table)


def test_host_and_device_derive_the_same_seal_key() -> None:
    from firmware.digest import Hmac

    assert Hmac(KEY).digest(b"fairshoe seal", b"") == keys.seal_key(KEY)
