"""Speed of the link on the host against what others use: the same 16-byte payloads, checks verified, in one process.

Time is processor time, the best of some runs taken in turns, so that another program disturbs all alike. Streams come
in reads of 4096 bytes and nothing is kept, as in a program that handles what it reads; two rows have other reads: one
keyed frame in each, as from a shoe that reports now and then, and one byte in each, as from a slow line. An event of
ours carries the 16 bytes in its first five fields and five bytes more, round and deck, which every event has; MAVLink's
RAW_PRESSURE has 16 bytes in five fields.
"""

from __future__ import annotations

import importlib
import random
import struct
import time
import zlib
from collections.abc import Callable
from typing import Any

from bench.fake_shoe import FakeShoe
from bench.section import Lacking, NotMeasured
from fairshoe.link import framing
from fairshoe.link.session import HostSession
from fairshoe.messages import DoorOpened, EventAck, UnknownMessage

FRAMES = 10000
FEWER = 2000  # frames of the rows with small reads
KEY = bytes(range(32))
READ = 4096
ROUNDS = 9
FIVE = struct.Struct("<IHIHI")
Run = Callable[[], int]


def reads(data: bytes, size: int = READ) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def event(seq: int, boot: int, uptime_s: int, uptime_ms: int, utc_s: int) -> DoorOpened:
    return DoorOpened(seq, boot, uptime_s, uptime_ms, utc_s, 5, 1)


def ours(payloads: list[bytes]) -> dict[str, Run]:
    events = [event(*FIVE.unpack(payload)) for payload in payloads]
    bare = [UnknownMessage(700, 2, payload) for payload in payloads]
    typed = reads(b"".join(framing.encode(entry, 7, at) for at, entry in enumerate(events)))
    raw = reads(b"".join(framing.encode(message, 7, at) for at, message in enumerate(bare)))
    # split() takes whole captures; a read that ends inside a frame is a Decoder's business.
    whole = b"".join(raw)
    single = reads(b"".join(framing.encode(entry, 7, at) for at, entry in enumerate(events[:FEWER])), 1)

    def split() -> int:
        return len(framing.split(whole))

    def decode_messages() -> int:
        decoder = framing.Decoder()
        return sum(1 for part in typed for _message in decoder.feed_messages(part))

    def decode_frames() -> int:
        decoder = framing.Decoder()
        return sum(1 for part in typed for _frame in decoder.feed(part))

    def decode_single() -> int:
        decoder = framing.Decoder()
        return sum(1 for part in single for _message in decoder.feed_messages(part))

    def encode_raw() -> int:
        return sum(1 for message in bare if framing.encode(message, 7, 9))

    def encode_typed() -> int:
        return sum(1 for entry in events if framing.encode(entry, 7, 9))

    return {
        "split": split,
        "typed": decode_messages,
        "typed in frames": decode_frames,
        "bytewise": decode_single,
        "encode bytes": encode_raw,
        "encode typed": encode_typed,
    }


def keyed_session() -> tuple[HostSession, list[bytes]]:
    """A session in force, and the events that a shoe sends in it, one in each read."""
    shoe = FakeShoe(1, KEY)
    session = HostSession(shoe.key)
    session.tick(0.0)
    shoe.receive(session.take_output())
    if list(session.feed(shoe.take_output(), 0.0)) or not session.connected:
        raise NotMeasured("the session did not open")
    parts: list[bytes] = []
    for _ in range(FEWER):
        shoe.record()
        parts.append(shoe.take_output())
        shoe.receive(framing.encode(EventAck(shoe.seq_last)))
    return session, parts


def bare_loop(payloads: list[bytes]) -> dict[str, Run]:
    """The shortest loop that does the job: COBS, a trailing delimiter, the CRC compared; no header, no counters."""
    cobs: Any = importlib.import_module("cobs.cobs")
    decode, crc = cobs.decode, zlib.crc32
    whole = b"".join(cobs.encode(payload + crc(payload).to_bytes(4, "little")) + b"\0" for payload in payloads)

    def split() -> int:
        found: list[bytes] = []
        for piece in whole.split(b"\0"):
            if piece:
                raw = decode(piece)
                if crc(raw[:-4]) == int.from_bytes(raw[-4:], "little"):
                    found.append(raw[:-4])
        return len(found)

    return {"split": split}


