"""Remove one check, and nothing else notices: each of these guards is the only one of its kind."""
# pyright: reportPrivateUsage=false

import sqlite3
from pathlib import Path

import pytest
from rig_port import KEY, RigPort
from support import board

from fairshoe.client.exchange import Core
from fairshoe.client.store import Arrived, Store
from fairshoe.client.store_file import StoreFile
from fairshoe.keys import KeyRing, role_key
from fairshoe.link import framing
from fairshoe.link.session import HostSession
from fairshoe.messages import DoorOpened, Hello, Mode, Role, Welcome
from fairshoe_floor.api.tokens import new_token
from fairshoe_floor.gateway.live import Live
from fairshoe_floor.gateway.metrics import Measures, MetricsPage
from fairshoe_floor.inventory import Entry, Inventory
from firmware.games.flow import ORDER_OFFERED
from firmware.link.admission import HEADER_SIZE
from firmware.protocol import ids
from rig.story import Stage

FULL, NORMAL = 2, 1


def test_a_second_nonce_before_the_order_is_drawn_does_not_replace_the_first() -> None:
    """Both may arrive within one scan: the state is all that tells them apart."""
    stage = Stage(board(link={"mode": "table"}), "caribbean-stud", 7, KEY, ids.ROLE_TABLE)
    stage.peer.share = ids.NONCE_ASKED  # it asks, and gives none by itself
    stage.until("empty_proved", 20000, then_ms=300)
    stage.play([("", 300, "load", 52)])
    stage.act("press", {"button": "green"})
    app = stage.rig.app
    for _ in range(200):
        if app.flow.order_state == ORDER_OFFERED and not app.flow.outbox.count:
            break
        stage.run(10)
    drawing = app.drawing
    values = [ids.NONCE_GIVEN, drawing.seq, 0, 0]
    for number, taken in ((1, True), (2, False)):
        app.link.reader.buf[HEADER_SIZE + 5 : HEADER_SIZE + 37] = bytes([number]) * 32
        assert drawing.receive(values, app.scanned_ms) is taken
    assert drawing.nonce == bytes([1]) * 32


def test_the_last_frame_of_a_device_counts_once_however_often_it_is_sent() -> None:
    port = RigPort(KEY, "table", False)
    port.run(8000)
    core = Core("rig", HostSession(role_key(KEY, Role.TABLE)))
    now = 0.0
    while core._statuses < 3:
        now += 0.02
        core.tick(now)
        port.write(core.output())
        heard = port.read(4096)
        before = core._statuses
        core.feed(heard, now)
        if core._statuses > before:
            replays = core.counts.disbelieved["replayed"]
            count = core._statuses
            core.feed(heard[heard.rindex(b"\0", 0, len(heard) - 1) :], now)
            assert core._statuses == count and core.counts.disbelieved["replayed"] == replays + 1


def _no_mac(_signed: bytes) -> bytes:
    return bytes(16)


@pytest.mark.parametrize("ring", [True, False])
@pytest.mark.parametrize("keyed", [True, False])
def test_a_welcome_without_the_right_mac_opens_no_session(ring: bool, keyed: bool) -> None:
    key = role_key(KEY, Role.TABLE)
    session = HostSession(KeyRing(lambda _device: key) if ring else key)
    session.tick(0.0)
    (hello,) = framing.decode_messages(session.take_output())
    assert isinstance(hello, Hello)
    forged = Welcome(1, Role.TABLE, bytes(16), hello.nonce, 7, 1, Mode(1), 1, bytes(8), "1", "CS", 1, 0, 0)
    seal = _no_mac if keyed else None
    assert list(session.feed(framing.encode(forged, 5, 0, 0, seal), 0.1)) == []
    assert not session.connected and session.welcome is None
    assert session.counts.disbelieved["welcome without the key"] == 1


@pytest.mark.parametrize("threaded", [False, True])
def test_a_commit_that_must_last_waits_for_the_disk(
    tmp_path: Path, threaded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes: list[int] = []
    commit = StoreFile._commit

    def watched(self: StoreFile, db: sqlite3.Connection) -> None:
        modes.append(db.execute("PRAGMA synchronous").fetchone()[0])
        commit(self, db)

    monkeypatch.setattr(StoreFile, "_commit", watched)
    event = DoorOpened(1, 1, 0, 0, 0, 0, 1)
    with Store(tmp_path / "store.db") as store:
        log = store.resume(7, b"log", 0, 1)
        if threaded:
            store._start_writer()
        modes.clear()
        store.add(log.id, [Arrived(1, event, bytes(21))])
        store.begin(7, 2, 0, "shuffle", {})
        store.share_secret()
        assert modes and set(modes) == {FULL}
        modes.clear()
        store.handled(log.id, 1)
        store.begin(8, 2, 0, "shuffle", {})
        assert modes[-1] == FULL, "also after one that need not"


def test_the_metrics_of_a_pit_token_are_those_of_its_pit(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    Store(store).close()
    shoes = tuple(Entry(number, f"T-{number}", str(number % 2), f"sim://{number}") for number in range(1, 7))
    text = MetricsPage(Live(Inventory("pits", store, None, shoes), lambda _device: b""), Measures(), store)
    for pits in ([], ["0"], ["1"], ["0", "1"], ["9"]):
        _token, grant = new_token("prometheus", ["metrics"], pits)
        told = text.text(grant)
        for shoe in shoes:
            assert (f'device="{shoe.name}"' in told) == (not pits or shoe.pit in pits), (pits, shoe.name)
