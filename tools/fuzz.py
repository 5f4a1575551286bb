"""`make fuzz`: any bytes whatever into both decoders, the host's and the device's, until one is not as it must be.

python -m fuzz [--minutes 1] [--seed N]        until the time is over or a case fails
python -m fuzz --seed N --case M               one case again
"""

from __future__ import annotations

import random
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass, fields

from timed import Tool, replay

from fairshoe import messages
from fairshoe.link import framing
from fairshoe.messages import Message, UnknownMessage
from firmware.protocol.cobs import FRAME_MAX
from firmware.protocol.frame import WIRE_MAX, FrameReader
from firmware.protocol.ids import VERSION

SHRINK_TRIES = 3000
LAST = framing.encode(messages.EventAck(seq=70000), 3, 4)
UNKNOWN = [number for number in (0, 7, 450, 700, 65535) if number not in {cls.ID for cls in messages.ALL}]


@dataclass(frozen=True)
class Item:
    """Some bytes of the stream; `raw` is set if they are an undamaged frame with both its delimiters, and `sent` if all
    of it is a message, with session and sequence number, and whether it is keyed."""

    data: bytes
    raw: bytes = b""
    sent: tuple[Message, int, int, bool] | None = None


# --- making input ------------------------------------------------------------------------------


def sealed(raw: bytes) -> bytes:
    """Any bytes as a frame with a right CRC, delimiters included."""
    return b"\0" + framing.stuff(raw + zlib.crc32(raw).to_bytes(4, "little")) + b"\0"


def random_message(rng: random.Random) -> Message:
    if rng.random() < 0.1:
        return UnknownMessage(rng.choice(UNKNOWN), rng.randrange(16), rng.randbytes(rng.randrange(60)))
    cls = rng.choice(messages.ALL)
    body = bytearray(rng.randbytes(cls.LAYOUT.size))
    for at in range(len(body)):
        if rng.random() < 0.5:
            body[at] = rng.choice((0, 1, 255))
    rest = rng.randbytes(rng.randrange(100)) if len(fields(cls)) and fields(cls)[-1].name == "text" else b""
    if rng.random() < 0.5:
        body = bytearray(byte & 0x7F for byte in body)  # its words are ASCII
    message = framing.unpack(cls.ID, bytes(body) + rest)
    assert message is not None
    return message


def good_frame(rng: random.Random) -> Item:
    """By the grammar: any message, clear or keyed, in any session, sometimes with fields of a newer version."""
    while True:
        seal: Callable[[bytes], bytes] | None = (lambda _signed: rng.randbytes(16)) if rng.random() < 0.4 else None
        try:
            sent = random_message(rng), rng.randrange(65536), rng.randrange(65536), seal is not None
            data = framing.encode(*sent[:3], rng.randrange(16), seal)
        except ValueError:
            continue  # text that is not ASCII cannot be sent
        raw = framing.unstuff(data[1:-1])
        if seal is None and rng.random() < 0.1 and len(raw) < 200:
            data = sealed(raw[:-4] + rng.randbytes(rng.randrange(20)))
            return Item(data, framing.unstuff(data[1:-1]))
        return Item(data, raw, sent)


def almost_frame(rng: random.Random) -> Item:
    """A right CRC around something wrong: lengths, version, flags, bodies cut short."""
    kind = bytes((rng.choice((VERSION << 4, rng.randrange(256))) | rng.randrange(9),))
    size = rng.choice((rng.randrange(12), rng.randrange(40), rng.randrange(FRAME_MAX - 12, FRAME_MAX + 4)))
    cls = rng.choice(messages.ALL)
    head = kind + bytes((rng.choice((0, 0x80, rng.randrange(256))),)) + cls.ID.to_bytes(2, "little") + bytes(4)
    return Item(sealed((head + rng.randbytes(max(0, size - 8)))[:size]))