def pymavlink(payloads: list[bytes]) -> dict[str, Run]:
    dialect: Any = importlib.import_module("pymavlink.dialects.v20.common")
    sender: Any = dialect.MAVLink(None)
    readings = [dialect.MAVLink_raw_pressure_message(*struct.unpack("<Qhhhh", payload)) for payload in payloads]
    packed = [reading.pack(sender) for reading in readings]
    parts, single = reads(b"".join(packed)), reads(b"".join(packed[:FEWER]), 1)

    def typed() -> int:
        parser: Any = dialect.MAVLink(None)
        parser.robust_parsing = True
        return sum(1 for part in parts for _message in parser.parse_buffer(part) or ())

    def bytewise() -> int:
        parser: Any = dialect.MAVLink(None)
        parser.robust_parsing = True
        return sum(1 for byte in single if parser.parse_char(byte))

    def keyed() -> int:
        parser = _signing(dialect)
        parser.robust_parsing = True
        found = (message for part in signed for message in parser.parse_buffer(part) or ())
        return sum(1 for message in found if message.get_type() == "RAW_PRESSURE")  # a wrong signature is BAD_DATA

    def encode_typed() -> int:
        return sum(1 for reading in readings if reading.pack(sender))

    signer = _signing(dialect)
    signer.signing.sign_outgoing = True
    signed = [reading.pack(signer) for reading in readings[:FEWER]]
    return {"typed": typed, "encode typed": encode_typed, "bytewise": bytewise, "keyed": keyed}


def _signing(dialect: Any) -> Any:
    """An end of a link whose frames are signed."""
    end: Any = dialect.MAVLink(None)
    end.signing.secret_key = KEY
    end.signing.timestamp = 1 << 40
    return end


def measure(rounds: int = ROUNDS) -> dict[str, dict[str, float]]:
    """Thousand frames a second by peer and job, all in the same turns."""
    rng = random.Random(16)
    payloads = [rng.randbytes(16) for _ in range(FRAMES)]
    try:
        peers = {"fairshoe": ours(payloads), "pymavlink": pymavlink(payloads), "cobs+zlib": bare_loop(payloads)}
    except ImportError as error:
        raise Lacking(f"{error}; `make bench` installs it when there is a network") from error
    best: dict[str, dict[str, float]] = {name: {} for name in peers}
    for _ in range(rounds):
        for name, jobs in peers.items():
            for job, run in jobs.items():
                _note(best[name], name, job, run)
        _note(best["fairshoe"], "fairshoe", "keyed", _keyed_run())
    return best


def _note(best: dict[str, float], name: str, job: str, run: Run) -> None:
    frames = FEWER if job in ("keyed", "bytewise") else FRAMES
    start = time.process_time()
    count = run()
    spent = time.process_time() - start
    if count != frames:
        raise NotMeasured(f"{name} {job}: {count} of {frames} frames")
    best[job] = max(best.get(job, 0.0), frames / spent / 1000)


def _keyed_run() -> Run:
    """A session takes an event once: each run has one of its own, opened before the clock starts."""
    session, parts = keyed_session()
    return lambda: sum(1 for part in parts for _received in session.feed(part, 1.0))


TITLES = {
    "split": "received, checked and split",
    "typed": "received, decoded into typed events",
    "typed in frames": "the same, each event in its Frame (session, sequence, MAC)",
    "keyed": "one keyed frame per read, MAC and sequence checked",
    "bytewise": "one byte per read, decoded into typed events",
    "encode bytes": "sent, from bytes",
    "encode typed": "sent, from typed events",
}
AIMS = (
    ("typed", "pymavlink", 8.0),
    ("split", "cobs+zlib", 0.5),
    ("keyed", "pymavlink", 2.0),
    ("bytewise", "pymavlink", 2.0),
)


def report(best: dict[str, dict[str, float]]) -> list[str]:
    lines = ["link on the host: thousand frames a second, 16-byte payloads, and fairshoe's multiple of each"]
    for job, title in TITLES.items():
        mine = best["fairshoe"][job]
        other = "typed" if job == "typed in frames" else job
        rates = [(name, jobs[other]) for name, jobs in best.items() if name != "fairshoe" and other in jobs]
        lines.append(f"  {title}")
        others = "".join(f"  {name} {rate:.0f} ({mine / rate:.2f} x)" for name, rate in rates)
        lines.append(f"    fairshoe {mine:<5.0f}{others}")
    for job, peer, aim in AIMS:
        ratio = best["fairshoe"][job] / best[peer][job]
        met = "met" if ratio >= aim else "NOT met"
        lines.append(f"  aim: {TITLES[job]}, at least {aim:g} x {peer}: {ratio:.2f}, {met}")
    return lines
