"""Needs: what the rules want before a deck is taken in, before a round begins and before it ends, from the facts.

A need holds back the button and the command alike. The display names it; the first request that it holds back is
answered with an event that carries the clause.
"""

from firmware.deck.ledger import HOPPER, STORE
from firmware.games.flow import STACK_OFFERED
from firmware.games.hands import undecided
from firmware.games.profile import (
    CLAUSE_NONE,
    RULE_BURN,
    RULE_CUT,
    RULE_DEALER_SHORT,
    RULE_DISPUTE,
    RULE_FACE_UP,
    RULE_FINAL_DEAL,
    RULE_FOLD,
    RULE_HOLE_CARD,
    RULE_HOUSE,
    RULE_INDUCTION,
    RULE_LOCKOUT,
    RULE_NONE,
    RULE_PROVENANCE,
    RULE_RACK,
    RULE_RELEASE,
    RULE_REMOVAL,
    RULE_STUB_COUNT,
    RULE_TWO_DECKS,
    RULE_WINNER_HOLD,
    TAIL_HANDED,
    TAIL_HOUSE,
)
from firmware.games.table_facts import (
    ACCEPTED,
    COLLECTED,
    COUNTED,
    DUE,
    EXTRA,
    FINAL,
    HELD,
    HELD_DISPUTE,
    HELD_OFF,
    HELD_WINNER,
    MACHINE_COUNTED,
    RACK,
    RACK_UNKNOWN,
    REST,
    ROUNDS,
    SERVICE,
    SHORT,
    SINCE,
    SOURCE,
    U8_MAX,
)
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow

# In the order of the needs.
_RULES = (
    RULE_HOUSE,
    RULE_REMOVAL,
    RULE_DISPUTE,
    RULE_INDUCTION,
    RULE_PROVENANCE,
    RULE_CUT,
    RULE_STUB_COUNT,
    RULE_TWO_DECKS,
    RULE_LOCKOUT,
    RULE_BURN,
    RULE_HOLE_CARD,
    RULE_RACK,
    RULE_FACE_UP,
    RULE_RELEASE,
)


def need_for_deck(flow: "Flow") -> int:
    """What keeps the next deck out of the machine."""
    facts = flow.facts
    profile = flow.profile
    deck = facts.turn()
    if facts.row[SERVICE]:
        return ids.NEED_SERVICE
    held = facts.deck(deck, HELD)
    if held & (HELD_DISPUTE | HELD_WINNER):
        return ids.NEED_DISPUTE
    if held & HELD_OFF and not profile.recorded:
        return ids.NEED_INDUCTION
    alone = facts.alone(deck)
    if alone and profile.decks > 1 and flow.tail not in (0, TAIL_HANDED):
        return ids.NEED_ROUND_END  # the only deck is on the table
    rack = facts.row[RACK] if profile.clauses[RULE_RACK] != CLAUSE_NONE else 0
    if rack == RACK_UNKNOWN or (rack and profile.recorded):
        return ids.NEED_RACK
    if profile.recorded:
        if not facts.inducted(deck):
            return ids.NEED_INDUCTION
        if flow.tail == TAIL_HANDED and alone:
            return ids.NEED_ROUND_END
        if not flow.machine.shuffles and not _sourced(flow, deck):
            return ids.NEED_PROVENANCE
        if flow.machine.draws and facts.cut_due(deck):
            return ids.NEED_CUT  # a deck inside a shoe can no longer be cut
    # With dealing by hand, an overdue stub count comes before the next deck: between two rounds.
    if not (profile.mode and stub_overdue(flow, deck)):
        return ids.NEED_NONE
    return ids.NEED_COUNT if flow.tail in (0, TAIL_HANDED) else ids.NEED_ROUND_END


def _sourced(flow: "Flow", deck: int) -> bool:
    """Whether it was recorded who shuffled this deck. Of two that take turns it must be a machine beside this shoe."""
    source = flow.facts.deck(deck, SOURCE)
    return source == ids.FROM_MACHINE or (source != 0 and flow.facts.alone(deck))


def need_for_round(flow: "Flow") -> int:
    """What keeps a round from beginning with the deck inside."""
    facts = flow.facts
    if facts.row[SERVICE]:
        return ids.NEED_SERVICE
    if flow.tail:
        return need_for_end(flow) or ids.NEED_ROUND_END
    if flow.profile.recorded and facts.cut_due(flow.outbox.deck or 1):
        return ids.NEED_CUT
    return ids.NEED_COUNT if stub_overdue(flow, flow.outbox.deck) else ids.NEED_NONE