def damaged_frame(rng: random.Random) -> Item:
    data = bytearray(good_frame(rng).data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(data))
        change = rng.randrange(5)
        if change == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif change == 1:
            data[at] = rng.choice((0, 255, rng.randrange(256)))
        elif change == 2 and len(data) > 2:
            del data[at : at + rng.randrange(1, 5)]
        elif change == 3:
            data[at:at] = rng.randbytes(rng.randrange(4))
        else:
            data[at:at] = data[at : at + rng.randrange(30)]
        if not data:
            break
    return Item(bytes(data))


def noise(rng: random.Random) -> Item:
    kind = rng.randrange(4)
    if kind == 0:
        return Item(rng.randbytes(rng.randrange(400)))
    if kind == 1:
        return Item(bytes(rng.randrange(6)))
    if kind == 2:
        return Item(bytes((rng.randrange(1, 256),)) * rng.choice((1, 253, 254, 255, 256, 257, 258, 600)))
    return Item(bytes(rng.randrange(1, 5) for _ in range(rng.randrange(300))))


MAKERS = (good_frame, good_frame, good_frame, almost_frame, damaged_frame, damaged_frame, noise)


def make_case(seed: int, case: int) -> list[Item]:
    rng = random.Random(f"{seed} {case}")
    return [rng.choice(MAKERS)(rng) for _ in range(rng.randrange(1, 25))]


# --- what must hold ----------------------------------------------------------------------------


@dataclass
class Decoded:
    """What one decoder made of a stream."""

    frames: list[bytes]
    drops: list[tuple[int, int, str]]

    def drop(self, offset: int, length: int, reason: str) -> None:
        self.drops.append((offset, length, reason))


def cut(data: bytes, rng: random.Random) -> list[bytes]:
    """The stream in random pieces, single bytes among them."""
    parts: list[bytes] = []
    at = 0
    size_max = rng.choice((1, 3, 64, 5000))
    while at < len(data):
        size = rng.randrange(1, size_max + 1)
        parts.append(data[at : at + size])
        at += size
    return parts


def host_stream(parts: list[bytes]) -> Decoded:
    data = b"".join(parts)
    seen = Decoded([], [])
    decoder = framing.Decoder(seen.drop)
    for part in parts:
        for offset, frame in decoder.feed_located(part):
            seen.frames.append(frame.raw)
            there = data[offset : offset + len(frame.raw) + 1]
            require(there == framing.stuff(frame.raw), "a frame is not where it is said to be")
        held = decoder._rest  # pyright: ignore[reportPrivateUsage]
        require(len(held) <= WIRE_MAX, f"the host decoder holds {len(held)} bytes")
    require(sum(decoder.drops.by_reason().values()) == len(seen.drops), "drops counted and reported differ")
    return seen


def device_stream(parts: list[bytes]) -> tuple[list[bytes], dict[str, int]]:
    reader = FrameReader()
    frames: list[bytes] = []
    for part in parts:
        chunk = bytearray(part)
        at = 0
        while at < len(chunk):
            before = at
            at = reader.push(chunk, at, len(chunk))
            require(at > before, "the device's reader does not get on")
            if reader.size:
                frames.append(bytes(reader.buf[: reader.size]))
    require(len(reader.buf) == WIRE_MAX, "the device's buffer has grown")
    return frames, dict(zip(framing.DEVICE_DROPS, reader.drops, strict=True))


class Wrong(Exception):
    """Something that must hold does not."""


def require(ok: bool, what: str) -> None:
    if not ok:
        raise Wrong(what)


