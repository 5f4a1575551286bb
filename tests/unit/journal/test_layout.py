"""Storage of an older firmware is taken over without loss; storage of a layout that is not known is left as it is.

storage_4872250.json is what the firmware of that commit left behind, before storage carried a version of its layout.
"""

import json
from binascii import crc32

from services import CARDS
from support import raises, refusal
from tables import small_board

from firmware.journal.cells import CELL_SIZE, CRC_AT, KEY_CELL, LAYOUT, LAYOUT_AT, LOG_CELL, MARK_CELL
from firmware.protocol import ids
from rig.flash_nv import make_nv
from rig.peer import Peer
from rig.rig import Rig
from rig.story import Stage

CARRIERS = (0, 1, 2, 3, 4, 5, 8, 10, 11)
KINDS = ("fram", "flash")


def old():
    with open("tests/unit/kit/storage_4872250.json") as file:
        return json.load(file)


def board_of(kind, size):
    config = small_board("carousel")
    config["link"]["mode"] = "table"
    config["nv"] = {"kind": kind, "bytes": size}
    return config


def storage_of(kind, image):
    nv = make_nv({"kind": kind, "bytes": image["bytes"]}, 1)
    for cell in sorted(image["cells"], key=int):
        assert nv.prog(int(cell) * CELL_SIZE, bytearray(bytes.fromhex(image["cells"][cell])))
    return nv


def started(kind, image, nv):
    return Rig(board_of(kind, image["bytes"]), {"deck_cards": CARDS, "stack_cards": 2}, 7, 0, b"", nv)


def alter(nv, cell, layout):
    """Give a cell another layout, with a good CRC."""
    buf = bytearray(CELL_SIZE)
    assert nv.read(cell * CELL_SIZE, buf)
    buf[LAYOUT_AT] = layout
    buf[CRC_AT:] = crc32(bytes(buf[:CRC_AT])).to_bytes(4, "little")
    assert nv.prog(cell * CELL_SIZE, buf)


def layout_in(nv, cell):
    buf = bytearray(CELL_SIZE)
    assert nv.read(cell * CELL_SIZE, buf)
    return buf[LAYOUT_AT]


def check_kept(app, known):
    """Whatever the old firmware knew is there; later boots may have added records."""
    journal = app.journal
    assert journal.broken == 0 and journal.log.hex() == known["log"]
    assert journal.seq_last >= known["seq_last"] and journal.seq_acked >= known["seq_acked"]
    assert journal.round_last == known["round_last"] and journal.boot_last >= known["boot_last"]
    assert journal.warning == known["warning"] and app.link.key.hex() == known["key"]
    assert [[a.op, a.command, a.digest, a.outcome, a.reason, a.detail] for a in journal.lanes.by_role] == known["lanes"]
    meters = list(app.flow.meters.values)
    assert meters[: len(known["meters"])] == known["meters"] and not any(meters[len(known["meters"]) :])
    for i in range(len(known["waiting"])):
        message, payload = known["waiting"][i]
        assert journal.load(known["seq_acked"] + 1 + i) == message
        assert bytes(journal.payload()).hex() == payload


def host_of(rig, known):
    """A stage with the table's host, which has acknowledged what the old firmware says."""
    stage = Stage(rig.config, rig.game, 7)
    stage.rig = rig
    rig.deliver = stage._deliver
    stage.peer = Peer(bytes.fromhex(known["key"]), ids.ROLE_TABLE)
    return stage


