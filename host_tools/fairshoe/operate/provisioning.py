"""Install a device's first key, rotate it or replace a lost one, and write the keys of its roles as files.

The new key is on disk before it is sent: a key that only the device knew could never be rotated again. A session under
the new key proves success, whether or not the device answered. No secret is ever printed.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fairshoe import keys
from fairshoe.client.shoe import Shoe
from fairshoe.errors import Exit, FairshoeError, HelloRefused, KeyFileError, NoAnswer
from fairshoe.files import open_to_others, sync_folder
from fairshoe.journal.export import Record, signed_attestation
from fairshoe.journal.signatures import PublicKey, read_public_keys, signature_good
from fairshoe.keys import RoleKey, role_key
from fairshoe.messages import KeyChanged, KeyInstall, KeyIs, KeyRotate, Refusal, Role
from fairshoe.os_errors import os_errors_as
from firmware.protocol import ids
from firmware.protocol.session import KEY_SIZE, MAC_SIZE, NONCE_SIZE

DEVICE_FILE = "device.key"
SEAL_FILE = "seal.key"
PUBLIC_FILE = "signing.pub"
ROLE_FILES = {role: f"{word}.key" for word, role in keys.ROLES.items()}
LOOK_BACK = 64  # records after a change of the key, in which its record is looked for
ANSWER_S = 60.0  # a device that shuffles answers when it is done

OpenShoe = Callable[[RoleKey | None], Shoe]
Say = Callable[[str], None]


class KeyRefused(FairshoeError):
    """The device refuses the key, with its reason."""

    exit_code = Exit.DEVICE


_REFUSALS = {
    ids.KEY_SWITCH_OFF: (
        "the key switch is off, or this is the table port.",
        "Turn the key switch on, and use the service port.",
    ),
    ids.KEY_DOOR_SHUT: (
        "the device has a key already, and its door is shut.",
        "Rotate with the key it has (--rotate --key-file), or, if that is lost, open the door and say --replace again.",
    ),
    ids.KEY_WRONG: (
        "the key in force is another one than that in the key file.",
        "Use the device key of this device; if it is lost, open the door and use --replace.",
    ),
    ids.KEY_ROUND_OPEN: ("a round is open.", "End the round, then try again."),
    ids.KEY_STORAGE: (
        "its storage failed, or is full of events that no host has collected.",
        "Let the table system collect them and try again. Keep both keys: after its next start either may be in force.",
    ),
}


@dataclass(frozen=True)
class Installed:
    """What was done."""

    device: int
    generation: int  # how many keys this device has had
    folder: Path


def key_check(key: bytes) -> bytes:
    """The public check value of a key."""
    return hashlib.sha256(b"fairshoe key 1" + key).digest()[:8]


def wrapped(old: bytes, new: bytes, nonce: bytes) -> KeyRotate:
    """A new key under the one in force, as docs/PROTOCOL.md words it."""
    pad = hmac.digest(old, b"fairshoe wrap 1" + nonce, hashlib.sha256)
    hidden = bytes(a ^ b for a, b in zip(new, pad, strict=True))
    return KeyRotate(nonce, hidden, hmac.digest(old, b"fairshoe rotate 1" + nonce + hidden, hashlib.sha256)[:MAC_SIZE])


# --- files -------------------------------------------------------------------------------------


class KeyFolder:
    """A folder for the keys of one device; files that were there before are never touched."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._made: list[Path] = []
        self._made_folder = False

    def check(self) -> None:
        """Before anything is asked of the device: is there a place, and is it empty?"""
        for name in (DEVICE_FILE, SEAL_FILE, PUBLIC_FILE, *ROLE_FILES.values()):
            if (self.path / name).exists():
                raise KeyFileError(
                    f"{self.path / name} is there already.", "Keys are never overwritten: use a new folder."
                )
        if self.path.exists() and open_to_others(self.path):
            raise KeyFileError(f"{self.path} is open to others.", f"Make it yours alone: chmod 700 {self.path}")

    def write(self, device_key: bytes) -> None:
        """All keys, the device key first, durably."""
        with os_errors_as(KeyFileError, f"cannot make {self.path}", "Choose another name or place."):
            if not self.path.exists():
                self.path.mkdir(mode=0o700, parents=True)
                self._made_folder = True
        self._write(DEVICE_FILE, "device", device_key)
        for role, name in ROLE_FILES.items():
            self._write(name, role.name.lower(), role_key(device_key, role).secret)
        self._write(SEAL_FILE, keys.SEAL, keys.seal_key(device_key))

    def _write(self, name: str, word: str, secret: bytes) -> None:
        path = self.path / name
        keys.write_key(path, word, secret)
        self._made.append(path)

    def take_back(self) -> None:
        """Delete the files of keys that the device has refused."""
        with contextlib.suppress(OSError):
            for path in self._made:
                path.unlink()
            if self._made_folder:
                self.path.rmdir()


def new_keys(folder: KeyFolder) -> None:
    """Keys for a simulated shoe or a test: no device is involved."""
    folder.check()
    folder.write(secrets.token_bytes(KEY_SIZE))


# --- what is done ------------------------------------------------------------------------------


def install(open_shoe: OpenShoe, folder: KeyFolder, replace: bool = False, say: Say = lambda _text: None) -> Installed:
    """A first key; with `replace` another one though the key in force is lost."""
    folder.check()
    with _at_service_port(open_shoe, None) as shoe:
        welcome = shoe.welcome
        if welcome is not None and welcome.has_key and not replace:
            raise KeyRefused(
                f"{shoe.name} has a key already.",
                "Rotate it (--rotate --key-file), or, if it is lost, open the door and use --replace.",
            )
        new = secrets.token_bytes(KEY_SIZE)
        folder.write(new)
        say(f"keys are in {folder.path}")
        say("sending the device key")
        answer = _send(shoe, KeyInstall(new))
    return _settle(open_shoe, folder, answer, [new], say)


