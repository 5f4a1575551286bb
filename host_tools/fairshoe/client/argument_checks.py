"""Check the arguments of public calls before anything is done, so that the call that got a wrong one reports it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from fairshoe.client.notices import Notice
from fairshoe.client.store import Store
from fairshoe.errors import UsageError
from fairshoe.keys import KeyRing, RoleKey
from fairshoe.messages import Message, Role


def check_open(url: Any, key: Any, operations: Any, after_seq: Any, answer_s: Any, store: Any, device: Any) -> None:
    """The arguments of Shoe.open and AsyncShoe.open."""
    if not isinstance(url, str):
        _refuse("url", url, "Give it as text: '/dev/ttyACM0', for example.")
    if not (key is None or isinstance(key, (RoleKey, KeyRing, str, Path))):
        _refuse("key", key, "Give the path of a key file or of a folder of them, a RoleKey or a KeyRing.")
    if not (store is None or isinstance(store, (Store, str, Path))):
        _refuse("store", store, "Give a Store, or the path of its file.")
    if not (operations is None or callable(getattr(operations, "begin", None))):
        _refuse("operations", operations, "Give a Store.")
    if not _whole(after_seq) or after_seq < 0:
        _refuse("after_seq", after_seq, "Give the number of the last event that you have, or 0.")
    if not (device is None or _whole(device)):
        _refuse("device", device, "Give the device's number, as in shoe.welcome.device.")
    check_seconds("answer_s", answer_s)


def check_nonce(nonce: bool, key: RoleKey | KeyRing | None) -> None:
    if nonce and (key is None or key.role not in (Role.TABLE, Role.SERVICE)):
        _refuse("nonce", nonce, "Open the shoe with the key of the table: only a host that gives commands has a share.")


def check_listener(kind: Any, function: Any) -> None:
    """The arguments of `on`."""
    if not (isinstance(kind, type) and issubclass(kind, (Message, Notice))):
        _refuse("kind", kind, "Give a class of fairshoe.messages, or a notice of fairshoe: RoundEnded, for example.")
    if not (function is None or callable(function)):
        _refuse("function", function, "Give a function with one argument.")


def check_until(until: Any, timeout_s: Any) -> None:
    """The arguments of `run`."""
    fits = issubclass(until, Message) if isinstance(until, type) else until is None or callable(until)
    if not fits:
        _refuse("until", until, "Give a class of fairshoe.messages, or a function that says when.")
    check_seconds("timeout_s", timeout_s, none=True)


def check_seconds(name: str, value: Any, none: bool = False) -> None:
    if none and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
        _refuse(name, value, "Give seconds, as a number.")


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _refuse(name: str, value: Any, advice: str) -> None:
    raise UsageError(f"{name} cannot be {value!r}.", advice)