def test_storage_without_a_version_is_taken_over_whole():
    image = old()
    known = image["known"]
    for kind in KINDS:
        nv = storage_of(kind, image)
        rig = started(kind, image, nv)
        check_kept(rig.app, known)
        row = bytes(rig.app.flow.facts.row).hex()
        assert row == known["facts"] + "0" * (len(row) - len(known["facts"]))
        stage = host_of(rig, known)
        stage.run(3000)
        assert stage.peer.gaps == 0
        told = [event for event in stage.peer.events if event.seq <= known["seq_last"]]
        assert [event.seq for event in told] == list(range(known["seq_acked"] + 1, known["seq_last"] + 1)), kind
        for i in range(len(told)):
            payload = stage.peer.payloads[told[i].seq]
            assert payload[2:].hex() == known["waiting"][i][1]
        assert rig.app.journal.seq_acked == rig.app.journal.seq_last > known["seq_last"]
        assert layout_in(nv, MARK_CELL) == layout_in(nv, MARK_CELL + 1) == LAYOUT
        assert layout_in(nv, LOG_CELL) == 0, "its identity is written once and never again"
        rig.boot()
        check_kept(rig.app, dict(known, waiting=[]))


def test_power_that_fails_at_any_write_of_the_first_boot_loses_nothing():
    image = old()
    known = image["known"]
    for kind in KINDS:
        cut = 0
        while True:
            nv = storage_of(kind, image)
            nv.cut_at = nv.writes + cut
            nv.cut_bytes = (0, 50, CELL_SIZE)[cut % 3]
            rig = started(kind, image, nv)
            stage = host_of(rig, known)
            stage.run(700)
            if rig.powered:
                break
            nv.cut_at = -1
            stage.act("boot", {})
            check_kept(rig.app, known)
            stage.run(200)
            first = min(event.seq for event in stage.peer.events)
            assert first == known["seq_acked"] + 1 and stage.peer.gaps == 0, (kind, cut)
            cut += 1
        assert cut > 12, kind


def test_a_layout_that_is_not_known_is_refused_and_nothing_is_written():
    image = old()
    for kind in KINDS:
        for cell in CARRIERS:
            nv = storage_of(kind, image)
            half_installed_key(nv)
            alter(nv, cell, LAYOUT + 1)
            before = bytes(nv.data), nv.writes
            said = refusal(RuntimeError, started, kind, image, nv)
            assert said.startswith("storage layout 2, firmware knows 1. Nothing was written"), (kind, cell)
            assert (bytes(nv.data), nv.writes) == before, (kind, cell)


def half_installed_key(nv):
    """Power was lost between the two writes of a key: a start that knows the layout writes the second one."""
    buf = bytearray(CELL_SIZE)
    assert nv.read(KEY_CELL * CELL_SIZE, buf)
    buf[4] = 3
    buf[CRC_AT:] = crc32(bytes(buf[:CRC_AT])).to_bytes(4, "little")
    assert nv.prog((KEY_CELL + 1) * CELL_SIZE, buf)


def test_a_cell_that_power_was_lost_over_does_not_count_as_another_layout():
    image = old()
    nv = storage_of("fram", image)
    older = MARK_CELL if layout_in(nv, MARK_CELL) == 0 else MARK_CELL + 1
    nv.data[older * CELL_SIZE + LAYOUT_AT] = LAYOUT + 1
    assert started("fram", image, nv).app.journal.seq_last >= image["known"]["seq_last"]


def test_new_storage_carries_the_layout_from_its_first_boot_on():
    for kind in KINDS:
        image = {"bytes": 76 * CELL_SIZE, "cells": {}}
        nv = storage_of(kind, image)
        rig = started(kind, image, nv)
        assert layout_in(nv, LOG_CELL) == LAYOUT
        assert rig.app.meter_store.save(rig.app.flow.meters.values)
        assert LAYOUT in (layout_in(nv, 4), layout_in(nv, 5))


def test_storage_of_another_size_is_refused_and_nothing_is_written():
    """Records lie at their number modulo the capacity: with another nv.bytes most would be looked for elsewhere."""
    image = {"bytes": 80 * CELL_SIZE, "cells": {}}
    nv = storage_of("fram", image)
    started("fram", image, nv)
    before = bytes(nv.data)
    for cells in (76, 79):
        said = refusal(RuntimeError, started, "fram", {"bytes": cells * CELL_SIZE}, nv)
        assert said.startswith("storage of 80 cells, nv.bytes gives %d. Nothing was written" % cells)
        assert bytes(nv.data) == before
    assert not raises(RuntimeError, started, "fram", image, nv)
