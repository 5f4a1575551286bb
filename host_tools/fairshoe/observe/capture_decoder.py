"""Decode a capture or a live port: every frame as text or JSON, and exactly where and why bytes were dropped.

JSON has the words of message_data.py, as `monitor --json` has. A number without a word stays a number.
"""

from __future__ import annotations

import hmac
import json
import re
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, TextIO

import serial

from fairshoe import keys
from fairshoe.errors import Exit, FairshoeError, KeyFileError, PortError, PortLost
from fairshoe.link import framing
from fairshoe.link.dictionary import Dictionary
from fairshoe.link.halt_report import HaltLine, device_halted
from fairshoe.message_data import fields_of
from fairshoe.messages import DictionaryLine, Hello, Role, UnknownMessage, Welcome
from fairshoe.printable import device_text, say
from fairshoe.text.describe import SECRET, dump, dump_fields
from firmware.protocol.ids import FLAG_AGAIN, VERSION

CHUNK = 1 << 16
READ_S = 0.1
SESSIONS_MAX = 64  # keys remembered, so that a capture full of welcomes does not fill the memory
_HEX = re.compile(rb"(?:0[xX]|[0-9A-Fa-f\s:,;-])+")
_NO_DIGIT = re.compile(rb"0[xX]|[\s:,;-]")

SecretOf = Callable[[Role], bytes | None]
Located = tuple[int, dict[str, Any], str]  # offset, as JSON, as text


class NotOurs(FairshoeError):
    """A capture without a single good frame, or no capture at all."""

    exit_code = Exit.INPUT


class Printer:
    """Turns bytes into lines; remembers sessions, to check MACs, and the device's dictionary, to name the unknown."""

    def __init__(self, out: TextIO, as_json: bool, secret_of: SecretOf | None = None) -> None:
        self.out = out
        self.as_json = as_json
        self.frames = 0
        self.halted = ""  # a line of text that a device's console has instead of frames
        self._halt_line = HaltLine()
        self.decoder = framing.Decoder(self._on_drop)
        self._secret_of = secret_of
        self._hello: Hello | None = None
        self._drops: list[Located] = []
        self._checks: dict[int, tuple[keys.Seal, keys.Seal]] = {}
        self._lines: dict[int, str] = {}
        self._dictionary: Dictionary | None = None

    def take(self, data: bytes) -> None:
        found = [self._frame(offset, frame) for offset, frame in self.decoder.feed_located(data)]
        text = self._halt_line.feed(data)
        if text is not None:
            self.halted = text
            offset = self.decoder.offset
            words = f"{offset:8d}  in plain text: could not start: {text}"
            found.append((offset, {"offset": offset, "halted": text}, words))
            self.frames -= 1  # a line is no frame
        self._print(found)

    def finish(self) -> None:
        self.decoder.finish()
        self._print([])

    def summary(self) -> str:
        drops = {reason: count for reason, count in self.decoder.drops.by_reason().items() if count}
        text = f"{self.decoder.offset} bytes, {self.frames} frames, {sum(drops.values())} dropped"
        return text + (": " + ", ".join(f"{count} {reason}" for reason, count in drops.items()) if drops else "")

    def _print(self, found: list[Located]) -> None:
        self.frames += len(found)
        for _offset, entry, text in sorted(found + self._drops, key=lambda line: line[0]):
            say(json.dumps(entry) if self.as_json else text, file=self.out)
        self._drops.clear()
        self.out.flush()

    def _on_drop(self, offset: int, length: int, reason: str) -> None:
        entry = {"offset": offset, "length": length, "dropped": reason}
        self._drops.append((offset, entry, f"{offset:8d}  dropped {length} bytes: {reason}"))

    def _frame(self, offset: int, frame: framing.Frame) -> Located:
        message = frame.message
        if isinstance(message, Hello):
            self._hello = message
        if isinstance(message, Welcome):
            self._remember(frame, message)
        if isinstance(message, DictionaryLine):
            self._learn(message)
        mac = self._mac(frame)
        name, values, text = self._content(frame)
        entry: dict[str, Any] = {
            "offset": offset,
            "session": frame.session,
            "sequence": frame.sequence,
            "flags": frame.flags,
            "mac": mac,
            "id": frame.raw[2] | frame.raw[3] << 8,
            "message": name,
            "fields": {key: _shown(key, value) for key, value in values.items()} | _in_words(frame),
        }
        marks = f"  [mac {mac}]" if mac else ""
        marks += "  [again]" if frame.flags & FLAG_AGAIN else ""
        return offset, entry, f"{offset:8d}  {frame.session:04x}:{frame.sequence:04x}  {text}{marks}"

    def _content(self, frame: framing.Frame) -> tuple[str, dict[str, Any], str]:
        """Name, fields as sent, and text; what we do not know by the device's own dictionary if the capture has it."""
        message = frame.message
        if isinstance(message, UnknownMessage):
            explained = self._dictionary.explain(message) if self._dictionary else None
            if explained is None:
                return "unknown", {"class": message.kind, "body": message.body}, dump(message)
            return (*explained, dump_fields(*explained) + "  [by the device's dictionary]")
        numbers = frame.numbers()
        values: dict[str, Any] = {field.name: getattr(message, field.name) for field in fields(message)} | numbers
        text = dump(message, numbers)
        if frame.extra:
            extra = (self._dictionary.extra(frame) if self._dictionary else {}) or {"extra": frame.extra}
            values |= extra
            text += dump_fields("", extra)
        return message.NAME, values, text

    def _learn(self, message: DictionaryLine) -> None:
        if message.line < message.lines:
            self._lines[message.line] = device_text(message.text)
        if len(self._lines) == message.lines:
            self._dictionary = Dictionary([self._lines.get(i, "") for i in range(message.lines)])

    def _remember(self, frame: framing.Frame, welcome: Welcome) -> None:
        """From here on MACs of this session can be checked, if we have the key of its role."""
        secret = self._secret_of(welcome.role) if self._secret_of and frame.keyed else None
        if secret is None or (len(self._checks) >= SESSIONS_MAX and frame.session not in self._checks):
            return
        # A tap of the device's line alone has no hello; then the host is taken to be of our version.
        hello = self._hello
        version_max = hello.version_max if hello and hello.nonce == welcome.host_nonce else VERSION
        key = keys.session_key(secret, version_max, frame.session, welcome.host_nonce, welcome.nonce)
        self._checks[frame.session] = (keys.device_sealer(key), keys.host_sealer(key))

    def _mac(self, frame: framing.Frame) -> str | None:
        """None for a clear frame; "unchecked" without the key, or without the welcome that began the session."""
        if not frame.keyed:
            return None
        checks = self._checks.get(frame.session)
        if checks is None:
            return "unchecked"
        good = [hmac.compare_digest(seal(frame.signed), frame.mac) for seal in checks]
        return "good" if any(good) else "wrong"


