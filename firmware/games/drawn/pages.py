"""What the dealer reads at a shoe that is drawn by hand: every page of it, four lines of twenty characters."""

from firmware.games.flow import DECK_SPENT, DRAW_READY, DRAWING, WAITING_FOR_DECK
from firmware.games.profile import CLAUSE_NONE, RULE_BURN, RULE_DEALER_CARD, TAIL_WAGERS
from firmware.games.table_facts import APPROVED_MARKER, READER_OFF, REMOVED
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from firmware.games.flow import Flow
    from firmware.games.profile import Page

_GREEN = "Press GREEN when"
_OVER = "the round is over"
_MARKER = ("Ready for a shoe", "Cut card a quarter", "from the back, then", "insert, press GREEN")
_BURN = ("Burn a card", "", "Draw one card, face", "down, to the rack")
_HOLE = ("Hole card", "Enter the up-card,", "then use the reader", "No card before that")
_UP = ("Double Attack wagers", "", "Then two cards to", "each box")
_DEAL = ("Deal the cards", "", _GREEN, _OVER)
_CALL = ("Players' cards", "LOCK: Dealer's Card", _GREEN, _OVER)
_CALLED = ("Dealer's Card", "", _GREEN, _OVER)
_HITS = ("No blackjack", "Players' cards", _GREEN, _OVER)
_BLACKJACK = ("Blackjack", "No more cards", _GREEN, _OVER)
_NO_ANSWER = ("Reader gives no", "answer for this card", "Tell a supervisor", "and play on")
_OFF = ("Reader is off", "LOCK: Dealer's Card", _GREEN, _OVER)
_CUT_RACK = ("Too few cards", "Shuffle and cut the", "rack, then tell the", "table system")
_SPENT = ("Shoe is finished", "Take out the rest,", "count it with the", "rack, and shuffle")
_DEEP = ("Shoe is finished", "Cut card was too", "deep. Take out the", "rest, count, shuffle")
_RECUT = ("Cut the cards again", "Take out all of them", "cut, put them back,", "press GREEN")
_NOTICES = (
    ("A card lay face up", "Put it into the rack", "and take the next", "card"),
    ("A ten was drawn", "A floorperson takes", "it away; go on with", "the next card"),
)


def draw_page(flow: "Flow", play: "Any") -> "Page | None":
    """None: as for any other machine."""
    state = flow.state
    ruled = flow.profile.clauses[RULE_BURN] != CLAUSE_NONE
    if flow.need == ids.NEED_BURN:
        return _BURN
    if flow.need == ids.NEED_RACK:
        return _rack(flow)
    if flow.tail == TAIL_WAGERS and state == DRAWING and not play.dealt(flow):
        return flow.profile.pages.get(DRAWING)
    if not ruled or (flow.need and flow.need != ids.NEED_UP_CARD):
        return None
    if state == WAITING_FOR_DECK:
        return None if play.approved & APPROVED_MARKER else _MARKER
    if state == DECK_SPENT:
        return _RECUT if play.recut else _DEEP if play.deep else _SPENT
    if play.notice and state in (DRAW_READY, DRAWING):
        return _NOTICES[play.notice - 1]
    page = flow.profile.pages.get(state)
    if state == DRAW_READY and flow.positions and page is not None:
        return page[0], "Boxes: %d" % flow.positions, page[2], page[3]
    return _drawing(flow, play) if state == DRAWING else None


def _rack(flow: "Flow") -> "Page":
    rest = "the rest: %d cards" % (flow.profile.deck_cards - flow.facts.row[REMOVED])
    if flow.profile.recorded:
        return "Count the rack, with", rest, "Then tell the table", "system"
    return "Count the rack, with", rest, "LOCK: it is right", "ACK: it is wrong"


def _drawing(flow: "Flow", play: "Any") -> "Page":
    reader = play.reader
    if play.refill:
        if play.refill == 1:
            return _CUT_RACK
        return "Too few cards", "Insert the rack:", "%d cards, then" % play.rack, "press GREEN"
    if play.burns(flow):
        return _BURN
    if reader.answer == ids.ANSWER_BLACKJACK:
        return _BLACKJACK
    if play.called:
        return _CALLED
    if reader.answer == ids.ANSWER_NO:
        return _HITS
    if reader.fitted and (reader.broken or flow.facts.row[READER_OFF]):
        return _OFF
    if reader.refused:
        return _NO_ANSWER
    if flow.need:
        return _HOLE
    if play.draws == 1:
        return _UP
    calls = flow.profile.clauses[RULE_DEALER_CARD] != CLAUSE_NONE and not play.no_call
    return _CALL if calls and play.draws >= (play.deal(flow) or 3) else _DEAL