def need_for_cards(flow: "Flow") -> int:
    """What keeps the first card back once betting is closed: chips for as many wagers as were accepted."""
    row = flow.facts.row
    untold = flow.profile.recorded and not row[ACCEPTED]
    return ids.NEED_PROGRESSIVE if untold or row[ACCEPTED] != row[COLLECTED] else ids.NEED_NONE


def need_for_release(flow: "Flow") -> int:
    """What keeps the rest inside while the round goes on: a card that a rule makes due comes from it first; on a table
    with records every player has decided first, in a game whose final cards come out of the rest."""
    zone = flow.ledger.zone
    if not flow.round_open or not zone[STORE] + zone[HOPPER]:
        return ids.NEED_NONE
    if flow.facts.row[EXTRA] and flow.state != STACK_OFFERED:  # there the next card is in the tray: dealt by hand
        return ids.NEED_CARD
    waits = flow.profile.recorded and flow.profile.final_each and undecided(flow)
    return ids.NEED_DECISIONS if waits else ids.NEED_NONE


def need_for_end(flow: "Flow") -> int:
    if flow.tail == TAIL_HOUSE:
        return ids.NEED_HOUSE_DECISION
    facts, profile = flow.facts, flow.profile
    row = facts.row
    final = profile.recorded and profile.final_each and not row[FINAL] and row[REST] != U8_MAX
    # Dealt by hand, no release has waited for the decisions. A shoe that is drawn from has seen the final deal.
    if final and (undecided(flow) or (facts.seconds() and (flow.play is None or flow.play.undrawn(flow)))):
        return ids.NEED_DECISIONS
    return ids.NEED_COUNT if row[DUE] and not row[COUNTED] else ids.NEED_NONE


def stub_exempt(flow: "Flow", deck: int) -> bool:
    """Whether this deck needs no count: this device has shuffled and counted it, without a doubt about doubles, and the
    cards go to the table in a way for which the game says so."""
    profile = flow.profile
    if not profile.stub_exempt >> profile.mode & 1 or not profile.counts_full:
        return False
    # What is handed out whole was always counted by then; what is dealt here may have been shuffled elsewhere.
    return flow.machine.shuffles if profile.mode else flow.facts.deck(deck or 1, MACHINE_COUNTED) != 0


def stub_due(flow: "Flow", deck: int) -> bool:
    """Whether the round that begins now must end with a count."""
    return _stub_rounds(flow, deck) + 1 >= flow.profile.stub_rounds > 0 and not stub_exempt(flow, deck)


def stub_overdue(flow: "Flow", deck: int) -> bool:
    rounds = _stub_rounds(flow, deck)
    if flow.tail == TAIL_HANDED and flow.profile.decks == 1:
        rounds += 1  # no round was reported for the deck that is out: the next deck shows that it was played
    return rounds >= flow.profile.stub_rounds > 0 and not stub_exempt(flow, deck)


def _stub_rounds(flow: "Flow", deck: int) -> int:
    """Rounds since a stub was counted at this table, or rounds of this deck since its own was: with two decks a count
    shows that one of them is whole."""
    since = flow.facts.deck(deck or 1, SINCE)
    return max(flow.facts.row[ROUNDS], since)


def hold_for(flow: "Flow", need: int, asked: int) -> bool:
    """Show the need, and post it if the dealer or a command asks to go on. True: nothing may go on."""
    if need != flow.need:
        flow.set_need(need, RULE_NONE)
        flow.redraw()
    if asked:
        rule = _RULES[need] if need < len(_RULES) else RULE_HOUSE
        if need == ids.NEED_DECISIONS and flow.tail:
            rule = RULE_FOLD if undecided(flow) else RULE_FINAL_DEAL
        if need == ids.NEED_PROVENANCE and flow.facts.deck(flow.facts.turn(), SOURCE):
            rule = RULE_TWO_DECKS
        if need == ids.NEED_DISPUTE and flow.facts.deck(flow.facts.turn(), HELD) & HELD_WINNER:
            rule = RULE_WINNER_HOLD
        if need == ids.NEED_CARD and not flow.facts.row[SHORT]:
            rule = RULE_DEALER_SHORT  # the dealer's hand is completed; else a rejected card is replaced
        need_tell(flow, need, rule)
    return need != ids.NEED_NONE


def need_tell(flow: "Flow", need: int, rule: int) -> None:
    """Post the need, once for each rule that holds the table back."""
    if need and rule != flow.rule_posted and flow.outbox.roomy():
        flow.set_need(flow.need, rule)
        flow.outbox.post(ids.EV_HELD_BACK, need, text=flow.profile.clauses[rule])
