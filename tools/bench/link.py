"""Speed of the link on the host against what others use: the same 16-byte payloads, checks verified, in one process.

Time is processor time, the best of some runs taken in turns, so that another program disturbs all alike. Streams come
in reads of 4096 bytes and nothing is kept, as in a program that handles what it reads. An event of ours carries the 16
bytes in its first five fields and five bytes more, round and deck, which every event has; MAVLink's RAW_PRESSURE has
16 bytes in five fields.
"""

from __future__ import annotations

import importlib
import random
import struct
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import crcmod.predefined  # pyright: ignore[reportMissingTypeStubs]

from fairshoe.link import framing
from fairshoe.messages import DoorOpened, UnknownMessage

FRAMES = 10000
READ = 4096
ROUNDS = 9
FIVE = struct.Struct("<IHIHI")
Run = Callable[[], int]


@dataclass(frozen=True)
class Reading:
    """What a hand-written peer would make of 16 bytes."""

    a: int
    b: int
    c: int
    d: int
    e: int


def reads(data: bytes) -> list[bytes]:
    return [data[at : at + READ] for at in range(0, len(data), READ)]


def event(seq: int, boot: int, uptime_s: int, uptime_ms: int, utc_s: int) -> DoorOpened:
    return DoorOpened(seq, boot, uptime_s, uptime_ms, utc_s, 5, 1)


def ours(payloads: list[bytes]) -> dict[str, Run]:
    events = [event(*FIVE.unpack(payload)) for payload in payloads]
    bare = [UnknownMessage(700, 2, payload) for payload in payloads]
    typed = reads(b"".join(framing.encode(entry, 7, at) for at, entry in enumerate(events)))
    raw = reads(b"".join(framing.encode(message, 7, at) for at, message in enumerate(bare)))
    # split() takes whole captures; a read that ends inside a frame is a Decoder's business.
    whole = b"".join(raw)

    def split() -> int:
        return len(framing.split(whole))

    def decode_messages() -> int:
        decoder = framing.Decoder()
        return sum(1 for part in typed for _message in decoder.feed_messages(part))

    def decode_frames() -> int:
        decoder = framing.Decoder()
        return sum(1 for part in typed for _frame in decoder.feed(part))

    def encode_raw() -> int:
        return sum(1 for message in bare if framing.encode(message, 7, 9))

    def encode_typed() -> int:
        return sum(1 for entry in events if framing.encode(entry, 7, 9))

    return {
        "split": split,
        "typed": decode_messages,
        "typed in frames": decode_frames,
        "encode bytes": encode_raw,
        "encode typed": encode_typed,
    }


def bare_loop(payloads: list[bytes], crc: Callable[[bytes], int]) -> dict[str, Run]:
    """The shortest loop that does the job: COBS, a trailing delimiter, the CRC compared; no header, no counters."""
    cobs: Any = importlib.import_module("cobs.cobs")
    decode, encode = cobs.decode, cobs.encode
    readings = [Reading(*FIVE.unpack(payload)) for payload in payloads]
    whole = b"".join(encode(payload + crc(payload).to_bytes(4, "little")) + b"\0" for payload in payloads)

    def split() -> int:
        found: list[bytes] = []
        for piece in whole.split(b"\0"):
            if piece:
                raw = decode(piece)
                if crc(raw[:-4]) == int.from_bytes(raw[-4:], "little"):
                    found.append(raw[:-4])
        return len(found)

    def typed() -> int:
        count = 0
        for piece in whole.split(b"\0"):
            if piece:
                raw = decode(piece)
                if crc(raw[:-4]) == int.from_bytes(raw[-4:], "little"):
                    Reading(*FIVE.unpack_from(raw))
                    count += 1
        return count

    def encode_raw() -> int:
        return sum(1 for p in payloads if encode(p + crc(p).to_bytes(4, "little")) + b"\0")

    def encode_typed() -> int:
        count = 0
        for reading in readings:
            raw = FIVE.pack(reading.a, reading.b, reading.c, reading.d, reading.e)
            count += len(encode(raw + crc(raw).to_bytes(4, "little")) + b"\0") > 0
        return count

    return {"split": split, "typed": typed, "encode bytes": encode_raw, "encode typed": encode_typed}


