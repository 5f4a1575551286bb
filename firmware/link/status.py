"""The body of a status, filled in place: where its fields are is in docs/PROTOCOL.md."""

from struct import pack_into

from micropython import const

from firmware.deck.ledger import ZONE_COUNT
from firmware.games.flow import SHUFFLING
from firmware.games.next_need import need_next, positions_due, records_due
from firmware.image import IN_HOPPER
from firmware.ticks import ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.image import Inputs

STATUS_STATE = const(0)  # filled in by who decides that a status is due
_WARNING = const(1)
_ROUND = const(2)
_DECK = const(6)
_POSITIONS = const(7)
_STACK = const(8)
_ELAPSED = const(9)
_ZONES = const(13)  # first of the eight zones
_WAITING = const(29)
STATUS_NEED = const(33)
_HOPPER_SEEN = const(34)
_DECK_NEXT = const(35)
_RECORDS_DUE = const(36)
_POSITIONS_DUE = const(40)
STATUS_SIZE = const(42)


def status_fill(status: bytearray, flow: "Flow", inp: "Inputs", waiting: int, drops: int, now_ms: int) -> None:
    """Fill it as it is sent. While shuffling the zones and the hopper sensor stay as they were: their pace would tell
    the order."""
    status[_WARNING] = flow.warning or flow.hold
    pack_into("<I", status, _ROUND, flow.outbox.round)
    status[_DECK] = flow.outbox.deck
    status[_POSITIONS] = flow.positions & 0xFF
    status[_STACK] = flow.stack & 0xFF
    _pack_pair(status, _WAITING, waiting, drops)
    if flow.state == SHUFFLING:
        fill_elapsed(status, flow, now_ms)
    else:
        _pack_pair(status, _ELAPSED, 0, 0)
        status[_HOPPER_SEEN] = inp.level[IN_HOPPER]
        _fill_zones(status, flow.ledger.zone)
    _fill_needs(status, flow, inp)


def fill_elapsed(status: bytearray, flow: "Flow", now_ms: int) -> None:
    _pack_pair(status, _ELAPSED, ticks_diff(now_ms, flow.entered_ms) // 100, flow.report_ms // 100)


def _fill_zones(status: bytearray, zone: "list[int]") -> None:
    for i in range(0, ZONE_COUNT, 2):
        _pack_pair(status, _ZONES + 2 * i, zone[i], zone[i + 1])


def _fill_needs(status: bytearray, flow: "Flow", inp: "Inputs") -> None:
    need = need_next(flow, inp)
    status[STATUS_NEED] = need
    status[_DECK_NEXT] = flow.facts.turn()
    pack_into("<I", status, _RECORDS_DUE, records_due(flow, need))
    pack_into("<H", status, _POSITIONS_DUE, positions_due(flow, need))


def _pack_pair(buf: bytearray, at: int, one: int, two: int) -> None:
    """Two numbers of 16 bits, cut to that."""
    pack_into("<HH", buf, at, one & 0xFFFF, two & 0xFFFF)