def check(items: list[Item], seed: int) -> None:
    """Raise unless every claim about the decoders holds for this stream."""
    rng = random.Random(seed)
    data = b"".join(item.data for item in items) + LAST
    stream = host_stream(cut(data, rng))
    whole = Decoded([], [])
    decoded = framing.decode_all(data, whole.drop)
    whole.frames = [frame.raw for frame in decoded]
    require(stream == whole, "the host's streaming and bulk decoders differ")
    pieces = Decoded([], [])
    pieces.frames = framing.split(data, pieces.drop)
    malformed = [drop for drop in whole.drops if drop[2] == "malformed"]
    require(sorted([*pieces.drops, *malformed]) == whole.drops, "split and decode drop differently")
    require(len(pieces.frames) == len(whole.frames) + len(malformed), "split and decode find differently")
    found = framing.decode_messages(data)
    require(found == [frame.message for frame in decoded], "messages alone and in frames differ")
    frames, counted = device_stream(cut(data, rng))
    require([frame[:-4] for frame in frames] == pieces.frames, "host and device accept different frames")
    for reason, count in counted.items():
        on_device = sum(1 for drop in pieces.drops if drop[2] == reason)
        require(on_device == count, f"host and device count different drops: {reason} {on_device} and {count}")
    require(whole.frames[-1:] == [framing.unstuff(LAST[1:-1])], "the good frame at the end was not decoded")
    left = iter(decoded)
    for item in items:
        if item.raw:
            frame = next((it for it in left if it.raw == item.raw), None)
            require(frame is not None, f"an undamaged frame was not delivered: {item.raw.hex()}")
            read = frame and (frame.message, frame.session, frame.sequence, frame.keyed)
            require(item.sent in (None, read), f"a message was read otherwise than it was sent: {item.raw.hex()}")
    taken = sum(len(framing.stuff(raw)) for raw in whole.frames) + sum(length for _at, length, _why in whole.drops)
    require(taken + data.count(0) == len(data), "frames and drops do not add up to what was fed")


def failure(items: list[Item], seed: int) -> str:
    """What is wrong with a case, in words; empty if nothing is."""
    try:
        check(items, seed)
    except Wrong as error:
        return str(error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def shrink(items: list[Item], seed: int) -> list[Item]:
    """A smaller case that still fails, if one is found soon: fewer items, then fewer bytes in those that are noise."""
    tries = SHRINK_TRIES
    size = max(1, len(items) // 2)
    while size and tries:
        at = 0
        while at < len(items) and tries:
            tries -= 1
            fewer = items[:at] + items[at + size :]
            if failure(fewer, seed):
                items = fewer
            else:
                at += size
        size //= 2
    for index, item in enumerate(items):
        at = 0
        while not item.raw and at < len(item.data) and tries:
            tries -= 1
            less = Item(item.data[:at] + item.data[at + 1 :])
            fewer = [*items[:index], less, *items[index + 1 :]]
            if failure(fewer, seed):
                items, item = fewer, less
            else:
                at += 1
    return items


def run_case(seed: int, case: int) -> str:
    """A report on a failed case, ready to print; empty if all is well."""
    items = make_case(seed, case)
    what = failure(items, case)
    if not what:
        return ""
    small = shrink(items, case)
    data = b"".join(item.data for item in small) + LAST
    return (
        f"fuzz: case {case} of seed {seed} failed: {what}\n"
        f"  smallest stream found, {len(data)} bytes: {failure(small, case)}\n  {data.hex()}\n"
        f"  {replay('fuzz', f'--seed {seed} --case {case}')}"
    )


def run(seed: int, more: Callable[[int], bool]) -> str:
    """Cases until one fails; `more` gets the number of those that are done."""
    case, report = 0, ""
    while not report and more(case):
        report = run_case(seed, case)
        case += 1
    return report


def main() -> int:
    tool = Tool("fuzz", __doc__)
    tool.add("--case", type=int, default=None, help="only this one")
    options = tool.begin()
    if options.case is not None:
        report = run_case(options.seed, options.case)
    else:
        report = run(options.seed, lambda done: tool.more(lambda: f"{done} cases"))
    print(report or "fuzz: nothing found", flush=True)
    return 1 if report else 0


if __name__ == "__main__":
    sys.exit(main())