def residue_loop(payloads: list[bytes]) -> dict[str, Run]:
    """The same by residue, the trick that fairshoe uses too."""
    cobs: Any = importlib.import_module("cobs.cobs")
    decode, encode, crc = cobs.decode, cobs.encode, zlib.crc32
    whole = b"".join(encode(payload + crc(payload).to_bytes(4, "little")) + b"\0" for payload in payloads)

    def split() -> int:
        found: list[bytes] = []
        for piece in whole.split(b"\0"):
            if piece:
                raw = decode(piece)
                if crc(raw) == 0x2144DF1C:
                    found.append(raw[:-4])
        return len(found)

    return {"split": split}


def pymavlink(payloads: list[bytes]) -> dict[str, Run]:
    dialect: Any = importlib.import_module("pymavlink.dialects.v20.common")
    sender: Any = dialect.MAVLink(None)
    readings = [dialect.MAVLink_raw_pressure_message(*struct.unpack("<Qhhhh", payload)) for payload in payloads]
    parts = reads(b"".join(reading.pack(sender) for reading in readings))

    def typed() -> int:
        parser: Any = dialect.MAVLink(None)
        parser.robust_parsing = True
        return sum(1 for part in parts for _message in parser.parse_buffer(part) or ())

    def encode_typed() -> int:
        return sum(1 for reading in readings if reading.pack(sender))

    return {"typed": typed, "encode typed": encode_typed}


def peers(payloads: list[bytes]) -> tuple[dict[str, dict[str, Run]], dict[str, str]]:
    """What can be run, and why the others cannot."""
    crc: Any = crcmod.predefined.mkPredefinedCrcFun("crc-32")  # pyright: ignore
    makers: dict[str, Callable[[], dict[str, Run]]] = {
        "fairshoe": lambda: ours(payloads),
        "pymavlink": lambda: pymavlink(payloads),
        "cobs+crcmod": lambda: bare_loop(payloads, crc),
        "cobs+zlib": lambda: bare_loop(payloads, zlib.crc32),
        "cobs+zlib residue": lambda: residue_loop(payloads),
    }
    found: dict[str, dict[str, Run]] = {}
    missing: dict[str, str] = {}
    for name, make in makers.items():
        try:
            found[name] = make()
        except ImportError as error:
            missing[name] = f"not measured: {error}; `make bench` installs it when there is a network"
    return found, missing


def measure() -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    """Thousand frames a second by peer and job, all in the same turns; and what could not be measured."""
    rng = random.Random(16)
    found, missing = peers([rng.randbytes(16) for _ in range(FRAMES)])
    best: dict[str, dict[str, float]] = {name: {} for name in found}
    for _ in range(ROUNDS):
        for name, jobs in found.items():
            for job, run in jobs.items():
                start = time.process_time()
                count = run()
                spent = time.process_time() - start
                if count != FRAMES:
                    raise SystemExit(f"bench: {name} {job}: {count} of {FRAMES} frames")
                best[name][job] = max(best[name].get(job, 0.0), FRAMES / spent / 1000)
    return best, missing


TITLES = {
    "split": "received, checked and split",
    "typed": "received, decoded into typed events",
    "typed in frames": "the same, each event in its Frame (session, sequence, MAC)",
    "encode bytes": "sent, from bytes",
    "encode typed": "sent, from typed events",
}
AIMS = (("typed", "pymavlink", 8.0), ("split", "cobs+zlib", 0.5))


def report(best: dict[str, dict[str, float]], missing: dict[str, str]) -> list[str]:
    lines = ["link on the host: thousand frames a second, 16-byte payloads, and fairshoe's multiple of each"]
    for job, title in TITLES.items():
        mine = best["fairshoe"][job]
        other = "typed" if job == "typed in frames" else job
        rates = [(name, jobs[other]) for name, jobs in best.items() if name != "fairshoe" and other in jobs]
        lines.append(f"  {title}")
        others = "".join(f"  {name} {rate:.0f} ({mine / rate:.2f} x)" for name, rate in rates)
        lines.append(f"    fairshoe {mine:<5.0f}{others}")
    lines += [f"  {name}: {why}" for name, why in missing.items()]
    for job, peer, aim in AIMS:
        if peer in best:
            ratio = best["fairshoe"][job] / best[peer][job]
            met = "met" if ratio >= aim else "NOT met"
            lines.append(f"  aim: {TITLES[job]}, at least {aim:g} x {peer}: {ratio:.2f}, {met}")
    return lines


if __name__ == "__main__":
    print("\n".join(report(*measure())))
