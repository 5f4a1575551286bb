"""A short slice of `make fuzz`, and proof that the fuzzer notices a decoder that is broken."""

import random
import time
from dataclasses import replace
from typing import Any

import fuzz
import pytest
from draws import amount

from fairshoe import messages
from fairshoe.link import framing
from firmware.protocol.frame import FrameReader


@pytest.mark.drawn
def test_any_bytes_leave_both_decoders_right_and_in_agreement() -> None:
    seed = random.randrange(1 << 32)
    print(f"replay: PYTHONPATH=tools .venv/bin/python -m fuzz --minutes 0.1 --seed {seed}")
    end = time.process_time() + amount(2, 10)
    report = fuzz.run(seed, lambda _done: time.process_time() < end)
    assert not report, report


def test_cases_hold_every_message_damage_and_every_reason_to_drop() -> None:
    reasons: set[str] = set()
    good = 0
    kinds: set[type[messages.Message]] = set()
    for case in range(300):
        items = fuzz.make_case(1, case)
        good += sum(1 for item in items if item.raw)
        kinds |= {type(item.sent[0]) for item in items if item.sent is not None}
        framing.decode_all(b"".join(item.data for item in items), lambda _at, _size, reason: reasons.add(reason))
    assert reasons == set(framing.Drops().by_reason()) - {"unfinished"}
    assert good > 300 and kinds == {*messages.ALL, messages.UnknownMessage}


def found(seed: int = 1) -> str:
    return next(filter(None, (fuzz.run_case(seed, case) for case in range(200))), "")


def test_a_host_that_checks_no_crc_is_found_and_the_case_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(_raw: bytes) -> int:
        return framing.CRC_RESIDUE

    monkeypatch.setattr(framing, "_crc32", careless)
    monkeypatch.setattr(fuzz, "SHRINK_TRIES", 300)
    report = found()
    assert "failed" in report and "--seed 1 --case" in report


def test_a_host_that_loses_the_frame_after_noise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    careful = framing._read_carefully  # pyright: ignore[reportPrivateUsage]

    def loses(pieces: list[bytes], *rest: object) -> object:
        return careful(pieces[:-2], *rest)  # pyright: ignore

    monkeypatch.setattr(framing, "_read_carefully", loses)
    monkeypatch.setattr(fuzz, "SHRINK_TRIES", 300)
    assert "failed" in found()


def test_a_number_that_is_cut_on_its_way_out_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    encode = framing.encode

    def cuts(message: messages.Message, *rest: Any) -> bytes:
        if isinstance(message, messages.Meters):
            message = replace(message, cards=message.cards & 0x7FFFFFFF)
        return encode(message, *rest)

    monkeypatch.setattr(framing, "encode", cuts)
    monkeypatch.setattr(fuzz, "SHRINK_TRIES", 50)
    assert "otherwise than it was sent" in found()


def test_a_device_that_accepts_another_version_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    finish = FrameReader._finish  # pyright: ignore[reportPrivateUsage]

    def lenient(self: FrameReader, fill: int) -> None:
        self.buf[0] ^= 0
        finish(self, fill)
        if self.drops[4]:
            self.drops[4] = 0
            self.size = 12

    monkeypatch.setattr(FrameReader, "_finish", lenient)
    monkeypatch.setattr(fuzz, "SHRINK_TRIES", 300)
    assert "host and device" in found()


def test_an_exception_in_a_decoder_is_a_finding_and_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_raw: bytes) -> None:
        raise IndexError("boom")

    monkeypatch.setattr(framing, "_read_general", broken)
    monkeypatch.setattr(framing, "_frame_general", broken)
    monkeypatch.setattr(framing, "_MESSAGES", [[broken] * 256] * 256)
    monkeypatch.setattr(fuzz, "SHRINK_TRIES", 100)
    assert "IndexError: boom" in found()
