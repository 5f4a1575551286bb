"""The message table as numbered lines of text that a device can send, and the hash that names a version of it.

Frozen for ever, like the two messages that carry it: a host of any age can ask a device of any age what it says.
"""

from hashlib import sha256

from micropython import const

from firmware.fault import FAULT_NAMES
from firmware.protocol import ids

HASH_SIZE = const(8)

_STATES_FIRST = ids.STATE_NAMES.find(" deck_held")

# After the messages: the prefixes and the names of enumerated fields.
_EXTRAS = (
    "prefix event " + ids.EVENT_PREFIX,
    "prefix command " + ids.COMMAND_PREFIX,
    "names class " + ids.CLASS_NAMES,
    # Two lines: a frame holds 237 characters.
    "names state " + ids.STATE_NAMES[:_STATES_FIRST],
    "names state" + ids.STATE_NAMES[_STATES_FIRST:],
    "names warning " + FAULT_NAMES,
    "names role " + ids.ROLE_NAMES,
    "names mode " + ids.MODE_NAMES,
    "names outcome " + ids.OUTCOME_NAMES,
    "names reason " + ids.REASON_NAMES,
    "names why " + ids.REFUSED_NAMES,
)


def dictionary_lines() -> int:
    return len(ids.MESSAGES) + len(_EXTRAS)


def dictionary_line(index: int) -> str:
    """`message 256 2 booted cause:u8 ...`, or one of the extras."""
    if index < len(ids.MESSAGES):
        message, kind, spec = ids.MESSAGES[index]
        return "message %d %d %s" % (message, kind, spec)
    return _EXTRAS[index - len(ids.MESSAGES)]


def dictionary_hash() -> bytes:
    """SHA-256 over all lines, each ended by a newline; its first eight bytes."""
    digest = sha256()
    for index in range(dictionary_lines()):
        digest.update((dictionary_line(index) + "\n").encode())
    return digest.digest()[:HASH_SIZE]
