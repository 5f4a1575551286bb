"""`fairshoe decode`: captures whole and damaged, binary and hex, live and not ours; the golden capture to the byte."""

import dataclasses
import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from in_process import refusal, run_bytes

from fairshoe import keys, messages
from fairshoe.errors import Exit
from fairshoe.link import framing
from fairshoe.link.dictionary import own_dictionary
from fairshoe.message_data import to_dict
from fairshoe.observe import capture_decoder
from fairshoe.text import describe
from firmware.protocol.ids import UNKNOWN_U16

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "docs" / "protocol" / "golden.bin"
VECTORS = json.loads((ROOT / "docs" / "protocol" / "vectors.json").read_text())
FAIRSHOE = [sys.executable, "-m", "fairshoe", "decode"]
OFFERED = messages.StackOffered(
    seq=8, boot=1, uptime_s=40, uptime_ms=500, utc_s=0, round=1, deck=1, stack=2, cards=5, misfeeds=1, stalls=0
)


def run(*arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return run_bytes("decode", *arguments, data=data)


def lines(data: bytes, as_json: bool = False, secret_of: capture_decoder.SecretOf | None = None) -> list[str]:
    out = io.StringIO()
    printer = capture_decoder.Printer(out, as_json, secret_of)
    printer.take(data)
    printer.finish()
    return out.getvalue().splitlines()


def in_words(message: str, numbers: dict[str, Any]) -> dict[str, Any]:
    """Fields of a vector as `decode --json` has them."""
    by_id = {kind.ID: kind.NAME for kind in messages.ALL}
    unknown = messages.UNKNOWN.get(message, {})
    words: dict[str, Any] = {}
    for name, number in numbers.items():
        member = {it.value: it.name.lower() for it in messages.ENUMS[name]} if name in messages.ENUMS else {}
        named = by_id if name in ("command", "during") else member
        words[name] = None if number == unknown.get(name, -1) else named.get(number, number)
    return words


def test_json_has_the_words_that_the_monitor_has() -> None:
    ended = framing.encode(messages.RoundEnded(9, 1, 40, 500, 0, 1, 1, 5, 15, 37, 0, UNKNOWN_U16))
    (entry,) = [json.loads(line) for line in lines(ended, as_json=True)]
    message = framing.decode_messages(ended)[0]
    assert {"message": entry["message"], **entry["fields"]} == to_dict(message)
    assert entry["fields"]["stub_counted"] is None


def test_the_golden_capture_comes_out_as_its_vectors_say() -> None:
    capture: dict[str, Any] = VECTORS["golden"]
    found = [json.loads(line) for line in lines(GOLDEN.read_bytes(), as_json=True)]
    frames = [entry for entry in found if "message" in entry]
    drops = [(entry["offset"], entry["length"], entry["dropped"]) for entry in found if "dropped" in entry]
    expected = [(drop["offset"], drop["length"], drop["reason"]) for drop in capture["drops"]]
    unfinished = capture["unfinished"]
    assert drops == [*expected, (unfinished["offset"], unfinished["length"], "unfinished")]
    parts = ("offset", "message", "id", "session", "sequence", "flags")
    assert [[entry[part] for part in parts] for entry in frames] == [
        [frame[part] for part in parts] for frame in capture["frames"]
    ]
    for entry, frame in zip(frames, capture["frames"], strict=True):
        wanted = in_words(frame["message"], frame["fields"])
        assert {name: entry["fields"][name] for name in wanted} == wanted
    assert [entry["offset"] for entry in found] == sorted(entry["offset"] for entry in found)


def test_every_vector_is_decoded_whole_byte_by_byte_and_with_bytes_after_it() -> None:
    for vector in VECTORS["frames"]:
        data = bytes.fromhex(vector["frame_hex"])
        for pieces in ([data], [data[at : at + 1] for at in range(len(data))], [data + b"\x05\x11"]):
            out = io.StringIO()
            printer = capture_decoder.Printer(out, as_json=True)
            for piece in pieces:
                printer.take(piece)
            entry = json.loads(out.getvalue())
            wanted = in_words(vector["message"], vector["fields"])
            wanted |= {"key": "(not_shown)"} if vector["message"] == "key_install" else {}
            assert {name: entry["fields"][name] for name in wanted} == wanted, vector["name"]
            assert (entry["message"], entry["session"]) == (vector["message"], vector["session"])


def test_every_bad_vector_is_dropped_for_its_reason() -> None:
    for vector in VECTORS["bad_frames"]:
        found = [json.loads(line) for line in lines(bytes.fromhex(vector["frame_hex"]), as_json=True)]
        assert [entry.get("dropped") for entry in found] == [vector["reason"]], vector["name"]


def test_text_has_place_session_sequence_name_and_every_field() -> None:
    data = b"\x55" + framing.encode(OFFERED, 0x2B09, 41, 1) + b"\x09\x09"
    assert lines(data) == [
        "       0  dropped 1 bytes: bad_stuffing",
        "       2  2b09:0029  stack_offered seq=8 boot=1 uptime_s=40 uptime_ms=500 utc_s=0 round=1 deck=1"
        " stack=2 cards=5 misfeeds=1 stalls=0  [again]",
        "      41  dropped 2 bytes: unfinished",
    ]


def test_binary_and_hex_in_every_dress_give_the_same(tmp_path: Path) -> None:
    data = GOLDEN.read_bytes()
    plain = data.hex().encode()
    spaced = b"\n".join(data[at : at + 16].hex(" ").encode() for at in range(0, len(data), 16))
    source = ", ".join(f"0x{byte:02x}" for byte in data).encode()
    (tmp_path / "capture").write_bytes(data)
    expected = run(str(tmp_path / "capture")).stdout
    assert expected.count(b"\n") > 20
    for text in (plain, spaced, source, data.hex(":").encode()):
        assert run("-", data=text).stdout == expected
        assert run("-", "--hex", data=text).stdout == expected
    assert run("-", data=data).stdout == expected


def test_hex_text_of_any_length_is_read_in_chunks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    data = framing.encode(OFFERED) * 5
    path = tmp_path / "capture.txt"
    path.write_text(", ".join(f"0x{byte:02x}" for byte in data))
    for chunk in range(2, 40):
        monkeypatch.setattr(capture_decoder, "CHUNK", chunk)
        assert b"".join(capture_decoder.from_file(str(path), as_hex=True)) == data


def test_bad_hex_says_where() -> None:
    done = run("-", "--hex", data=b"00 11 zz")
    assert done.returncode == 3 and b"byte 6" in done.stderr
    done = run("-", "--hex", data=b"00 1")
    assert done.returncode == 3 and b"half a byte" in done.stderr


@pytest.mark.parametrize("data", [b"", b"hello, this is not a capture", bytes(range(1, 256)) * 40, bytes(1000)])
def test_a_capture_that_is_not_ours_is_said_to_be_none(data: bytes) -> None:
    done = run("-", data=data)
    assert done.returncode == 3
    assert b"not a fairshoe capture" in done.stderr
    assert b"Traceback" not in done.stderr


def test_the_summary_counts_what_was_dropped() -> None:
    done = run("-", data=framing.encode(OFFERED) + b"\x09\x09\0")
    assert done.returncode == 0
    assert done.stderr.decode().strip() == "fairshoe decode: 43 bytes, 1 frames, 1 dropped: 1 bad_stuffing"


def test_a_missing_file_and_a_port_without_follow_say_what_to_do() -> None:
    assert run("no-such-file").returncode == 4
    main, side = os.openpty()
    try:
        done = run(os.ttyname(side))
    finally:
        os.close(main)
        os.close(side)
    assert done.returncode == 4 and b"--follow" in done.stderr


def test_a_live_port_is_followed_until_it_goes_away() -> None:
    main, side = os.openpty()
    process = subprocess.Popen(
        [*FAIRSHOE, os.ttyname(side), "--follow", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout
    try:
        end = time.monotonic() + 300
        os.set_blocking(process.stdout.fileno(), False)
        found = b""
        while b"\n" not in found and time.monotonic() < end:
            os.write(main, framing.encode(OFFERED))
            time.sleep(0.2)
            found += process.stdout.read() or b""
        assert json.loads(found.splitlines()[0])["message"] == "stack_offered"
    finally:
        os.close(side)
        os.close(main)
        errors = process.communicate(timeout=600)[1]
    assert process.returncode == 4
    assert b"disappeared" in errors and b"frames" in errors


def session(role: messages.Role, secret: bytes) -> tuple[bytes, list[framing.Seal]]:
    host, device = b"h" * 16, b"d" * 16
    key = keys.session_key(secret, 3, 77, host, device)
    seals = [keys.device_sealer(key), keys.host_sealer(key)]
    welcome = messages.Welcome(1, role, device, host, 1, 2, messages.Mode.TABLE, 1, bytes(8), "0.1", "CS", 1, 2, 3)
    return framing.encode(messages.Hello(3, role, host)) + framing.encode(welcome, 77, 0, 0, seals[0]), seals


def test_macs_are_checked_with_the_key_and_marked_unchecked_without(tmp_path: Path) -> None:
    device_key = bytes(range(32))
    table = keys.role_key(device_key, messages.Role.TABLE)
    opening, (from_device, from_host) = session(messages.Role.TABLE, table.secret)
    data = opening + framing.encode(OFFERED, 77, 1, 0, from_device) + framing.encode(OFFERED, 77, 2, 0, from_host)
    data += framing.encode(OFFERED, 77, 3, 0, lambda _signed: bytes(16)) + framing.encode(
        OFFERED, 78, 4, 0, from_device
    )
    for word, secret, expected in (
        ("table", table.secret, [None, "good", "good", "good", "wrong", "unchecked"]),
        ("device", device_key, [None, "good", "good", "good", "wrong", "unchecked"]),
        ("table", bytes(32), [None, "wrong", "wrong", "wrong", "wrong", "unchecked"]),
        ("observer", table.secret, [None] + ["unchecked"] * 5),
    ):
        path = tmp_path / f"{word}{secret[0]}{len(expected)}{expected[1]}.key"
        keys.write_key(path, word, secret)
        found = lines(data, True, capture_decoder.secrets_in(path))
        assert [json.loads(line)["mac"] for line in found] == expected
    assert "[mac unchecked]" in lines(data)[1]


def test_every_mac_of_the_golden_capture_is_good_under_its_key(tmp_path: Path) -> None:
    path = tmp_path / "device.key"
    keys.write_key(path, "device", bytes.fromhex(VECTORS["keys"][0]["device_key_hex"]))
    done = run(str(GOLDEN), "--json", "--key-file", str(path))
    macs = [json.loads(line).get("mac") for line in done.stdout.splitlines()]
    assert macs.count("good") == sum(1 for frame in VECTORS["golden"]["frames"] if "mac_hex" in frame) > 0
    assert "wrong" not in macs and "unchecked" not in macs


def test_what_a_newer_device_sends_is_read_by_the_dictionary_in_the_capture() -> None:
    own = [*own_dictionary().lines, "message 700 6 polish slot:u16 how:t8"]
    own = [line + " more:u16" if " stack_offered " in line else line for line in own]
    unknown = framing.encode(messages.UnknownMessage(700, 6, b"\x05\0softly\0\0"))
    (frame,) = framing.decode_all(framing.encode(OFFERED))
    longer = framing.encode(messages.UnknownMessage(OFFERED.ID, OFFERED.CLASS, frame.signed[8:] + b"\x07\0"))
    before = lines(unknown + longer)
    assert "unknown_700 class=6 body=0500736f66746c790000" in before[0]
    assert "extra=0700" in before[1]
    learnt = b"".join(framing.encode(messages.DictionaryLine(i, len(own), line.encode())) for i, line in enumerate(own))
    after = lines(learnt + unknown + longer)[-2:]
    assert "polish slot=5 how=softly  [by the device's dictionary]" in after[0]
    assert "stalls=0 more=7" in after[1]


def test_a_number_without_a_name_is_shown_as_it_was_sent() -> None:
    unknown = messages.Fault.UNRECOGNISED
    latched = messages.WarningLatched(1, 1, 1, 1, 1, 1, 1, unknown, 3, messages.Sensor.NONE, 0, 0)
    raw = bytearray(framing.decode_all(framing.encode(latched))[0].signed)
    raw[8 + 21] = 200
    data = framing.encode(messages.UnknownMessage(latched.ID, latched.CLASS, bytes(raw[8:])))
    assert "warning=unrecognised(200)" in lines(data)[0]
    assert json.loads(lines(data, as_json=True)[0])["fields"]["warning"] == 200


@pytest.mark.parametrize("cls", messages.ALL, ids=lambda cls: cls.NAME)
def test_every_message_has_a_text_with_all_its_fields(cls: type[messages.Message]) -> None:
    message = framing.unpack(cls.ID, bytes(cls.LAYOUT.size))
    assert message is not None
    text = describe.dump(message)
    assert text.startswith(cls.NAME)
    names = [word.split("=")[0] for word in text.split()[1:]]
    assert names == [field.name for field in dataclasses.fields(cls)]
    assert describe.describe(message)


def test_text_names_messages_and_enumerated_values() -> None:
    text = describe.dump(messages.Result(41, 516, messages.Outcome.REJECTED, messages.Reason.STATE, 5))
    assert text == "result op=41 command=release outcome=rejected reason=state detail=5"


def test_a_file_that_cannot_be_read_is_an_error_alone(tmp_path: Path) -> None:
    assert refusal(Exit.PORT, "decode", str(tmp_path / "nope")).startswith("fairshoe: cannot read")