def _in_words(frame: framing.Frame) -> dict[str, Any]:
    """Fields that this version knows, except numbers that it has no word for and bytes."""
    message = frame.message
    if isinstance(message, UnknownMessage):
        return {}
    plain = [field.name for field in fields(message) if not isinstance(getattr(message, field.name), bytes)]
    return fields_of(message, plain) | frame.unrecognised


def _shown(name: str, value: object) -> object:
    if not isinstance(value, bytes):
        return value
    return SECRET if name == "key" else value.hex()


def secrets_in(path: Path) -> SecretOf:
    """What a key file can check: sessions of its role, or of every role if it holds the device key."""
    try:
        device_key = keys.read_device_key(path)
    except KeyFileError:
        key = keys.read_key(path)
        return lambda role: key.secret if role == key.role else None
    return lambda role: keys.role_key(device_key, role).secret


# --- where bytes come from ---------------------------------------------------------------------


def from_file(source: str, as_hex: bool) -> Iterator[bytes]:
    """The bytes of a capture, binary or hex text, in chunks; `-` is standard input."""
    try:
        if source != "-" and stat.S_ISCHR(Path(source).stat().st_mode):
            raise PortError(f"{source} is a device, not a file.", "Add --follow to read a live port.")
        if source == "-" and sys.stdin is None:
            raise PortError("standard input is closed.", "Name a file, or pipe something in.")
        with sys.stdin.buffer if source == "-" else Path(source).open("rb") as file:
            first = file.read(CHUNK)
            if as_hex or looks_like_hex(first):
                yield from _unhex(first, file)
            else:
                while first:
                    yield first
                    first = file.read(CHUNK)
    except OSError as error:
        what = f"cannot read {source}: {error.strerror or error}."
        raise PortError(what, "Check the name and your permission.") from error


def looks_like_hex(data: bytes) -> bool:
    """A binary capture has delimiters, which no text has."""
    return len(data) > 1 and _HEX.fullmatch(data) is not None and re.search(rb"[0-9A-Fa-f]{2}", data) is not None


def _unhex(first: bytes, file: Any) -> Iterator[bytes]:
    digits = b""
    at = 0
    while first:
        # A chunk may end between the two signs of 0x.
        cut = first[:-1] if first.endswith(b"0") and len(first) > 1 else first
        odd = _NO_DIGIT.sub(b"", cut)
        wrong = re.search(rb"[^0-9A-Fa-f]", odd)
        if wrong:
            # Blank out what was skipped, keeping places, to find where it stands.
            place = at + _NO_DIGIT.sub(lambda skipped: b" " * len(skipped[0]), cut).index(wrong[0])
            raise NotOurs(f"byte {place} of the text is {wrong[0]!r}, not a hex digit.", "Leave --hex out for binary.")
        digits += odd
        even = len(digits) & ~1
        yield bytes.fromhex(digits[:even].decode())
        digits = digits[even:]
        at += len(cut)
        more = file.read(CHUNK)
        first = first[len(cut) :] + more if more else first[len(cut) :]
    if digits:
        raise NotOurs("the hex text ends with half a byte.", "Check that it was copied whole.")


def from_port(url: str) -> Iterator[bytes]:
    """What a live port brings, until it goes away. Nothing is ever sent."""
    try:
        port: Any = serial.serial_for_url(url, baudrate=115200, timeout=READ_S)
    except (OSError, ValueError) as error:
        raise PortError(f"cannot open {url}: {error}.", "Check the name, the cable and your permission.") from error
    with port:
        while True:
            try:
                yield port.read(max(1, port.in_waiting))
            except (OSError, TypeError) as error:
                raise PortLost(f"{url} disappeared.", "Check cable and power.") from error


def run(source: str, follow: bool, as_hex: bool, as_json: bool, key_file: str | None, out: TextIO | None = None) -> int:
    """Print a capture or a live port; the summary goes to standard error. Raises NotOurs without a good frame."""
    printer = Printer(out or sys.stdout, as_json, secrets_in(Path(key_file)) if key_file else None)
    try:
        for data in from_port(source) if follow else from_file(source, as_hex):
            printer.take(data)
    finally:
        printer.finish()
        if printer.decoder.offset:
            say(f"fairshoe decode: {printer.summary()}", file=sys.stderr)
    if not printer.frames and printer.halted:
        raise device_halted(source, printer.halted)
    if not printer.frames:
        raise NotOurs(
            f"not one good frame in {source}: this is not a fairshoe capture.",
            "Check that it was recorded from a shoe's table port, as it came; hex text may need --hex.",
        )
    return 0
