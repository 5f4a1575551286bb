"""The message table as numbered lines of text that a device can send, and the hash that names a version of it.

Frozen for ever, like the two messages that carry it: a host of any age can ask a device of any age what it says.
"""

from hashlib import sha256

from micropython import const

from firmware.fault import FAULT_NAMES, FIGURE_NAMES
from firmware.image import INPUTS
from firmware.protocol import ids, table

HASH_SIZE = const(8)

SENSOR_NAMES = "none " + " ".join(INPUTS)  # the input that a warning names

LINE_MAX = const(237)  # characters that fit a frame

# After the messages: the prefixes and the names of enumerated fields. Joined when they are asked for: the joined texts
# would take a kilobyte of heap.
_EXTRAS = (
    ("prefix event ", table.EVENT_PREFIX, 0),
    ("prefix command ", table.COMMAND_PREFIX, 0),
    ("names class ", ids.CLASS_NAMES, 0),
    ("names state ", ids.STATE_NAMES, 1),
    ("names state ", ids.STATE_NAMES, 2),
    ("names what ", ids.RECORD_NAMES, 1),
    ("names what ", ids.RECORD_NAMES, 2),
    ("names consequence ", ids.CONSEQUENCE_NAMES, 1),
    ("names consequence ", ids.CONSEQUENCE_NAMES, 2),
    ("names need ", ids.NEED_NAMES, 1),
    ("names need ", ids.NEED_NAMES, 2),
    ("names answer ", ids.ANSWER_NAMES, 0),
    ("names warning ", FAULT_NAMES, 0),
    ("names sensor ", SENSOR_NAMES, 0),
    ("names figure ", FIGURE_NAMES, 0),
    ("names part ", ids.PART_NAMES, 0),
    ("names role ", ids.ROLE_NAMES, 0),
    ("names mode ", ids.MODE_NAMES, 0),
    ("names outcome ", ids.OUTCOME_NAMES, 0),
    ("names reason ", ids.REASON_NAMES, 0),
    ("names why ", ids.REFUSED_NAMES, 0),
    ("names share ", ids.NONCE_NAMES, 0),
)


def dictionary_lines() -> int:
    return len(table.MESSAGES) + len(_EXTRAS) + 1


def dictionary_line(index: int) -> str:
    """`message 256 2 booted cause:u8 ...`, or one of the extras."""
    if index < len(table.MESSAGES):
        line = _message_line(index)
        return line if len(line) <= LINE_MAX else line[: line.rfind(" ", 0, LINE_MAX + 1)]
    index -= len(table.MESSAGES)
    if index == len(_EXTRAS):
        return _status_rest()
    label, text, half = _EXTRAS[index]
    if half:
        middle = text.find(" ", len(text) // 2)
        text = text[:middle] if half == 1 else text[middle + 1 :]
    return label + text


def _message_line(index: int) -> str:
    return "message %d %d %s" % table.MESSAGES[index]


def _status_rest() -> str:
    """The fields of the one message that is longer than a line."""
    for index in range(len(table.MESSAGES)):
        if table.MESSAGES[index][0] == ids.STATUS:
            line = _message_line(index)
            return "more %d %s" % (ids.STATUS, line[line.rfind(" ", 0, LINE_MAX + 1) + 1 :])
    raise LookupError


class Words:
    """The dictionary from memory, for hosts and simulated devices; a device has it in a file."""

    def __init__(self) -> None:
        self.count = dictionary_lines()
        self.hash = dictionary_hash()

    def line(self, index: int) -> bytes:
        return dictionary_line(index).encode()


def dictionary_text() -> bytes:
    """What that file holds."""
    return "".join([dictionary_line(index) + "\n" for index in range(dictionary_lines())]).encode()


def dictionary_hash() -> bytes:
    """SHA-256 over all lines, each ended by a newline; its first eight bytes."""
    digest = sha256()
    for index in range(dictionary_lines()):
        digest.update((dictionary_line(index) + "\n").encode())
    return digest.digest()[:HASH_SIZE]
