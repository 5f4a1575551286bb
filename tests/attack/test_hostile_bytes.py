"""Feed hosts and tools what an older device, a forger or a damaged file may send: nothing hangs, wedges or obeys it."""
# pyright: reportPrivateUsage=false

import hashlib
import hmac
import json
import time
import zlib
from pathlib import Path

import pytest
from rig_port import KEY, RigPort

from fairshoe.cli.command_line import main
from fairshoe.client.exchange import Core
from fairshoe.client.notices import LinkLost
from fairshoe.client.shoe import Shoe
from fairshoe.client.store import Store
from fairshoe.keys import role_key
from fairshoe.link import framing
from fairshoe.link.halt_report import HaltLine
from fairshoe.link.session import HostSession, event_seq
from fairshoe.messages import KeyInstall, KeyIs, Refusal, Role, StackOffered, UnknownMessage
from fairshoe.text.advice import REFUSALS
from firmware.digest import Hmac
from firmware.link import handshake as shake
from firmware.protocol import ids
from rig.rig import Rig

ROOT = Path(__file__).resolve().parents[2]
PREFIX = 21
BODY = (2).to_bytes(4, "little") + bytes(range(1, StackOffered.LAYOUT.size - 3))


def port_with(seeds: str = "erase") -> RigPort:
    return RigPort(KEY, "table", False, 7, seeds)


def frame(message: int, kind: int, body: bytes) -> bytes:
    raw = bytes((0x10 | kind, 0)) + message.to_bytes(2, "little") + bytes(4) + body
    return b"\0" + framing.stuff(raw + zlib.crc32(raw).to_bytes(4, "little")) + b"\0"


@pytest.mark.parametrize("size", range(4, StackOffered.LAYOUT.size))
def test_a_known_event_of_an_older_device_with_a_short_body_is_taken_as_it_came(size: int) -> None:
    (found,) = framing.decode_messages(frame(StackOffered.ID, ids.CLASS_EVENT, BODY[:size]))
    assert found == UnknownMessage(StackOffered.ID, ids.CLASS_EVENT, BODY[:size])
    assert event_seq(found) == 2


FORGED = {
    "dictionary_line": frame(ids.DICTIONARY_LINE, ids.CLASS_DICTIONARY, b"\x01\x00\x02\x00text"),
    "refused": frame(ids.REFUSED, ids.CLASS_HANDSHAKE, bytes(3 + 16)),
    "welcome": frame(ids.WELCOME, ids.CLASS_HANDSHAKE, bytes(80)),
}


