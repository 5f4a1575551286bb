"""The tail of a round: all its cards are out of the machine, and the dealer settles it until he ends it.

It runs beside what the machine does meanwhile: with two decks the other one is taken in and shuffled, and a fault there
does not void this round. Its events carry its own round and deck.
"""

from firmware.deck import ledger as zones
from firmware.games.flow import DRAWING, WAITING_FOR_WAGERS, flow_about_tail, flow_committed
from firmware.games.prerequisites import hold_for, need_for_end
from firmware.games.profile import (
    CLAUSE_NONE,
    RULE_CLOSING_AGAIN,
    RULE_RACK,
    RULE_STUB_COUNT,
    RULE_STUB_WRONG,
    TAIL_HANDED,
    TAIL_LOCKOUT,
    TAIL_SETTLING,
    TAIL_WAGERS,
)
from firmware.games.records import record_do
from firmware.games.table_facts import COUNTED, DEALT, RACK, REMOVED, REST, STACKS, STUB, TAIL, TAIL_DECK, U8_MAX
from firmware.machines.panel import PRESS_ACK, PRESS_CLOSE, PRESS_END, PRESS_GREEN, PRESS_LOCK, panel_lamps
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.image import Outputs


def tail_begin(flow: "Flow") -> None:
    """The rest was taken: the round goes on without the machine."""
    zone = flow.ledger.zone
    flow.settle(TAIL_SETTLING, flow.outbox.deck, flow.stacks_taken, zone[zones.DEALT], zone[zones.RELEASED])


def tail_resume(flow: "Flow") -> None:
    """After a boot, from the facts."""
    row = flow.facts.row
    if row[REST] == U8_MAX:
        flow.settle(row[TAIL], row[TAIL_DECK], row[STACKS], ids.UNKNOWN_U16, 0)
    else:
        flow.settle(row[TAIL], row[TAIL_DECK], row[STACKS], row[DEALT], row[REST] if row[STACKS] else 0)


def tail_scan(flow: "Flow", out: "Outputs", green_ends: bool, now_ms: int) -> bool:
    """Take what the dealer presses about it; True if it is over."""
    panel = flow.panel
    if flow.tail == TAIL_WAGERS:
        return _close_again(flow)
    if flow.tail == TAIL_HANDED or flow.tail == TAIL_LOCKOUT:
        flow.by_hand.scan(flow, now_ms)
        return False
    need = need_for_end(flow)
    counts = need == ids.NEED_COUNT or need == ids.NEED_DECISIONS  # presses before the final deal count for nothing
    if counts and count_pressed(flow, now_ms):
        return not flow.tail
    if need == ids.NEED_HOUSE_DECISION and _house_pressed(flow, now_ms):
        return not flow.tail
    if flow.cover is not None:
        flow.cover.turn(flow)
    asked = panel.take(PRESS_END)
    if green_ends:
        asked += panel.take(PRESS_GREEN)
    # Without a count that is due, or was, the step shows what the machine waits for; what players decide is shown
    # once the end was asked for.
    due = need if need != ids.NEED_DECISIONS else ids.NEED_NONE
    was = flow.need == ids.NEED_COUNT or flow.need == ids.NEED_HOUSE_DECISION or flow.need == ids.NEED_DECISIONS
    shown = asked or (green_ends and (due or was))
    if (shown and hold_for(flow, need, asked)) or not asked:
        return False
    tail_end(flow)
    panel_lamps(out, 0, 0, 0)
    return True


def count_pressed(flow: "Flow", now_ms: int) -> bool:
    """The dealer has counted what is due: LOCK says that it was right, ACK that it was not."""
    if not flow_committed(flow):
        return False  # the last press is not in the facts yet
    if flow.panel.take(PRESS_LOCK):
        return _counted(flow, RULE_STUB_COUNT, now_ms)
    return flow.panel.take(PRESS_ACK) != 0 and _counted(flow, RULE_STUB_WRONG, now_ms)


def _house_pressed(flow: "Flow", now_ms: int) -> bool:
    """Where no table system reports it, two buttons say what the house decides: LOCK that the round goes on, CLOSE
    that it is void. Neither has a part in clearing the warning."""
    if flow.profile.recorded or not flow_committed(flow):
        return False
    goes_on = flow.panel.take(PRESS_LOCK)
    if not goes_on and not flow.panel.take(PRESS_CLOSE):
        return False
    record_do(flow, ids.REC_HOUSE_DECISION, ids.HOUSE_GOES_ON if goes_on else ids.HOUSE_VOID, 0, now_ms)
    return True


def _close_again(flow: "Flow") -> bool:
    """Betting is closed a second time, beside the machine; at a draw shoe not before the cards of the plan are out."""
    if not flow_committed(flow):
        return False  # the last press is not in the facts yet
    closed = flow.panel.take(PRESS_CLOSE)
    if flow.state == DRAWING and not flow.play.dealt(flow):
        return False
    flow.show(WAITING_FOR_WAGERS)
    if closed:
        flow_about_tail(flow, True)
        flow.outbox.post(ids.EV_BETTING_CLOSED, 2, text=flow.profile.clauses[RULE_CLOSING_AGAIN])
        flow_about_tail(flow, False)
        tail_next(flow, TAIL_WAGERS)
    return False


def tail_next(flow: "Flow", phase: int) -> None:
    """Go to the next phase of a round beside the machine and drop earlier presses."""
    flow.set_tail(flow.profile.phase_after(phase))
    flow.show(flow.state)
    flow.redraw()
    flow.panel.clear()


def _counted(flow: "Flow", rule: int, now_ms: int) -> bool:
    """Record the count. Without records only the dealer knows the final deal, and so which number is right. With
    records the final deal is recorded first, and presses made before do not count."""
    if flow.profile.recorded and flow.facts.stub_reported_later():
        return False
    cards = _cards_due(flow) if rule == RULE_STUB_COUNT else ids.UNKNOWN_U16
    if _of_a_set(flow):
        rule = -1  # the number says which it is
    record_do(flow, ids.REC_STUB_COUNTED, cards, 0, now_ms, rule)
    return True


def _cards_due(flow: "Flow") -> int:
    if flow.tail and flow.tail != TAIL_HANDED:
        return flow.facts.stub()
    return flow.profile.deck_cards - flow.facts.row[REMOVED]


def _of_a_set(flow: "Flow") -> bool:
    return not flow.tail and flow.facts.row[RACK] != 0 and flow.profile.clauses[RULE_RACK] != CLAUSE_NONE


def tail_end(flow: "Flow") -> None:
    """The dealer ends it; it is never inferred from the cards."""
    facts = flow.facts
    counted = facts.word(STUB) if facts.row[COUNTED] else ids.UNKNOWN_U16
    flow_about_tail(flow, True)
    if flow.play is not None:
        flow.play.ends(flow)
    settled = flow.settled
    stacks, dealt, rest = settled.stacks or ids.UNKNOWN_U8, settled.dealt, settled.rest
    if not settled.stacks or dealt == ids.UNKNOWN_U16:
        # Dealt by hand, and the number of players is unknown; or it went on by hand when the machine had stopped.
        dealt = rest = ids.UNKNOWN_U16
    flow.outbox.post(ids.EV_ROUND_ENDED, stacks, dealt, rest, facts.stub(), e=counted)
    flow_about_tail(flow, False)
    flow.set_tail(0)