def rotate(open_shoe: OpenShoe, folder: KeyFolder, old: bytes, say: Say = lambda _text: None) -> Installed:
    """A new key in place of one that is at hand."""
    folder.check()
    with _at_service_port(open_shoe, role_key(old, Role.TABLE)) as shoe:
        say("the device has the key in the key file")
        new = secrets.token_bytes(KEY_SIZE)
        folder.write(new)
        say(f"new keys are in {folder.path}")
        say("sending the new device key, wrapped under the old one")
        answer = _send(shoe, wrapped(old, new, secrets.token_bytes(NONCE_SIZE)))
    return _settle(open_shoe, folder, answer, [new, old], say)


def note_signing_key(
    open_shoe: OpenShoe, folder: KeyFolder, say: Say = lambda _text: None, old: Path | None = None
) -> PublicKey | None:
    """Write the public key of the device's signatures beside its new keys, with the first record that it may prove; and
    those of the file `old`, which end there. The private one is made in the device when this asks for it, and never
    leaves. None: the device does not sign, or not now."""
    say("asking for the public key of its signatures")
    key = role_key(keys.read_device_key(folder.path / DEVICE_FILE), Role.TABLE)
    with open_shoe(key) as shoe:
        signed = signed_attestation(shoe, 0)
        device = shoe.welcome.device if shoe.welcome else 0
        if signed is None:
            return None
        if not signature_good(device, shoe.journal_is().log, signed):
            raise KeyRefused(
                "the device signs with another key than the one it names.",
                f"Nothing was noted. Take it out of service; its keys are in {folder.path}.",
            )
        first = _changed_at(shoe, signed.key, signed.last)
    public = PublicKey(signed.public, device, signed.key, first)
    lines = [it.line() for it in _ended(old, device, first or signed.last)] + [public.line()]
    path = folder.path / PUBLIC_FILE
    with os_errors_as(KeyFileError, f"cannot write {path}", f"Write it down: {public.line().strip()}"):
        path.write_text("".join(lines), "ascii")
        sync_folder(folder.path)
    return public


def _changed_at(shoe: Shoe, generation: int, last: int) -> int:
    """The number of the record that this key came into force with; 0 if it is not among the last."""
    for seq in range(last, max(0, last - LOOK_BACK), -1):
        event = Record(seq, shoe.journal_record(seq)).event()
        if isinstance(event, KeyChanged) and event.generation == generation:
            return seq
    return 0


def _ended(path: Path | None, device: int, first: int) -> list[PublicKey]:
    """The keys of this device in a file, none of which proves a record from this one on."""
    if path is None or not path.exists():
        return []
    known = [it for it in read_public_keys(str(path)) if it.device == device]
    return [replace(it, first=it.first or 0, last=first - 1) if it.last is None else it for it in known]


def key_in_force(open_shoe: OpenShoe, candidates: Sequence[bytes]) -> tuple[bytes | None, int]:
    """Which of these keys opens a session, with the number of the device; None: none of them."""
    for key in candidates:
        try:
            with open_shoe(role_key(key, Role.TABLE)) as shoe:
                return key, shoe.welcome.device if shoe.welcome else 0
        except NoAnswer:
            continue
        except HelloRefused as refused:
            if refused.why == Refusal.NO_KEY:
                return None, 0
            raise
    return None, 0


def _at_service_port(open_shoe: OpenShoe, key: RoleKey | None) -> Shoe:
    try:
        return open_shoe(key)
    except NoAnswer as error:
        if key is not None and "another key" in error.what:
            raise KeyRefused(*_REFUSALS[ids.KEY_WRONG]) from None
        raise NoAnswer(
            error.what, "The service port is silent until the key switch is on: turn it, and check power and cable."
        ) from error


def _send(shoe: Shoe, message: KeyInstall | KeyRotate) -> KeyIs | None:
    """The device's answer; None if there was none, which proves neither success nor failure."""
    try:
        return shoe.ask("its key", message, KeyIs, lambda _answer: True, ANSWER_S)
    except NoAnswer:
        return None


def _settle(
    open_shoe: OpenShoe, folder: KeyFolder, answer: KeyIs | None, candidates: list[bytes], say: Say
) -> Installed:
    """Prove which key is in force; the first candidate is the new one."""
    new = candidates[0]
    # A question whose answer was lost is asked again, and refused: what counts is whose key is named.
    taken = answer is not None and answer.check == key_check(new)
    if answer is not None and not taken:
        if answer.result != ids.KEY_STORAGE:
            folder.take_back()
        what, advice = _REFUSALS.get(answer.result, ("for a reason this version does not know.", "Update this tool."))
        raise KeyRefused(f"the device did not take the key: {what}", advice)
    say("finding out which key is in force" if answer is None else "opening a session under the new key")
    found, device = key_in_force(open_shoe, candidates)
    if found == new:
        say("the device has proved that it has the new key")
        return Installed(device, answer.generation if answer else 0, folder.path)
    if found is not None:
        folder.take_back()
        raise KeyRefused("the device did not answer, and the old key is in force.", "Try again.")
    raise NoAnswer(
        "the device did not answer, and whether it has the new key is not known.",
        f"Keep {folder.path} and the old keys; try again, with --rotate and each of them, when the device answers.",
    )