@pytest.mark.parametrize("forged", [*FORGED.values(), b"".join(FORGED.values())], ids=[*FORGED, "all"])
def test_frames_in_clear_are_no_sign_of_life_of_a_device_with_a_key(
    forged: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An attacker who cuts the cable behind a host could keep up the appearance of a device. (A report that it halted,
    which no device can prove either, is an error, not silence.)"""
    port = port_with()
    monkeypatch.setattr("fairshoe.client.shoe.time.monotonic", lambda: port.rig.plant.now_us / 1e6)
    monkeypatch.setattr("fairshoe.transport.urls.serial.serial_for_url", lambda *_words, **_options: port)  # pyright: ignore
    port.run(8000)
    lost: list[LinkLost] = []
    with Shoe.open("rig", role_key(KEY, Role.TABLE)) as shoe:
        shoe.on(LinkLost, lost.append)
        shoe.run(timeout_s=3)
        assert shoe.up and not lost
        port.rig.cut_power()
        for _ in range(9):
            port.arrived += forged
            shoe.run(timeout_s=1)
        assert [it.why for it in lost] == ["nothing is heard from it"] and not shoe.up


def test_a_refusal_that_is_not_proved_gives_no_advice_to_go_without_a_key() -> None:
    for advice in REFUSALS.values():
        assert "no-key" not in advice and "without a key" not in advice.replace("Do not go on without a key", "")
    assert "Do not go on without a key" in REFUSALS[Refusal.NO_KEY]


@pytest.mark.parametrize("kind", range(16))
def test_an_unknown_event_is_one_by_its_number_whatever_its_class_says(kind: int) -> None:
    (found,) = framing.decode_messages(frame(511, kind, BODY))
    assert event_seq(found) == 2
    for number in (255, 512):
        for other in framing.decode_messages(frame(number, kind, BODY)):
            assert event_seq(other) is None


def test_a_device_that_sends_short_events_is_not_wedged(tmp_path: Path) -> None:
    """The firmware drops the last byte of every event after its prefix, as if it were older."""
    port = port_with()
    journal = port.rig.app.journal
    whole = journal.payload

    def short() -> bytes:
        body = bytes(whole())
        return body[:-1] if len(body) > PREFIX else body

    journal.payload = short  # pyright: ignore[reportAttributeAccessIssue]
    with Store(tmp_path / "store.db") as store:
        session = HostSession(role_key(KEY, Role.RECORDER), asks_log=True)
        core = Core("rig", session, store=store)
        shoe = Shoe(port, "rig", session, core=core, clock=lambda: port.rig.plant.now_us / 1e6)
        shoe.greet()
        for _event in shoe.events(quiet_s=3.0):
            pass
        (log,) = store.logs()
    assert (log.first, log.events) == (1, log.last) and log.last >= 3
    assert log.last == journal.seq_last == journal.seq_acked


def test_a_scenario_cannot_move_the_terminals_cursor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads((ROOT / "tests/scenarios/carousel-recorder-may-not-command.json").read_text())
    data["title"] = "x\x1b[2Jy"
    data["expect"]["state"] = "warning"  # fails, and says so
    path = tmp_path / "evil\x1b[1A.json"
    path.write_text(json.dumps(data))
    assert main(["scenario", "run", str(path), "--transcript", "-"]) == 1
    told = capsys.readouterr()
    assert "\x1b" not in told.out + told.err


def test_a_line_of_many_halts_is_read_in_linear_time() -> None:
    started = time.process_time()
    line = HaltLine()
    assert line.feed(b"fairshoe halted: " * 20000) is None
    assert time.process_time() - started < 1.0


def test_a_key_longer_than_a_block_is_hashed_as_rfc_2104_says() -> None:
    for size in (0, 1, 32, 63, 64, 65, 100, 131, 200):
        key = bytes(i * 7 & 0xFF for i in range(size))
        assert Hmac(key).digest(b"first", b"second") == hmac.digest(key, b"firstsecond", hashlib.sha256), size


def test_a_key_sent_in_clear_at_the_table_port_gets_no_keyed_answer() -> None:
    """A stranger at the cable must not make the device seal frames of the table's session."""
    port = port_with()
    shoe = Shoe(port, "rig", HostSession(role_key(KEY, Role.TABLE)), clock=lambda: port.rig.plant.now_us / 1e6)
    shoe.greet()
    port.run(500)
    link = port.rig.app.link
    before = link.session.sent
    port.arrived.clear()
    asked = 10
    for _ in range(asked):
        port.write(framing.encode(KeyInstall(bytes(32))))
        port.run(20)
    frames = framing.decode_all(bytes(port.arrived))
    answers = [frame for frame in frames if isinstance(frame.message, KeyIs)]
    assert answers and not any(frame.mac or frame.session for frame in answers)
    assert link.session.sent - before < asked  # only status and the like
    assert link.session.hmac is not None


@pytest.mark.parametrize("name", ["pico-carousel", "pico-shelves", "pico-shoe", "pico-draw"])
def test_a_nonce_has_more_than_256_assessed_bits(name: str) -> None:
    """The noise of a hello is not enough on an RP2040; that of the boot is hashed in."""
    config = json.loads((ROOT / f"board_configs/{name}.json").read_text())
    if name == "pico-shelves":
        config["table"] = {"dealing": "beside"}  # an automated shoe deals what they have shuffled
    worth = config["entropy"]["millibits_per_byte"]
    assert worth * shake.NOISE_BYTES < 128000
    rig = Rig(config, "double-attack-blackjack" if name == "pico-draw" else "caribbean-stud", 7, 0, KEY)
    assert rig.hal.entropy_draws * worth > 256000
    handshake = rig.app.reporter.handshake
    first, _safe = shake._fresh(handshake)
    handshake.nonces -= 1
    rig.hal.entropy_draws -= shake.NOISE_BYTES
    assert shake._fresh(handshake)[0] == first
    handshake.nonces -= 1
    rig.hal.entropy_draws -= shake.NOISE_BYTES
    handshake.pool = bytes(32)
    assert shake._fresh(handshake)[0] != first
